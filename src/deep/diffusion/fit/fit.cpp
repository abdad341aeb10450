#include "deep/diffusion/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "base/random.hpp"
#include "deep/bnn/fit/files.hpp"
#include "deep/diffusion/fit/pictures.hpp"
#include "deep/diffusion/fit/sample.hpp"
#include "deep/purpose.hpp"
#include "deep/split_rows.hpp"
#include "deep/vae/training.hpp"
#include "kullback_version.hpp"
#include "posterior/json_text.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::deep::diffusion {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSteps = 20'000;  // of a training whose epochs were not given
constexpr std::int64_t kFewestEpochs = 10, kMostEpochs = 10'000;
constexpr std::int64_t kShownImages = 64, kShownPoints = 2000, kStripStates = 10, kShownSteps = 40;
constexpr std::int64_t kJudged = 2000, kDraws = 20;  // held-out rows and levels of the bound that is recorded

struct Bound {
  double nats = std::numeric_limits<double>::quiet_NaN();
  double error = 0;  // standard error over rows
  std::int64_t rows = 0;
};

class Fit final {
 public:
  Fit(const FitRequest& request, const Ranks& ranks, const FitWatch& watch)
      : request_(request), ranks_(ranks), watch_(watch), train_(request.train) {}

  FitOutcome run() {
    prepare();
    begin();
    outcome_.trained = train_model();
    if (ranks_.is_first()) write();
    return std::move(outcome_);
  }

 private:
  void prepare() {
    const RawRows raw = read_rows(request_.rows);
    const std::string file = request_.rows.paths.front().string();
    Model model = request_.model;
    const RowSplit split = split_rows(raw.x.size(0), request_.validation, model.seed);
    if (split.train.size(0) < 2)
      throw Error(ErrorKind::bad_input, filled("{}: {} rows are too few to train on.", file, raw.x.size(0)),
                  "Give more rows, or a smaller --validation.");
    fit_to_rows(model, raw, split.train, request_.rows);
    built_ = std::make_unique<Built>(std::move(model), request_.device);
    std::string bytes(static_cast<const char*>(raw.x.data_ptr()), raw.x.nbytes());
    if (raw.label.defined()) bytes.append(static_cast<const char*>(raw.label.data_ptr()), raw.label.nbytes());
    data_hash_ = posterior::content_hash(bytes);
    built_->start();
    const Rows all = built_->prepared(raw);
    const auto take = [&](const torch::Tensor& index) {
      const torch::Tensor here = index.to(all.x.device());
      return Rows{.x = all.x.index_select(0, here),
                  .label = all.label.defined() ? all.label.index_select(0, here) : torch::Tensor()};
    };
    train_rows_ = take(split.train);
    if (split.held_out.size(0) > 0) held_out_ = take(split.held_out);
    train_.batch = std::min(train_.batch, train_rows_.size());
    const std::int64_t steps = (train_rows_.size() + train_.batch - 1) / train_.batch;
    if (train_.epochs == 0) train_.epochs = std::clamp(kSteps / steps, kFewestEpochs, kMostEpochs);
  }

  void begin() {
    const Model& model = built_->model();
    posterior::RunRecord& record = outcome_.record;
    record.kind = model.kind;
    record.method = model.sde.name;
    record.version = kVersion;
    for (const fs::path& path : request_.rows.paths)
      record.data += (record.data.empty() ? "" : " ") + path.string();
    record.data_hash = data_hash_;
    record.seed = model.seed;
    record.chains = 1;
    record.parameters = static_cast<std::size_t>(built_->layout().size());
    record.options = request_.options;
    record.status = "running";
    record.started = posterior::utc_now();
    train_.checkpoint = request_.out / "checkpoint.safetensors";
    train_.fingerprint = posterior::content_hash(filled(
        "{}{} {} {} {} {} {} {}", to_json(model), data_hash_, train_.epochs, train_.batch, request_.rate,
        static_cast<int>(request_.schedule), request_.label_dropout, request_.averaging));
    if (ranks_.is_first()) begin_folder();
    ranks_.barrier();
  }

  void begin_folder() {
    if (!train_.resume) {
      posterior::begin_folder(request_.out, outcome_.record, {}, request_.force);
    } else {
      posterior::remove_torn_files(request_.out);
    }
    replace_file(request_.out / "model.json", to_json(built_->model()));
    posterior::add_event(request_.out, train_.resume ? "resume" : "start",
                         filled("\"ranks\": {}", ranks_.size()));
  }

  TrainOutcome train_model() {
    const Model& model = built_->model();
    const Network network{built_->first_sde(), built_->net(), parameterisation_named(model.parameterisation)};
    DiffusionTrainee trainee(network, built_->objective(), built_->layout(), built_->flat(), train_rows_,
                             held_out_,
                             {.rate = request_.rate,
                              .schedule = request_.schedule,
                              .times = times_named(model.times, model.sde.name),
                              .weighting = &weighting_named(model.weighting),
                              .label_dropout = request_.label_dropout,
                              .averaging = request_.averaging,
                              .labels = model.labels(),
                              .units = model.units(),
                              .seed = model.seed});
    TrainWatch watch;
    watch.should_stop = [this] {
      double stops = watch_.should_stop && watch_.should_stop() ? 1 : 0;
      ranks_.sum({&stops, 1});  // a signal reaches the processes at different times
      return stops > 0;
    };
    if (watch_.on_epoch)
      watch.on_epoch = [this](const EpochFigures& figures) { watch_.on_epoch(figures, train_.epochs); };
    TrainOutcome trained = train(trainee, train_, ranks_, watch);
    trainee.finish();
    built_->settle();
    return trained;
  }

