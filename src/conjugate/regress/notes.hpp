// What a user should know of the columns of a regression.
#pragma once

#include <span>
#include <string>

#include "base/finding.hpp"
#include "conjugate/regress/posterior.hpp"

namespace kullback::conjugate::regress {

// Constant columns, columns that others determine, more columns than rows. `names` of the columns.
Findings findings_of_columns(const Likelihood& data, std::span<const std::string> names);

}  // namespace kullback::conjugate::regress
