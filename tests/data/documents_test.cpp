// Documents in every format, and NumPy files.
#include <zlib.h>

#include <cmath>
#include <cstring>

#include "tests/data/source_checks.hpp"

namespace kullback::data {
namespace {

using Documents = SourceTest;
using Names = std::vector<std::string>;

TEST_F(Documents, LdaC) {
  const auto source = open_source(documents("2 0:1 4:3\n1 2:2\n3 1:1 0:1 3:0\n"));
  EXPECT_EQ(source->shape().columns, 5U);
  EXPECT_EQ(source->shape().names, (Names{"0", "1", "2", "3", "4"}));
  EXPECT_EQ(text_of_batch(*source->in_memory()), "0+3: [ 0:1 4:3 ] [ 2:2 ] [ 1:1 0:1 ]");
  SourceRequest request = documents("2 0:1 1:3\n");
  request.vocabulary = file("vocab.txt", "cat\ndog\nowl\n\n");
  EXPECT_EQ(open_source(request)->shape().names, (Names{"cat", "dog", "owl"}));
}

TEST_F(Documents, ErrorsOfLdaC) {
  EXPECT_EQ(error_of(documents("2 0:1 4:3\n3 1:1 2:1\n")),
            "data.txt:2: the line says 3 words, but has 2. | The first number of a line is that of its "
            "index:count pairs.");
  EXPECT_EQ(
      error_of(documents("2 0:1 4:3\n1 x:1\n")),
      "data.txt:2: found 'x:1', but index:count is needed. | Each line is N index:count index:count ...");
  EXPECT_EQ(error_of(documents("1 0:1\nmany 1:1\n")),
            "data.txt:2: found 'many', but the number of words is needed. | Each line is N index:count "
            "index:count ...");
  EXPECT_EQ(
      error_of(documents("1 0:1\n1 1:-2\n")),
      "data.txt:2: found '1:-2', but a count (0, 1, 2, ...) is needed. | Correct it, or delete the entry.");
  EXPECT_EQ(
      error_of(documents("1 0:1\n1 1:1.5\n")),
      "data.txt:2: found '1:1.5', but a count (0, 1, 2, ...) is needed. | Correct it, or delete the entry.");
  EXPECT_EQ(error_of(documents("1 0:1\n0\n")),
            "data.txt:2: the document has no words. | Delete it, or keep documents without words with "
            "--allow-empty.");
  SourceRequest request = documents("1 1:1\n1 2:1\n");
  request.vocabulary = file("vocab.txt", "cat\ndog\n");
  EXPECT_EQ(
      error_of(request),
      "data.txt:2: the index 2 of a word is out of range: the vocabulary vocab.txt has 2 words, so that "
      "indices go from 0 to 1. | Words are counted from 0 in this format.");
  EXPECT_EQ(error_of(documents("1 -1:1\n1 0:2\n")).substr(0, 64),
            "data.txt:1: found '-1', but the index of a word is needed. | Ind");
  EXPECT_EQ(error_of(documents("")), "data.txt: the file is empty. | There must be a document in it.");
  request = documents("1 1:1\n");
  request.vocabulary = file("vocab.txt", "cat\n\ndog\n");
  EXPECT_EQ(error_of(request),
            "vocab.txt:2: the line is empty, but a word is needed. | Write one word on each line.");
  request.vocabulary = file("vocab.txt", "\n");
  EXPECT_EQ(error_of(request), "vocab.txt: there is no word in it. | Write one word on each line.");
}

TEST_F(Documents, EmptyOnesWhereAllowed) {
  SourceRequest request = documents("0\n1 0:1\n0\n");
  request.allows_empty_documents = true;
  EXPECT_EQ(text_of_source(request), "0+3: [ ] [ 0:1 ] [ ]");
  expect_shards_and_streams_agree(request);
}

constexpr std::string_view kUci = "3\n4\n5\n1 1 2\n1 4 1\n2 2 7\n3 1 1\n3 3 1\n";

TEST_F(Documents, Uci) {
  SourceRequest request = documents(kUci);
  EXPECT_EQ(text_of_source(request), "0+3: [ 0:2 3:1 ] [ 1:7 ] [ 0:1 2:1 ]");
  EXPECT_EQ(open_source(request)->shape().names, (Names{"1", "2", "3", "4"}));
  expect_shards_and_streams_agree(request);
  request.vocabulary = file("vocab.txt", "a\nb\nc\nd\n");
  EXPECT_EQ(open_source(request)->shape().names, (Names{"a", "b", "c", "d"}));
  request.vocabulary = file("vocab.txt", "a\nb\nc\n");
  EXPECT_EQ(
      error_of(request),
      "data.txt: the header says 4 words, but the vocabulary vocab.txt has 3. | Take the vocabulary that "
      "belongs to the documents.");
}

TEST_F(Documents, UciWithEmptyDocuments) {
  SourceRequest request = documents("5\n2\n5\n2 1 2\n2 2 1\n4 2 7\n4 1 1\n4 1 1\n");
  EXPECT_EQ(
      error_of(request),
      "data.txt: document 1 has no words. | Delete it, or keep documents without words with --allow-empty.");
  request.streams = true;
  EXPECT_EQ(
      error_of(request),
      "data.txt: document 1 has no words. | Delete it, or keep documents without words with --allow-empty.");
  request.streams = false;
  request.allows_empty_documents = true;
  EXPECT_EQ(text_of_source(request), "0+5: [ ] [ 0:2 1:1 ] [ ] [ 1:7 0:1 0:1 ] [ ]");
  expect_shards_and_streams_agree(request);
  EXPECT_EQ(
      error_of(documents("5\n2\n2\n2 1 2\n2 2 1\n")),
      "data.txt: the header says 5 documents but only 2 entries: some documents have no words. | Delete "
      "them, or keep documents without words with --allow-empty.");
}

TEST_F(Documents, UciOfManyDocumentsWithGaps) {
  std::string lines;
  int entries = 0;
  for (int document = 1; document <= 5000; ++document) {
    if (document % 7 == 3 || document > 4990) continue;
    for (int word = 1; word <= 1 + document % 3; ++word, ++entries)
      lines += std::to_string(document) + " " + std::to_string(word) + " 2\n";
  }
  SourceRequest request = documents("5000\n3\n" + std::to_string(entries) + "\n" + lines);
  request.allows_empty_documents = true;
  expect_shards_and_streams_agree(request);
}

TEST_F(Documents, ErrorsOfUci) {
  EXPECT_EQ(error_of(documents("2\n3\n2\n1 1 1\n2 4 1\n")),
            "data.txt:5: the index 4 of a word is out of range: the header of data.txt says 3 words, so that "
            "indices go from 1 to 3. | Words are counted from 1 in this format.");
  EXPECT_EQ(error_of(documents("2\n3\n2\n1 1 1\n2 0 1\n")).substr(0, 44),
            "data.txt:5: the index 0 of a word is out of ");
  EXPECT_EQ(
      error_of(documents("2\n3\n2\n1 1 1\n3 1 1\n")),
      "data.txt:5: document 3 is out of range: the header says 2 documents. | Documents are counted from 1 "
      "in this format.");
  EXPECT_EQ(error_of(documents("2\n3\n3\n1 1 1\n2 1 1\n")),
            "data.txt: the header says 3 entries, but there are 2. | Is the file cut off? Copy it again, or "
            "correct the header.");
  EXPECT_EQ(error_of(documents("2\n3\n2\n1 1 1\n2 1\n")),
            "data.txt:5: found 2 numbers, but 3 are needed. | Each line is document word count.");
  EXPECT_EQ(error_of(documents("2\n3\n2\n1 1 1\n2 dog 1\n")),
            "data.txt:5: found 'dog', but a number is needed. | Each line is document word count.");
  EXPECT_EQ(
      error_of(documents("2\n3\n2\n1 1 1\n2 1 -4\n")),
      "data.txt:5: found '-4', but a count (0, 1, 2, ...) is needed. | Correct it, or delete the entry.");
  EXPECT_EQ(error_of(documents("2\n99999999999\n2\n1 1 1\n2 1 1\n")),
            "data.txt: the vocabulary has 99999999999 words; 10 million are read at most. | ");
}

TEST_F(Documents, UnsortedOnesAreGatheredInMemoryOnly) {
  SourceRequest request = documents("3\n4\n4\n3 1 1\n1 4 1\n2 2 7\n3 3 2\n");
  EXPECT_EQ(text_of_source(request), "0+3: [ 3:1 ] [ 1:7 ] [ 0:1 2:2 ]");
  request.shards = 2;
  request.shard = 1;
  EXPECT_EQ(text_of_source(request), "1+2: [ 1:7 ] [ 0:1 2:2 ]");
  request = documents("3\n4\n4\n1 1 1\n2 4 1\n3 2 7\n1 3 2\n");
  request.streams = true;
  EXPECT_EQ(
      error_of(request),
      "data.txt:7: document 1 comes again after others. | Sort the lines by document, or read the data into "
      "memory instead of streaming them.");
}

TEST_F(Documents, MatrixMarket) {
  SourceRequest request = documents(
      "%%MatrixMarket matrix coordinate integer general\n% by hand\n%\n3 4 5\n1 1 2\n1 4 1\n2 2 7\n3 1 1\n3 "
      "3 1\n");
  EXPECT_EQ(text_of_source(request), "0+3: [ 0:2 3:1 ] [ 1:7 ] [ 0:1 2:1 ]");
  expect_shards_and_streams_agree(request);
  EXPECT_EQ(text_of_source(documents("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n")),
            "0+2: [ 1:1 ] [ 0:1 ]");
  request = documents("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 -1.5\n2 1 0\n");
  request.needs_counts = false;
  EXPECT_EQ(text_of_source(request), "0+2: [ 1:-1.5 ] [ 0:0 ]");
  EXPECT_EQ(error_of(documents("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n")),
            "data.txt:1: found '%%MatrixMarket matrix array real general'; 'matrix coordinate "
            "integer|real|pattern general' is read. | Write a sparse matrix whose rows are documents.");
  EXPECT_EQ(
      error_of(documents("%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n")).substr(0, 18),
      "data.txt:1: found ");
  EXPECT_EQ(error_of(documents("%%MatrixMarket matrix coordinate real general\n2 2\n")),
            "data.txt:2: found '2 2', but the numbers of rows, columns and entries are needed. | ");
  EXPECT_EQ(error_of(documents("%%MatrixMarket matrix coordinate real general\n%\n")),
            "data.txt: the header is cut off. | ");
}

TEST_F(Documents, SeveralFilesFollowOneAnother) {
  SourceRequest request = documents(kUci, "a.txt");
  request.paths.push_back(file("b.txt", "1\n4\n1\n1 2 9\n"));
  EXPECT_EQ(text_of_source(request), "0+4: [ 0:2 3:1 ] [ 1:7 ] [ 0:1 2:1 ] [ 1:9 ]");
  expect_shards_and_streams_agree(request);
  request.paths.back() = file("b.txt", "1\n5\n1\n1 2 9\n");
  EXPECT_EQ(
      error_of(request),
      "b.txt: the header says 5 words, but the header of a.txt says 4. | Take the vocabulary that belongs to "
      "the documents.");
}

TEST_F(Documents, DenseCounts) {
  SourceRequest request = documents("cat,dog,owl\n1,0,2\n0,3,0\n");
  EXPECT_EQ(text_of_source(request), "0+2: [ 0:1 2:2 ] [ 1:3 ]");
  EXPECT_EQ(open_source(request)->shape().names, (Names{"cat", "dog", "owl"}));
  expect_shards_and_streams_agree(request);
  EXPECT_EQ(error_of(documents("cat,dog\n1,0\n0,0\n")).substr(0, 39),
            "data.txt:3: the document has no words. ");
  EXPECT_EQ(error_of(documents("cat,dog\n1,-1\n")).substr(0, 46),
            "data.txt:2: column 'dog': found '-1', but a co");
  request.vocabulary = file("vocab.txt", "a\n");
  EXPECT_EQ(error_of(request),
            "vocab.txt: data.txt has a column for each word, and the first line names them. | Leave the "
            "vocabulary out.");
  request = documents("a,b\n1,\n,0\n");
  request.needs_counts = false;
  request.takes_missing = true;
  EXPECT_EQ(text_of_source(request), "0+2: [ 0:1 ] [ 1:0 ]");
}

TEST_F(Documents, NamedTriplets) {
  SourceRequest request = documents("doc_id,word,count\nb,w10,1\nb,w2,3\na,w10,2\nc,w1,1\n");
  const auto source = open_source(request);
  EXPECT_EQ(source->shape().names, (Names{"w1", "w2", "w10"}));
  EXPECT_EQ(source->unit_names(), (Names{"b", "a", "c"}));
  EXPECT_EQ(text_of_batch(*source->in_memory()), "0+3: [ 2:1 1:3 ] [ 2:2 ] [ 0:1 ]");
  expect_shards_and_streams_agree(request);
  request.shards = 3;
  request.shard = 1;
  EXPECT_EQ(open_source(request)->unit_names(), (Names{"a"}));
}

TEST_F(Documents, Ratings) {
  SourceRequest request = documents("userId,movieId,rating,timestamp\n1,31,2.5,0\n2,10,4,0\n1,10,-1,0\n");
  request.ignored = {"timestamp"};
  request.needs_counts = false;
  EXPECT_EQ(text_of_source(request), "0+2: [ 1:2.5 0:-1 ] [ 0:4 ]");
  EXPECT_EQ(open_source(request)->shape().names, (Names{"10", "31"}));
  request.streams = true;
  EXPECT_EQ(
      error_of(request),
      "data.txt:4: document '1' comes again after others. | Sort the lines by document, or read the data "
      "into memory instead of streaming them.");
}

TEST_F(Documents, ErrorsOfNamedTriplets) {
  EXPECT_EQ(
      error_of(documents("user,item,rating\nann,x,good\n")),
      "data.txt:2: column 'rating': found 'good', but a number is needed. | Correct the cell, or delete the "
      "line.");
  EXPECT_EQ(
      error_of(documents("user,item,rating\nann,x\n")),
      "data.txt:2: found 2 fields, but the first line names 3 columns. | Correct the line, or delete it.");
  EXPECT_EQ(
      error_of(documents("user,item,rating\nann,,1\n")),
      "data.txt:2: column 'item': the cell is empty, but a name is needed. | Correct the line, or delete "
      "it.");
  EXPECT_EQ(
      error_of(documents("user,item,rating\nann,x,-1\n")),
      "data.txt:2: found '-1', but a count (0, 1, 2, ...) is needed. | Correct it, or delete the entry.");
  EXPECT_EQ(error_of(documents("user,item,rating\n")),
            "data.txt: there is no document in it. | Data come after the first line.");
  SourceRequest request = documents("doc,word,count\n1,cat,1\n1,dog,2\n");
  request.vocabulary = file("vocab.txt", "dog\nowl\n");
  EXPECT_EQ(
      error_of(request),
      "data.txt:2: column 'word': found 'cat', which is none of the 2 words that vocab.txt has. | Delete the "
      "lines with it, or fit the model to data that have it.");
  request = documents("doc,word,count\n1,owl,1\n1,dog,2\n");
  request.vocabulary = folder_ / "vocab.txt";
  EXPECT_EQ(text_of_source(request), "0+1: [ 1:1 0:2 ]");
}

TEST_F(Documents, NewDocumentsOfAFittedModel) {
  const Shape like{.kind = DataKind::documents, .columns = 3, .names = {"cat", "dog", "owl"}};
  SourceRequest request = documents("doc,word,count\n7,owl,1\n");
  request.like = &like;
  EXPECT_EQ(text_of_source(request), "0+1: [ 2:1 ]");
  EXPECT_EQ(open_source(request)->shape().names, like.names);
  request.paths = {file("new.ldac", "1 2:4\n")};
  EXPECT_EQ(text_of_source(request), "0+1: [ 2:4 ]");
  request.paths = {file("new.ldac", "1 3:4\n")};
  EXPECT_EQ(
      error_of(request),
      "new.ldac:1: the index 3 of a word is out of range: the fitted model has 3 words, so that indices go "
      "from 0 to 2. | Words are counted from 0 in this format.");
  request.vocabulary = file("vocab.txt", "owl\nrat\ncat\n");
  request.paths = {file("new.ldac", "2 0:4 2:1\n")};
  EXPECT_EQ(text_of_source(request), "0+1: [ 2:4 0:1 ]");
  EXPECT_EQ(open_source(request)->shape().names, like.names);
  request.paths = {file("new.ldac", "2 0:4 1:1\n")};
  EXPECT_EQ(
      error_of(request),
      "new.ldac:1: the word 'rat' is none of the 3 words that the model was fitted to. | Take it out, or fit "
      "the model to documents that have it.");
  request.vocabulary.clear();
  request.paths = {file("new.csv", "dog,cat,owl,extra\n1,2,0,5\n")};
  EXPECT_EQ(text_of_source(request), "0+1: [ 0:2 1:1 ]");
  request.paths = {file("new.csv", "doc,word,count\n7,rat,1\n")};
  EXPECT_EQ(
      error_of(request),
      "new.csv:2: column 'word': found 'rat', which is none of the 3 words that the model was fitted to. | "
      "Delete the lines with it, or fit the model to data that have it.");
}

// ---- NumPy and gzip

template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& numbers,
                bool is_fortran = false, int version = 1) {
  std::string head = "{'descr': '" + type + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
                     ", 'shape': (" + shape + "), }\n";
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(head.size() % 256);
  bytes += static_cast<char>(head.size() / 256);
  if (version > 1) bytes += std::string(2, '\0');
  bytes += head;
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
  return bytes;
}

using Numpy = SourceTest;

TEST_F(Numpy, TypesOrdersAndVersions) {
  EXPECT_EQ(text_of_source(table(npy<double>("<f8", "2, 3", {1, 2, 3, 4, 5, 6}))), "0+2: 1 2 3; 4 5 6;");
  EXPECT_EQ(text_of_source(table(npy<double>("<f8", "2, 3", {1, 4, 2, 5, 3, 6}, true))),
            "0+2: 1 2 3; 4 5 6;");
  EXPECT_EQ(text_of_source(table(npy<float>("<f4", "2,", {0.5F, -3}))), "0+2: 0.5; -3;");
  EXPECT_EQ(text_of_source(table(npy<std::int8_t>("|i1", "2,", {-5, 3}, false, 2))), "0+2: -5; 3;");
  EXPECT_EQ(text_of_source(table(npy<std::int16_t>("<i2", "2,", {-500, 3}, true, 3))), "0+2: -500; 3;");
  EXPECT_EQ(text_of_source(table(npy<std::int32_t>("<i4", "1, 2", {-70000, 3}))), "0+1: -70000 3;");
  EXPECT_EQ(text_of_source(table(npy<std::int64_t>("<i8", "1, 2", {-7, 3}))), "0+1: -7 3;");
  EXPECT_EQ(text_of_source(table(npy<std::uint8_t>("|u1", "1, 2", {200, 3}))), "0+1: 200 3;");
  EXPECT_EQ(text_of_source(table(npy<std::uint16_t>("<u2", "1, 2", {60000, 3}))), "0+1: 60000 3;");
  EXPECT_EQ(text_of_source(table(npy<std::uint32_t>("<u4", "1, 2", {7, 3}))), "0+1: 7 3;");
  EXPECT_EQ(text_of_source(table(npy<std::uint64_t>("<u8", "1, 2", {7, 3}))), "0+1: 7 3;");
  EXPECT_EQ(text_of_source(table(npy<std::uint8_t>("|b1", "1, 2", {1, 0}))), "0+1: 1 0;");
  EXPECT_EQ(open_source(table(npy<double>("<f8", "1, 2", {1, 2})))->shape().names, (Names{"c1", "c2"}));
}

TEST_F(Numpy, Errors) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(table(npy<double>("<f8", "2, 2", {1, 2, 3, kNaN}), "x.npy"))
                .find("x.npy, row 2: column 'c2': found 'nan', but a value is needed. | "),
            std::string::npos);
  EXPECT_EQ(
      error_of(table(npy<double>("<f8", "1, 2", {1, HUGE_VAL}), "x.npy")),
      "x.npy, row 1: column 'c2': found 'inf', but a finite number is needed. | Delete the row, or bring "
      "the column to another scale.");
  EXPECT_EQ(error_of(table(npy<double>("<f8", "3, 2", {1, 2, 3, 4}), "x.npy")).substr(0, 65),
            "x.npy: the file is cut off: 3 by 2 numbers of 8 bytes are more th");
  EXPECT_EQ(error_of(table(npy<double>(">f8", "1, 2", {1, 2}), "x.npy")),
            "x.npy: numbers are of type '>f8', big-endian. | Save a plain array of numbers: numpy.save(name, "
            "x.astype('float64')).");
  EXPECT_EQ(
      error_of(table(npy<double>("<c16", "1,", {1, 2}), "x.npy")),
      "x.npy: the array is of type '<c16'; f4, f8, i1 to i8, u1 to u8 and b1 are read. | Save a plain array "
      "of numbers: numpy.save(name, x.astype('float64')).");
  EXPECT_EQ(
      error_of(table(npy<double>("<f8", "1, 2, 1", {1, 2}), "x.npy")),
      "x.npy: the array has 3 dimensions, but 1 or 2 are needed. | Save a matrix with a row for each unit.");
  EXPECT_EQ(error_of(table(npy<double>("<f8", "0, 2", {}), "x.npy")),
            "x.npy: the array is empty (0 by 2). | Save a matrix with a row for each unit.");
  EXPECT_EQ(error_of(table("\x93NUMPY", "x.npy")),
            "x.npy: the header of the NumPy file is damaged. | Write it again with numpy.save.");
  EXPECT_EQ(error_of(table(npy<double>("<f8", "1, 2", {1, 2}, false, 9), "x.npy")),
            "x.npy: the NumPy file is of version 9; 1 to 3 are read. | ");
}

