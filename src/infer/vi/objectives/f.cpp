// Named f-divergences: D_f(p || q) = E_q[f(p / q)], f(1) = 0 (Wan, Li and Hovakimyan 2020). Those whose best
// q depends on the unknown evidence (Jensen-Shannon, total variation) are refused. In C++ any f will do:
// infer/vi/f_divergence.hpp.
#include <string>

#include "base/error.hpp"
#include "infer/vi/f_divergence.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kDivergence =
    TextOption("divergence", "hellinger", "f-divergence: forward-kl, reverse-kl, chi2 or hellinger");
}  // namespace option

namespace {

constexpr std::size_t kDefaultDraws = 64;

DivergenceFunction function_of(std::string_view name) {
  if (name == "forward-kl") return [](Jet t) { return t.value == 0 ? Jet(0.0) : t * log(t); };
  if (name == "reverse-kl") return [](Jet t) { return -log(t); };
  if (name == "chi2") return [](Jet t) { return t * t - 1; };
  if (name == "hellinger") return [](Jet t) { return t.value == 0 ? Jet(1.0) : 1 - sqrt(t); };
  const bool needs_evidence = name == "jensen-shannon" || name == "total-variation";
  throw Error(
      ErrorKind::usage,
      "--divergence: found '" + std::string(name) +
          (needs_evidence ? "': the best approximation by it depends on the evidence, which is not known."
                          : "'."),
      "The choices are forward-kl, reverse-kl, chi2, hellinger.");
}

std::unique_ptr<Objective> make(const Options& options) {
  return make_f_objective(function_of(options[option::kDivergence]),
                          options[option::kGradDraws] > 0 ? options[option::kGradDraws] : kDefaultDraws);
}

constexpr const OptionRecord* kOptions[] = {&option::kDivergence};

}  // namespace

const ObjectiveRecord& f_objective() {
  static const ObjectiveRecord record{
      .name = "f",
      .summary = "an f-divergence that needs no evidence, made small",
      .citation = "Wan, Li and Hovakimyan (2020), f-divergence variational inference, NeurIPS.",
      .options = kOptions,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
