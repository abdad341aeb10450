// From testimonies to verdicts.
#pragma once

#include <optional>
#include <vector>

#include "certify/certificate.hpp"

namespace kullback::certify {

// `met` where both witnesses support it and both intervals lie inside (-tolerance, tolerance); `not met`
// where one lies wholly outside.
Verdict judge_moment(const Moment& moment, double tolerance);
// The same of Markov chains, which are their own only witness.
Verdict judge_chain_moment(const Moment& moment, double tolerance);

bool is_inside(const Interval& interval, double tolerance);
bool is_outside(const Interval& interval, double tolerance);

// Not met where one is not; met where all are.
Verdict all_of(const std::vector<Verdict>& verdicts);

}  // namespace kullback::certify
