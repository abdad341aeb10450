// Boost.Math as we call it: in double precision throughout, and errors are values (NaN, infinity), never
// exceptions.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace kullback::math::functions {

namespace policies = boost::math::policies;
using Policy = policies::policy<
    policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
    policies::overflow_error<policies::ignore_error>, policies::underflow_error<policies::ignore_error>,
    policies::denorm_error<policies::ignore_error>, policies::evaluation_error<policies::ignore_error>,
    policies::rounding_error<policies::ignore_error>,
    policies::indeterminate_result_error<policies::ignore_error>, policies::promote_double<false>>;
inline constexpr Policy kPolicy{};

}  // namespace kullback::math::functions
