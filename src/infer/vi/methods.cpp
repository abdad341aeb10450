// Names that people know for combinations of the four parts.
#include "infer/vi/parts.hpp"
#include "infer/vi/variational.hpp"

namespace kullback::infer {

namespace {

struct Named {
  std::string_view name;
  std::string_view summary;
  std::string_view use_when;
  std::string_view citation;
  Preset preset;
  Preset (*preset_for)(std::size_t dim) = nullptr;  // in place of `preset`, which then names the options only
};

template <const Named& named>
std::unique_ptr<Algorithm> make(density::LogDensity& density, const Options& options, Start start) {
  const Preset preset = named.preset_for == nullptr ? named.preset : named.preset_for(density.dim());
  return make_variational(density, options, std::move(start), preset);
}

template <const Named& named>
const Method& method() {
  static const std::vector<const OptionRecord*> options = options_of(named.preset);
  static const Method record{
      .name = named.name,
      .summary = named.summary,
      .use_when = named.use_when,
      .citation = named.citation,
      .has_chains = false,
      .is_exact = false,
      .has_log_q = true,
      .needs = {.gradient = true},
      .options = options,
      .stats = {},
      .make = make<named>,
      .value_name = "bound",
  };
  return record;
}

constexpr Named kAdvi{
    "advi",
    "mean-field Gaussian by natural-gradient ascent of the ELBO",
    "Parameters are many and hardly correlated, and means matter more than intervals.",
    "Kucukelbir, Tran, Ranganath, Gelman and Blei (2017), Automatic differentiation variational inference, "
    "JMLR 18; Khan and Rue (2023), The Bayesian learning rule, JMLR 24.",
    {"meanfield", "elbo", "", ""},
};

constexpr Named kFullRank{
    "fullrank",
    "Gaussian with any covariance by natural-gradient ascent of the ELBO",
    "Parameters are correlated and some hundreds at most.",
    "Kucukelbir, Tran, Ranganath, Gelman and Blei (2017), Automatic differentiation variational inference, "
    "JMLR 18; Khan and Rue (2023), The Bayesian learning rule, JMLR 24.",
    {"fullrank", "elbo", "", ""},
};

constexpr Named kLowRank{
    "lowrank",
    "Gaussian with a covariance of diagonal and few directions by stochastic ascent of the ELBO",
    "Parameters are correlated and too many for a full covariance.",
    "Ong, Nott and Smith (2018), Gaussian variational approximation with a factor covariance structure, "
    "Journal of Computational and Graphical Statistics 27.",
    {"lowrank", "elbo", "", ""},
};

constexpr Named kDadvi{
    "dadvi",
    "mean-field Gaussian with the best ELBO over fixed draws, intervals by linear response",
    "Means of many parameters are wanted without tuning, and intervals that know of correlations.",
    "Giordano, Ingram and Broderick (2024), Black box variational inference with a deterministic objective: "
    "faster, more accurate, and even more black box, JMLR 25.",
    {"meanfield", "elbo", "reparam", "lbfgs"},
};

constexpr Named kImportanceWeighted{
    "iw",
    "full-rank Gaussian by stochastic ascent of the importance-weighted bound",
    "The approximation is to be a proposal for importance sampling, or the evidence is wanted.",
    "Burda, Grosse and Salakhutdinov (2016), Importance weighted autoencoders, ICLR.",
    {"fullrank", "iw", "", ""},
};

constexpr Named kRenyi{
    "renyi",
    "mean-field Gaussian by stochastic ascent of the Renyi bound",
    "The ELBO's mean field is too narrow: a smaller --alpha covers more of the posterior.",
    "Li and Turner (2016), Renyi divergence variational inference, NeurIPS.",
    {"meanfield", "renyi", "", ""},
};

constexpr Named kCubo{
    "cubo",
    "full-rank Gaussian that makes the chi upper bound of the evidence small",
    "Intervals must not be too short, in few dimensions; or an upper bound of the evidence is wanted.",
    "Dieng, Tran, Ranganath, Paisley and Blei (2017), Variational inference via chi upper bound "
    "minimization, "
    "NeurIPS.",
    {"fullrank", "cubo", "", ""},
};

constexpr Named kVi{
    "vi",
    "variational inference with family, objective, estimator and optimiser chosen from the model",
    "A quick answer will do, with an estimate of how far it is from the posterior.",
    "Blei, Kucukelbir and McAuliffe (2017), Variational inference: a review for statisticians, JASA 112.",
    {"", "", "", ""},
};

constexpr Named kFlow{
    "flow",
    "normalising flow (RealNVP; a spline for one parameter) by stochastic ascent of the ELBO",
    "The posterior is bent or has a funnel, gradients are cheap and dimensions not too many.",
    "Rezende and Mohamed (2015), Variational inference with normalizing flows, ICML; Dinh, Sohl-Dickstein "
    "and Bengio (2017), Density estimation using Real NVP, ICLR.",
    {"realnvp", "elbo", "", ""},
    // With one coordinate there is nothing that a coupling could depend on: RealNVP would be a Gaussian.
    [](std::size_t dim) {
      return Preset{dim == 1 ? "spline" : "realnvp", "elbo", "", ""};
    },
};

}  // namespace

const Method& flow_method() { return method<kFlow>(); }
const Method& vi_method() { return method<kVi>(); }
const Method& iw_method() { return method<kImportanceWeighted>(); }
const Method& renyi_method() { return method<kRenyi>(); }
const Method& cubo_method() { return method<kCubo>(); }
const Method& advi_method() { return method<kAdvi>(); }
const Method& fullrank_method() { return method<kFullRank>(); }
const Method& lowrank_method() { return method<kLowRank>(); }
const Method& dadvi_method() { return method<kDadvi>(); }

}  // namespace kullback::infer