TEST_F(Numpy, ShardsStreamsAndSequences) {
  std::vector<double> numbers;
  for (int i = 0; i < 9000; ++i) numbers.push_back(i);
  for (const bool is_fortran : {false, true})
    expect_shards_and_streams_agree(table(npy<double>("<f8", "3000, 3", numbers, is_fortran)));
  SourceRequest request = table(npy<double>("<f8", "4, 2", {1, 10, 1, 11, 2, 12, 1, 13}));
  request.kind = DataKind::sequences;
  request.sequence = "c1";
  EXPECT_EQ(text_of_source(request), "0+3: [ 10; 11; ] [ 12; ] [ 13; ]");
}

TEST_F(Numpy, CategoriesAndDocuments) {
  SourceRequest request = table(npy<std::int8_t>("|i1", "3, 2", {5, 1, 10, 1, 5, 2}));
  request.takes_categories = true;
  EXPECT_EQ(text_of_source(request), "0+3: 0 0; 1 0; 0 1;");
  EXPECT_EQ(text_of_source(documents(npy<std::int8_t>("|i1", "2, 3", {5, 0, 1, 0, 1, 0}))),
            "0+2: [ 0:5 2:1 ] [ 1:1 ]");
}

std::string zipped(std::string_view text, const std::filesystem::path& scratch) {
  const gzFile out = ::gzopen(scratch.c_str(), "wb");
  ::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(out);
  return read_file(scratch);
}

