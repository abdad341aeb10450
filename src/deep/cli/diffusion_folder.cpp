// sample and loglik of folders that 'kullback diffusion' and 'kullback score' wrote.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "deep/bnn/fit/network.hpp"
#include "deep/cli/kinds.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/data/number_files.hpp"
#include "deep/diffusion/fit/pictures.hpp"
#include "deep/diffusion/fit/sample.hpp"
#include "deep/diffusion/likelihood.hpp"
#include "deep/purpose.hpp"
#include "deep/vae/training.hpp"
#include "posterior/json_text.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;
using diffusion::Built;

std::vector<Option> with_device(std::vector<Option> options) {
  options.push_back({"force", "false", "replace what is there already"});
  options.push_back({"quiet", "false", "print nothing but errors"});
  for (Option& option : device_options()) options.push_back(std::move(option));
  return options;
}

fs::path out_of(const Settings& settings, const fs::path& fallback) {
  const fs::path out = settings.has("out") ? fs::path(settings.text("out")) : fallback;
  if (fs::exists(out) && !settings.flag("force"))
    throw Error(ErrorKind::cannot_write, filled("{}: exists already.", out.string()),
                "Choose another name with --out, or replace it with --force.");
  return out;
}

template <class Work>
int run(const Grammar& grammar, const std::vector<std::string>& words, const Work& work) {
  const Arguments arguments = parse(grammar, words);
  if (arguments.wants_help) {
    std::fputs(help_text(grammar).c_str(), stdout);
    return 0;
  }
  const Settings settings(all_options(grammar), arguments.values);
  const Ranks alone;
  if (!alone.is_first()) return 0;  // one process does it
  use_threads(settings, alone);
  settings.choice("device", {"cpu", "cuda", "auto"});
  const std::unique_ptr<Built> built =
      diffusion::open_model(arguments.positionals[0], device_named(settings.text("device"), alone));
  const InterruptGuard guard;
  work(*built, settings, arguments);
  return is_interrupted() ? kInterruptedCode : 0;
}

