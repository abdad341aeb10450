#include "deep/energy/fit/sample.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "deep/energy/annealing.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kTransitions = 500;
constexpr std::int64_t kAnnealing = 1000;  // temperatures

ChainStart chosen_start(BuiltEbm& built, ChainStart asked) {
  if (asked != ChainStart::automatic) return asked;
  if (built.energy().has_exact_draws()) return ChainStart::exact;
  if (built.training().learned_transitions() > 0) return ChainStart::base;
  return built.training().chains().defined() ? ChainStart::chains : ChainStart::annealed;
}

torch::Tensor some_chains(const torch::Tensor& chains, std::int64_t count) {
  const auto options = chains.options().dtype(torch::kInt64);
  const torch::Tensor order = torch::randperm(chains.size(0), options);
  return chains.index_select(0,
                             order.index_select(0, torch::arange(count, options).remainder(chains.size(0))));
}

torch::Tensor first_states(BuiltEbm& built, const Parameters& parameters, const EbmSampling& sampling,
                           ChainStart from) {
  const Energy& energy = built.energy();
  if (from == ChainStart::base) return energy.base_draws(sampling.count, Noise());
  if (from == ChainStart::annealed) {
    const Annealing annealing(energy, parameters,
                              {.temperatures = kAnnealing,
                               .chains = sampling.count,
                               .seed = sampling.seed,
                               .should_stop = sampling.should_stop});
    return annealing.ends();
  }
  const torch::Tensor chains = built.training().chains();
  if (!chains.defined())
    throw Error(ErrorKind::usage, "--from chains: the training kept no chains.",
                "Give --from annealed, or train with --training persistent.");
  return some_chains(chains, sampling.count);
}

// As many as the training had, where that is what was learned.
std::int64_t transitions_of(const BuiltEbm& built, const EbmSampling& sampling, ChainStart from) {
  if (sampling.transitions > 0) return sampling.transitions;
  const std::int64_t learned = built.training().learned_transitions();
  if (from == ChainStart::base && learned > 0) return learned;
  return from == ChainStart::annealed ? kTransitions / 5 : kTransitions;
}

}  // namespace

EbmDraws sample_ebm(BuiltEbm& built, const EbmSampling& sampling) {
  const torch::NoGradGuard no_gradient;
  const Parameters parameters = built.parameters();
  const ChainStart from = chosen_start(built, sampling.from);
  Random random(built.model().seed, 0, static_cast<std::uint32_t>(Purpose::prediction),
                static_cast<std::uint32_t>(sampling.seed));
  at::manual_seed(random());
  if (from == ChainStart::exact) {
    if (!built.energy().has_exact_draws())
      throw Error(ErrorKind::usage, "--from exact: this energy has no exact draws.",
                  "A machine with at most 16 hidden units has; give --from annealed.");
    return {.x = built.energy().exact_draws(parameters, sampling.count), .how = "exact draws"};
  }
  torch::Tensor x = first_states(built, parameters, sampling, from);
  const std::int64_t transitions = transitions_of(built, sampling, from);
  const ChainTarget target(built.energy(), parameters);
  double accepted = 0;
  for (std::int64_t i = 0; i < transitions; ++i) {
    if (sampling.should_stop && sampling.should_stop())
      throw Error(
          ErrorKind::usage,
          fmt::format("interrupted after {} of {} transitions; nothing was written.", i, transitions));
    const ChainStep step = built.sampler().move(target, x, 2 * i < transitions);
    x = step.x;
    if (2 * i >= transitions) accepted += step.acceptance.item<double>();
  }
  const torch::Tensor bad = at::nonzero(at::logical_not(at::isfinite(x).all(1)));
  if (bad.size(0) > 0)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("chain {} diverged: its state is not finite.", bad[0][0].item<std::int64_t>() + 1),
        "Give a smaller --step-size to 'kullback ebm', or take --sampler mala.");
  return {.x = x,
          .how = fmt::format("{} transitions of {} from {}", transitions, built.model().sampler.name,
                             from == ChainStart::chains ? "the chains of the training"
                             : from == ChainStart::base ? "the base"
                                                        : "annealed chains"),
          .acceptance = accepted / static_cast<double>(std::max<std::int64_t>(transitions / 2, 1))};
}

}  // namespace kullback::deep
