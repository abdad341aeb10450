// Constants by number. Those that many recordings have in common (data and transformed data) come first:
// copies share them. All that is computed from them refers to them in place.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace kullback::tape {

class Constants final {
 public:
  using Numbers = std::shared_ptr<const std::vector<double>>;

  double operator[](std::size_t i) const {
    return i >= common_size_ ? own_[i - common_size_]
                             : common_[i >= last_begin_ ? common_.size() - 1 : segment_of(i)].at(i);
  }
  std::size_t size() const { return common_size_ + own_.size(); }
  std::size_t own_size() const { return own_.size(); }  // of this copy alone

  void push_back(double value) { own_.push_back(value); }
  void resize(std::size_t size) { own_.resize(size - common_size_); }  // at least common_size()
  // Takes many numbers in, to be shared with others; returns the number of the first.
  std::size_t adopt(Numbers numbers);
  // From here on all that is here is shared by copies.
  void share();

  Constants common_part() const;  // what copies share, alone
  std::size_t common_size() const { return common_size_; }
  // Whether what copies of `other` share comes first here too, in the same memory.
  bool begins_with(const Constants& other) const;

  // Numbers [first, first + count), where copies share them and they lie side by side; else null.
  const double* shared(std::size_t first, std::size_t count) const;
  // The piece that is exactly these; null where there is none.
  Numbers piece(std::size_t first, std::size_t count) const;

 private:
  struct Segment {
    std::size_t begin = 0;
    Numbers numbers;
    double at(std::size_t i) const { return (*numbers)[i - begin]; }
  };

  std::size_t segment_of(std::size_t i) const;
  void append(Numbers numbers);

  std::vector<Segment> common_;
  std::size_t common_size_ = 0;
  std::size_t last_begin_ = 0;  // of the last segment
  std::vector<double> own_;
};

}  // namespace kullback::tape
