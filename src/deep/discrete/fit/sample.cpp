#include "deep/discrete/fit/sample.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "deep/data/number_files.hpp"
#include "deep/data/pictures.hpp"
#include "deep/diffusion/fit/strip.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep::discrete {

namespace {

// Columns that are hidden are half as bright as the brightest.
torch::Tensor brightness(const Model& model, const torch::Tensor& x) {
  const auto highest = static_cast<double>(std::max<std::int64_t>(model.pixel_levels - 1, 1));
  return at::where(x < model.pixel_levels, x.to(torch::kFloat64) / highest,
                   torch::full({}, 0.5, torch::kFloat64));
}

std::vector<std::string> column_names(const Model& model) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model.columns.size(); ++i)
    names.push_back(model.is_image() ? fmt::format("pixel_{}", i + 1) : model.columns[i].name);
  return names;
}

}  // namespace

Drawn draw_rows(const Built& built, const DrawRequest& request) {
  const torch::NoGradGuard no_gradient;
  const Model& model = built.model();
  Random random(model.seed, 0, static_cast<std::uint32_t>(Purpose::prediction),
                static_cast<std::uint32_t>(request.seed));
  at::manual_seed(random());
  const NetDenoiser denoiser = built.denoiser();
  Drawn result;
  result.evaluations = built.process().steps_taken(request.steps);
  const std::int64_t at_once = diffusion::rows_at_once(model.is_image(), built.flat().device());
  std::vector<torch::Tensor> parts;
  for (std::int64_t first = 0; first < request.count && !result.is_interrupted; first += at_once) {
    diffusion::Strip strip(first == 0 ? request.strip : 0, model.dims());
    DrawOptions options{.steps = request.steps, .eta = request.eta};
    options.on_step = [&](std::int64_t done, std::int64_t steps, const torch::Tensor& shown) {
      strip.see(done, steps, shown);
      if (request.on_step) request.on_step(first, done, steps);
    };
    options.should_stop = [&] {
      result.is_interrupted = request.should_stop && request.should_stop();
      return result.is_interrupted;
    };
    parts.push_back(built.process().draw(denoiser, std::min(at_once, request.count - first), options).cpu());
    if (first == 0) result.strip = strip.states();
  }
  result.x = at::cat(parts);
  return result;
}

void write_states(const std::filesystem::path& file, const Model& model, const torch::Tensor& x) {
  if (file.extension() == ".png") return replace_file(file, png_bytes(samples_picture(model, x)));
  const bool has_names = !model.is_image() && !model.has_counts();
  if (!has_names || file.extension() != ".csv") return write_matrix(file, column_names(model), x);
  std::vector<std::vector<std::string>> levels;
  for (const Column& column : model.columns) levels.push_back(column.levels);
  write_categories(file, column_names(model), levels, x);
}

Picture samples_picture(const Model& model, const torch::Tensor& x) {
  if (!model.is_image())
    throw Error(ErrorKind::usage, "a .png shows images, and these rows are none.",
                "Give --out a name that ends in .csv or .npy.");
  return image_grid(brightness(model, x), model.image, 8);
}

Picture strip_picture(const Model& model, const torch::Tensor& strip) {
  const torch::Tensor by_sample = strip.transpose(0, 1).reshape({-1, strip.size(2)});
  return image_grid(brightness(model, by_sample), model.image, strip.size(0));
}

}  // namespace kullback::deep::discrete
