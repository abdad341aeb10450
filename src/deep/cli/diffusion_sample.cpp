// sample of folders that 'kullback diffusion' and 'kullback score' wrote.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "deep/cli/diffusion_folder.hpp"
#include "deep/cli/options.hpp"
#include "deep/counts.hpp"
#include "deep/data/number_files.hpp"
#include "deep/data/png.hpp"
#include "deep/diffusion/fit/pictures.hpp"
#include "deep/diffusion/fit/sample.hpp"
#include "run/progress_line.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;
using diffusion::Built;

constexpr auto kSampler = TextOption("sampler", "", "How; auto: heun, after 'kullback score' langevin");
constexpr auto kSteps = CountOption("steps", 100, "From noise to data").from(1).to(1'000'000);
constexpr auto kGuidance =
    NumberOption("guidance", 0, "Of a conditional model: how much more like its label a sample is to be");
constexpr auto kLabel =
    TextOption("label", "Of a conditional model: the label of the rows, or none (default: each in turn)");
constexpr const OptionRecord* kOptions[] = {&option::kCount,    &kSampler,       &kSteps,
                                            &diffusion::kGrid,  &kLabel,         &kGuidance,
                                            &option::kDrawSeed, &option::kStrip, &option::kSamplesFile};

diffusion::DrawRequest request_of(const Built& built, const FolderCall& call) {
  const OptionValues& values = call.values;
  const diffusion::Model& model = built.model();
  diffusion::DrawRequest request;
  request.count = count_of(values, option::kCount);
  request.sampler = values[kSampler].empty() ? diffusion::default_sampler(model) : values[kSampler];
  Given given(call.arguments);
  request.sampler_options =
      given.of(kSampler, diffusion::sampler_named(request.sampler), diffusion::samplers());
  given.check();
  request.steps = count_of(values, kSteps);
  request.grid = values[diffusion::kGrid];
  const bool is_conditional = model.labels() > 0;
  request.without_label = values[kLabel] == "none" && is_conditional;
  if (!request.without_label)
    request.label =
        label_of(values.given(kLabel), is_conditional ? model.label_names : std::vector<std::string>());
  request.guidance = values[kGuidance];
  request.seed = values[option::kDrawSeed];
  request.strip = values.is_given(option::kStrip) ? 10 : 0;
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
  const OptionValues& values = call.values;
  const bool is_image = built.model().is_image();
  const fs::path out = call.out(option::kSamplesFile, is_image ? "new_samples.png" : "new_samples.csv");
  if (values.is_given(option::kStrip) && !is_image)
    throw Error(ErrorKind::usage, "--strip shows images, and these rows are none.", "Leave it out.");
  const diffusion::Drawn drawn = draw(built, request_of(built, call), values[option::kQuiet]);
  if (out.extension() == ".png") {
    replace_file(out, png_bytes(samples_picture(built, drawn.x)));
  } else {
    write_matrix(out, built.column_names(), built.in_own_units(drawn.x));
  }
  if (drawn.strip.defined())
    replace_file(std::string(values[option::kStrip]), png_bytes(strip_picture(built, drawn.strip)));
  if (values[option::kQuiet]) return;
  std::printf("%ld samples by %s, %s: %s\n", static_cast<long>(drawn.x.size(0)), drawn.sampler.c_str(),
              drawn.evaluations > 0 ? fmt::format("{} evaluations of the network", drawn.evaluations).c_str()
                                    : "as many steps as the tolerance needs",
              out.c_str());
}

}  // namespace

Run sample_diffusion(const Command& verb) {
  verb.describe("Draw new rows from a fitted diffusion model");
  const Usage usage{.positionals = {{"DIR", "Folder of a 'kullback diffusion' or 'kullback score'"}},
                    .groups = {{"Options", kOptions}, {"Run", option::kRunOnFolder}},
                    .parts = {{"Samplers", tables_of(diffusion::samplers())}},
                    .choices = {{&kSampler, names_of(diffusion::samplers())}}};
  return add_on_diffusion(verb, usage, sample);
}

}  // namespace kullback::deep::cli
