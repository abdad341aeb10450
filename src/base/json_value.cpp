#include "base/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <numeric>
#include <sstream>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace kullback {

namespace {

constexpr int kDeepest = 200;  // arrays and objects in each other; the parser's stack holds them

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto put_tail = [&](int shift) { put(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0U | code >> 6);
    return put_tail(0);
  }
  if (code < 0x10000) {
    put(0xE0U | code >> 12);
  } else {
    put(0xF0U | code >> 18);
    put_tail(12);
  }
  put_tail(6);
  put_tail(0);
}

class Parser final {
 public:
  Parser(std::string_view text, const std::string& name, const std::string& hint)
      : text_(text), name_(name), hint_(hint) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  JsonValue document() {
    JsonValue result = value(0);
    skip_blanks();
    if (at_ < text_.size()) refuse("found " + found() + " after the end");
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { refuse_at(at_, what); }

  [[noreturn]] void refuse_at(std::size_t place, const std::string& what) const {
    const std::string_view before = text_.substr(0, place);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::string_view in_line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char c) {
                          return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                        });
    throw Error(ErrorKind::bad_input,
                name_ + ": is no JSON: line " + std::to_string(line) + ", column " + std::to_string(column) +
                    ": " + what + ".",
                hint_);
  }

  // The word or character here, for a message.
  std::string found() const {
    if (at_ >= text_.size()) return "the end of the text";
    std::size_t end = at_;
    while (end < text_.size() && end - at_ < 20 && is_letter(text_[end])) ++end;
    if (end > at_) return "'" + std::string(text_.substr(at_, end - at_)) + "'";
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte > 0x20 && byte < 0x7F) return std::string("'") + text_[at_] + "'";
    return "byte " + std::to_string(byte);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  JsonValue value(int depth) {
    skip_blanks();
    const char c = peek();
    if (c == '{' || c == '[') {
      if (depth == kDeepest)
        refuse("arrays and objects are nested more than " + std::to_string(kDeepest) + " deep");
      return c == '{' ? object(depth + 1) : array(depth + 1);
    }
    if (c == '"') return JsonValue(string());
    if (c == '-' || is_digit(c)) return JsonValue(number());
    if (take_word("true")) return JsonValue(true);
    if (take_word("false")) return JsonValue(false);
    if (take_word("null")) return {};
    refuse("found " + found() + ", but a value is needed");
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    if (at_ + word.size() < text_.size() && is_letter(text_[at_ + word.size()])) return false;
    at_ += word.size();
    return true;
  }

  // After an item; false at the closing bracket.
  bool goes_on(char closing) {
    skip_blanks();
    if (take(closing)) return false;
    if (!take(',')) refuse("found " + found() + ", but ',' or '" + closing + "' is needed");
    return true;
  }

  JsonValue array(int depth) {
    ++at_;
    JsonValue::Array items;
    skip_blanks();
    if (take(']')) return JsonValue(std::move(items));
    do {
      items.push_back(value(depth));
    } while (goes_on(']'));
    return JsonValue(std::move(items));
  }

  JsonValue object(int depth) {
    ++at_;
    JsonValue::Object members;
    std::vector<std::size_t> places;
    skip_blanks();
    if (take('}')) return JsonValue(std::move(members));
    do {
      skip_blanks();
      if (peek() != '"') refuse("found " + found() + ", but a key in quotes is needed");
      places.push_back(at_);
      std::string name = string();
      skip_blanks();
      if (!take(':')) refuse("found " + found() + ", but ':' is needed");
      members.push_back({std::move(name), value(depth)});
    } while (goes_on('}'));
    check_names(members, places);
    return JsonValue(std::move(members));
  }

  void check_names(const JsonValue::Object& members, const std::vector<std::size_t>& places) const {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return members[a].name < members[b].name; });
    const auto twice = std::adjacent_find(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return members[a].name == members[b].name;
    });
    if (twice != order.end())
      refuse_at(places[*(twice + 1)], "the key '" + members[*twice].name + "' comes a second time");
  }

  std::string string() {
    const std::size_t begin = at_++;
    std::string result;
    while (true) {
      const std::size_t plain = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      result += text_.substr(plain, at_ - plain);
      if (at_ == text_.size()) refuse_at(begin, "the string that begins here is not closed");
      if (take('"')) break;
      if (text_[at_] != '\\') refuse("found " + found() + " in a string; it must be escaped");
      append_escaped(result);
    }
    if (!is_valid_utf8(result)) refuse_at(begin, "the string that begins here is not UTF-8");
    return result;
  }

  void append_escaped(std::string& result) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t begin = at_++;
    if (take('u')) return append_utf8(result, code_point(begin));
    const std::size_t which = at_ < text_.size() ? kLetters.find(text_[at_]) : std::string_view::npos;
    if (which == std::string_view::npos) refuse_at(begin, "there is no such escape sequence");
    result += kMeanings[which];
    ++at_;
  }

  // After "\u"; characters beyond U+FFFF are written as two.
  std::uint32_t code_point(std::size_t begin) {
    const std::uint32_t first = hex_digits(begin);
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || text_.substr(at_, 2) != "\\u")
      refuse_at(begin, "half of a pair of surrogates stands alone");
    at_ += 2;
    const std::uint32_t second = hex_digits(begin);
    if (second < 0xDC00 || second > 0xDFFF) refuse_at(begin, "half of a pair of surrogates stands alone");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  std::uint32_t hex_digits(std::size_t begin) {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t code = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() != 4 || status != std::errc{} || end != digits.data() + 4)
      refuse_at(begin, "four hexadecimal digits are needed after \\u");
    at_ += 4;
    return code;
  }

  void skip_digits() {
    if (!is_digit(peek())) refuse("found " + found() + ", but a digit is needed");
    while (is_digit(peek())) ++at_;
  }

  JsonNumber number() {
    const std::size_t begin = at_;
    take('-');
    const bool has_zero = peek() == '0';
    skip_digits();
    if (has_zero && at_ > begin + (text_[begin] == '-' ? 2 : 1))
      refuse_at(begin, "a number begins with a zero too many");
    if (take('.')) skip_digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      skip_digits();
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    JsonNumber result{double_of(digits)};
    if (!std::isfinite(result.value)) refuse_at(begin, "the number is too large");
    std::uint64_t count = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (status == std::errc{} && end == digits.data() + digits.size()) result.count = count;
    return result;
  }

  static double double_of(std::string_view digits) {
    double result = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
    if (status == std::errc{}) return result;
    // Beyond the range of doubles: a stream gives 0, or fails; strtod would ask the user's locale.
    std::istringstream stream{std::string(digits)};
    stream.imbue(std::locale::classic());
    return stream >> result ? result : std::numeric_limits<double>::infinity();
  }

  std::string_view text_;
  const std::string& name_;
  const std::string& hint_;
  std::size_t at_ = 0;
};

}  // namespace

JsonValue::JsonValue(Content content) : content_(std::move(content)) {}

const JsonValue* JsonValue::find(std::string_view name) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  const auto at = std::find_if(members->begin(), members->end(),
                               [&](const Member& member) { return member.name == name; });
  return at == members->end() ? nullptr : &at->value;
}

JsonValue parse_json(std::string_view text, const std::string& name, const std::string& hint) {
  return Parser(text, name, hint).document();
}

}  // namespace kullback