  void write() {
    const TrainOutcome& trained = outcome_.trained;
    const bool failed = !trained.failure.empty();
    if (failed && trained.epochs.empty()) {
      std::error_code none;
      fs::remove_all(request_.out, none);
      throw Error(ErrorKind::bad_input, trained.failure + ".",
                  "Lower --rate, or look for extreme values in the data.");
    }
    posterior::RunRecord& record = outcome_.record;
    write_training(request_.out / "training.csv", trained.epochs);
    if (!trained.is_interrupted) judge();
    record.facts = facts();
    record.gradients = trained.epochs.size() *
                       static_cast<std::uint64_t>((train_rows_.size() + train_.batch - 1) / train_.batch);
    record.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    record.status = trained.is_interrupted ? "interrupted" : failed ? "stopped" : "complete";
    if (!trained.is_interrupted) {
      built_->save(request_.out / "weights.safetensors");
      replace_file(request_.out / "summary.json", summary_json());
      if (!failed) write_pictures();
    }
    replace_file(request_.out / "run.json", posterior::to_json(record));
    posterior::add_event(request_.out, record.status, filled("\"epochs\": {}", trained.epochs.size()));
    if (record.status == "complete") {
      std::error_code none;
      fs::remove(train_.checkpoint, none);
    }
  }

  // The bound on held-out rows, in the data's units.
  void judge() {
    if (held_out_.size() == 0 || built_->sde().blocks() > 1) return;
    Random random(built_->model().seed, 0, static_cast<std::uint32_t>(Purpose::evaluation));
    at::manual_seed(random());
    bound_.rows = std::min(kJudged, held_out_.size());
    const torch::Tensor label =
        held_out_.label.defined()
            ? one_hot(held_out_.label.narrow(0, 0, bound_.rows), built_->model().labels(), built_->options())
            : torch::Tensor();
    const torch::Tensor rows =
        bound_terms(built_->network(), built_->parameters(), held_out_.x.narrow(0, 0, bound_.rows), label,
                    built_->model().units(), kDraws)
            .bound()
            .to(torch::kCPU, torch::kFloat64);
    bound_.nats = rows.mean().item<double>() - (built_->model().has_levels ? 0 : built_->log_volume());
    bound_.error =
        bound_.rows > 1 ? rows.std().item<double>() / std::sqrt(static_cast<double>(bound_.rows)) : 0;
  }

  double bits_per_dim() const {
    return -bound_.nats / (static_cast<double>(built_->model().dims) * std::numbers::ln2);
  }

  std::vector<std::pair<std::string, std::string>> facts() const {
    const Model& model = built_->model();
    const auto number = [](double x) { return number_with_digits(x, 4); };
    std::vector<std::pair<std::string, std::string>> all = {
        {"rows", filled("{} to train on, {} held out, {} numbers each", train_rows_.size(), held_out_.size(),
                        model.dims)},
        {"noise", filled("{} ({})", model.sde.name, sde_named(model.sde.name).summary)},
        {"network",
         filled("{}, {} parameters, predicts {}", model.net.architecture, built_->layout().size(),
                built_->sde().blocks() > 1 ? std::string("the velocity's noise") : model.parameterisation)},
        {"objective", filled("{}, weighting {}", model.objective.name, model.weighting)},
        {"epochs", filled("{} of {}", outcome_.trained.epochs.size(), train_.epochs)}};
    if (model.labels() > 0) all.emplace_back("labels", filled("{}, given to the network", model.labels()));
    if (std::isfinite(bound_.nats))
      all.emplace_back("held-out bound",
                       filled("{} nats a row (se {}), {} bits per dimension{}", number(bound_.nats),
                              number(bound_.error), number(bits_per_dim()),
                              model.has_levels ? ", of levels, without dequantisation" : ", a density"));
    return all;
  }

  std::string summary_json() const {
    return filled(
        "{{\n  \"train_rows\": {},\n  \"held_out_rows\": {},\n  \"bound_nats\": {},\n"
        "  \"bound_error\": {},\n  \"bits_per_dim\": {},\n  \"bound_rows\": {}\n}}\n",
        train_rows_.size(), held_out_.size(), posterior::json_number(bound_.nats),
        posterior::json_number(bound_.error), posterior::json_number(bits_per_dim()), bound_.rows);
  }

  void write_pictures() {
    const bool is_image = built_->model().is_image();
    if (!is_image && built_->model().dims != 2) return;
    DrawRequest request{.count = is_image ? kShownImages : kShownPoints,
                        .steps = kShownSteps,
                        .strip = is_image ? kStripStates : 0};
    const Drawn drawn = draw_rows(*built_, request);
    replace_file(request_.out / "samples.png", png_bytes(samples_picture(*built_, drawn.x)));
    if (drawn.strip.defined())
      replace_file(request_.out / "process.png", png_bytes(strip_picture(*built_, drawn.strip)));
  }

  const FitRequest& request_;
  const Ranks& ranks_;
  const FitWatch& watch_;
  TrainOptions train_;
  Clock::time_point began_ = Clock::now();
  std::unique_ptr<Built> built_;
  std::string data_hash_;
  Rows train_rows_, held_out_;
  Bound bound_;
  FitOutcome outcome_;
};

}  // namespace

FitOutcome fit_diffusion(const FitRequest& request, const Ranks& ranks, const FitWatch& watch) {
  return Fit(request, ranks, watch).run();
}

}  // namespace kullback::deep::diffusion
