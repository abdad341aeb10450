#include "lang/token.hpp"

#include <algorithm>
#include <array>

namespace kullback::lang {

namespace {

// Sorted, for binary search.
constexpr std::array kTypeWords = std::to_array<std::string_view>({
    "array",
    "cholesky_factor_corr",
    "cholesky_factor_cov",
    "column_stochastic_matrix",
    "complex",
    "complex_matrix",
    "complex_row_vector",
    "complex_vector",
    "corr_matrix",
    "cov_matrix",
    "int",
    "matrix",
    "ordered",
    "positive_ordered",
    "real",
    "row_stochastic_matrix",
    "row_vector",
    "simplex",
    "sum_to_zero_matrix",
    "sum_to_zero_vector",
    "tuple",
    "unit_vector",
    "vector",
});

constexpr std::array kOtherReserved = std::to_array<std::string_view>({
    "auto",        "break",      "continue",  "data",       "else",   "export",  "extern",      "false",
    "fatal_error", "for",        "functions", "generated",  "if",     "in",      "jacobian",    "lower",
    "model",       "multiplier", "offset",    "parameters", "print",  "profile", "quantities",  "reject",
    "repeat",      "return",     "static",    "struct",     "target", "then",    "transformed", "true",
    "typedef",     "until",      "upper",     "var",        "void",   "while",
});

static_assert(std::ranges::is_sorted(kTypeWords));
static_assert(std::ranges::is_sorted(kOtherReserved));

}  // namespace

bool is_type_word(std::string_view word) { return std::ranges::binary_search(kTypeWords, word); }

std::span<const std::string_view> type_words() { return kTypeWords; }

bool is_reserved(std::string_view word) {
  return is_type_word(word) || std::ranges::binary_search(kOtherReserved, word);
}

bool was_once_free(std::string_view word) {
  return word == "offset" || word == "multiplier" || word == "lower" || word == "upper" || word == "array";
}

}  // namespace kullback::lang
