// Tokens of the Stan language. Words stay words: whether `offset` is a keyword depends on where it
// stands, which only the parser knows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/source.hpp"

namespace kullback::lang {

enum class TokenKind : std::uint8_t {
  end,
  word,
  int_literal,
  real_literal,
  dot_literal,  // .5: a real, or the slot of a tuple when it follows an expression
  imag_literal,
  string_literal,
  punctuation,  // one of Punct
};

enum class Punct : std::uint8_t {
  none,
  left_brace,
  right_brace,
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  less,
  greater,
  comma,
  semicolon,
  bar,
  question,
  colon,
  bang,
  minus,
  plus,
  hat,
  quote,
  times,
  divide,
  modulo,
  int_divide,
  left_divide,
  elt_times,
  elt_pow,
  elt_divide,
  or_,
  and_,
  equal,
  not_equal,
  less_equal,
  greater_equal,
  tilde,
  assign,
  plus_assign,
  minus_assign,
  times_assign,
  divide_assign,
  elt_times_assign,
  elt_divide_assign,
  at,
};

constexpr std::string_view to_string(Punct punct) {
  constexpr std::string_view kTexts[] = {
      "",   "{",  "}",  "(",  ")",  "[", "]", "<",  ">",   ",",  ";",  "|",   "?",   ":",
      "!",  "-",  "+",  "^",  "'",  "*", "/", "%",  "%/%", "\\", ".*", ".^",  "./",  "||",
      "&&", "==", "!=", "<=", ">=", "~", "=", "+=", "-=",  "*=", "/=", ".*=", "./=", "@",
  };
  return kTexts[static_cast<int>(punct)];
}

struct Token {
  TokenKind kind = TokenKind::end;
  Punct punct = Punct::none;
  Span span;
};

// What may not name a variable or function: keywords of the language and words it keeps for later.
bool is_reserved(std::string_view word);
// Reserved today, but names in programs written before 2019 to 2023: accepted, with a warning.
bool was_once_free(std::string_view word);
// A word that begins a type: int, vector, cov_matrix, tuple, array, ...
bool is_type_word(std::string_view word);
std::span<const std::string_view> type_words();

}  // namespace kullback::lang
