// UCI's bags of words: three lines with the numbers of documents, words and entries, then "document word
// count". Matrix Market's coordinates: a banner, comments, a line with the same three numbers, then "row
// column value". Both count from 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/count.hpp"
#include "data/read/detect.hpp"
#include "data/read/number.hpp"
#include "data/read/triplet_format.hpp"
#include "data/read/vocabulary.hpp"

namespace kullback::data {

namespace {

constexpr std::uint64_t kMostDocuments = std::uint64_t{1} << 28U;

struct Head {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;
  std::uint64_t entries = 0;
  bool has_counts = true;
};

// Numbers of a line, separated by blanks; more than `most` are counted but not kept.
struct Numbers {
  double values[3] = {};
  std::size_t count = 0;
  std::string_view bad;  // what is no number
};

Numbers split_numbers(std::string_view line) {
  Numbers numbers;
  const char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    if (at == end) return numbers;
    double value = 0;
    const char* const stop = read_plain_number(at, end, value);
    if (stop == nullptr || (stop != end && *stop != ' ' && *stop != '\t')) {
      const std::string_view rest(at, static_cast<std::size_t>(end - at));
      numbers.bad = rest.substr(0, rest.find_first_of(" \t"));
      return numbers;
    }
    if (numbers.count < 3) numbers.values[numbers.count] = value;
    ++numbers.count;
    at = stop;
  }
}

bool is_size(double number) { return number >= 0 && number == std::trunc(number) && number < 9e15; }

class HeadReader final {
 public:
  explicit HeadReader(Lines& lines) : lines_(lines) {}

  Head read() {
    std::string_view line;
    if (!lines_.next(line)) refuse_file(lines_.path(), "the file is empty");
    Head head = line.starts_with("%%") ? read_market(line) : read_uci(line);
    if (head.documents == 0 || head.words == 0)
      refuse_file(lines_.path(),
                  fmt::format("the header says {} documents and {} words", head.documents, head.words));
    if (head.documents > kMostDocuments)
      refuse_file(lines_.path(), fmt::format("the header says {} documents; {} are read at most",
                                             head.documents, kMostDocuments));
    return head;
  }

 private:
  std::uint64_t size_in(std::string_view line, std::string_view what) {
    const Numbers numbers = split_numbers(line);
    if (numbers.count != 1 || !numbers.bad.empty() || !is_size(numbers.values[0]))
      refuse_at(lines_.where(), fmt::format("found {}, but the number of {} is needed", shown(line), what),
                "The first three lines are the numbers of documents, words and entries.");
    return static_cast<std::uint64_t>(numbers.values[0]);
  }

  Head read_uci(std::string_view first) {
    Head head;
    head.documents = size_in(first, "documents");
    std::string_view line;
    for (auto* size : {&head.words, &head.entries}) {
      if (!lines_.next(line)) refuse_file(lines_.path(), "the header is cut off");
      *size = size_in(line, size == &head.words ? "words" : "entries");
    }
    return head;
  }

  Head read_market(std::string_view banner) {
    std::string lower(banner);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
    const bool is_read = has("matrix coordinate") && has(" general") && !has("complex") &&
                         (has(" integer") || has(" real") || has(" pattern"));
    if (!is_read)
      refuse_at(
          lines_.where(),
          fmt::format("found {}; 'matrix coordinate integer|real|pattern general' is read", shown(banner)),
          "Write a sparse matrix whose rows are documents.");
    std::string_view line;
    do {
      if (!lines_.next(line)) refuse_file(lines_.path(), "the header is cut off");
    } while (line.starts_with('%'));
    const Numbers numbers = split_numbers(line);
    if (numbers.count != 3 || !numbers.bad.empty() || !is_size(numbers.values[0]) ||
        !is_size(numbers.values[1]) || !is_size(numbers.values[2]))
      refuse_at(
          lines_.where(),
          fmt::format("found {}, but the numbers of rows, columns and entries are needed", shown(line)));
    return {static_cast<std::uint64_t>(numbers.values[0]), static_cast<std::uint64_t>(numbers.values[1]),
            static_cast<std::uint64_t>(numbers.values[2]), !has(" pattern")};
  }

