#include "deep/energy/fit/trainee.hpp"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

namespace {

constexpr double kDiverged = 1e8;  // an energy beyond this has left the scale of any density
constexpr std::int64_t kRowsAtOnce = 8192;
constexpr std::int64_t kTraced = 3;

}  // namespace

double mean_log_density(const BuiltEbm& built, const torch::Tensor& rows, double log_partition) {
  const torch::NoGradGuard no_gradient;
  const Parameters parameters = built.parameters();
  double sum = 0;
  for (std::int64_t first = 0; first < rows.size(0); first += kRowsAtOnce) {
    const torch::Tensor some = rows.narrow(0, first, std::min(kRowsAtOnce, rows.size(0) - first));
    sum -= built.energy()(parameters, built.observed(some)).to(torch::kFloat64).sum().item<double>();
  }
  return sum / static_cast<double>(rows.size(0)) - log_partition;
}

EbmTrainee::EbmTrainee(BuiltEbm& built, torch::Tensor train, torch::Tensor held_out, EbmTraining options,
                       EbmTrace& trace)
    : built_(built),
      train_(std::move(train)),
      held_out_(std::move(held_out)),
      options_(options),
      adam_(built.flat(), {.rate = options.rate}),
      sums_(torch::zeros({1 + kTraced}, built.options().dtype(torch::kFloat64))),
      trace_(trace),
      largest_(torch::zeros({}, built.options())) {}

torch::Tensor EbmTrainee::step(const StepContext& context) {
  const torch::Tensor x = built_.observed(train_.index_select(0, context.rows.squeeze(0)));
  const torch::Tensor flat = built_.flat().detach().requires_grad_();
  const Parameters parameters(built_.energy().layout(), flat), fixed = built_.parameters();
  const EnergyLoss loss = built_.training().loss({.energy = built_.energy(),
                                                  .parameters = parameters,
                                                  .fixed = fixed,
                                                  .x = x,
                                                  .sampler = built_.sampler()});
  torch::Tensor objective = loss.loss;
  if (options_.energy_decay > 0 && loss.squares.defined())
    objective = objective + options_.energy_decay * loss.squares;
  torch::Tensor gradient = torch::autograd::grad({objective}, {flat})[0];
  const torch::NoGradGuard no_gradient;
  adam_.step(built_.flat(), gradient, context.count, rate_scale(options_.schedule, context.progress));
  sums_.add_(at::stack({torch::ones_like(loss.of_data), loss.of_data, loss.of_chains, loss.acceptance})
                 .to(torch::kFloat64));
  largest_.copy_(loss.largest);
  const torch::Tensor value = loss.loss.detach().to(torch::kFloat64);
  return at::where(loss.largest < kDiverged, value, torch::full_like(value, std::nan("")));
}

void EbmTrainee::end_epoch(std::int64_t) {
  const torch::Tensor sums = sums_.cpu();
  trace_.rows = at::cat({trace_.rows, (sums.narrow(0, 1, kTraced) / sums[0]).unsqueeze(0)});
  sums_.zero_();
}

double EbmTrainee::held_out() {
  if (!held_out_.defined() || built_.energy().exact_partition_by().empty())
    return std::numeric_limits<double>::quiet_NaN();
  const torch::NoGradGuard no_gradient;
  Random random(built_.model().seed, 0, static_cast<std::uint32_t>(Purpose::evaluation));
  at::manual_seed(random());
  return mean_log_density(built_, held_out_,
                          built_.energy().log_partition(built_.parameters()).item<double>()) +
         built_.log_units();
}

void EbmTrainee::visit(const VisitTensor& visit) {
  built_.visit(visit);
  adam_.visit("adam", visit);
  visit("trace", trace_.rows);
}

std::string EbmTrainee::first_not_finite() {
  const torch::NoGradGuard no_gradient;
  const Layout& layout = built_.energy().layout();
  if (const torch::Tensor chains = built_.training().chains(); chains.defined()) {
    const torch::Tensor energy = built_.energy()(built_.parameters(), chains);
    const torch::Tensor bad = at::nonzero(at::logical_not(energy.abs() < kDiverged));
    if (bad.size(0) > 0)
      return fmt::format("chain {}, whose energy is {:.3g}", bad[0][0].item<std::int64_t>() + 1,
                         energy[bad[0][0]].item<double>());
  }
  if (!(largest_.item<double>() < kDiverged))
    return fmt::format("a chain whose energy is {:.3g}", largest_.item<double>());
  const torch::Tensor bad = at::nonzero(at::logical_not(at::isfinite(built_.flat()[0])));
  if (bad.size(0) > 0) return "parameters " + layout.owner(bad[0][0].item<std::int64_t>()).name;
  const torch::Tensor some = built_.observed(train_.narrow(0, 0, std::min<std::int64_t>(rows(), 256)));
  const std::string layer = built_.energy().first_not_finite(built_.parameters(), some);
  return layer.empty() ? layer : "layer " + layer;
}

std::vector<EbmFigures> EbmTrace::figures() const {
  std::vector<EbmFigures> result;
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const auto* number = rows.data_ptr<double>() + kTraced * i;
    result.push_back({.of_data = number[0], .of_chains = number[1], .acceptance = number[2]});
  }
  return result;
}

}  // namespace kullback::deep
