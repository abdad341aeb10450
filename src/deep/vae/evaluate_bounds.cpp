// log p(x) = log E_q w, w = p(x, z) / q(z | x). With K draws, log (sum w / K) has the standard error
// sqrt(sum w^2 / (sum w)^2 - 1 / K) (delta method). Sums are kept as logs in double precision.
#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "deep/purpose.hpp"
#include "deep/vae/evaluate.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kRowsAtOnce = 128;

void seed_generators(std::uint64_t seed, std::uint32_t index) {
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::evaluation), index);
  at::manual_seed(random());
}

// Running sums over draws, all [rows].
struct Sums {
  torch::Tensor log_weights, log_squares, values, squares;

  void add(const torch::Tensor& log_weight) {
    const torch::Tensor more = log_weight.to(torch::kFloat64);
    const torch::Tensor weights = at::logsumexp(more, 0), doubled = at::logsumexp(2 * more, 0);
    log_weights = log_weights.defined() ? at::logaddexp(log_weights, weights) : weights;
    log_squares = log_squares.defined() ? at::logaddexp(log_squares, doubled) : doubled;
    values = values.defined() ? values + more.sum(0) : more.sum(0);
    squares = squares.defined() ? squares + more.square().sum(0) : more.square().sum(0);
  }

  Bounds bounds(double draws) const {
    const torch::Tensor mean = values / draws;
    const torch::Tensor variance = (squares / draws - mean.square()).clamp_min(0);
    const torch::Tensor noise = (at::exp(log_squares - 2 * log_weights) - 1 / draws).clamp_min(0);
    return {.elbo = {mean, at::sqrt(variance / std::max(draws - 1, 1.0))},
            .log_likelihood = {log_weights - std::log(draws), at::sqrt(noise)}};
  }
};

RowEstimates joined(const std::vector<RowEstimates>& pieces) {
  std::vector<torch::Tensor> values, errors;
  for (const RowEstimates& piece : pieces) {
    values.push_back(piece.value.cpu());
    errors.push_back(piece.error.cpu());
  }
  return {at::cat(values), at::cat(errors)};
}

}  // namespace

Observed Observed::narrow(std::int64_t first, std::int64_t count) const {
  return {.x = x.narrow(0, first, count),
          .label = label.defined() ? label.narrow(0, first, count) : torch::Tensor()};
}

Observed observe(const Vae& vae, const torch::Tensor& flat, const VaeRows& rows, std::uint64_t seed) {
  seed_generators(seed, 0);
  return {.x = vae.likelihood().observe(rows_as_numbers(rows.x, flat.options()), Noise()),
          .label = one_hot(rows.label, vae.spec().labels, flat.options())};
}

torch::Tensor encoder_outputs(const Subject& subject) {
  const torch::NoGradGuard no_gradient;
  const Parameters parameters = subject.vae.split(subject.flat);
  std::vector<torch::Tensor> pieces;
  for (std::int64_t first = 0; first < subject.rows.size(); first += kRowsAtOnce) {
    const Observed rows = subject.rows.narrow(first, std::min(kRowsAtOnce, subject.rows.size() - first));
    pieces.push_back(subject.vae.encode(parameters, rows.x, rows.label));
  }
  return at::cat(pieces);
}

Bounds importance_bounds(const Subject& subject, LatentFamily& family, const torch::Tensor& outputs,
                         std::int64_t samples, std::int64_t piece) {
  const torch::NoGradGuard no_gradient;
  seed_generators(subject.seed, 1);
  const Parameters parameters = subject.vae.split(subject.flat);
  std::vector<RowEstimates> elbo, log_likelihood;
  for (std::int64_t first = 0; first < subject.rows.size(); first += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, subject.rows.size() - first);
    const Observed rows = subject.rows.narrow(first, count);
    const auto q = family.at(parameters, outputs.narrow(0, first, count), Mode::evaluate);
    Sums sums;
    const std::int64_t at_once = std::max<std::int64_t>(piece / count, 1);
    for (std::int64_t done = 0; done < samples; done += at_once) {
      const LatentDraws draws = q->rsample(std::min(at_once, samples - done), Noise(), true);
      sums.add(subject.vae.log_joint(parameters, rows.x, rows.label, draws.z) - draws.log_q);
    }
    const Bounds bounds = sums.bounds(static_cast<double>(samples));
    elbo.push_back(bounds.elbo);
    log_likelihood.push_back(bounds.log_likelihood);
  }
  return {.elbo = joined(elbo), .log_likelihood = joined(log_likelihood)};
}

Figure figure_of(const RowEstimates& rows) {
  const auto count = static_cast<double>(rows.value.size(0));
  const double spread = count > 1 ? rows.value.std(0, true).item<double>() : 0;
  return {.mean = rows.value.mean().item<double>(),
          .error = spread / std::sqrt(count),
          .monte_carlo = std::sqrt(rows.error.square().sum().item<double>()) / count};
}

}  // namespace kullback::deep
