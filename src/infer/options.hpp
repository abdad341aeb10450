// Options of all methods in one plain struct; infer/options.def lists them.
#pragma once

#include <cstddef>
#include <string>

#include "infer/particles/svgd_choices.hpp"
#include "infer/sgmcmc/choices.hpp"

namespace kullback::infer {

enum class Metric : unsigned char { unit, diagonal, dense };

struct Options {
#define KULLBACK_OPTION(type, name, value, help) type name = value;
#include "infer/options.def"
#undef KULLBACK_OPTION
};

}  // namespace kullback::infer
