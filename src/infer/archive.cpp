#include "infer/archive.hpp"

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

}  // namespace kullback::infer
