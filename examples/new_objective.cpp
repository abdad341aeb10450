// Two new objectives of variational inference, each the expectation of a function of log p and log q, and
// fits by them. Prints means and standard deviations of the approximations: see docs/new_objective.md.
#include <cmath>
#include <cstdio>

#include "infer/vi/estimator.hpp"
#include "infer/vi/expectation_objective.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/scheme.hpp"
#include "model/cpp_model.hpp"

using namespace kullback;
using namespace kullback::infer;

const ObjectiveRecord kTempered{
    .name = "tempered",
    .summary = "KL(q || p^0.5): an approximation that is wider on purpose",
    .make = [](const Options&) -> std::unique_ptr<Objective> {
      return make_expectation_objective([](auto log_p, auto log_q) { return 0.5 * log_p - log_q; });
    },
};

const ObjectiveRecord kAffinity{
    .name = "affinity",
    .summary = "the Hellinger affinity E_q[sqrt(p / q)]: between mode-seeking and mass-covering",
    .make = [](const Options&) -> std::unique_ptr<Objective> {
      return make_expectation_objective([](auto log_p, auto log_q) { return exp(0.5 * (log_p - log_q)); });
    },
};

void fit(density::LogDensity& density, const ObjectiveRecord& objective, std::string_view estimator) {
  const Options options{{"grad_draws", 32}};
  const std::size_t dim = density.dim();
  const auto family = find_family("meanfield").make({.dim = dim, .options = &options});
  const auto scheme = make_scheme({
      .density = &density,
      .family = family.get(),
      .objective = &objective,
      .estimator = &find_estimator(estimator),
      .optimizer = &find_optimizer("adam"),
      .options = &options,
      .noise = {.seed = 1},
      .guess = {std::vector<double>(dim, 0.0), std::vector<double>(dim, 1.0), {}},
  });
  while (scheme->step()) {
  }
  std::vector<double> mean(dim);
  std::vector<double> sd(dim);
  family->moments(scheme->lambda(), mean, sd);
  std::printf("%s %s", std::string(objective.name).c_str(), std::string(estimator).c_str());
  for (std::size_t i = 0; i < dim; ++i) std::printf(" %.4f %.4f", mean[i], sd[i]);
  std::printf("\n");
}

int main() {
  model::CppModel density([](model::Joint& p) {
    p += normal_lpdf(p.real("a"), 0.5, 0.8);
    p += normal_lpdf(p.real("b"), -1, 1.5);
  });
  for (const char* estimator : {"reparam", "dreg", "score-cv"}) {
    fit(density, kTempered, estimator);
    fit(density, kAffinity, estimator);
  }
}
