#include "deep/energy/annealing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "deep/chains/hamiltonian.hpp"
#include "deep/chains/schedule.hpp"
#include "deep/energy/chain_sampler.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

namespace {

constexpr double kTarget = 0.75;  // acceptance that step sizes are found for
constexpr double kGain = 0.25;    // of log step sizes, in the pilot run
constexpr double kFirstStep = 0.3;
constexpr std::int64_t kPilotChains = 64;

enum Index : std::uint32_t { kPilot = 0x100, kForward, kReverse, kRaise };

LogEstimate log_mean(const torch::Tensor& log_weight) {
  const auto count = static_cast<double>(log_weight.size(0));
  const double log_sum = at::logsumexp(log_weight, 0).item<double>();
  const double squares = std::exp(at::logsumexp(2 * log_weight, 0).item<double>() - 2 * log_sum);
  const double noise = std::max(squares - 1 / count, 0.0) * (count / std::max(count - 1, 1.0));
  return {.value = log_sum - std::log(count), .error = std::sqrt(noise), .effective = 1 / squares};
}

}  // namespace

Annealing::Annealing(const Energy& energy, Parameters parameters, const AnnealingOptions& options)
    : energy_(energy),
      parameters_(std::move(parameters)),
      options_(options),
      schedule_(sigmoid_schedule(options.temperatures)) {
  find_step_sizes();
}

void Annealing::seed(std::uint32_t index) const {
  Random random(options_.seed, 0, static_cast<std::uint32_t>(Purpose::evaluation), index);
  at::manual_seed(random());
}

void Annealing::check_stop(std::size_t temperature) const {
  if (options_.should_stop && options_.should_stop())
    throw Error(ErrorKind::usage,
                fmt::format("interrupted at temperature {} of {} of an annealing; nothing was written.",
                            temperature, schedule_.size() - 1));
}

void Annealing::find_step_sizes() {
  if (!energy_.is_continuous()) return;
  const torch::NoGradGuard no_gradient;
  seed(kPilot);
  torch::Tensor x = energy_.base_draws(std::min(options_.chains, kPilotChains), Noise());
  torch::Tensor log_step = torch::full({}, std::log(kFirstStep), x.options());
  torch::Tensor accepted = torch::zeros({}, x.options());
  const torch::Tensor one = torch::ones({1, 1}, x.options());
  for (std::size_t t = 0; t < schedule_.size(); ++t) {
    if (t % 64 == 0) check_stop(t);
    step_sizes_.push_back(log_step.exp());
    const ChainTarget target(energy_, parameters_, schedule_[t]);
    const Transition made =
        hamiltonian_transition([&](const torch::Tensor& at) { return target.potential(at); }, x,
                               {.momentum = torch::randn_like(x),
                                .inverse_mass = one,
                                .step = step_sizes_.back(),
                                .leapfrogs = {},
                                .most = options_.leapfrogs,
                                .uniform = torch::rand({x.size(0), 1}, x.options().dtype(torch::kFloat64))});
    x = at::where(made.is_accepted, made.end, x);
    const torch::Tensor acceptance = made.acceptance.mean();
    accepted = accepted + acceptance;
    log_step = (log_step + kGain * (acceptance - kTarget)).clamp_max(std::log(2.0));
  }
  acceptance_ = accepted.item<double>() / static_cast<double>(schedule_.size());
}

// Transitions that leave exp(-E_b) invariant and are reversible.
torch::Tensor Annealing::moved(const torch::Tensor& from, std::size_t temperature) const {
  const ChainTarget target(energy_, parameters_, schedule_[temperature]);
  torch::Tensor x = from;
  for (std::int64_t i = 0; i < options_.transitions; ++i) {
    if (!energy_.is_continuous()) {
      x = target.gibbs(x);
      continue;
    }
    const Transition made =
        hamiltonian_transition([&](const torch::Tensor& at) { return target.potential(at); }, x,
                               {.momentum = torch::randn_like(x),
                                .inverse_mass = torch::ones({1, 1}, x.options()),
                                .step = step_sizes_[temperature],
                                .leapfrogs = {},
                                .most = options_.leapfrogs,
                                .uniform = torch::rand({x.size(0), 1}, x.options().dtype(torch::kFloat64))});
    x = at::where(made.is_accepted, made.end, x);
  }
  return x;
}

