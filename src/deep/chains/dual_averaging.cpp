#include "deep/chains/dual_averaging.hpp"

#include <cmath>

namespace kullback::deep {

namespace {

constexpr double kFirstStep = 0.01;
constexpr double kGamma = 0.05, kDelay = 10, kKappa = 0.75;  // Hoffman & Gelman's

}  // namespace

DualAveraging::DualAveraging(const torch::TensorOptions& options, std::int64_t chains, double target)
    : target_(target),
      log_step_(torch::full({chains, 1}, std::log(kFirstStep), options)),
      goal_(log_step_ + std::log(10)),
      error_(torch::zeros_like(log_step_)),
      averaged_(torch::zeros_like(log_step_)),
      updates_(torch::zeros({1}, torch::kInt64)) {}

void DualAveraging::update(const torch::Tensor& acceptance) {
  const auto count = static_cast<double>(++updates_.data_ptr<std::int64_t>()[0]);
  error_.lerp_(target_ - acceptance, 1 / (count + kDelay));
  log_step_.copy_(goal_ - error_ * (std::sqrt(count) / kGamma));
  averaged_.lerp_(log_step_, std::pow(count, -kKappa));
}

void DualAveraging::restart() {
  goal_.copy_(log_step_ + std::log(10));
  error_.zero_();
  averaged_.zero_();
  updates_.zero_();
}

void DualAveraging::finish() {
  if (updates_.data_ptr<std::int64_t>()[0] > 0) log_step_.copy_(averaged_);
}

void DualAveraging::visit(const VisitTensor& visit) {
  visit("step.log", log_step_);
  visit("step.goal", goal_);
  visit("step.error", error_);
  visit("step.averaged", averaged_);
  visit("step.updates", updates_);
}

}  // namespace kullback::deep
