#include "deep/diffusion/fit/sample.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/random.hpp"
#include "deep/purpose.hpp"
#include "deep/vae/training.hpp"

namespace kullback::deep::diffusion {

namespace {

// States of the way, about equally many steps apart; states with a velocity without it.
class Strip final {
 public:
  Strip(std::int64_t states, std::int64_t dims) : states_(states), dims_(dims) {}

  void see(std::int64_t done, std::int64_t steps, const torch::Tensor& state) {
    if (states_ == 0 || steps == 0) return;
    const std::int64_t next = (static_cast<std::int64_t>(kept_.size()) + 1) * steps / states_;
    if (done < next) return;
    kept_.push_back(state.narrow(1, 0, dims_).narrow(0, 0, std::min<std::int64_t>(state.size(0), 8)).cpu());
  }
  torch::Tensor states() const { return kept_.empty() ? torch::Tensor() : at::stack(kept_); }

 private:
  std::int64_t states_, dims_;
  std::vector<torch::Tensor> kept_;
};

// The activations of so many images still fit into a CPU's cache.
constexpr std::int64_t kImagesOnCpu = 32, kRows = 1000;

std::int64_t rows_at_once(const Built& built, const DrawRequest& request) {
  if (request.at_once > 0) return request.at_once;
  return built.model().is_image() && built.options().device().is_cpu() ? kImagesOnCpu : kRows;
}

torch::Tensor labels_of(const Built& built, const DrawRequest& request, std::int64_t first,
                        std::int64_t rows) {
  const std::int64_t labels = built.model().labels();
  if (labels == 0) return {};
  if (request.without_label) return torch::zeros({rows, labels}, built.options());
  const auto options = built.options().dtype(torch::kInt64);
  const torch::Tensor label = request.label ? torch::full({rows}, *request.label, options)
                                            : (torch::arange(rows, options) + first).remainder(labels);
  return one_hot(label, labels, built.options());
}

}  // namespace

Drawn draw_rows(const Built& built, const DrawRequest& request) {
  const torch::NoGradGuard no_gradient;
  const Model& model = built.model();
  if (request.guidance != 0 && model.labels() == 0)
    throw Error(ErrorKind::usage, "--guidance is for conditional models, and this one is not.",
                "Leave it out.");
  Random random(model.seed, 0, static_cast<std::uint32_t>(Purpose::prediction),
                static_cast<std::uint32_t>(request.seed));
  at::manual_seed(random());
  Drawn result;
  const Sde& sde = built.sde();
  result.sampler = !request.sampler.empty()     ? request.sampler
                   : model.sde.name == "ladder" ? "langevin"
                                                : "heun";
  const auto sampler = make_sampler(result.sampler, request.sampler_options);
  result.evaluations = sampler->evaluations(request.steps) * (request.guidance != 0 ? 2 : 1);
  const bool is_ladder = model.sde.name == "ladder";
  const std::string grid = request.grid != "auto"          ? request.grid
                           : sde.blocks() > 1 || is_ladder ? "uniform"
                                                           : "edm";
  std::vector<torch::Tensor> parts;
  const std::int64_t at_once = rows_at_once(built, request);
  for (std::int64_t first = 0; first < request.count && !result.is_interrupted; first += at_once) {
    const std::int64_t rows = std::min(at_once, request.count - first);
    const auto score = built.score(labels_of(built, request, first, rows), request.guidance);
    Strip strip(first == 0 ? request.strip : 0, model.dims);
    SampleOptions options{.steps = request.steps, .grid = grid_named(grid), .is_denoised = true};
    options.on_step = [&](std::int64_t done, std::int64_t steps, const torch::Tensor& state) {
      strip.see(done, steps, state);
      if (request.on_step) request.on_step(first, done, steps);
    };
    options.should_stop = [&] {
      result.is_interrupted = request.should_stop && request.should_stop();
      return result.is_interrupted;
    };
    const torch::Tensor start = draw_prior(sde, rows, model.dims, built.options());
    parts.push_back(sampler->run(sde, *score, start, options).narrow(1, 0, model.dims).cpu());
    if (first == 0) result.strip = strip.states();
  }
  result.x = at::cat(parts);
  return result;
}

}  // namespace kullback::deep::diffusion
