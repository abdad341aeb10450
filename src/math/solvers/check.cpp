#include "math/solvers/check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace kullback::math::check {

namespace {

[[noreturn]] void refuse(std::string_view function, std::string_view name, double value,
                         std::string_view needed) {
  throw std::domain_error(fmt::format("{}: {} is {}, but must be {}!", function, name, value, needed));
}

std::string element(std::string_view name, std::size_t i) { return fmt::format("{}[{}]", name, i + 1); }

}  // namespace

void finite(std::string_view function, std::string_view name, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse(function, element(name, i), values[i], "finite");
  }
}

void finite(std::string_view function, std::string_view name, double value) {
  if (!std::isfinite(value)) refuse(function, name, value, "finite");
}

void nonzero_size(std::string_view function, std::string_view name, std::size_t size) {
  if (size == 0)
    throw std::domain_error(fmt::format("{}: {} has size 0, but must have a non-zero size", function, name));
}

void sorted(std::string_view function, std::string_view name, std::span<const double> values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1]) {
      throw std::domain_error(
          fmt::format("{}: {} is not a valid sorted vector. The element at {} is {}, but should be greater "
                      "than or equal to the previous element, {}",
                      function, name, i + 1, values[i], values[i - 1]));
    }
  }
}

void less(std::string_view function, std::string_view name, double value, double bound) {
  if (!(value < bound)) refuse(function, name, value, fmt::format("less than {}", bound));
}

void positive_finite(std::string_view function, std::string_view name, double value) {
  if (!(value > 0 && std::isfinite(value))) refuse(function, name, value, "positive finite");
}

void positive_finite(std::string_view function, std::string_view name, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) positive_finite(function, element(name, i), values[i]);
}

void nonnegative(std::string_view function, std::string_view name, double value) {
  if (!(value >= 0)) refuse(function, name, value, "nonnegative");
}

void positive(std::string_view function, std::string_view name, long value) {
  if (value <= 0) refuse(function, name, static_cast<double>(value), "positive");
}

void same_size(std::string_view function, std::string_view name, std::size_t size, std::string_view other,
               std::size_t other_size) {
  if (size == other_size) return;
  throw std::domain_error(
      fmt::format("{}: {} ({}) and {} ({}) must match in size", function, name, size, other, other_size));
}

}  // namespace kullback::math::check
