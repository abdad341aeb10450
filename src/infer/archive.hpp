// The state of an algorithm as numbers, written and read by the same function: `archive(a)` of an algorithm
// names each member once, in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kullback::infer {

class Archive final {
 public:
  Archive() = default;  // writes
  explicit Archive(std::vector<double> numbers) : numbers_(std::move(numbers)), reading_(true) {}

  bool is_reading() const { return reading_; }
  const std::vector<double>& numbers() const { return numbers_; }

  void value(double& number);
  void value(bool& flag);
  void value(std::uint64_t& count);          // below 2^53
  void value(std::vector<double>& numbers);  // with its size
  void value(std::string& text);

  // False where reading ran past the end or left something over: the numbers are of another algorithm.
  bool is_overrun() const { return overrun_; }
  bool is_complete() const { return !reading_ || (!overrun_ && next_ == numbers_.size()); }

 private:
  double take();

  std::vector<double> numbers_;
  std::size_t next_ = 0;
  bool reading_ = false;
  bool overrun_ = false;
};

// Numbers as they stand in memory, for files and messages between machines of one kind; and back, from an
// offset.
std::string to_bytes(const std::vector<double>& numbers);
std::vector<double> to_numbers(const std::string& bytes, std::size_t offset = 0);

}  // namespace kullback::infer
