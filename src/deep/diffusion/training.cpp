// The loss of a row is divided by its numbers, so that rates suit rows of any size. Of a schedule that is
// learned, its ends follow the whole bound, and the shares of the way between the variance of its estimate
// (Kingma et al. 2021).
#include "deep/diffusion/training.hpp"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "deep/data/as_numbers.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kJudged = 2048;  // held-out rows of a figure

Rows take(const Rows& rows, const torch::Tensor& index) {
  return {.x = rows.x.index_select(0, index),
          .label = rows.label.defined() ? rows.label.index_select(0, index) : torch::Tensor()};
}

Rows first_of(const Rows& rows, std::int64_t count) {
  const std::int64_t some = std::min(count, rows.size());
  return {.x = rows.x.narrow(0, 0, some),
          .label = rows.label.defined() ? rows.label.narrow(0, 0, some) : torch::Tensor()};
}

}  // namespace

DiffusionTrainee::DiffusionTrainee(const Network& network, const Objective& objective, const Layout& layout,
                                   torch::Tensor mean, Rows train, Rows held_out, Training options)
    : network_(network),
      objective_(objective),
      layout_(layout),
      averaged_(std::move(mean), {.rate = options.rate}, options.averaging),
      train_(std::move(train)),
      held_out_(std::move(held_out)),
      options_(options),
      table_(network.sde) {}

// [rows], and of a schedule that is learned what else its bound has.
torch::Tensor DiffusionTrainee::losses(const Parameters& parameters, const Rows& rows, const Noise& noise,
                                       torch::Tensor* beside, bool drops_labels) const {
  const std::int64_t count = rows.size(), dims = rows.x.size(1);
  const auto number = rows.x.options().dtype(torch::kFloat64);
  const std::unique_ptr<Sde> learned = network_.sde.with(parameters);
  const Sde& sde = learned ? *learned : network_.sde;
  const Network network{sde, network_.net, network_.parameterisation};
  const DrawnTimes times = draw_times(sde, options_.times, table_, noise.uniform({count}, number, 0));
  const Coefficients at = sde.at(times.t);
  const bool is_bound = options_.weighting->name == "likelihood";
  torch::Tensor weight;
  if (sde.blocks() == 1) {
    weight = options_.weighting->weight({.alpha = at.mean.flatten(), .sigma = at.variance.flatten().sqrt()},
                                        at.diffusion.flatten());
  } else {
    const torch::Tensor root_vv = root(at.variance).select(1, 1).select(1, 1);
    weight = is_bound ? at.diffusion.select(1, 1).select(1, 1) / (2 * root_vv.square())
                      : torch::ones_like(times.t);
  }
  if (is_bound) weight = weight * times.inverse;
  torch::Tensor label = one_hot(rows.label, options_.labels, rows.x.options());
  if (label.defined() && drops_labels)
    label = label * (noise.uniform({count, 1}, rows.x.options(), 0) >= options_.label_dropout);
  const torch::Tensor normal = noise.normal({count, sde.blocks() * dims}, rows.x.options(), 0);
  const torch::Tensor result = objective_.loss({.network = network,
                                                .parameters = parameters,
                                                .at = at,
                                                .x = rows.x,
                                                .normal = normal,
                                                .label = label,
                                                .weight = weight,
                                                .noise = noise}) /
                               static_cast<double>(dims);
  if (learned && beside != nullptr)
    *beside =
        (prior_term(sde, rows.x) +
         reconstruction_term(sde, rows.x, noise.normal({count, dims}, rows.x.options(), 0), options_.units)) /
        static_cast<double>(dims);
  return result;
}

torch::Tensor DiffusionTrainee::step(const StepContext& context) {
  const torch::Tensor flat = averaged_.flat().detach().requires_grad_();
  const Parameters parameters(layout_, flat);
  torch::Tensor beside;
  const torch::Tensor each =
      losses(parameters, take(train_, context.rows.squeeze(0)), context.noise, &beside, true);
  torch::Tensor gradient = gradient_of(each, beside, flat, context);
  context.sum->add_up(gradient);
  averaged_.step(gradient, context.count, rate_scale(options_.schedule, context.progress));
  const torch::Tensor whole = beside.defined() ? each + beside : each;
  return whole.detach().sum().to(torch::kFloat64) / static_cast<double>(context.batch);
}

torch::Tensor DiffusionTrainee::gradient_of(const torch::Tensor& losses, const torch::Tensor& beside,
                                            const torch::Tensor& flat, const StepContext& context) const {
  const double each = 1.0 / static_cast<double>(context.batch);
  if (!beside.defined()) return torch::autograd::grad({losses.sum() * each}, {flat})[0];
  torch::Tensor gradient = torch::autograd::grad({(losses + beside).sum() * each}, {flat}, {}, true)[0];
  const torch::Tensor of_variance = torch::autograd::grad({losses.square().sum() * each}, {flat})[0];
  for (const std::size_t slot : network_.sde.variance_slots()) {
    const Slot& place = layout_.slots()[slot];
    gradient.narrow(1, place.first, place.size).copy_(of_variance.narrow(1, place.first, place.size));
  }
  return gradient;
}

double DiffusionTrainee::held_out() {
  if (held_out_.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  const torch::NoGradGuard no_gradient;
  Random random(options_.seed, 0, static_cast<std::uint32_t>(Purpose::evaluation));
  at::manual_seed(random());
  const Rows some = first_of(held_out_, kJudged);
  const Parameters parameters(layout_, averaged_.mean());
  if (network_.sde.blocks() > 1)
    return -losses(parameters, some, Noise(), nullptr, false).mean().item<double>();
  const std::unique_ptr<Sde> learned = network_.sde.with(parameters);
  const Network network{learned ? *learned : network_.sde, network_.net, network_.parameterisation};
  const torch::Tensor label = one_hot(some.label, options_.labels, some.x.options());
  return bound_terms(network, parameters, some.x, label, options_.units, 1).bound().mean().item<double>();
}

void DiffusionTrainee::visit(const VisitTensor& visit) { averaged_.visit(visit); }

std::string DiffusionTrainee::first_not_finite() { return averaged_.first_not_finite(layout_); }

}  // namespace kullback::deep::diffusion
