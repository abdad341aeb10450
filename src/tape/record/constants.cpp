#include "tape/record/constants.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kullback::tape {

void Constants::share() {
  if (own_.empty()) return;
  own_.shrink_to_fit();
  auto numbers = std::make_shared<const std::vector<double>>(std::move(own_));
  own_.clear();
  append(std::move(numbers));
}

std::size_t Constants::adopt(Numbers numbers) {
  share();
  append(std::move(numbers));
  return last_begin_;
}

void Constants::append(Numbers numbers) {
  last_begin_ = common_size_;
  common_size_ += numbers->size();
  common_.push_back({last_begin_, std::move(numbers)});
}

Constants Constants::common_part() const {
  Constants part;
  part.common_ = common_;
  part.common_size_ = common_size_;
  part.last_begin_ = last_begin_;
  return part;
}

bool Constants::begins_with(const Constants& other) const {
  return common_.size() >= other.common_.size() &&
         std::equal(other.common_.begin(), other.common_.end(), common_.begin(),
                    [](const Segment& a, const Segment& b) { return a.numbers == b.numbers; });
}

std::size_t Constants::segment_of(std::size_t i) const {
  const auto after = std::upper_bound(common_.begin(), common_.end(), i,
                                      [](std::size_t at, const Segment& s) { return at < s.begin; });
  return static_cast<std::size_t>(std::distance(common_.begin(), after)) - 1;
}

const double* Constants::shared(std::size_t first, std::size_t count) const {
  if (count == 0 || first + count > common_size_) return nullptr;
  const Segment& segment = common_[segment_of(first)];
  const std::size_t at = first - segment.begin;
  return at + count <= segment.numbers->size() ? segment.numbers->data() + at : nullptr;
}

Constants::Numbers Constants::piece(std::size_t first, std::size_t count) const {
  if (shared(first, count) == nullptr) return nullptr;
  const Segment& segment = common_[segment_of(first)];
  return segment.begin == first && segment.numbers->size() == count ? segment.numbers : nullptr;
}

}  // namespace kullback::tape
