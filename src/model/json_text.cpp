#include "model/json_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/json_value.hpp"
#include "base/utf8.hpp"
#include "model/text_place.hpp"

namespace kullback::model {

namespace {

constexpr int kDeepest = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool ends_token(char c) {
  return is_blank(c) || c == ',' || c == ']' || c == '}' || c == '[' || c == '{' || c == ':' || c == '"';
}

constexpr std::array kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The parts of a number of JSON's grammar.
struct Digits {
  bool negative = false;
  bool is_integer = true;
  bool has_exponent = false;
  std::uint64_t mantissa = 0;  // of all digits before the exponent, where they are few
  std::size_t digits = 0;
  std::size_t decimals = 0;
};

const char* take_digits(const char* p, Digits& parts) {
  for (; is_digit(*p); ++p, ++parts.digits)
    parts.mantissa = 10 * parts.mantissa + static_cast<std::uint64_t>(*p - '0');
  return p;
}

// The end of the number that begins here, in a text that ends with '\0'; null where there is none.
const char* scan_number(const char* p, Digits& parts) {
  parts.negative = *p == '-';
  if (parts.negative) ++p;
  if (!is_digit(*p)) return nullptr;
  if (*p == '0' && is_digit(p[1])) return nullptr;
  p = take_digits(p, parts);
  if (*p == '.') {
    parts.is_integer = false;
    if (!is_digit(p[1])) return nullptr;
    const std::size_t before = parts.digits;
    p = take_digits(p + 1, parts);
    parts.decimals = parts.digits - before;
  }
  if (*p == 'e' || *p == 'E') {
    parts.is_integer = false;
    parts.has_exponent = true;
    ++p;
    if (*p == '+' || *p == '-') ++p;
    if (!is_digit(*p)) return nullptr;
    while (is_digit(*p)) ++p;
  }
  return p;
}

// What is smaller than the least double is zero; false where a double cannot hold it.
bool convert(std::string_view digits, const Digits& parts, double& number) {
  // Both are exact, and the quotient is rounded once: the double nearest to the number.
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (!parts.has_exponent && parts.digits <= 19 && parts.mantissa <= kExact &&
      parts.decimals < kPowersOfTen.size()) {
    number = static_cast<double>(parts.mantissa) / kPowersOfTen[parts.decimals];
    // An integer has no sign where it is zero.
    if (parts.negative && !(parts.is_integer && parts.mantissa == 0)) number = -number;
    return true;
  }
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status == std::errc()) return true;
  // Out of the range of doubles, at one of its ends: the number is below 1 where its first digit that is not
  // zero comes after as many places as the exponent takes away.
  const std::size_t exponent = digits.find_first_of("eE");
  const bool small = exponent != std::string_view::npos && digits.substr(exponent + 1).starts_with('-');
  const bool only_decimals =
      exponent == std::string_view::npos && digits.starts_with(parts.negative ? "-0." : "0.");
  number = parts.negative ? -0.0 : 0.0;
  return small || only_decimals;
}

// Of UTF-8: bytes but those that go on with a character, 10xxxxxx. Eight at a time.
std::size_t count_characters(std::string_view text) {
  std::size_t others = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, 8);
    others += static_cast<std::size_t>(std::popcount(bytes >> 7U & ~(bytes >> 6U) & 0x0101'0101'0101'0101U));
  }
  for (; at < text.size(); ++at) others += (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U ? 1 : 0;
  return text.size() - others;
}

}  // namespace

JsonText::JsonText(TextSource& source, std::string name, std::size_t window)
    : source_(source), window_size_(window), name_(std::move(name)) {
  window_.resize(1);
  read_more();
  if (std::string_view(window_.data(), end_).starts_with("\xEF\xBB\xBF")) at_ = counted_ = 3;
}

bool JsonText::read_more() {
  if (is_all_) return false;
  count_to(at_);
  std::memmove(window_.data(), window_.data() + at_, end_ - at_);
  end_ -= at_;
  at_ = counted_ = 0;
  if (window_.size() - 1 - end_ <= window_size_ / 2) window_.resize(std::max(2 * end_, window_size_) + 1);
  const std::size_t count = source_.read(window_.data() + end_, window_.size() - 1 - end_);
  is_all_ = count == 0;
  end_ += count;
  window_[end_] = '\0';
  return !is_all_;
}

char JsonText::next() {
  for (;;) {
    while (is_blank(window_[at_])) ++at_;
    if (at_ < end_ || !read_more()) return window_[at_];
  }
}

bool JsonText::take(char mark) {
  if (next() != mark || at_ == end_) return false;
  ++at_;
  return true;
}

void JsonText::expect(char mark) {
  if (!take(mark)) refuse_syntax();
}

std::size_t JsonText::end_of_token(std::size_t from) {
  for (std::size_t length = from - at_;; ++length) {
    while (at_ + length == end_) {
      if (!read_more()) return at_ + length;
    }
    if (ends_token(window_[at_ + length])) return at_ + length;
  }
}

std::size_t JsonText::end_of_string() {
  for (std::size_t length = 1;; ++length) {
    while (at_ + length >= end_) {
      if (read_more()) continue;
      at_ = end_;
      refuse("a string is not closed.");
    }
    const char c = window_[at_ + length];
    if (c == '"') return at_ + length + 1;
    if (c == '\\') ++length;
    if (static_cast<unsigned char>(c) < 0x20) {
      at_ += length;
      refuse_syntax();
    }
  }
}

std::string_view JsonText::token() {
  const bool is_string = next() == '"';
  const std::size_t end = is_string ? end_of_string() : end_of_token(at_);
  if (end == at_) refuse_syntax();
  const std::string_view found(window_.data() + at_, end - at_);
  if (!is_valid_utf8(found)) refuse("the text is not UTF-8.");
  at_ = end;
  return found;
}

bool JsonText::take_number(Number& number) {
  next();
  constexpr std::size_t kLong = 64;
  if (end_ - at_ < kLong) read_more();
  Digits parts;
  const char* begin = window_.data() + at_;
  const char* end = scan_number(begin, parts);
  if (end == nullptr || !ends_token(*end)) {
    const std::size_t last = end_of_token(at_);  // the window may have ended within the number
    parts = {};
    begin = window_.data() + at_;
    end = scan_number(begin, parts);
    if (end != window_.data() + last) return false;
  }
  const std::string_view digits(begin, static_cast<std::size_t>(end - begin));
  if (!convert(digits, parts, number.value)) return false;
  number.is_integer = parts.is_integer;
  number.text = digits;
  at_ += digits.size();
  return true;
}

bool JsonText::unescape(std::string_view token, std::string& meaning) {
  const std::string_view inner = token.substr(1, token.size() - 2);
  if (inner.find('\\') == std::string_view::npos) {
    meaning = inner;
    return true;
  }
  try {
    meaning = *parse_json(token, "").string();
    return true;
  } catch (const Error&) {
    return false;
  }
}

JsonText::Nesting::Nesting(JsonText& text, int& level) : level_(level) {
  if (level == kDeepest) text.refuse("arrays are nested too deeply.");
  ++level_;
}

void JsonText::skip_value(int& level) {
  const char first = next();
  if (first != '[' && first != '{') {
    token();
    return;
  }
  const Nesting nesting(*this, level);
  const char closing = first == '[' ? ']' : '}';
  take(first);
  if (take(closing)) return;
  do {
    if (first == '{') {
      if (next() != '"') refuse_syntax();
      token();
      expect(':');
    }
    skip_value(level);
  } while (take(','));
  expect(closing);
}

// ---- places ----

void JsonText::count_to(std::size_t at) {
  const char* next = window_.data() + counted_;
  const char* end = window_.data() + at;
  while (const void* newline = std::memchr(next, '\n', static_cast<std::size_t>(end - next))) {
    ++place_.line;
    place_.column = 1;
    next = static_cast<const char*>(newline) + 1;
  }
  place_.column += count_characters({next, static_cast<std::size_t>(end - next)});
  counted_ = at;
}

JsonText::Place JsonText::place() {
  next();
  count_to(at_);
  return place_;
}

void JsonText::refuse(const std::string& message, const std::string& hint) {
  count_to(at_);
  refuse_at(place_, message, hint);
}

void JsonText::refuse_at(Place place, const std::string& message, const std::string& hint) const {
  refuse_place(name_, place.line, place.column, message, hint);
}

void JsonText::refuse_syntax() {
  if (is_at_end()) refuse("the text does not end with the closing brace of its object.");
  refuse("this is not JSON: a comma, colon, bracket or value is missing or out of place.");
}

}  // namespace kullback::model
