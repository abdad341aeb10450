// The words that documents consist of: a file's, those of a fitted model, or as many as there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/read/fault.hpp"
#include "data/source.hpp"

namespace kullback::data {

class Vocabulary final {
 public:
  // `first`: the index of the first word in the data, 0 or 1. Throws Error for a bad vocabulary file.
  Vocabulary(const SourceRequest& request, std::uint64_t first);

  bool is_known() const { return is_known_; }
  std::size_t size() const { return model_words_.empty() ? size_ : model_words_.size(); }
  // Words, or indices as the data have them.
  std::vector<std::string> names() const;
  // What a file says of the number of words. Throws Error where it cannot be.
  void set_size(const std::filesystem::path& file, std::uint64_t size);
  // The word with that index in the data, counted from 0. Throws Error where there is none; grows where
  // nothing is known of the size.
  std::uint32_t word(double index, const Where& where);

 private:
  void read(const std::filesystem::path& path);
  void take(const Shape& like);

  std::uint64_t first_;
  bool is_known_ = false;
  bool may_be_smaller_ = false;  // new documents need not have all words of the fitted ones
  std::size_t size_ = 0;
  std::vector<std::string> words_;
  // Of a fitted model, where new documents have a vocabulary of their own: what each of its words is there.
  std::vector<std::string> model_words_;
  std::vector<std::uint32_t> word_in_model_;
  std::string origin_;  // "the vocabulary vocab.txt has"
};

}  // namespace kullback::data
