// Which format a file has, by its content.
#pragma once

#include <filesystem>

#include "conjugate/read/fault.hpp"

namespace kullback::conjugate {

bool is_numpy(const std::filesystem::path& file);

enum class DocumentFormat { dense, triples, lda_c, uci, matrix_market };
DocumentFormat document_format(const std::filesystem::path& file);

[[noreturn]] void refuse_empty(const Where& where);

}  // namespace kullback::conjugate
