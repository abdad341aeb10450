// Inference inside a program: model and data are texts in memory, and nothing is written to disk.
#include <kullback.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

const char* const kProgram = R"(
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] z; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); z ~ std_normal(); y ~ normal(mu + tau * z, sigma); }
)";
const char* const kData =
    R"({"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})";

int show(const kb_progress* progress, size_t chains, void*) {
  for (size_t c = 0; c < chains; ++c)
    std::fprintf(stderr, "chain %zu: %zu of %zu\n", c + 1, size_t(progress[c].done),
                 size_t(progress[c].total));
  return 0;  // anything else stops the fit
}

int fail(kb_error* error) {
  std::fprintf(stderr, "%s\n", kb_error_text(error));
  kb_error_free(error);
  return 1;
}

int main() {
  kb_error* error = nullptr;
  kb_model* model = nullptr;
  if (kb_model_new(kProgram, "schools.stan", kData, nullptr, &model, &error) != KB_OK) return fail(error);
  kb_fit* fit = nullptr;
  const char* const options = R"({"tolerance": 0.1, "seed": 1})";
  if (kb_fit_run(model, options, show, nullptr, &fit, &error) != KB_OK) return fail(error);

  std::vector<double> mu(kb_fit_chains(fit) * kb_fit_draws(fit));  // mu is the first column
  if (kb_fit_column(fit, 0, mu.data(), &error) != KB_OK) return fail(error);
  const double mean = std::accumulate(mu.begin(), mu.end(), 0.0) / double(mu.size());
  const bool is_met = std::strstr(kb_fit_certificate(fit), "\"verdict\": \"met\"") != nullptr;
  std::printf("mean of mu: %.2f\ntolerance: %s\n", mean, is_met ? "met" : "not met");
  kb_fit_free(fit);
  kb_model_free(model);
}
