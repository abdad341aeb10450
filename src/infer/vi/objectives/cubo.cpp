// The chi upper bound CUBO_n = log E_q[(p / q)^n] / n of the log evidence (Dieng, Tran, Ranganath, Paisley
// and Blei 2017), minimised: q covers the mass of p. It is infinite where q has lighter tails than p^(n / (n
// - 1)): a mean field with the precisions of a correlated Gaussian target has a finite CUBO_2 in two
// dimensions only while |correlation| < 1/2. All draws of a gradient are one group: the bias is of order 1 /
// K.
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/objectives/power_bound.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kOrder = NumberOption("order", 2, "Order of the chi upper bound, above 1")
                            .above(1)
                            .hinted("2 is the default; the bound of order 1 is the evidence for any q.");
}  // namespace option

namespace {

constexpr std::size_t kDefaultDraws = 64;

std::unique_ptr<Objective> make(const Options& options) {
  if (options[option::kGradDraws] == 1)
    throw Error(ErrorKind::usage, "--grad-draws is 1; this bound needs 2 or more.", "64 is the default.");
  return make_power_bound({options[option::kGradDraws] > 0 ? options[option::kGradDraws] : kDefaultDraws,
                           options[option::kOrder]});
}

constexpr const OptionRecord* kOptions[] = {&option::kOrder};

}  // namespace

const ObjectiveRecord& cubo_objective() {
  static const ObjectiveRecord record{
      .name = "cubo",
      .summary = "the chi upper bound of the evidence, made small: mass-covering",
      .citation =
          "Dieng, Tran, Ranganath, Paisley and Blei (2017), Variational inference via chi upper bound "
          "minimization, NeurIPS.",
      .options = kOptions,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
