// Which format a file has, by its content.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/read/fault.hpp"

namespace kullback::data {

bool is_numpy(const std::filesystem::path& file);

enum class DocumentFormat {
  dense,     // a table, a column for each word
  lda_c,     // LDA-C
  numbered,  // UCI bag of words, Matrix Market
  named,     // CSV with the columns document, word, count
};
DocumentFormat document_format(const std::filesystem::path& file, const std::vector<std::string>& ignored);

// document, word, count; user, item, rating; or what else is usual.
bool names_triplets(const std::vector<std::string>& columns);

[[noreturn]] void refuse_empty(const Where& where);

}  // namespace kullback::data
