#include "data/read/vocabulary.hpp"

#include <fmt/format.h>

#include <cmath>

#include "data/read/levels.hpp"
#include "data/read/lines.hpp"
#include "data/read/number.hpp"

namespace kullback::data {

namespace {

constexpr std::size_t kMostWords = 10'000'000;
constexpr std::uint32_t kNotInModel = static_cast<std::uint32_t>(-1);

}  // namespace

Vocabulary::Vocabulary(const SourceRequest& request, std::uint64_t first) : first_(first) {
  if (!request.vocabulary.empty()) read(request.vocabulary);
  if (request.like != nullptr) take(*request.like);
}

void Vocabulary::take(const Shape& like) {
  if (is_known_) {
    model_words_ = like.names;
    TextIndex index;
    for (const std::string& word : like.names) index.add(word);
    for (const std::string& word : words_) {
      const std::uint32_t* found = index.find(word);
      word_in_model_.push_back(found == nullptr ? kNotInModel : *found);
    }
    return;
  }
  size_ = like.columns;
  words_ = like.names;
  origin_ = "the fitted model has";
  is_known_ = may_be_smaller_ = true;
}

void Vocabulary::read(const std::filesystem::path& path) {
  Lines lines(path);
  std::string_view line;
  std::uint64_t blank = 0;
  while (lines.next_even_blank(line)) {
    const std::string_view word = trimmed(line);
    if (word.empty()) {
      if (blank == 0) blank = lines.place().number;
      continue;
    }
    if (blank != 0)
      refuse_at({&path, blank, false}, "the line is empty, but a word is needed",
                "Write one word on each line.");
    words_.emplace_back(word);
  }
  if (words_.empty()) refuse_file(path, "there is no word in it", "Write one word on each line.");
  size_ = words_.size();
  origin_ = fmt::format("the vocabulary {} has", path.string());
  is_known_ = true;
}

std::vector<std::string> Vocabulary::names() const {
  if (!model_words_.empty()) return model_words_;
  if (!words_.empty()) return words_;
  std::vector<std::string> names(size_);
  for (std::size_t i = 0; i < size_; ++i) names[i] = std::to_string(i + first_);
  return names;
}

void Vocabulary::set_size(const std::filesystem::path& file, std::uint64_t size) {
  if (size > kMostWords)
    refuse_file(file, fmt::format("the vocabulary has {} words; 10 million are read at most", size));
  if (is_known_ && (may_be_smaller_ ? size > size_ : size != size_))
    refuse_file(file, fmt::format("the header says {}, but {} {}", counted(size, "word"), origin_, size_),
                "Take the vocabulary that belongs to the documents.");
  if (is_known_) return;
  size_ = static_cast<std::size_t>(size);
  origin_ = fmt::format("the header of {} says", file.string());
  is_known_ = true;
}

std::uint32_t Vocabulary::word(double index, const Where& where) {
  if (index != std::trunc(index) || index < 0)
    refuse_at(where, fmt::format("found '{}', but the index of a word is needed", index),
              fmt::format("Indices are {}, {}, ...", first_, first_ + 1));
  const double from_zero = index - static_cast<double>(first_);
  const auto limit = static_cast<double>(is_known_ ? size_ : kMostWords);
  if (from_zero < 0 || from_zero >= limit) {
    const std::string known =
        is_known_ ? fmt::format("{} {}", origin_, counted(size_, "word")) : "10 million are read at most";
    refuse_at(where,
              fmt::format("the index {} of a word is out of range: {}, so that indices go from {} to {}",
                          index, known, first_, first_ + (is_known_ ? size_ : kMostWords) - 1),
              fmt::format("Words are counted from {} in this format.", first_));
  }
  const auto word = static_cast<std::uint32_t>(from_zero);
  if (!is_known_ && word >= size_) size_ = word + 1;
  if (word_in_model_.empty()) return word;
  if (word_in_model_[word] == kNotInModel)
    refuse_at(where,
              fmt::format("the word {} is none of the {} that the model was fitted to", shown(words_[word]),
                          counted(model_words_.size(), "word")),
              "Take it out, or fit the model to documents that have it.");
  return word_in_model_[word];
}

}  // namespace kullback::data