  Lines& lines_;
};

class NumberedTriplets final : public Triplets {
 public:
  NumberedTriplets(const std::filesystem::path& path, Vocabulary& vocabulary, const SourceRequest& request)
      : lines_(path),
        vocabulary_(vocabulary),
        needs_counts_(request.needs_counts),
        head_(HeadReader(lines_).read()) {
    vocabulary_.set_size(path, head_.words);
    if (head_.documents > head_.entries && !request.allows_empty_documents)
      refuse_file(path,
                  fmt::format("the header says {} but only {}: some documents have no words",
                              counted(head_.documents, "document"),
                              head_.entries == 1 ? "1 entry" : fmt::format("{} entries", head_.entries)),
                  "Delete them, or keep documents without words with --allow-empty.");
  }

  bool next(Triplet& into) override {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.front() == '%') continue;
      ++seen_;
      read(line, into);
      if (into.count != 0 || !needs_counts_) return true;
    }
    if (is_from_start_ && seen_ != head_.entries)
      refuse_file(lines_.path(),
                  fmt::format("the header says {} entries, but there {} {}", head_.entries,
                              seen_ == 1 ? "is" : "are", seen_),
                  "Is the file cut off? Copy it again, or correct the header.");
    return false;
  }

  Where where() const override { return lines_.where(); }
  Place place() const override { return lines_.place(); }
  Place next_place() const override { return lines_.next_place(); }
  void go(Place place) override {
    lines_.go(place);
    is_from_start_ = false;
  }
  std::uint64_t file_size() const override { return lines_.file_size(); }
  std::uint64_t documents() const override { return head_.documents; }
  std::string document_text(std::uint64_t document) const override { return std::to_string(document + 1); }

 private:
  void read(std::string_view line, Triplet& into) {
    const Numbers numbers = split_numbers(line);
    const std::size_t wanted = head_.has_counts ? 3 : 2;
    if (!numbers.bad.empty())
      refuse_at(where(), fmt::format("found {}, but a number is needed", shown(numbers.bad)), form());
    if (numbers.count != wanted)
      refuse_at(where(), fmt::format("found {}, but {} are needed", counted(numbers.count, "number"), wanted),
                form());
    const double document = numbers.values[0];
    if (document < 1 || document > static_cast<double>(head_.documents) || document != std::trunc(document))
      refuse_at(where(),
                fmt::format("document {} is out of range: the header says {}", document,
                            counted(head_.documents, "document")),
                "Documents are counted from 1 in this format.");
    into.document = static_cast<std::uint64_t>(document) - 1;
    into.word = vocabulary_.word(numbers.values[1], where());
    if (head_.has_counts) {
      const double count = numbers.values[2];
      const bool is_good =
          std::abs(count) <= kLargestValue && (!needs_counts_ || (count >= 0 && count == std::trunc(count)));
      into.count = is_good ? count : checked_count(count, needs_counts_, fmt::format("{}", count), where());
    } else {
      into.count = 1;
    }
  }

  std::string form() const {
    return head_.has_counts ? "Each line is document word count." : "Each line is document word.";
  }

  Lines lines_;
  Vocabulary& vocabulary_;
  bool needs_counts_;
  Head head_;
  std::uint64_t seen_ = 0;
  bool is_from_start_ = true;
};

class NumberedFormat final : public TripletFormat {
 public:
  explicit NumberedFormat(const SourceRequest& request)
      : TripletFormat(request.allows_empty_documents), request_(request), vocabulary_(request, 1) {}

  Shape shape() const override {
    return {.kind = DataKind::documents, .columns = vocabulary_.size(), .names = vocabulary_.names()};
  }

 protected:
  std::unique_ptr<Triplets> open_triplets(const std::filesystem::path& file) override {
    return std::make_unique<NumberedTriplets>(file, vocabulary_, request_);
  }
  bool has_names() const override { return false; }
  bool begins_new(std::uint64_t) override { return true; }

 private:
  SourceRequest request_;
  Vocabulary vocabulary_;
};

}  // namespace

std::unique_ptr<Format> make_numbered_triplets(const SourceRequest& request) {
  return std::make_unique<NumberedFormat>(request);
}

}  // namespace kullback::data
