// Stan's own ADVI behind a C interface: what bench/rivals/stan_advi.cpp (Stan's headers, its Eigen) gives to
// bench/rivals/stan_variational.cpp (kullback's). They are linked at run time only, so that the two versions
// of Eigen never meet.
#pragma once

extern "C" {

struct StanAdviTask {
  unsigned long dim;
  void* context;  // given back to the functions
  // Log density and gradient at theta; 0 where it is rejected.
  int (*gradient)(void* context, const double* theta, double* log_density, double* gradient);
  // Log density alone. The rule that ends ADVI compares ELBOs relative to their size, so constants count.
  int (*value)(void* context, const double* theta, double* log_density);
  // The optimisation has ended; what is evaluated after this is for the draws.
  void (*fitted)(void* context, const double* mean);
  void (*draw)(void* context, double log_p, double log_q, const double* theta);
  // What Stan says under way: step sizes, the ELBO of every 100 iterations, how it ended.
  void (*say)(void* context, const char* line);
  unsigned seed;
  unsigned chain;  // from 1
  int draws;
};

// 0, or Stan's error code with the reason in `problem`.
using StanAdvi = int(const StanAdviTask* task, char* problem, unsigned long problem_size);
}
