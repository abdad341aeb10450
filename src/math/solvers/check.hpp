// Checks of solvers' arguments, with Stan's wording. All throw std::domain_error.
#pragma once

#include <span>
#include <string_view>

namespace kullback::math::check {

void finite(std::string_view function, std::string_view name, std::span<const double> values);
void finite(std::string_view function, std::string_view name, double value);
void nonzero_size(std::string_view function, std::string_view name, std::size_t size);
void sorted(std::string_view function, std::string_view name, std::span<const double> values);
void less(std::string_view function, std::string_view name, double value, double bound);
void positive_finite(std::string_view function, std::string_view name, double value);
void positive_finite(std::string_view function, std::string_view name, std::span<const double> values);
void nonnegative(std::string_view function, std::string_view name, double value);
void positive(std::string_view function, std::string_view name, long value);
void same_size(std::string_view function, std::string_view name, std::size_t size, std::string_view other,
               std::size_t other_size);

}  // namespace kullback::math::check
