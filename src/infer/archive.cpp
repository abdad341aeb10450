#include "infer/archive.hpp"

#include <cstring>

namespace kullback::infer {

double Archive::take() {
  if (next_ < numbers_.size()) return numbers_[next_++];
  overrun_ = true;
  return 0.0;
}

void Archive::value(double& number) {
  if (reading_)
    number = take();
  else
    numbers_.push_back(number);
}

void Archive::value(bool& flag) {
  double number = flag ? 1.0 : 0.0;
  value(number);
  flag = number != 0.0;
}

void Archive::value(std::uint64_t& count) {
  double number = static_cast<double>(count);
  value(number);
  count = static_cast<std::uint64_t>(number);
}

void Archive::value(std::vector<double>& numbers) {
  std::uint64_t size = numbers.size();
  value(size);
  if (reading_) {
    if (size > numbers_.size() - next_) {
      overrun_ = true;
      return;
    }
    numbers.resize(size);
  }
  for (double& number : numbers) value(number);
}

void Archive::value(std::string& text) {
  std::vector<double> codes(text.begin(), text.end());
  value(codes);
  if (!reading_) return;
  text.clear();
  for (const double code : codes) text += static_cast<char>(code);
}

std::string to_bytes(const std::vector<double>& numbers) {
  std::string bytes(numbers.size() * sizeof(double), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<double> to_numbers(const std::string& bytes, std::size_t offset) {
  std::vector<double> numbers((bytes.size() - offset) / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data() + offset, numbers.size() * sizeof(double));
  return numbers;
}

}  // namespace kullback::infer
