// The terms of a log density in coordinates of unit scale: theta = center + scale * x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "density/log_density.hpp"

namespace kullback::infer {

class ScaledTerms final {
 public:
  // The terms must outlive the object.
  ScaledTerms(density::Terms& terms, std::vector<double> center, std::vector<double> scale)
      : terms_(terms), center_(std::move(center)), scale_(std::move(scale)) {}

  static constexpr std::size_t kLanes = 32;

  std::size_t dim() const { return center_.size(); }
  std::size_t count() const { return terms_.count(); }
  std::span<const std::uint32_t> coordinates(std::size_t term) const { return terms_.coordinates(term); }
  std::uint64_t points() const { return points_; }  // evaluated so far
  void set_points(std::uint64_t points) { points_ = points; }

  // Writes x of point number `point`, dim numbers.
  using PointWriter = std::function<void(std::size_t point, double* x)>;
  // Reads the values of points first, ..., first + count - 1: of term t at values[t * kLanes + k].
  using ValueReader = std::function<void(std::size_t first, std::size_t count, const double* values)>;
  // At so many points, kLanes at a time.
  void evaluate(std::size_t points, const PointWriter& write, const ValueReader& read);

 private:
  density::Terms& terms_;
  std::vector<double> center_;
  std::vector<double> scale_;
  std::uint64_t points_ = 0;
};

}  // namespace kullback::infer
