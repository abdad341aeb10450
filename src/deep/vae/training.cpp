#include "deep/vae/training.hpp"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

namespace {

VaeRows narrow(const VaeRows& rows, std::int64_t first, std::int64_t count, const torch::Device& device) {
  return {.x = rows.x.narrow(0, first, count).to(device),
          .label = rows.label.defined() ? rows.label.narrow(0, first, count).to(device) : torch::Tensor()};
}

std::vector<torch::Tensor> tensors_of(const VaeRows& rows) {
  std::vector<torch::Tensor> tensors = {rows.x.unsqueeze(0)};
  if (rows.label.defined()) tensors.push_back(rows.label.unsqueeze(0));
  return tensors;
}

}  // namespace

double mean_bound(const Vae& vae, const torch::Tensor& flat, const VaeRows& rows, std::int64_t samples,
                  std::uint64_t seed, std::int64_t batch) {
  const torch::NoGradGuard no_gradient;
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::evaluation));
  at::manual_seed(random());
  const Parameters parameters = vae.split(flat);
  const Noise noise;
  double sum = 0;
  for (std::int64_t first = 0; first < rows.size(); first += batch) {
    const VaeRows piece = narrow(rows, first, std::min(batch, rows.size() - first), flat.device());
    const torch::Tensor x = vae.likelihood().observe(rows_as_numbers(piece.x, flat.options()), noise);
    const torch::Tensor label = one_hot(piece.label, vae.spec().labels, flat.options());
    const auto q = vae.posterior(parameters, x, label, Mode::evaluate);
    const torch::Tensor log_weight =
        vae.terms(parameters, x, label, *q, noise, {.samples = samples}).log_weight();
    sum += (at::logsumexp(log_weight, 0) - std::log(static_cast<double>(samples))).sum().item<double>();
  }
  return sum / static_cast<double>(rows.size());
}

VaeTrainee::VaeTrainee(const Vae& vae, const VaeObjective& objective, torch::Tensor flat, VaeRows train,
                       VaeRows held_out, VaeTraining options)
    : vae_(vae),
      objective_(objective),
      flat_(std::move(flat)),
      train_(std::move(train)),
      held_out_(std::move(held_out)),
      options_(options),
      adam_(flat_, {.rate = options.rate}),
      feed_(tensors_of(train_), flat_.device(), options.streams) {}

torch::Tensor VaeTrainee::step(const StepContext& context) {
  const auto taken = [&](std::size_t tensor) { return feed_.take(tensor, context.rows).squeeze(0); };
  const torch::Tensor x =
      vae_.likelihood().observe(rows_as_numbers(taken(0), flat_.options()), context.noise);
  const torch::Tensor label =
      train_.label.defined() ? one_hot(taken(1), vae_.spec().labels, flat_.options()) : torch::Tensor();
  const torch::Tensor flat = flat_.detach().requires_grad_();
  const Parameters parameters = vae_.split(flat);
  const ObjectiveLoss loss = objective_.loss({.vae = vae_,
                                              .parameters = parameters,
                                              .x = x,
                                              .label = label,
                                              .progress = context.progress,
                                              .noise = context.noise});
  torch::Tensor gradient = gradient_of(loss, flat, context);
  context.sum->add_up(gradient);
  adam_.step(flat_, gradient, context.count, rate_scale(options_.schedule, context.progress));
  return loss.bound.sum() * (-1.0 / static_cast<double>(context.batch));
}

torch::Tensor VaeTrainee::gradient_of(const ObjectiveLoss& loss, const torch::Tensor& flat,
                                      const StepContext& context) const {
  const double each = 1.0 / static_cast<double>(context.batch);
  const auto gradient = [&](const torch::Tensor& rows, bool is_last) {
    torch::Tensor sum = rows.sum() * each;
    if (loss.shared.defined()) sum = sum + loss.shared * context.share;
    return torch::autograd::grad({sum}, {flat}, {}, !is_last)[0];
  };
  if (!loss.encoder_rows.defined()) return gradient(loss.rows, true);
  const std::int64_t encoder = vae_.encoder_size(), rest = flat.size(1) - encoder;
  const torch::Tensor ours = gradient(loss.rows, false), encoders = gradient(loss.encoder_rows, true);
  return at::cat({encoders.narrow(1, 0, encoder), ours.narrow(1, encoder, rest)}, 1);
}

double VaeTrainee::held_out() {
  if (!held_out_.x.defined()) return std::numeric_limits<double>::quiet_NaN();
  return mean_bound(vae_, flat_, held_out_, options_.held_out_samples, options_.seed);
}

void VaeTrainee::visit(const VisitTensor& visit) {
  visit("flat", flat_);
  adam_.visit("adam", visit);
  vae_.family().visit(visit);
}

std::string VaeTrainee::first_not_finite() {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor bad = at::nonzero(at::logical_not(at::isfinite(flat_[0])));
  if (bad.size(0) > 0) return "parameters " + vae_.layout().owner(bad[0][0].item<std::int64_t>()).name;
  const Parameters parameters = vae_.split(flat_);
  const VaeRows some = narrow(train_, 0, std::min<std::int64_t>(train_.size(), 256), flat_.device());
  const Noise noise;
  const torch::Tensor x = vae_.likelihood().observe(rows_as_numbers(some.x, flat_.options()), noise);
  const torch::Tensor label = one_hot(some.label, vae_.spec().labels, flat_.options());
  const std::string encoder = vae_.encoder().first_not_finite(parameters, vae_.encoder_input(x, label));
  if (!encoder.empty()) return "layer " + encoder;
  const torch::Tensor z = vae_.posterior(parameters, x, label, Mode::evaluate)->rsample(1, noise, false).z;
  if (!at::isfinite(z).all().item<bool>()) return "draws of the latent variables";
  const std::string decoder = vae_.decoder().first_not_finite(parameters, vae_.decoder_input(z, label));
  if (!decoder.empty()) return "layer " + decoder;
  return {};
}

}  // namespace kullback::deep
