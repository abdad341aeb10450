// The method `optimize`: the mode of the density, one draw. Whether the density has the Jacobian of the
// constraints (a mode of the unconstrained posterior) or not (Stan's default: of the constrained one) is the
// model's matter.
#include "infer/algorithm.hpp"
#include "infer/optimize/mode.hpp"
#include "infer/optimize/options.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kMaxHessianDim =
    500;  // the check of the curvature costs 4 gradients for each coordinate

class Optimize final : public Algorithm {
 public:
  Optimize(density::LogDensity& density, const Options& options, Start start)
      : density_(density), search_(density, options, std::move(start.theta), kMaxHessianDim) {}

  bool step(Draws& draws) override {
    if (is_done_) return false;
    ++steps_;
    if (search_.step()) return true;
    is_done_ = true;
    if (search_.lbfgs().stop() == Stop::start_not_finite) return true;
    draws.dim = density_.dim();
    draws.theta.insert(draws.theta.end(), search_.theta().begin(), search_.theta().end());
    draws.log_density.push_back(search_.log_density());
    return true;
  }

  Progress progress() const override {
    return {.done = steps_,
            .total = is_done_ ? steps_ : 0,
            .gradients = search_.gradients(),
            .value = search_.value()};
  }

  void archive(Archive& archive) override {
    search_.archive(archive);
    archive.value(steps_);
    archive.value(is_done_);
  }

  Findings findings() const override { return search_.findings(); }

 private:
  density::LogDensity& density_;
  ModeSearch search_;
  std::uint64_t steps_ = 0;
  bool is_done_ = false;
};

std::unique_ptr<Algorithm> make(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<Optimize>(density, options, std::move(start));
}

constexpr const OptionRecord* kOptions[] = {
    &option::kHistory, &option::kMaxIterations, &option::kTolObj,  &option::kTolRelObj,
    &option::kTolGrad, &option::kTolRelGrad,    &option::kTolParam};

}  // namespace

const Method& optimize_method() {
  static const Method method{
      .name = "optimize",
      .summary = "the mode of the posterior by L-BFGS",
      .use_when = "A point estimate or a first look at a model is enough; it says nothing of uncertainty.",
      .citation =
          "Liu and Nocedal (1989), On the limited memory BFGS method for large scale optimization, "
          "Mathematical Programming 45.",
      .has_chains = false,
      .is_exact = false,
      .needs = {.gradient = true},
      .options = kOptions,
      .stats = {},
      .make = make,
  };
  return method;
}

}  // namespace kullback::infer
