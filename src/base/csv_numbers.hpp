// Numbers of CSV files, with the fewest digits that read back to the same double, so that files lose nothing.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace kullback {

// Appends to a text by way of a buffer that always has room for one more number; call flush at the end.
class CsvNumbers final {
 public:
  // `nan`: what is written for NaN, at most 8 characters.
  explicit CsvNumbers(std::string& out, std::string_view nan = "nan") : out_(&out), nan_(nan) {}

  void write(double number, char separator) {
    if (end_ + kLongestNumber > buffer_ + sizeof buffer_) flush();
    if (is_small_count(number)) {
      end_ = std::to_chars(end_, buffer_ + sizeof buffer_, static_cast<int>(number)).ptr;
    } else if (std::isfinite(number)) {
      end_ = std::to_chars(end_, buffer_ + sizeof buffer_, number).ptr;
    } else {
      write_word(std::isnan(number) ? nan_ : number > 0 ? "inf" : "-inf");
    }
    *end_++ = separator;
  }

  void flush() {
    out_->append(buffer_, end_);
    end_ = buffer_;
  }

 private:
  static constexpr std::size_t kLongestNumber = 32;

  // The columns of samplers are full of counts, and integers are ten times faster to write.
  static bool is_small_count(double number) {
    return number >= 0 && number < 1e6 && number == std::trunc(number) && !std::signbit(number);
  }

  void write_word(std::string_view word) {
    for (const char c : word) *end_++ = c;
  }

  std::string* out_;
  std::string_view nan_;
  char buffer_[1 << 14];
  char* end_ = buffer_;
};

}  // namespace kullback
