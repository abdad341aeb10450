#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#include "capi/kullback.h"

namespace {

// Counts all that is written to it, keeps what fits.
class Text final {
 public:
  Text(char* begin, size_t capacity) : begin_(begin), capacity_(capacity) {}

  void add(char letter) {
    if (size_ < capacity_) begin_[size_] = letter;
    ++size_;
  }

  void add(std::string_view word) {
    if (size_ + word.size() <= capacity_) std::memcpy(begin_ + size_, word.data(), word.size());
    size_ += word.size();
  }

  size_t finish() {
    add('\0');
    return size_ - 1;
  }

 private:
  char* begin_;
  size_t capacity_;
  size_t size_ = 0;
};

void add_number(Text& text, double number) {
  if (std::isnan(number)) return text.add("NaN");
  if (std::isinf(number)) return text.add(number > 0 ? "Infinity" : "-Infinity");
  if (number == 0) return text.add(std::signbit(number) ? "-0.0" : "0");  // "-0" is the int 0
  std::array<char, 32> digits;                                            // the longest double has 24
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.add({digits.data(), static_cast<size_t>(end - digits.data())});
}

const double* add_array(Text& text, const double* numbers, size_t rank, const size_t* dims) {
  if (rank == 0) {
    add_number(text, *numbers);
    return numbers + 1;
  }
  text.add('[');
  for (size_t i = 0; i < *dims; ++i) {
    if (i > 0) text.add(',');
    numbers = add_array(text, numbers, rank - 1, dims + 1);
  }
  text.add(']');
  return numbers;
}

}  // namespace

size_t kb_number_text(const double* numbers, size_t rank, const size_t* dims, char* text, size_t capacity) {
  Text out(text, capacity);
  add_array(out, numbers, rank, dims);
  return out.finish();
}
