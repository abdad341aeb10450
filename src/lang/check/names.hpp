// What the ending of a function's name means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kullback::lang {

enum class Suffix : std::uint8_t { plain, rng, lpdf, lpmf, lp, jacobian };

Suffix suffix_of(std::string_view function);

// Takes its first argument before a bar: _lpdf, _lupdf, _lpmf, _lupmf, _cdf, _lcdf, _lccdf.
bool takes_bar(std::string_view function);
bool is_unnormalized(std::string_view function);  // _lupdf, _lupmf
// "normal_lupdf" -> "normal_lpdf"; other names unchanged.
std::string normalized(std::string_view function);

}  // namespace kullback::lang
