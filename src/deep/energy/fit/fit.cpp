#include "deep/energy/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/csv_numbers.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "deep/data/png.hpp"
#include "deep/energy/fit/account.hpp"
#include "deep/energy/fit/pictures.hpp"
#include "deep/energy/fit/sample.hpp"
#include "deep/split_rows.hpp"
#include "kullback_version.hpp"
#include "posterior/json_text.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::deep {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSteps = 5'000;  // of a training whose epochs were not given
constexpr std::int64_t kFewestEpochs = 10, kMostEpochs = 1000;
constexpr std::int64_t kShownImages = 64, kShownPoints = 1000;

void write_ebm_training(const fs::path& file, const std::vector<EpochFigures>& epochs,
                        const std::vector<EbmFigures>& figures) {
  std::string text = "epoch,loss,energy_data,energy_chains,acceptance,held_out,seconds\n";
  CsvNumbers numbers(text);
  for (std::size_t i = 0; i < std::min(epochs.size(), figures.size()); ++i) {
    numbers.write(static_cast<double>(epochs[i].epoch), ',');
    for (const double number : {epochs[i].loss, figures[i].of_data, figures[i].of_chains,
                                figures[i].acceptance, epochs[i].held_out})
      numbers.write(number, ',');
    numbers.write(epochs[i].seconds, '\n');
  }
  numbers.flush();
  replace_file(file, text);
}

class Fit final {
 public:
  Fit(const EbmFitRequest& request, const EbmFitWatch& watch)
      : request_(request), watch_(watch), train_(request.train) {}

  EbmFitOutcome run() {
    prepare();
    begin();
    EbmTrainee trainee(*built_, train_rows_, held_out_, request_.training);
    TrainWatch watch;
    watch.should_stop = watch_.should_stop;
    if (watch_.on_epoch)
      watch.on_epoch = [&](const EpochFigures& epoch) {
        watch_.on_epoch(epoch, trainee.figures().back(), train_.epochs);
      };
    outcome_.trained = train(trainee, train_, Ranks(), watch);
    write(trainee);
    return std::move(outcome_);
  }

 private:
  void prepare() {
    const RawRows raw = read_rows(request_.rows);
    const std::string file = request_.rows.paths.front().string();
    EbmModel model = request_.model;
    const RowSplit split = split_rows(raw.x.size(0), request_.validation, model.seed);
    if (split.train.size(0) < 2)
      throw Error(ErrorKind::bad_input, filled("{}: {} rows are too few to train on.", file, raw.x.size(0)),
                  "Give more rows, or a smaller --validation.");
    fit_model_to_rows(model, raw, file);
    const EnergyRecord& energy = energy_named(model.energy.name);
    const ChainSamplerRecord& sampler = chain_sampler_named(model.sampler.name);
    model.energy.options = Settings(energy.options, request_.energy_options).values();
    model.sampler.options = Settings(sampler.options, request_.sampler_options).values();
    built_ = std::make_unique<BuiltEbm>(std::move(model), request_.device);
    data_hash_ =
        posterior::content_hash(std::string(static_cast<const char*>(raw.x.data_ptr()), raw.x.nbytes()));
    built_->start(raw.x.index_select(0, split.train));
    const torch::Tensor all = built_->prepared(raw.x);
    const auto on_device = [&](const torch::Tensor& rows) { return rows.to(all.device()); };
    train_rows_ = all.index_select(0, on_device(split.train));
    if (split.held_out.size(0) > 0) held_out_ = all.index_select(0, on_device(split.held_out));
    choose_lengths();
  }

  void choose_lengths() {
    train_.batch = std::min(train_.batch, train_rows_.size(0));
    const std::int64_t steps = (train_rows_.size(0) + train_.batch - 1) / train_.batch;
    if (train_.epochs == 0) train_.epochs = std::clamp(kSteps / steps, kFewestEpochs, kMostEpochs);
    if (train_.patience == 0) return;
    if (!held_out_.defined())
      throw Error(ErrorKind::usage, "--patience needs rows that are held out, but --validation is 0.",
                  "Give --validation 0.1, or leave --patience away.");
    if (built_->energy().exact_partition_by().empty())
      throw Error(ErrorKind::usage,
                  "--patience needs held-out likelihoods, which this energy has only by annealing.",
                  "Leave --patience away, and compare trainings with 'kullback loglik'.");
  }

