// sample of folders that 'kullback diffusion' and 'kullback score' wrote.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "deep/cli/diffusion_folder.hpp"
#include "deep/cli/union.hpp"
#include "deep/data/number_files.hpp"
#include "deep/data/png.hpp"
#include "deep/diffusion/fit/pictures.hpp"
#include "deep/diffusion/fit/sample.hpp"
#include "run/progress_line.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;
using diffusion::Built;

diffusion::DrawRequest request_of(const Built& built, const FolderCall& call) {
  const Settings& settings = call.settings;
  diffusion::DrawRequest request;
  request.count = static_cast<std::int64_t>(settings.count("count", 1, 10'000'000));
  request.sampler = settings.text("sampler");
  if (!request.sampler.empty()) {
    const diffusion::SamplerRecord& record = diffusion::sampler_named(request.sampler);
    request.sampler_options = given_of(record.options, call.arguments.values);
  }
  for (const auto& [name, value] : call.arguments.values)
    if (has_option(diffusion::samplers(), name) && request.sampler_options.count(name) == 0)
      throw Error(
          ErrorKind::usage,
          fmt::format("--{} is not an option of {}.", name,
                      request.sampler.empty() ? "the default sampler" : "--sampler " + request.sampler),
          "Leave it out, or choose another --sampler.");
  request.steps = static_cast<std::int64_t>(settings.count("steps", 1, 1'000'000));
  request.grid = settings.text("grid");
  if (request.grid != "auto") diffusion::grid_named(request.grid);
  const diffusion::Model& model = built.model();
  const bool is_conditional = model.labels() > 0;
  request.without_label = settings.text("label") == "none" && is_conditional;
  if (!request.without_label)
    request.label = label_of(settings, is_conditional ? model.label_names : std::vector<std::string>());
  request.guidance = settings.number("guidance");
  request.seed = settings.count("seed", 0, 0xFFFFFFFF);
  request.strip = settings.has("strip") ? 10 : 0;
  request.should_stop = is_interrupted;
  return request;
}

diffusion::Drawn draw(const Built& built, diffusion::DrawRequest request, bool is_quiet) {
  run::ProgressLine progress(is_quiet);
  request.on_step = [&](std::int64_t rows, std::int64_t step, std::int64_t steps) {
    progress.show(fmt::format("{} of {} samples done, step {}{}", rows, request.count, step,
                              steps > 0 ? fmt::format(" of {}", steps) : std::string()));
  };
  diffusion::Drawn drawn = draw_rows(built, request);
  if (drawn.is_interrupted)
    throw Error(
        ErrorKind::usage,
        fmt::format("interrupted before the {} samples were done; nothing was written.", request.count));
  return drawn;
}

void sample(const Built& built, const FolderCall& call) {
  const Settings& settings = call.settings;
  const bool is_image = built.model().is_image();
  const fs::path out = call.out(is_image ? "new_samples.png" : "new_samples.csv");
  if (settings.has("strip") && !is_image)
    throw Error(ErrorKind::usage, "--strip shows images, and these rows are none.", "Leave it out.");
  const diffusion::Drawn drawn = draw(built, request_of(built, call), settings.flag("quiet"));
  if (out.extension() == ".png") {
    replace_file(out, png_bytes(samples_picture(built, drawn.x)));
  } else {
    write_matrix(out, built.column_names(), built.in_own_units(drawn.x));
  }
  if (drawn.strip.defined())
    replace_file(settings.text("strip"), png_bytes(strip_picture(built, drawn.strip)));
  if (settings.flag("quiet")) return;
  std::printf("%ld samples by %s, %s: %s\n", static_cast<long>(drawn.x.size(0)), drawn.sampler.c_str(),
              drawn.evaluations > 0 ? fmt::format("{} evaluations of the network", drawn.evaluations).c_str()
                                    : "as many steps as the tolerance needs",
              out.c_str());
}

}  // namespace

Run sample_diffusion(const Command& verb) {
  verb.describe("Draw new rows from a fitted diffusion model");
  Usage usage{
      .positionals = {{"DIR", "folder of a 'kullback diffusion' or 'kullback score'"}},
      .groups = {
          {"Options",
           {{"count", "64", "of new rows"},
            {"sampler", "", "how (default: heun, after 'kullback score' langevin)"},
            {"steps", "100", "from noise to data"},
            {"grid", "auto",
             "where in time the steps are: uniform, quadratic, edm, log-ratio; auto: edm, of a ladder and of "
             "cld uniform"},
            {"label", "", "of a conditional model, or none (default: each in turn)"},
            {"guidance", "0", "of a conditional model: how much more like its label a sample is to be"},
            {"seed", "1", "others give other rows"},
            {"strip", "", "PNG file of the way from noise to images"},
            {"out", "", "CSV, .npy or .png file (default: DIR/new_samples.png, or .csv)"}}},
          {"Samplers", {}},
          {"Run", with_device({})}}};
  usage.groups[0].options[1].help += ": " + names_of(diffusion::samplers());
  usage.groups[1].options = united(diffusion::samplers(), all_options(usage));
  return add_on_diffusion(verb, usage, sample);
}

}  // namespace kullback::deep::cli