// A line that is rewritten on a terminal, or one every few seconds.
class Progress final {
 public:
  explicit Progress(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (is_shown_ && is_terminal_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (is_quiet_ || now < next_) return;
    std::fprintf(stderr, is_terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
    is_shown_ = true;
    next_ = now + std::chrono::milliseconds(is_terminal_ ? 100 : 5000);
  }

 private:
  bool is_quiet_, is_terminal_, is_shown_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(2);
};

std::optional<std::int64_t> label_of(const Built& built, const Settings& settings) {
  if (!settings.has("label")) return {};
  if (built.model().labels() == 0)
    throw Error(ErrorKind::usage, "--label is for conditional models, and this one is not.", "Leave it out.");
  const std::string& label = settings.text("label");
  std::string all;
  for (std::size_t i = 0; i < built.model().label_names.size(); ++i) {
    if (built.model().label_names[i] == label) return static_cast<std::int64_t>(i);
    all += (i == 0 ? "" : ", ") + built.model().label_names[i];
  }
  throw Error(ErrorKind::usage, filled("the model knows no label '{}'.", label), "Known are: " + all + ".");
}

void sample(const Built& built, const Settings& settings, const Arguments& arguments) {
  const bool is_image = built.model().is_image();
  const fs::path folder = arguments.positionals[0];
  const fs::path out = out_of(settings, folder / (is_image ? "new_samples.png" : "new_samples.csv"));
  if (settings.has("strip") && !is_image)
    throw Error(ErrorKind::usage, "--strip shows images, and these rows are none.", "Leave it out.");
  diffusion::DrawRequest request;
  request.count = static_cast<std::int64_t>(settings.count("count", 1, 10'000'000));
  request.sampler = settings.text("sampler");
  if (!request.sampler.empty()) {
    const diffusion::SamplerRecord& record = diffusion::sampler_named(request.sampler);
    request.sampler_options = given_of(record.options, arguments.values);
  }
  for (const auto& [name, value] : arguments.values)
    if (has_option(diffusion::samplers(), name) && request.sampler_options.count(name) == 0)
      throw Error(ErrorKind::usage,
                  filled("--{} is not an option of {}.", name,
                         request.sampler.empty() ? "the default sampler" : "--sampler " + request.sampler),
                  "Leave it out, or choose another --sampler.");
  request.steps = static_cast<std::int64_t>(settings.count("steps", 1, 1'000'000));
  request.grid = settings.text("grid");
  if (request.grid != "auto") diffusion::grid_named(request.grid);
  request.without_label = settings.text("label") == "none" && built.model().labels() > 0;
  if (!request.without_label) request.label = label_of(built, settings);
  request.guidance = settings.number("guidance");
  request.seed = settings.count("seed", 0, 0xFFFFFFFF);
  request.strip = settings.has("strip") ? 10 : 0;
  request.should_stop = is_interrupted;
  diffusion::Drawn drawn;
  {
    Progress progress(settings.flag("quiet"));
    request.on_step = [&](std::int64_t rows, std::int64_t step, std::int64_t steps) {
      progress.show(filled("{} of {} samples done, step {}{}", rows, request.count, step,
                           steps > 0 ? filled(" of {}", steps) : std::string()));
    };
    drawn = draw_rows(built, request);
  }
  if (drawn.is_interrupted) return;
  if (out.extension() == ".png") {
    replace_file(out, png_bytes(samples_picture(built, drawn.x)));
  } else {
    write_matrix(out, built.column_names(), built.in_own_units(drawn.x));
  }
  if (drawn.strip.defined())
    replace_file(settings.text("strip"), png_bytes(strip_picture(built, drawn.strip)));
  if (settings.flag("quiet")) return;
  std::printf("%ld samples by %s, %s: %s\n", static_cast<long>(request.count), drawn.sampler.c_str(),
              drawn.evaluations > 0 ? filled("{} evaluations of the network", drawn.evaluations).c_str()
                                    : "as many steps as the tolerance needs",
              out.c_str());
}

RawRows read_new(const Built& built, const Settings& settings, const std::vector<std::string>& words) {
  const diffusion::Model& model = built.model();
  RowsRequest request;
  request.paths.assign(words.begin() + 1, words.end());
  request.names = model.names;
  request.label_names = model.label_names;
  if (model.is_conditional) {
    request.labels = settings.has("labels") ? settings.text("labels") : model.label_column;
    if (request.labels.empty())
      throw Error(ErrorKind::usage, "the model is conditional: it needs the rows' labels.",
                  "Name them with --labels.");
  }
  if (model.is_image() && !model.names.empty())
    request.image = filled("{}x{}x{}", model.image.height, model.image.width, model.image.channels);
  RawRows raw = read_rows(request);
  check_rows(model, raw, words[1]);
  if (!settings.has("rows")) return raw;
  const std::int64_t count =
      std::min(static_cast<std::int64_t>(settings.count("rows", 1, 1'000'000'000)), raw.x.size(0));
  raw.x = raw.x.narrow(0, 0, count).contiguous();
  if (raw.label.defined()) raw.label = raw.label.narrow(0, 0, count).contiguous();
  return raw;
}

struct Figure {
  double mean = 0, error = 0;
};

Figure figure_of(const torch::Tensor& rows) {
  const auto count = static_cast<double>(rows.size(0));
  return {.mean = rows.mean().item<double>(),
          .error = rows.size(0) > 1 ? rows.std().item<double>() / std::sqrt(count) : 0};
}

void loglik(const Built& built, const Settings& settings, const Arguments& arguments) {
  const diffusion::Model& model = built.model();
  const fs::path folder = arguments.positionals[0], out = out_of(settings, folder / "loglik.csv");
  const RawRows raw = read_new(built, settings, arguments.positionals);
  Random random(model.seed, 0, static_cast<std::uint32_t>(Purpose::evaluation),
                static_cast<std::uint32_t>(settings.count("seed", 0, 0xFFFFFFFF)));
  at::manual_seed(random());
  const diffusion::Rows rows = built.prepared(raw, true);
  const torch::Tensor label = one_hot(rows.label, model.labels(), built.options());
  diffusion::LikelihoodOptions options;
  const double tolerance = settings.positive("tolerance");
  options.ode = {.relative = tolerance, .absolute = tolerance};
  options.exact_dims = static_cast<std::int64_t>(settings.count("exact-dims", 0, 1'000'000));
  options.probes = static_cast<std::int64_t>(settings.count("probes", 2, 1'000'000));
  Progress progress(settings.flag("quiet"));
  const std::int64_t at_once = 500, total = rows.size();
  std::vector<torch::Tensor> values, errors;
  double ode_error = 0;
  for (std::int64_t first = 0; first < total; first += at_once) {
    const std::int64_t count = std::min(at_once, total - first);
    options.on_solve = [&](std::int64_t done, std::int64_t of) {
      progress.show(filled("rows {} of {}, solution {} of {}", first + count, total, done, of));
    };
    const auto score = built.score(label.defined() ? label.narrow(0, first, count) : torch::Tensor());
    const diffusion::Likelihood found =
        log_likelihood(built.sde(), *score, rows.x.narrow(0, first, count), options);
    values.push_back(found.log_density.to(torch::kCPU, torch::kFloat64) - built.log_volume());
    errors.push_back(found.standard_error.to(torch::kCPU, torch::kFloat64));
    ode_error = std::max(ode_error, found.ode_error);
    if (is_interrupted()) return;
  }
  const torch::Tensor all = at::cat(values), error = at::cat(errors);
  const Figure flow = figure_of(all);
  const double probes = error.square().mean().sqrt().item<double>();
  const double bits = -flow.mean / (static_cast<double>(model.dims) * std::numbers::ln2);
  write_matrix(out, {"log_likelihood", "standard_error"}, at::stack({all, error}, 1));
  std::string bound_json = "null";
  Figure bound;
  const bool has_bound = built.sde().blocks() == 1;
  if (has_bound) {
    const diffusion::Rows exact = built.prepared(raw);
    const torch::Tensor terms =
        bound_terms(built.network(), built.parameters(), exact.x, label, model.units(), 20)
            .bound()
            .to(torch::kCPU, torch::kFloat64);
    bound = figure_of(terms - (model.has_levels ? 0 : built.log_volume()));
    bound_json = filled("{{\"mean\": {}, \"standard_error\": {}}}", posterior::json_number(bound.mean),
                        posterior::json_number(bound.error));
  }
  const fs::path json = folder / "loglik.json";
  replace_file(
      json, filled("{{\n  \"rows\": {},\n  \"log_likelihood\": {},\n  \"standard_error\": {},\n"
                   "  \"bits_per_dim\": {},\n  \"probe_error_of_a_row\": {},\n  \"ode_error_of_a_row\": {},\n"
                   "  \"dequantisation\": {},\n  \"bound\": {}\n}}\n",
                   total, posterior::json_number(flow.mean), posterior::json_number(flow.error),
                   posterior::json_number(bits), posterior::json_number(probes),
                   posterior::json_number(ode_error), model.has_levels ? "\"uniform\"" : "null", bound_json));
  if (settings.flag("quiet")) return;
  const auto number = [](double x) { return number_with_digits(x, 5); };
  std::printf(
      "%ld rows\nlog likelihood by the flow   %s nats a row (se over rows %s), %s bits per dimension\n",
      static_cast<long>(total), number(flow.mean).c_str(), number(flow.error).c_str(), number(bits).c_str());
  std::printf("its error in a row           %s by the probes of the divergence, at most %s by the solver\n",
              number(probes).c_str(), number(ode_error).c_str());
  if (has_bound)
    std::printf("variational bound            %s nats a row (se %s)\n", number(bound.mean).c_str(),
                number(bound.error).c_str());
  if (model.has_levels)
    std::printf(
        "Levels are dequantised uniformly for the flow, whose figure then bounds their log probability; "
        "the bound is of the levels themselves.\n");
  std::printf("Figures: %s\nRow by row: %s\n", json.c_str(), out.c_str());
}

int sample_diffusion(const std::vector<std::string>& words) {
  Grammar grammar{
      .verb = "sample",
      .summary = "Draws new rows from a trained diffusion model.",
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
  std::string names;
  for (const diffusion::SamplerRecord* record : diffusion::samplers())
    names += (names.empty() ? "" : ", ") + std::string(record->name);
  grammar.groups[0].options[1].help += ": " + names;
  grammar.groups[1].options = united(diffusion::samplers(), all_options(grammar));
  return run(grammar, words, sample);
}

int loglik_diffusion(const std::vector<std::string>& words) {
  return run(
      {.verb = "loglik",
       .summary = "Log likelihood of new rows under a trained diffusion model, through its probability flow.",
       .positionals = {{"DIR", "folder of a 'kullback diffusion' or 'kullback score'"},
                       {"NEW", "rows of the kind it was trained on", true, true}},
       .groups = {{"Options",
                   with_device(
                       {{"labels", "", "labels of the rows, as in the training"},
                        {"rows", "", "how many rows to take, from the first on (default: all)"},
                        {"tolerance", "1e-4", "relative and absolute error of a step of the solver"},
                        {"exact-dims", "32", "numbers of a state up to which the divergence is exact"},
                        {"probes", "4", "random directions of its estimate beyond that"},
                        {"seed", "1", "of the random directions"},
                        {"out", "", "CSV or .npy file (default: DIR/loglik.csv)"}})}}},
      words, loglik);
}

}  // namespace

extern const KindRecord kDiffusionKind;
const KindRecord kDiffusionKind{.name = "diffusion",
                                .what = "a diffusion model",
                                .verb = "kullback diffusion",
                                .sample = sample_diffusion,
                                .loglik = loglik_diffusion};
extern const KindRecord kScoreKind;
const KindRecord kScoreKind{.name = "score",
                            .what = "a score network",
                            .verb = "kullback score",
                            .sample = sample_diffusion,
                            .loglik = loglik_diffusion};

}  // namespace kullback::deep::cli
