// CSV with the columns document, word, count or user, item, rating: names become numbers, of documents in the
// order in which they come, of words in natural order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/read/count.hpp"
#include "data/read/csv_fields.hpp"
#include "data/read/detect.hpp"
#include "data/read/levels.hpp"
#include "data/read/number.hpp"
#include "data/read/rows.hpp"
#include "data/read/triplet_format.hpp"
#include "data/read/vocabulary.hpp"

namespace kullback::data {

namespace {

// What all files share.
struct Names {
  TextIndex documents;
  TextIndex words;
  bool words_are_known = false;
  bool is_first_pass = true;
  std::vector<bool> has_begun = {};  // of documents, while streaming
  std::string origin = {};           // of known words
};

class NamedTriplets final : public Triplets {
 public:
  NamedTriplets(const std::filesystem::path& path, Names& names, const SourceRequest& request)
      : lines_(path, Lines::Quotes::csv), names_(names), needs_counts_(request.needs_counts) {
    std::string_view header;
    if (!lines_.next(header)) refuse_file(path, "the file is empty");
    separator_ = separator_of(header);
    fields_ = split_fields(header, separator_);
    check_names(path, fields_);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (std::find(request.ignored.begin(), request.ignored.end(), fields_[i]) == request.ignored.end())
        chosen_.push_back(i);
    }
    if (chosen_.size() != 3)
      refuse_at(
          lines_.where(),
          fmt::format("found {}, but document, word and count are needed", counted(chosen_.size(), "column")),
          "All files must have the same columns.");
  }

  bool next(Triplet& into) override {
    std::string_view line;
    while (lines_.next(line)) {
      split(line);
      double count = 0;
      const std::string& value = texts_[2];
      if (!read_number(value, count))
        refuse_at(where(),
                  fmt::format("column {}: found {}, but a number is needed", shown(fields_[chosen_[2]]),
                              shown(value)),
                  "Correct the cell, or delete the line.");
      checked_count(count, needs_counts_, value, where());
      if (needs_counts_ && count == 0) continue;
      into.count = count;
      into.document = document(texts_[0]);
      into.word = word(texts_[1]);
      return true;
    }
    return false;
  }

  Where where() const override { return lines_.where(); }
  Place place() const override { return lines_.place(); }
  Place next_place() const override { return lines_.next_place(); }
  void go(Place place) override { lines_.go(place); }
  std::uint64_t file_size() const override { return lines_.file_size(); }
  std::string document_text(std::uint64_t document) const override {
    const std::vector<std::string> texts = names_.documents.texts();
    return document < texts.size() ? shown(texts[static_cast<std::size_t>(document)]) : "";
  }

 private:
  void split(std::string_view line) {
    std::string_view rest = line;
    std::size_t field = 0;
    std::size_t part = 0;
    for (bool is_last = false; !is_last; ++field) {
      const Field found = next_field(rest, separator_, scratch_);
      is_last = found.is_last;
      if (part < 3 && chosen_[part] == field) texts_[part++] = found.text;
    }
    if (field != fields_.size())
      refuse_at(where(),
                fmt::format("found {}, but the first line names {}", counted(field, "field"),
                            counted(fields_.size(), "column")),
                "Correct the line, or delete it.");
    for (std::size_t i = 0; i < 2; ++i) {
      if (texts_[i].empty())
        refuse_at(
            where(),
            fmt::format("column {}: the cell is empty, but a name is needed", shown(fields_[chosen_[i]])),
            "Correct the line, or delete it.");
    }
  }

  std::uint64_t document(const std::string& text) {
    if (names_.is_first_pass) return names_.documents.add(text);
    const std::uint32_t* found = names_.documents.find(text);
    if (found == nullptr) refuse_file(lines_.path(), "the file has changed while it was read");
    return *found;
  }

  std::uint32_t word(const std::string& text) {
    if (names_.is_first_pass && !names_.words_are_known) return names_.words.add(text);
    const std::uint32_t* found = names_.words.find(text);
    if (found != nullptr) return *found;
    refuse_at(where(),
              fmt::format("column {}: found {}, which is none of the {} that {}", shown(fields_[chosen_[1]]),
                          shown(text), counted(names_.words.size(), "word"), names_.origin),
              "Delete the lines with it, or fit the model to data that have it.");
  }

  Lines lines_;
  Names& names_;
  bool needs_counts_;
  char separator_ = ',';
  std::vector<std::string> fields_;
  std::vector<std::size_t> chosen_;
  std::string texts_[3];
  std::string scratch_;
};

class NamedFormat final : public TripletFormat {
 public:
  explicit NamedFormat(const SourceRequest& request)
      : TripletFormat(request.allows_empty_documents), request_(request) {
    const Vocabulary vocabulary(request, 0);
    if (!vocabulary.is_known()) return;
    names_.words_are_known = true;
    names_.origin = request.like != nullptr ? "the model was fitted to"
                                            : fmt::format("{} has", request.vocabulary.string());
    for (const std::string& word : vocabulary.names()) names_.words.add(word);
    if (names_.words.size() != vocabulary.size())
      refuse_file(request.vocabulary, "a word stands in it twice", "Write each word once.");
  }

  bool needs_pass() const override { return true; }
  void end_pass() override {
    if (!names_.words_are_known) names_.words.sort();
    names_.is_first_pass = false;
    names_.has_begun = {};
  }
  Shape shape() const override {
    return {.kind = DataKind::documents, .columns = names_.words.size(), .names = names_.words.texts()};
  }
  std::vector<std::string> unit_names() const override { return names_.documents.texts(); }

 protected:
  std::unique_ptr<Triplets> open_triplets(const std::filesystem::path& file) override {
    return std::make_unique<NamedTriplets>(file, names_, request_);
  }
  bool has_names() const override { return true; }
  bool begins_new(std::uint64_t document) override {
    if (!names_.is_first_pass) return true;
    if (document < names_.has_begun.size()) return false;
    names_.has_begun.resize(static_cast<std::size_t>(document) + 1, true);
    return true;
  }

 private:
  SourceRequest request_;
  Names names_;
};

}  // namespace

std::unique_ptr<Format> make_named_triplets(const SourceRequest& request) {
  return std::make_unique<NamedFormat>(request);
}

}  // namespace kullback::data
