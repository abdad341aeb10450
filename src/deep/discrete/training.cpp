// The loss of a row is divided by its columns, so that rates suit rows of any size.
#include "deep/discrete/training.hpp"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "deep/discrete/net_denoiser.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep::discrete {

namespace {

constexpr std::int64_t kFewest = 64, kMost = 1024;  // held-out rows of a figure
constexpr std::int64_t kWork = 1 << 14;             // rows times evaluations
constexpr std::int64_t kNumbersAtOnce = 1 << 22;    // of states, as networks see them

std::int64_t rows_of_bounds(const Process& process, const torch::Tensor& x) {
  return std::clamp<std::int64_t>(kNumbersAtOnce / (process.inputs() * x.size(1)), 1, 4096);
}

}  // namespace

torch::Tensor bounds(const Process& process, const Denoiser& denoiser, const torch::Tensor& x,
                     std::int64_t draws) {
  const torch::NoGradGuard no_gradient;
  const std::int64_t rows = x.size(0), at_once = rows_of_bounds(process, x);
  const auto times = x.options().dtype(torch::kFloat64);
  std::vector<torch::Tensor> parts;
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const torch::Tensor some = x.narrow(0, first, std::min(at_once, rows - first));
    const torch::Tensor shift = torch::rand({some.size(0)}, times);
    torch::Tensor sum = torch::zeros({some.size(0)}, times);
    for (std::int64_t i = 0; i < draws; ++i)
      sum += process.bound(denoiser, some, (shift + static_cast<double>(i)) / static_cast<double>(draws),
                           Noise());
    parts.push_back((sum / static_cast<double>(draws)).cpu());
  }
  return at::cat(parts);
}

std::int64_t evaluations_of_bounds(const Process& process, const torch::Tensor& x, std::int64_t draws) {
  const std::int64_t at_once = rows_of_bounds(process, x);
  return (x.size(0) + at_once - 1) / at_once * draws * process.bound_evaluations();
}

std::int64_t default_draws(const Process& process) {
  return std::max<std::int64_t>(20 / process.bound_evaluations(), 1);
}

DiscreteTrainee::DiscreteTrainee(const Process& process, const diffusion::ScoreNet& net, const Layout& layout,
                                 torch::Tensor mean, torch::Tensor train, torch::Tensor held_out,
                                 Training options)
    : process_(process),
      net_(net),
      layout_(layout),
      averaged_(std::move(mean), {.rate = options.rate}, options.averaging),
      train_(std::move(train)),
      held_out_(std::move(held_out)),
      options_(options) {}

torch::Tensor DiscreteTrainee::step(const StepContext& context) {
  const torch::Tensor flat = averaged_.flat().detach().requires_grad_();
  const NetDenoiser denoiser(process_, net_, Parameters(layout_, flat));
  const torch::Tensor x = train_.index_select(0, context.rows.squeeze(0));
  const double each = 1.0 / static_cast<double>(context.batch * x.size(1));
  const torch::Tensor loss = process_.loss(denoiser, x, context.noise).sum() * each;
  torch::Tensor gradient = torch::autograd::grad({loss}, {flat})[0];
  context.sum->add_up(gradient);
  averaged_.step(gradient, context.count, rate_scale(options_.schedule, context.progress));
  return loss.detach().to(torch::kFloat64);
}

double DiscreteTrainee::held_out() {
  if (!held_out_.defined()) return std::numeric_limits<double>::quiet_NaN();
  Random random(options_.seed, 0, static_cast<std::uint32_t>(Purpose::evaluation));
  at::manual_seed(random());
  const NetDenoiser denoiser(process_, net_, Parameters(layout_, averaged_.mean()));
  const std::int64_t most = std::clamp(kWork / process_.bound_evaluations(), kFewest, kMost);
  const torch::Tensor some = held_out_.narrow(0, 0, std::min(most, held_out_.size(0)));
  return bounds(process_, denoiser, some, 1).mean().item<double>();
}

}  // namespace kullback::deep::discrete