  void begin() {
    posterior::RunRecord& record = outcome_.record;
    record.kind = "ebm";
    record.method = built_->model().training.name;
    record.version = kVersion;
    for (const fs::path& path : request_.rows.paths)
      record.data += (record.data.empty() ? "" : " ") + path.string();
    record.data_hash = data_hash_;
    record.seed = built_->model().seed;
    record.chains = 1;
    record.parameters = static_cast<std::size_t>(built_->energy().layout().size());
    record.options = request_.options;
    record.status = "running";
    record.started = posterior::utc_now();
    train_.checkpoint = request_.out / "checkpoint.safetensors";
    const EbmTraining& training = request_.training;
    train_.fingerprint = posterior::content_hash(
        filled("{}{} {} {} {} {} {} {}", to_json(built_->model()), data_hash_, train_.epochs, train_.batch,
               train_.patience, training.rate, static_cast<int>(training.schedule), training.energy_decay));
    if (!train_.resume) {
      posterior::begin_folder(request_.out, record, {}, request_.force);
    } else {
      posterior::remove_torn_files(request_.out);
    }
    replace_file(request_.out / "model.json", to_json(built_->model()));
    posterior::add_event(request_.out, train_.resume ? "resume" : "start", "\"ranks\": 1");
  }

  void write(const EbmTrainee& trainee) {
    const TrainOutcome& trained = outcome_.trained;
    const bool failed = !trained.failure.empty();
    if (failed && trained.epochs.empty()) {
      std::error_code none;
      fs::remove_all(request_.out, none);
      throw Error(
          ErrorKind::bad_input, trained.failure + ".",
          "Lower --rate or --step-size, take --sampler mala, or look for extreme values in the data.");
    }
    const std::vector<EbmFigures> figures = trainee.figures();
    write_ebm_training(request_.out / "training.csv", trained.epochs, figures);
    const EbmAccount account{.built = *built_,
                             .options = train_,
                             .trained = trained,
                             .figures = figures,
                             .train_rows = train_rows_.size(0),
                             .held_out_rows = held_out_.defined() ? held_out_.size(0) : 0};
    posterior::RunRecord& record = outcome_.record;
    record.facts = facts_of(account);
    if (!trained.is_interrupted) record.findings = findings_of(account);
    record.gradients = trained.epochs.size() *
                       static_cast<std::uint64_t>((train_rows_.size(0) + train_.batch - 1) / train_.batch);
    record.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    record.status = trained.is_interrupted ? "interrupted" : failed ? "stopped" : "complete";
    if (!trained.is_interrupted) built_->save(request_.out / "weights.safetensors");
    if (record.status == "complete") write_pictures();
    replace_file(request_.out / "run.json", posterior::to_json(record));
    posterior::add_event(request_.out, record.status, filled("\"epochs\": {}", trained.epochs.size()));
    if (record.status == "complete") {
      std::error_code none;
      fs::remove(train_.checkpoint, none);
    }
  }

  void write_pictures() {
    const bool is_image = built_->model().is_image(), is_plane = built_->model().dim == 2;
    if (!is_image && !(is_plane && built_->energy().is_continuous())) return;
    const torch::Tensor x = sample_ebm(*built_, {.count = is_image ? kShownImages : kShownPoints}).x;
    replace_file(request_.out / (is_image ? "samples.png" : "density.png"),
                 png_bytes(is_image ? ebm_images(*built_, x) : density_map(*built_, x)));
  }

  const EbmFitRequest& request_;
  const EbmFitWatch& watch_;
  TrainOptions train_;
  Clock::time_point began_ = Clock::now();
  std::unique_ptr<BuiltEbm> built_;
  std::string data_hash_;
  torch::Tensor train_rows_, held_out_;  // prepared
  EbmFitOutcome outcome_;
};

}  // namespace

EbmFitOutcome fit_ebm(const EbmFitRequest& request, const EbmFitWatch& watch) {
  return Fit(request, watch).run();
}

}  // namespace kullback::deep
