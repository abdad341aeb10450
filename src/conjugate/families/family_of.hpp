// A family from formulas of one point. `Point` has, with pointers to the numbers of one point,
//   name(), dim(), width(), parameter_names(), fault(natural), value_fault(x), statistics(x, t), log_base(x),
//   expected_log_base(natural), log_partition(natural), mean(natural, mean), natural_of_mean(mean, natural),
//   parameters(natural, p), natural_of_parameters(p, natural),
// none virtual: loops over points call nothing through a table.
#pragma once

#include <utility>

#include "conjugate/families/family.hpp"

namespace kullback::conjugate {

template <class Point>
class FamilyOf final : public Family {
 public:
  explicit FamilyOf(Point point) : point_(std::move(point)) {}

  std::string name() const override { return point_.name(); }
  std::size_t dim() const override { return point_.dim(); }
  std::size_t width() const override { return point_.width(); }
  std::vector<std::string> parameter_names() const override { return point_.parameter_names(); }

  std::string fault(std::span<const double> natural) const override {
    return first_fault(natural, dim(), [&](const double* at) { return point_.fault(at); });
  }
  std::string value_fault(std::span<const double> x) const override {
    return first_fault(x, width(), [&](const double* at) { return point_.value_fault(at); });
  }
  void statistics(std::span<const double> x, std::span<double> t) const override {
    for (std::size_t i = 0, n = x.size() / width(); i < n; ++i)
      point_.statistics(&x[i * width()], &t[i * dim()]);
  }
  double log_base(std::span<const double> x) const override {
    return sum(x, width(), [&](const double* at) { return point_.log_base(at); });
  }
  double expected_log_base(std::span<const double> natural) const override {
    return sum(natural, dim(), [&](const double* at) { return point_.expected_log_base(at); });
  }
  double log_partition(std::span<const double> natural) const override {
    return sum(natural, dim(), [&](const double* at) { return point_.log_partition(at); });
  }
  void mean(std::span<const double> natural, std::span<double> mean) const override {
    for (std::size_t i = 0; i < natural.size(); i += dim()) point_.mean(&natural[i], &mean[i]);
  }
  std::string natural_of_mean(std::span<const double> mean, std::span<double> natural) const override {
    for (std::size_t i = 0; i < mean.size(); i += dim()) {
      std::string fault = point_.natural_of_mean(&mean[i], &natural[i]);
      if (!fault.empty()) return fault;
    }
    return {};
  }
  void parameters(std::span<const double> natural, std::span<double> parameters) const override {
    const std::size_t size = natural.empty() ? 0 : parameters.size() / points(natural);
    for (std::size_t i = 0; i < points(natural); ++i)
      point_.parameters(&natural[i * dim()], &parameters[i * size]);
  }
  void natural_of_parameters(std::span<const double> parameters, std::span<double> natural) const override {
    const std::size_t size = natural.empty() ? 0 : parameters.size() / points(natural);
    for (std::size_t i = 0; i < points(natural); ++i)
      point_.natural_of_parameters(&parameters[i * size], &natural[i * dim()]);
  }

 private:
  template <class F>
  static double sum(std::span<const double> numbers, std::size_t stride, F&& f) {
    double sum = 0;
    for (std::size_t i = 0; i + stride <= numbers.size(); i += stride) sum += f(&numbers[i]);
    return sum;
  }
  template <class F>
  static std::string first_fault(std::span<const double> numbers, std::size_t stride, F&& f) {
    for (std::size_t i = 0; i + stride <= numbers.size(); i += stride) {
      std::string fault = f(&numbers[i]);
      if (!fault.empty())
        return numbers.size() > stride ? fault + " (point " + std::to_string(i / stride + 1) + ")" : fault;
    }
    return {};
  }

  Point point_;
};

template <class Point>
FamilyPtr make_family(Point point) {
  return std::make_shared<const FamilyOf<Point>>(std::move(point));
}

}  // namespace kullback::conjugate