TEST_F(Documents, CompressedFiles) {
  std::string text = "a,b\n";
  for (int i = 0; i < 3000; ++i) text += std::to_string(i) + ",1\n";
  expect_shards_and_streams_agree(table(zipped(text, folder_ / "scratch"), "data.csv.gz"));
  EXPECT_EQ(text_of_source(documents(zipped(kUci, folder_ / "scratch"))),
            "0+3: [ 0:2 3:1 ] [ 1:7 ] [ 0:1 2:1 ]");
  EXPECT_EQ(text_of_source(table(zipped(npy<double>("<f8", "1, 2", {1, 2}), folder_ / "scratch"))),
            "0+1: 1 2;");
  EXPECT_EQ(
      error_of(table(zipped(npy<double>("<f8", "1, 2", {1, 2}, true), folder_ / "scratch"))),
      "data.csv: a compressed array in Fortran order cannot be read row by row. | Uncompress it with gunzip, "
      "or save numpy.ascontiguousarray(x).");
  const std::string whole = zipped(text, folder_ / "scratch");
  EXPECT_EQ(error_of(table(whole.substr(0, whole.size() / 2))),
            "data.csv: the compressed data are damaged or cut off. | Copy or compress the file again.");
}

}  // namespace
}  // namespace kullback::data
