#include "certify/verdict.hpp"

#include <algorithm>

namespace kullback::certify {

bool is_inside(const Interval& interval, double tolerance) {
  return interval.low >= -tolerance && interval.high <= tolerance;
}

bool is_outside(const Interval& interval, double tolerance) {
  return interval.low > tolerance || interval.high < -tolerance;
}

Verdict judge_moment(const Moment& moment, double tolerance) {
  for (const auto* testimony : {&moment.importance, &moment.chains}) {
    if (*testimony && is_outside((*testimony)->error, tolerance)) return Verdict::not_met;
  }
  const auto supports = [&](const std::optional<Testimony>& testimony) {
    return testimony && testimony->supports && is_inside(testimony->error, tolerance);
  };
  return supports(moment.importance) && supports(moment.chains) ? Verdict::met : Verdict::cannot_tell;
}

Verdict judge_chain_moment(const Moment& moment, double tolerance) {
  if (!moment.chains || !moment.chains->supports) return Verdict::cannot_tell;
  return is_inside(moment.chains->error, tolerance) ? Verdict::met : Verdict::cannot_tell;
}

Verdict all_of(const std::vector<Verdict>& verdicts) {
  const auto has = [&](Verdict verdict) {
    return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
  };
  if (has(Verdict::not_met)) return Verdict::not_met;
  return has(Verdict::cannot_tell) ? Verdict::cannot_tell : Verdict::met;
}

}  // namespace kullback::certify
