// Names that people know for combinations of the four parts.
#include "infer/vi/variational.hpp"

namespace kullback::infer {

namespace {

template <const Preset& preset>
std::unique_ptr<Algorithm> make(density::LogDensity& density, const Options& options, Start start) {
  return make_variational(density, options, std::move(start), preset);
}

constexpr Preset kAdvi{"meanfield", "elbo", "", ""};

constexpr std::string_view kAdviOptions[] = {"draws",      "estimator",     "optimizer", "sampling",
                                             "grad_draws", "learning_rate", "decay",     "max_steps"};

}  // namespace

const Method& advi_method() {
  static const Method method{
      .name = "advi",
      .summary = "mean-field Gaussian by stochastic ascent of the ELBO",
      .use_when = "Parameters are many and hardly correlated, and means matter more than intervals.",
      .citation =
          "Kucukelbir, Tran, Ranganath, Gelman and Blei (2017), Automatic differentiation variational "
          "inference, JMLR 18.",
      .has_chains = false,
      .is_exact = false,
      .needs = {.gradient = true},
      .options = kAdviOptions,
      .stats = {},
      .make = make<kAdvi>,
  };
  return method;
}

}  // namespace kullback::infer
