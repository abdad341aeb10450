// The variational Renyi bound L_alpha = log E_q[(p / q)^(1 - alpha)] / (1 - alpha), the log evidence less the
// Renyi divergence D_alpha(q || p) (Li and Turner 2016). It falls in alpha: from mass-covering (alpha small)
// to mode-seeking (alpha large); alpha -> 1 is the ELBO, continuously, and alpha = 0 with K draws the
// importance-weighted bound. For alpha < 0 it is an upper bound, which is minimised: CUBO of order 1 - alpha.
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/objectives/power_bound.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

std::unique_ptr<Objective> make(const Options& options) {
  if (options[option::kAlpha] < 0 && options[option::kImportanceDraws] == 1)
    throw Error(ErrorKind::usage, "--importance-draws is 1; an --alpha below 0 needs 2 or more.",
                "10 is the default.");
  return make_power_bound({options[option::kImportanceDraws], 1 - options[option::kAlpha]});
}

constexpr const OptionRecord* kOptions[] = {&option::kImportanceDraws, &option::kAlpha};

}  // namespace

const ObjectiveRecord& renyi_objective() {
  static const ObjectiveRecord record{
      .name = "renyi",
      .summary = "the Renyi bound of order alpha: from mass-covering to mode-seeking",
      .citation = "Li and Turner (2016), Renyi divergence variational inference, NeurIPS.",
      .options = kOptions,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
