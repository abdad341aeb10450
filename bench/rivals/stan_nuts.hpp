// Stan's own sampler behind a C interface: what bench/rivals/stan_nuts.cpp (Stan's headers, its Eigen) gives
// to bench/rivals/stan_sampler.cpp (kullback's). They are linked at run time only, so that the two versions
// of Eigen never meet.
#pragma once

extern "C" {

struct StanNutsTask {
  unsigned long dim;
  void* context;  // given back to the functions
  // Log density and gradient at theta; 0 where it is not finite or rejected.
  int (*gradient)(void* context, const double* theta, double* log_density, double* gradient);
  // A draw after warm-up: the sampler's own `stat_count` numbers (accept_stat__, stepsize__, treedepth__,
  // n_leapfrog__, divergent__, energy__), then theta.
  void (*draw)(void* context, const double* stats, const double* theta);
  unsigned seed;
  unsigned chain;  // from 1
  int warmup;
  int draws;
  double target_accept;
  int max_depth;
};

// 0, or 1 with the reason in `problem`.
using StanNuts = int(const StanNutsTask* task, char* problem, unsigned long problem_size);
}
