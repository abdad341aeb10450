// Annealed importance sampling of p(x) (Neal 2001; Wu, Burda, Salakhutdinov and Grosse 2017): chains begin at
// draws of the prior and follow p(z) p(x | z)^b for b from 0 to 1 (a sigmoid schedule from -4 to 4), with one
// HMC transition at each; log w is the sum of (b_t - b_{t-1}) log p(x | z_{t-1}), and E w = p(x) whatever the
// step sizes are, as long as they do not look at the chains. A pilot run of other chains finds them, for each
// row and temperature (0.7 of proposals accepted).
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "deep/chains/schedule.hpp"
#include "deep/purpose.hpp"
#include "deep/vae/evaluate.hpp"
#include "deep/vae/vq_family.hpp"

namespace kullback::deep {

namespace {

constexpr double kTarget = 0.7;
constexpr double kGain = 0.25;  // of log step sizes, in the pilot run

// Chains [chains, rows, latent] for a piece of the rows.
class Annealing final {
 public:
  Annealing(const Subject& subject, Observed rows, const AisOptions& options)
      : subject_(subject),
        parameters_(subject.vae.split(subject.flat)),
        rows_(std::move(rows)),
        options_(options),
        schedule_(sigmoid_schedule(options.temperatures)) {}

  RowEstimates run() {
    step_sizes_ = torch::zeros({options_.temperatures + 1, rows_.size()}, subject_.flat.options());
    follow(true);
    const torch::Tensor log_weight = follow(false).to(torch::kFloat64);
    const auto chains = static_cast<double>(options_.chains);
    const torch::Tensor log_sum = at::logsumexp(log_weight, 0);
    const torch::Tensor noise = at::exp(at::logsumexp(2 * log_weight, 0) - 2 * log_sum) - 1 / chains;
    return {log_sum - std::log(chains), at::sqrt(noise.clamp_min(0) * (chains / std::max(chains - 1, 1.0)))};
  }

  double acceptance() const { return accepted_ / static_cast<double>(options_.temperatures - 1); }

 private:
  struct Point {
    torch::Tensor z, log_likelihood, log_density, gradient;
  };

  Point at(const torch::Tensor& where, double temperature) const {
    const at::AutoGradMode with_gradient(true);
    const torch::Tensor z = where.detach().requires_grad_();
    const torch::Tensor log_likelihood = subject_.vae.log_likelihood(parameters_, rows_.x, rows_.label, z);
    const torch::Tensor log_density = subject_.vae.log_prior(parameters_, z) + temperature * log_likelihood;
    const torch::Tensor gradient = torch::autograd::grad({log_density.sum()}, {z})[0];
    return {z.detach(), log_likelihood.detach(), log_density.detach(), gradient};
  }

  // The transition's result; `accept` gets the probabilities [chains, rows].
  Point transition(const Point& from, double temperature, const torch::Tensor& step_size,
                   torch::Tensor& accept) const {
    const torch::Tensor h = step_size.unsqueeze(0).unsqueeze(2);
    torch::Tensor speed = torch::randn_like(from.z);
    const torch::Tensor energy = from.log_density - 0.5 * speed.square().sum(2);
    Point now = from;
    for (std::int64_t i = 0; i < options_.leapfrogs; ++i) {
      speed = speed + 0.5 * h * now.gradient;
      now = at(now.z + h * speed, temperature);
      speed = speed + 0.5 * h * now.gradient;
    }
    const torch::Tensor change = now.log_density - 0.5 * speed.square().sum(2) - energy;
    accept = at::nan_to_num(change.clamp_max(0).exp(), 0.0);
    const torch::Tensor moves = torch::rand_like(accept) < accept;
    return {at::where(moves.unsqueeze(2), now.z, from.z),
            at::where(moves, now.log_likelihood, from.log_likelihood),
            {},
            {}};
  }

  // log weights [chains, rows]
  torch::Tensor follow(bool is_pilot) {
    const std::int64_t chains = options_.chains, rows = rows_.size();
    torch::Tensor z = subject_.vae.prior()
                          .sample(subject_.vae, parameters_, chains * rows, Noise())
                          .view({chains, rows, -1});
    torch::Tensor log_likelihood = at(z, 0).log_likelihood;
    torch::Tensor log_weight = torch::zeros_like(log_likelihood, torch::kFloat64);
    torch::Tensor log_step = torch::full({rows}, std::log(0.2), z.options());
    accepted_ = 0;
    for (std::int64_t t = 1; t <= options_.temperatures; ++t) {
      const double here = schedule_[static_cast<std::size_t>(t)];
      log_weight.add_(log_likelihood.to(torch::kFloat64), here - schedule_[static_cast<std::size_t>(t - 1)]);
      if (t == options_.temperatures) break;
      if (is_pilot) step_sizes_[t].copy_(log_step.exp());
      torch::Tensor accept;
      const Point next = transition(at(z, here), here, step_sizes_[t], accept);
      z = next.z;
      log_likelihood = next.log_likelihood;
      if (is_pilot)
        log_step = log_step + kGain * (accept.mean(0) - kTarget);
      else
        accepted_ += accept.mean().item<double>();
    }
    return log_weight;
  }

  const Subject& subject_;
  Parameters parameters_;
  Observed rows_;
  AisOptions options_;
  std::vector<double> schedule_;
  torch::Tensor step_sizes_;  // [temperatures + 1, rows]
  double accepted_ = 0;
};

}  // namespace

AisResult ais_log_likelihood(const Subject& subject, const AisOptions& options) {
  if (dynamic_cast<const VqFamily*>(&subject.vae.family()) != nullptr) {
    throw Error(ErrorKind::usage, "vector-quantised latent variables cannot be annealed.",
                "Leave --ais away: the bound is then exact for its codes.");
  }
  const torch::NoGradGuard no_gradient;
  Random random(subject.seed, 0, static_cast<std::uint32_t>(Purpose::evaluation), 2);
  at::manual_seed(random());
  AisResult result;
  std::vector<torch::Tensor> values, errors;
  const std::int64_t at_once = std::max<std::int64_t>(options.piece / options.chains, 1);
  for (std::int64_t first = 0; first < subject.rows.size(); first += at_once) {
    const std::int64_t count = std::min(at_once, subject.rows.size() - first);
    Annealing annealing(subject, subject.rows.narrow(first, count), options);
    const RowEstimates piece = annealing.run();
    values.push_back(piece.value.cpu());
    errors.push_back(piece.error.cpu());
    result.acceptance +=
        annealing.acceptance() * static_cast<double>(count) / static_cast<double>(subject.rows.size());
  }
  result.log_likelihood = {at::cat(values), at::cat(errors)};
  return result;
}

}  // namespace kullback::deep
