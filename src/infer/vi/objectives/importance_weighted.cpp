// The importance-weighted bound E[log mean_k p(theta_k) / q(theta_k)], K draws from q: between the ELBO (K =
// 1) and the log evidence, and never falling in K (Burda, Grosse and Salakhutdinov 2016). What it makes good
// is q as a proposal: q itself is wider than the best approximation. With more draws the signal of the plain
// gradient vanishes in its noise (Rainforth et al. 2018); the doubly reparameterised one does not.
#include "base/error.hpp"
#include "infer/vi/objectives/power_bound.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

std::unique_ptr<Objective> make(const Options& options) {
  return make_power_bound({options[option::kImportanceDraws], 1});
}

constexpr const OptionRecord* kOptions[] = {&option::kImportanceDraws};

}  // namespace

const ObjectiveRecord& importance_weighted_objective() {
  static const ObjectiveRecord record{
      .name = "iw",
      .summary = "the importance-weighted bound of K draws: tighter than the ELBO",
      .citation = "Burda, Grosse and Salakhutdinov (2016), Importance weighted autoencoders, ICLR.",
      .options = kOptions,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
