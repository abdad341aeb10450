#include "data/source.hpp"

#include <cmath>

#include "tests/data/source_checks.hpp"

namespace kullback::data {
namespace {

using Tables = SourceTest;

TEST_F(Tables, CsvWithQuotesBlanksAndCarriageReturns) {
  const auto source =
      open_source(table("\xEF\xBB\xBF\"a, b\",c ,\"d\"\"e\"\r\n1, -2.5 ,\"3\"\r\n\r\n+4,5e-1,.5\r\n"));
  EXPECT_EQ(source->shape().names, (std::vector<std::string>{"a, b", "c", "d\"e"}));
  EXPECT_EQ(source->shape().units, 2U);
  EXPECT_EQ(text_of_batch(*source->in_memory()), "0+2: 1 -2.5 3; 4 0.5 0.5;");
}

TEST_F(Tables, SeparatorIsThatOfTheHeader) {
  EXPECT_EQ(text_of_source(table("a;b\n1;2\n")), "0+1: 1 2;");
  EXPECT_EQ(text_of_source(table("a\tb\n1\t2")), "0+1: 1 2;");
  EXPECT_EQ(text_of_source(table("a\n7\n")), "0+1: 7;");
}

TEST_F(Tables, QuotedTextMayHaveLineEnds) {
  SourceRequest request = table("a,note\n1,\"two\nlines, \"\"quoted\"\"\"\n2,x\n");
  request.ignored = {"note"};
  EXPECT_EQ(text_of_source(request), "0+2: 1; 2;");
  request = table("a,b\n1,\"x\ny\"\nz,1\n");
  request.ignored = {"b"};
  EXPECT_EQ(
      error_of(request),
      "data.csv:4: column 'a': found 'z', but a number is needed. | Correct the cell, or leave the column "
      "out with --ignore a.");
}

TEST_F(Tables, NumbersAreThoseOfTheStandardLibrary) {
  const std::vector<std::string> numbers = {"0.1",
                                            "-0",
                                            "9007199254740993",
                                            "123456789012345678901234567890",
                                            "9.9999999999999998e99",
                                            "4.9e-324",
                                            "1e-400",
                                            "0.000000000000000000000000123",
                                            "2.2250738585072011e-308",
                                            "18446744073709551617",
                                            "5.",
                                            "1E5",
                                            "0.30000000000000004",
                                            "100000000000000000000.5"};
  std::string text = "x\n";
  for (const std::string& number : numbers) text += number + "\n";
  const auto source = open_source(table(text));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double wanted = std::strtod(numbers[i].c_str(), nullptr);
    EXPECT_EQ(source->in_memory()->values[i], wanted) << numbers[i];
    EXPECT_EQ(std::signbit(source->in_memory()->values[i]), std::signbit(wanted)) << numbers[i];
  }
}

TEST_F(Tables, TargetComesLastAndColumnsAreLeftOut) {
  SourceRequest request = table("y,id,a,b\n1,r1,2,3\n");
  request.target = "y";
  request.ignored = {"id"};
  const auto source = open_source(request);
  EXPECT_EQ(source->shape().names, (std::vector<std::string>{"a", "b", "y"}));
  EXPECT_EQ(text_of_batch(*source->in_memory()), "0+1: 2 3 1;");
}

TEST_F(Tables, MissingCells) {
  const std::string text = "a,b\n1,\nNA,2\nNaN,null\n\"\",N/A\n";
  SourceRequest request = table(text);
  request.takes_missing = true;
  EXPECT_EQ(text_of_source(request), "0+4: 1 nan; nan 2; nan nan; nan nan;");
  request.takes_missing = false;
  EXPECT_EQ(error_of(request),
            "data.csv:2: column 'b': the cell is empty, but a value is needed. | Delete the row, or fill the "
            "cell.");
  request.missing_takers = "mixture --kind gaussian";
  EXPECT_EQ(
      error_of(request),
      "data.csv:2: column 'b': the cell is empty, but a value is needed. | Delete the row, or use a model "
      "that takes missing values: mixture --kind gaussian.");
  EXPECT_NE(error_of(table("a\n1\nNA\n")).find("data.csv:3: column 'a': found 'NA', but a value is needed."),
            std::string::npos);
}

TEST_F(Tables, ErrorsNameLineAndColumn) {
  EXPECT_EQ(
      error_of(table("a,b\n1,2\n1,two\n")),
      "data.csv:3: column 'b': found 'two', but a number is needed. | Correct the cell, or leave the column "
      "out with --ignore b.");
  EXPECT_EQ(
      error_of(table("a;b\n1;2,5\n")),
      "data.csv:2: column 'b': found '2,5', but a number is needed. | Write numbers with a decimal point "
      "and without separators: 1234.5.");
  EXPECT_EQ(
      error_of(table("a,b,c\n1,2,3\n1,2\n")),
      "data.csv:3: found 2 fields, but the first line names 3 columns. | Complete the row, or delete it.");
  EXPECT_EQ(
      error_of(table("a,b\n1,2,3\n")),
      "data.csv:2: found 3 fields, but the first line names 2 columns. | Delete what is too much; put text "
      "with separators in quotes.");
  EXPECT_EQ(
      error_of(table("a\n1\n1e999\n")),
      "data.csv:3: column 'a': found '1e999', but a finite number is needed. | Delete the row, or bring the "
      "column to another scale.");
  EXPECT_EQ(
      error_of(table("a\n-inf\n")),
      "data.csv:2: column 'a': found '-inf', but a finite number is needed. | Delete the row, or bring the "
      "column to another scale.");
  EXPECT_EQ(error_of(table("a,b\n1,\"2\n3,4\n")),
            "data.csv:2: a quote that begins in this line does not end. | Write a quote inside quotes twice: "
            "\"3\"\" pipe\".");
}

// Overflow of squares must not look like columns without variance later on.
TEST_F(Tables, ValuesWhoseSquaresAreNoNumbers) {
  EXPECT_EQ(error_of(table("a,b\n1,2\n3,-1e308\n")),
            "data.csv:3: column 'b': found '-1e308', which is too large to be squared (1e100 is possible). | "
            "Delete the row, or bring the column to another scale.");
  EXPECT_EQ(
      error_of(table("a,b\n1e-200,2\n3e-200,1\n")),
      "data.csv: column 'a': the largest value is 3e-200, too small to be squared (1e-100 is possible). | "
      "Bring the column to another scale.");
  EXPECT_EQ(open_source(table("a,b\n1e-200,0\n1e100,0\n"))->units(), 2U);
}

TEST_F(Tables, AColumnWithoutAValue) {
  SourceRequest request = table("a,b\n1,NA\n3,\n");
  request.takes_missing = true;
  EXPECT_EQ(open_source(request)->units(), 2U);
  request.needs_values = true;
  EXPECT_EQ(error_of(request),
            "data.csv: column 'b' has no value: all of its cells are missing. | Leave the column out with "
            "--ignore b.");
}

TEST_F(Tables, ErrorsOfCounts) {
  SourceRequest request = table("a,b\n0,3\n2,-1\n");
  request.needs_counts = true;
  EXPECT_EQ(
      error_of(request),
      "data.csv:3: column 'b': found '-1', but a count (0, 1, 2, ...) is needed. | Correct the cell, or use "
      "a model of numbers that are not counts.");
  request = table("a,b\n0,3.5\n");
  request.needs_counts = true;
  EXPECT_EQ(error_of(request).substr(0, 58), "data.csv:2: column 'b': found '3.5', but a count (0, 1, 2,");
}

TEST_F(Tables, ErrorsOfFiles) {
  EXPECT_EQ(error_of(table("")),
            "data.csv: the file is empty. | A line with the names of the columns comes first.");
  EXPECT_EQ(error_of(table("a,b\n")), "data.csv: there is no row in it. | Data come after the first line.");
  EXPECT_EQ(error_of(table("a,b,a\n1,2,3\n")),
            "data.csv:1: two columns are called 'a'. | Rename one of them.");
  EXPECT_EQ(
      error_of(table(",b\n0,2\n")),
      "data.csv:1: column 1 of 2 has no name. | Name it. (pandas writes such a column for the row numbers: "
      "to_csv(..., index=False) does not.)");
  EXPECT_EQ(
      error_of(table("1.5,2\n3,4\n")),
      "data.csv:1: the first line must name the columns, but has numbers (1.5, ...). | Add a line such as "
      "x1,x2,x3 above the data.");
  EXPECT_EQ(text_of_source(table("0,1\n3,4\n")), "0+1: 3 4;");
  EXPECT_EQ(error_of(table(std::string_view("a\0b,c\n1,2\n", 10))),
            "data.csv: this is no text in UTF-8. | Save the table as CSV in UTF-8, or as .npy.");
  EXPECT_EQ(error_of({.paths = {folder_ / "absent.csv"}}),
            "absent.csv: cannot be read: No such file or directory. | ");
  EXPECT_EQ(error_of({.paths = {"absent.csv"}}),
            "absent.csv: cannot be read: No such file or directory. | The path begins in " +
                std::filesystem::current_path().string() + ".");
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_EQ(error_of({.paths = {folder_ / "empty"}}),
            "empty: there is no file in this folder. | Put the data files into it.");
}

TEST_F(Tables, ErrorsOfNames) {
  SourceRequest request = table("weight,height\n1,2\n");
  request.target = "wieght";
  EXPECT_EQ(error_of(request),
            "data.csv: there is no column 'wieght', which is to be the target. | Did you mean 'weight'?");
  request.target = "zzzzzz";
  EXPECT_EQ(
      error_of(request),
      "data.csv: there is no column 'zzzzzz', which is to be the target. | There are 'weight', 'height'.");
  request.target = "";
  request.ignored = {"heigt"};
  EXPECT_EQ(error_of(request),
            "data.csv: there is no column 'heigt', which is to be left out. | Did you mean 'height'?");
  request.ignored = {"weight", "height"};
  EXPECT_EQ(error_of(request), "data.csv: no column is left to model. | Leave fewer columns out.");
}

TEST_F(Tables, SeveralFilesAndFolders) {
  file("many/b.csv", "b,a\n4,3\n");
  file("many/a.csv", "a,b\n1,2\n");
  file("many/.hidden", "nonsense");
  SourceRequest request{.paths = {folder_ / "many"}};
  EXPECT_EQ(text_of_source(request), "0+2: 1 2; 3 4;");
  request.paths = {folder_ / "many/b.csv", folder_ / "many/a.csv"};
  EXPECT_EQ(text_of_source(request), "0+2: 4 3; 2 1;");
  file("many/c.csv", "a,c\n1,2\n");
  request.paths = {folder_ / "many"};
  EXPECT_EQ(error_of(request),
            "many/c.csv: column 'c' is not in many/a.csv. | All files must have the same columns.");
  file("many/c.csv", "a\n1\n");
  EXPECT_EQ(
      error_of(request),
      "many/c.csv: there is no column 'b', which many/a.csv has. | All files must have the same columns.");
}

TEST_F(Tables, CategoriesAreNumberedInNaturalOrder) {
  SourceRequest request = table("size,n,x\nx10,3,1.5\nx2,1.0,2\nx10,,7\n b ,10,8\n");
  request.takes_categories = true;
  request.takes_missing = true;
  const auto source = open_source(request);
  using Levels = std::vector<std::vector<std::string>>;
  EXPECT_EQ(source->shape().levels, (Levels{{"b", "x2", "x10"}, {"1", "3", "10"}, {}}));
  EXPECT_EQ(text_of_batch(*source->in_memory()), "0+4: 2 1 1.5; 1 0 2; 2 nan 7; 0 2 8;");
}

TEST_F(Tables, TargetMayBeACategory) {
  SourceRequest request = table("x,y\n1,yes\n2,no\n3,yes\n");
  request.target = "y";
  request.target_is_category = true;
  const auto source = open_source(request);
  EXPECT_EQ(source->shape().levels.back(), (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(text_of_batch(*source->in_memory()), "0+3: 1 1; 2 0; 3 1;");
}

TEST_F(Tables, TooManyLevels) {
  std::string text = "id\n";
  for (int i = 0; i < 70000; ++i) text += "k" + std::to_string(i) + "\n";
  SourceRequest request = table(text);
  request.takes_categories = true;
  EXPECT_EQ(
      error_of(request),
      "data.csv:65538: column 'id': there are more than 65536 different values, too many for categories. | "
      "Leave the column out with --ignore id.");
}

TEST_F(Tables, NewDataOfAFittedModel) {
  Shape like{
      .kind = DataKind::table, .columns = 3, .names = {"a", "c", "y"}, .levels = {{}, {"red", "green"}, {}}};
  SourceRequest request = table("c,other,a\ngreen,text,1\n");
  request.like = &like;
  request.target = "y";
  EXPECT_EQ(text_of_source(request), "0+1: 1 1 nan;");
  request.target = "";
  EXPECT_EQ(
      error_of(request),
      "data.csv: there is no column 'y', which the model was fitted to. | There are 'c', 'other', 'a'.");
  request = table("c,a,y\nblue,1,2\n");
  request.like = &like;
  EXPECT_EQ(
      error_of(request),
      "data.csv:2: column 'c': found 'blue', which is none of the 2 values that the model was fitted to. | "
      "There are 'red', 'green'.");
}

TEST_F(Tables, ShardsAndStreamsAgree) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 5000; ++i)
    text += std::to_string(i) + "," + std::to_string(i * 0.25) + ",k" + std::to_string(i % 12) + "\n";
  SourceRequest request = table(text);
  request.takes_categories = true;
  file("data2.csv", "a,b,c\n1,2,z\n3,4,k3\n");
  request.paths.push_back(folder_ / "data2.csv");
  expect_shards_and_streams_agree(request);
}

TEST_F(Tables, MoreShardsThanRows) { expect_shards_and_streams_agree(table("a\n1\n2\n")); }

using Sequences = SourceTest;

TEST_F(Sequences, BeginWhereTheColumnChanges) {
  const SourceRequest request = sequences("who,x\nann,1\nann,2\nbob,3\nann,4\n", "who");
  EXPECT_EQ(text_of_source(request), "0+3: [ 1; 2; ] [ 3; ] [ 4; ]");
  expect_shards_and_streams_agree(request);
}

TEST_F(Sequences, EachFileIsOneWithoutAColumn) {
  SourceRequest request = sequences("x\n1\n2\n", "");
  EXPECT_EQ(text_of_source(request), "0+1: [ 1; 2; ]");
  request.paths.push_back(file("more.csv", "x\n3\n"));
  EXPECT_EQ(text_of_source(request), "0+2: [ 1; 2; ] [ 3; ]");
}

TEST_F(Sequences, ColumnMustBeThere) {
  EXPECT_EQ(
      error_of(sequences("who,x\na,1\n", "hwo")),
      "data.csv: there is no column 'hwo', which is to be where sequences begin. | Did you mean 'who'?");
}

}  // namespace
}  // namespace kullback::data
