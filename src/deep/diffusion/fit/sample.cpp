#include "deep/diffusion/fit/sample.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "deep/data/as_numbers.hpp"
#include "deep/diffusion/fit/strip.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep::diffusion {

namespace {

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

std::string default_sampler(const Model& model) { return model.sde.name == "ladder" ? "langevin" : "heun"; }

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
  result.sampler = request.sampler.empty() ? default_sampler(model) : request.sampler;
  const auto sampler = make_sampler(result.sampler, request.sampler_options);
  result.evaluations = sampler->evaluations(request.steps) * (request.guidance != 0 ? 2 : 1);
  const bool is_ladder = model.sde.name == "ladder";
  const Grid grid = request.grid != Grid::automatic ? request.grid
                    : sde.blocks() > 1 || is_ladder ? Grid::uniform
                                                    : Grid::edm;
  std::vector<torch::Tensor> parts;
  const std::int64_t at_once =
      request.at_once > 0 ? request.at_once : rows_at_once(model.is_image(), built.options().device());
  for (std::int64_t first = 0; first < request.count && !result.is_interrupted; first += at_once) {
    const std::int64_t rows = std::min(at_once, request.count - first);
    const auto score = built.score(labels_of(built, request, first, rows), request.guidance);
    Strip strip(first == 0 ? request.strip : 0, model.dims);
    SampleOptions options{.steps = request.steps, .grid = grid, .is_denoised = true};
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