// E_{t-1}(x) - E_t(x)
torch::Tensor Annealing::difference(const torch::Tensor& x, std::size_t temperature) const {
  const auto energy = [&](std::size_t t) {
    return energy_.at(parameters_, x, schedule_[t]).to(torch::kFloat64);
  };
  return energy(temperature - 1) - energy(temperature);
}

Annealing::Walk Annealing::forward() const {
  torch::Tensor x = energy_.base_draws(options_.chains, Noise());
  torch::Tensor log_weight = torch::zeros({x.size(0)}, x.options().dtype(torch::kFloat64));
  for (std::size_t t = 1; t < schedule_.size(); ++t) {
    if (t % 64 == 0) check_stop(t);
    log_weight.add_(difference(x, t));
    x = moved(x, t);
  }
  return {.x = x, .log_weight = log_weight};
}

Annealing::Walk Annealing::backward(torch::Tensor x) const {
  torch::Tensor log_weight = torch::zeros({x.size(0)}, x.options().dtype(torch::kFloat64));
  for (std::size_t t = schedule_.size() - 1; t >= 1; --t) {
    if (t % 64 == 0) check_stop(t);
    x = moved(x, t);
    log_weight.sub_(difference(x, t));
  }
  return {.x = x, .log_weight = log_weight};
}

LogEstimate Annealing::log_partition() const {
  const torch::NoGradGuard no_gradient;
  seed(kForward);
  LogEstimate estimate = log_mean(forward().log_weight);
  estimate.value += energy_.base_log_partition();
  return estimate;
}

torch::Tensor Annealing::ends() const {
  const torch::NoGradGuard no_gradient;
  seed(kForward);
  return forward().x;
}

LogEstimate Annealing::log_partition_reverse(const torch::Tensor& draws) const {
  const torch::NoGradGuard no_gradient;
  seed(kReverse);
  LogEstimate estimate = log_mean(backward(draws).log_weight);
  estimate.value = energy_.base_log_partition() - estimate.value;
  return estimate;
}

// The chain x_T = row, x_{t-1} ~ T_t(. | x_t) down to x_0, against the forward chain that ends in the row:
// w = p_0(x_0) prod_t exp(-E_t(x_t)) / exp(-E_t(x_{t-1})), as every T_t is reversible. Rearranged, log w =
// -E_T(row) - log Z_0 + sum_t (E_t - E_{t-1})(x_{t-1}): the reverse weights with exp(-E(row)) / Z_0.
RowLogEstimates Annealing::raise(const torch::Tensor& rows, std::int64_t chains) const {
  const torch::NoGradGuard no_gradient;
  seed(kRaise);
  const std::int64_t at_once = std::max<std::int64_t>(options_.rows_at_once / chains, 1);
  std::vector<torch::Tensor> values, errors;
  for (std::int64_t first = 0; first < rows.size(0); first += at_once) {
    const std::int64_t count = std::min(at_once, rows.size(0) - first);
    const torch::Tensor some = rows.narrow(0, first, count);
    const torch::Tensor log_weight = backward(some.repeat({chains, 1})).log_weight.view({chains, count});
    const torch::Tensor log_sum = at::logsumexp(log_weight, 0);
    const auto n = static_cast<double>(chains);
    const torch::Tensor noise =
        (at::exp(at::logsumexp(2 * log_weight, 0) - 2 * log_sum) - 1 / n).clamp_min(0) *
        (n / std::max(n - 1, 1.0));
    const torch::Tensor energy = energy_(parameters_, some).to(torch::kFloat64);
    values.push_back((log_sum - std::log(n) - energy - energy_.base_log_partition()).cpu());
    errors.push_back(noise.sqrt().cpu());
  }
  return {.value = at::cat(values), .error = at::cat(errors)};
}

}  // namespace kullback::deep
