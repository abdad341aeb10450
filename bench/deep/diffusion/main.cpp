// diffusion_tables [exact|learned|two-sample]...: diffusion where the truth is known, on one thread. Prints
// tables; the exit code is 1 where a promise is missed.
//   exact       with exact scores of mixtures: likelihoods, orders of convergence, moments,
//   predictor-corrector learned     the error of learned scores of mixtures in 2 to 50 dimensions two-sample
//   samples of learned moons, checkerboard and swiss roll against fresh data
#include <ATen/Parallel.h>

#include <cstdio>
#include <map>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "bench/deep/diffusion/tables.hpp"

int main(int argc, char** argv) {
  using namespace kullback;
  using namespace kullback::deep::diffusion;
  const std::map<std::string, bool (*)()> tables = {
      {"exact", exact_tables}, {"learned", learned_table}, {"two-sample", two_sample_table}};
  std::vector<std::string> parts(argv + 1, argv + argc);
  for (const std::string& part : parts) {
    if (tables.count(part) != 0) continue;
    std::fprintf(stderr, "there is no part '%s'. Known are: exact, learned, two-sample.\n", part.c_str());
    return 64;
  }
  if (parts.empty()) parts = {"exact", "learned", "two-sample"};
  at::set_num_threads(1);
  const InterruptGuard guard;
  bool is_kept = true;
  try {
    for (const std::string& part : parts) is_kept = tables.at(part)() && is_kept;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return is_interrupted() ? kInterruptedCode : 70;
  }
  return is_kept ? 0 : 1;
}
