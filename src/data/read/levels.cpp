#include "data/read/levels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/read/number.hpp"

namespace kullback::data {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view digits_of(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

bool words_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = digits_of(a);
      const std::string_view right = digits_of(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a.front() != b.front())
      return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // "x01" and "x1" differ
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  double x = 0;
  double y = 0;
  const bool a_is_number = read_number(a, x);
  const bool b_is_number = read_number(b, y);
  if (a_is_number != b_is_number) return a_is_number;
  if (a_is_number && x != y) return x < y;
  return words_less(a, b);
}

std::uint32_t TextIndex::add(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(numbers_.size());
  numbers_.emplace(text, number);
  return number;
}

const std::uint32_t* TextIndex::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? nullptr : &found->second;
}

std::vector<std::string> TextIndex::texts() const {
  std::vector<std::string> result(numbers_.size());
  for (const auto& [text, number] : numbers_) result[number] = text;
  return result;
}

std::vector<std::uint32_t> TextIndex::sort() {
  const std::vector<std::string> by_number = texts();
  std::vector<std::uint32_t> order(by_number.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return natural_less(by_number[a], by_number[b]); });
  std::vector<std::uint32_t> number_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number_of[order[i]] = static_cast<std::uint32_t>(i);
  for (auto& entry : numbers_) entry.second = number_of[entry.second];
  return number_of;
}

std::string_view level_text(std::string_view cell, std::string& scratch) {
  double value = 0;
  if (!read_number(cell, value) || value != std::trunc(value) || std::fabs(value) > 1e15) return cell;
  scratch = std::to_string(static_cast<long long>(value));
  return scratch;
}

bool LevelCollector::add(std::string_view text) {
  double value = 0;
  const bool reads = read_number(text, value);
  if (!reads) has_text_ = true;
  if (reads && value != std::trunc(value)) has_decimals_ = true;
  if (is_full_) return is_number();
  std::string scratch;
  index_.add(level_text(text, scratch));
  if (index_.size() <= kMost) return true;
  is_full_ = true;
  return is_number();
}

std::vector<std::string> LevelCollector::levels() {
  if (is_number()) return {};
  index_.sort();
  return index_.texts();
}

}  // namespace kullback::data
