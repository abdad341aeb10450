#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/interrupt.hpp"
#include "base/ranks.hpp"
#include "bench/deep/diffusion/tables.hpp"
#include "deep/train/train.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kReports = 100;  // of the progress of a training

}  // namespace

const char* verdict(bool is_kept) { return is_kept ? "kept" : "MISSED"; }

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

void stop_if_interrupted() {
  if (!is_interrupted()) return;
  show_progress("");
  throw Error(ErrorKind::bad_input, "interrupted.");
}

Network Trained::network() const { return {*sde_, *net_, parameterisation_named("edm")}; }

Trained::Trained(std::unique_ptr<Sde> sde, const torch::Tensor& x, const Recipe& recipe,
                 const std::string& name)
    : sde_(std::move(sde)), dims_(x.size(1)) {
  NetSpec spec;
  spec.inputs = spec.outputs = dims_;
  spec.hidden = recipe.hidden;
  net_ = make_score_net(layout_, spec);
  flat_ = fresh_parameters(layout_, 1, 1, torch::kFloat32);
  const Network network = this->network();
  const auto objective = make_objective("denoising");
  DiffusionTrainee trainee(network, *objective, layout_, flat_, {.x = x.to(torch::kFloat32)}, {},
                           {.rate = recipe.rate,
                            .times = TimesKind::lognormal,
                            .weighting = &weighting_named("edm"),
                            .averaging = 0.999});
  TrainOptions options;
  options.batch = recipe.batch;
  options.epochs = std::max<std::int64_t>(1, recipe.steps * recipe.batch / x.size(0));
  options.seed = 1;
  const std::int64_t steps = options.epochs * (x.size(0) / recipe.batch);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::int64_t done = 0;
  const TrainWatch watch{.on_epoch = {}, .should_stop = [&] {
                           if (++done % std::max<std::int64_t>(1, steps / kReports) == 0)
                             show_progress(filled("{}: {} of about {} steps, {} s", name, done, steps,
                                                  static_cast<int>(seconds())));
                           return is_interrupted();
                         }};
  const TrainOutcome outcome = train(trainee, options, Ranks(), watch);
  stop_if_interrupted();
  if (!outcome.failure.empty()) throw Error(ErrorKind::bad_input, filled("{}: {}", name, outcome.failure));
  show_progress("");
  seconds_ = seconds();
}

}  // namespace kullback::deep::diffusion
