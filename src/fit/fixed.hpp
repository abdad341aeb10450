// The method of programs without parameters.
#pragma once

#include "infer/algorithm.hpp"

namespace kullback::fit {

const infer::Method& fixed_method();

}  // namespace kullback::fit
