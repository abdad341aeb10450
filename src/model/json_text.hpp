// JSON as a run of marks and tokens, from a window that moves over the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.hpp"

namespace kullback::model {

class JsonText final {
 public:
  static constexpr std::size_t kWindow = std::size_t{1} << 20;

  // `name` stands for the text in messages.
  JsonText(TextSource& source, std::string name, std::size_t window = kWindow);

  // The next character that is no blank; '\0' at the end of the text.
  char next();
  bool is_at_end() { return next() == '\0' && at_ == end_; }
  bool take(char mark);  // where it is the next
  void expect(char mark);

  // A string with its quotes, or what lies before the next blank or mark. Good until the next call.
  std::string_view token();
  // A number of JSON's grammar that a double can hold. False, with nothing read, where the next token is
  // none.
  struct Number {
    double value = 0;
    bool is_integer = false;  // as it is written
    std::string_view text;    // good until the next call
  };
  bool take_number(Number& number);
  // What the token of a string means; false where it has an escape sequence that is none.
  static bool unescape(std::string_view token, std::string& meaning);
  // Any value, of arrays and objects nested no deeper than the stack holds.
  void skip_value(int& level);

  // Arrays and objects in each other, which the stack of the reader holds.
  class Nesting final {
   public:
    Nesting(JsonText& text, int& level);
    ~Nesting() { --level_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& level_;
  };

  struct Place {
    std::size_t line = 1;
    std::size_t column = 1;
  };
  Place place();  // of what next() sees

  // Errors with line and column.
  [[noreturn]] void refuse(const std::string& message, const std::string& hint = {});
  [[noreturn]] void refuse_at(Place place, const std::string& message, const std::string& hint = {}) const;
  [[noreturn]] void refuse_syntax();

 private:
  bool read_more();  // keeps what lies from at_ on; false at the end
  void count_to(std::size_t at);
  std::size_t end_of_token(std::size_t from);
  std::size_t end_of_string();

  TextSource& source_;
  std::size_t window_size_;
  std::string name_;
  std::vector<char> window_;  // the text, with '\0' behind it
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool is_all_ = false;  // the source has no more
  std::size_t counted_ = 0;
  Place place_;  // of counted_
};

}  // namespace kullback::model
