// Blei's LDA-C: a line is a document, "N index:count index:count ..." with N pairs and indices from 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/count.hpp"
#include "data/read/detect.hpp"
#include "data/read/format.hpp"
#include "data/read/number.hpp"
#include "data/read/vocabulary.hpp"

namespace kullback::data {

namespace {

class LdaUnits final : public Units {
 public:
  LdaUnits(const std::filesystem::path& path, Vocabulary& vocabulary, const SourceRequest& request)
      : lines_(path),
        vocabulary_(vocabulary),
        needs_counts_(request.needs_counts),
        allows_empty_(request.allows_empty_documents) {}

  bool next(Buffer& into) override {
    std::string_view line;
    if (!lines_.next(line)) return false;
    into.begin_unit();
    std::string_view rest = line;
    const std::string_view head = next_word(rest);
    double said = 0;
    if (!read_number(head, said) || said < 0 || said != std::trunc(said))
      refuse_at(lines_.where(), fmt::format("found {}, but the number of words is needed", shown(head)),
                "Each line is N index:count index:count ...");
    std::uint64_t pairs = 0;
    bool is_empty = true;
    for (std::string_view pair = next_word(rest); !pair.empty(); pair = next_word(rest), ++pairs) {
      if (add_pair(pair, into)) is_empty = false;
    }
    if (static_cast<double>(pairs) != said)
      refuse_at(lines_.where(), fmt::format("the line says {}, but has {}", counted_words(head), pairs),
                "The first number of a line is that of its index:count pairs.");
    if (is_empty && !allows_empty_) refuse_empty(lines_.where());
    return true;
  }

  Place place() const override { return lines_.place(); }
  void go(Place place, std::uint64_t) override { lines_.go(place); }
  std::uint64_t file_size() const override { return lines_.file_size(); }

 private:
  static std::string counted_words(std::string_view head) {
    return fmt::format("{} word{}", head, head == "1" ? "" : "s");
  }

  static std::string_view next_word(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    return word;
  }

  // False for a count of 0, which is left out.
  bool add_pair(std::string_view pair, Buffer& into) {
    const char* const end = pair.data() + pair.size();
    double index = 0;
    double count = 0;
    const char* const colon = read_plain_number(pair.data(), end, index);
    const bool has_colon = colon != nullptr && colon < end && *colon == ':';
    const char* const stop = has_colon ? read_plain_number(colon + 1, end, count) : nullptr;
    if (stop != end)
      refuse_at(lines_.where(), fmt::format("found {}, but index:count is needed", shown(pair)),
                "Each line is N index:count index:count ...");
    const std::uint32_t word = vocabulary_.word(index, lines_.where());
    checked_count(count, needs_counts_, pair, lines_.where());
    if (needs_counts_ && count == 0) return false;
    into.add_word(word, count);
    return true;
  }

  Lines lines_;
  Vocabulary& vocabulary_;
  bool needs_counts_;
  bool allows_empty_;
};

class LdaFormat final : public Format {
 public:
  explicit LdaFormat(const SourceRequest& request) : request_(request), vocabulary_(request, 0) {}

  std::unique_ptr<Units> open(const std::filesystem::path& file) override {
    return std::make_unique<LdaUnits>(file, vocabulary_, request_);
  }
  Shape shape() const override {
    return {.kind = DataKind::documents, .columns = vocabulary_.size(), .names = vocabulary_.names()};
  }
  std::string unit_word() const override { return "document"; }

 private:
  SourceRequest request_;
  Vocabulary vocabulary_;
};

}  // namespace

std::unique_ptr<Format> make_lda_c_format(const SourceRequest& request) {
  return std::make_unique<LdaFormat>(request);
}

}  // namespace kullback::data
