#include "infer/mcmc/turning.hpp"

namespace kullback::infer {

bool goes_on_between(const PhasePoint& first, const PhasePoint& last, const HalfSums& sums, double* rho) {
  double at_first = 0;
  double at_last = 0;
  for (std::size_t i = 0; i < sums.dim; ++i) {
    const double sum = sums.init[i] + sums.final[i];
    rho[i] = sum;
    at_first += first.velocity[i] * sum;
    at_last += last.velocity[i] * sum;
  }
  return at_first > 0 && at_last > 0;
}

bool goes_on_across(const PhasePoint& first, const PhasePoint& init_last, const PhasePoint& final_first,
                    const PhasePoint& last, const HalfSums& sums, double* rho) {
  double whole[2] = {0, 0};
  double init_and_next[2] = {0, 0};
  double final_and_previous[2] = {0, 0};
  for (std::size_t i = 0; i < sums.dim; ++i) {
    const double init = sums.init[i];
    const double final = sums.final[i];
    const double sum = init + final;
    const double longer_init = init + final_first.p[i];
    const double longer_final = final + init_last.p[i];
    rho[i] = sum;
    whole[0] += first.velocity[i] * sum;
    whole[1] += last.velocity[i] * sum;
    init_and_next[0] += first.velocity[i] * longer_init;
    init_and_next[1] += final_first.velocity[i] * longer_init;
    final_and_previous[0] += init_last.velocity[i] * longer_final;
    final_and_previous[1] += last.velocity[i] * longer_final;
  }
  return whole[0] > 0 && whole[1] > 0 && init_and_next[0] > 0 && init_and_next[1] > 0 &&
         final_and_previous[0] > 0 && final_and_previous[1] > 0;
}

}  // namespace kullback::infer
