#include "deep/vae/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "deep/bnn/fit/files.hpp"
#include "deep/data/png.hpp"
#include "deep/split_rows.hpp"
#include "deep/vae/fit/account.hpp"
#include "deep/vae/fit/pictures.hpp"
#include "deep/vae/fit/prepare.hpp"
#include "kullback_version.hpp"
#include "posterior/json_text.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::deep {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSteps = 20'000;  // of a training whose epochs were not given
constexpr std::int64_t kFewestEpochs = 20, kMostEpochs = 1000;
constexpr std::int64_t kMappedRows = 5'000;  // of the map of latent variables
constexpr std::int64_t kShown = 10;          // images beside each other
constexpr std::int64_t kSamples = 64;

VaeRows take(const VaeRows& rows, const torch::Tensor& index) {
  const torch::Tensor here = index.to(rows.x.device());
  return {.x = rows.x.index_select(0, here),
          .label = rows.label.defined() ? rows.label.index_select(0, here) : torch::Tensor()};
}

std::string hash_of(const RawRows& rows) {
  std::string bytes(static_cast<const char*>(rows.x.data_ptr()), rows.x.nbytes());
  if (rows.label.defined())
    bytes.append(static_cast<const char*>(rows.label.data_ptr()), rows.label.nbytes());
  return posterior::content_hash(bytes);
}

class Fit final {
 public:
  Fit(const VaeFitRequest& request, const Ranks& ranks, const VaeFitWatch& watch)
      : request_(request), ranks_(ranks), watch_(watch), train_(request.train) {}

  VaeFitOutcome run() {
    prepare();
    begin();
    outcome_.trained = train_vae();
    if (ranks_.is_first()) write();
    return std::move(outcome_);
  }

 private:
  void prepare() {
    const RawRows raw = read_rows(request_.rows);
    const RowSplit split = split_rows(raw.x.size(0), request_.validation, request_.model.seed);
    const std::string file = request_.rows.paths.front().string();
    if (split.train.size(0) < 2)
      throw Error(ErrorKind::bad_input, filled("{}: {} rows are too few to train on.", file, raw.x.size(0)),
                  "Give more rows, or a smaller --validation.");
    VaeModel model = request_.model;
    fit_model_to_rows(model, raw, split.train, request_.is_conditional, request_.decoder_options,
                      request_.rows);
    built_ = std::make_unique<BuiltVae>(std::move(model), request_.device);
    check_ranks();
    data_hash_ = hash_of(raw);
    const VaeRows all = built_->prepared(raw);
    train_rows_ = take(all, split.train);
    if (split.held_out.size(0) > 0) held_out_ = take(all, split.held_out);
    built_->start(train_rows_);
    choose_lengths();
  }

  void check_ranks() const {
    if (ranks_.size() == 1) return;
    const bool is_family = built_->vae().family().mixes_rows();
    if (!is_family && !built_->objective().mixes_rows()) return;
    throw Error(ErrorKind::usage,
                filled("{} looks at all rows of a minibatch together, which several processes do not have.",
                       !is_family                            ? "--objective " + built_->model().objective.name
                       : built_->model().family.name == "vq" ? "--codebook means"
                                                             : "--floor batch-norm"),
                "Start one process.");
  }

  void choose_lengths() {
    train_.batch = std::min(train_.batch, train_rows_.size());
    const std::int64_t steps = (train_rows_.size() + train_.batch - 1) / train_.batch;
    if (train_.epochs == 0) train_.epochs = std::clamp(kSteps / steps, kFewestEpochs, kMostEpochs);
    const bool has_held_out = held_out_.x.defined();
    if (!request_.has_patience)
      train_.patience = has_held_out ? std::max<std::int64_t>(10, train_.epochs / 5) : 0;
    if (train_.patience > 0 && !has_held_out)
      throw Error(ErrorKind::usage, "--patience needs rows that are held out, but --validation is 0.",
                  "Give --validation 0.1, or leave --patience away.");
  }

  void begin() {
    posterior::RunRecord& record = outcome_.record;
    record.kind = "vae";
    record.method = built_->model().objective.name;
    record.version = kVersion;
    for (const fs::path& path : request_.rows.paths)
      record.data += (record.data.empty() ? "" : " ") + path.string();
    record.data_hash = data_hash_;
    record.seed = built_->model().seed;
    record.chains = 1;
    record.parameters = static_cast<std::size_t>(built_->vae().layout().size());
    record.options = request_.options;
    record.status = "running";
    record.started = posterior::utc_now();
    train_.checkpoint = request_.out / "checkpoint.safetensors";
    train_.fingerprint = posterior::content_hash(
        filled("{}{} {} {} {} {} {}", to_json(built_->model()), data_hash_, train_.epochs, train_.batch,
               train_.patience, request_.rate, static_cast<int>(request_.schedule)));
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

  std::int64_t held_out_samples() const { return std::min<std::int64_t>(built_->objective().samples(), 50); }

  TrainOutcome train_vae() {
    VaeTrainee trainee(built_->vae(), built_->objective(), built_->flat(), train_rows_, held_out_,
                       {.rate = request_.rate,
                        .schedule = request_.schedule,
                        .held_out_samples = held_out_samples(),
                        .seed = built_->model().seed});
    TrainWatch watch;
    watch.should_stop = [this] {
      double stops = watch_.should_stop && watch_.should_stop() ? 1 : 0;
      ranks_.sum({&stops, 1});  // a signal reaches the processes at different times
      return stops > 0;
    };
    if (watch_.on_epoch)
      watch.on_epoch = [this](const EpochFigures& figures) { watch_.on_epoch(figures, train_.epochs); };
    return train(trainee, train_, ranks_, watch);
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
    VaeAccount account{.built = *built_,
                       .options = train_,
                       .trained = trained,
                       .train_rows = train_rows_.size(),
                       .held_out_rows = held_out_.x.defined() ? held_out_.size() : 0,
                       .held_out_samples = held_out_samples(),
                       .held_out_bound = std::numeric_limits<double>::quiet_NaN()};
    if (!trained.is_interrupted) look_at(account);
    record.facts = facts_of(account);
    if (!trained.is_interrupted) record.findings = findings_of(account);
    record.gradients = trained.epochs.size() *
                       static_cast<std::uint64_t>((train_rows_.size() + train_.batch - 1) / train_.batch);
    record.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    record.status = trained.is_interrupted ? "interrupted" : failed ? "stopped" : "complete";
    if (!trained.is_interrupted) write_results(account);
    replace_file(request_.out / "run.json", posterior::to_json(record));
    posterior::add_event(request_.out, record.status, filled("\"epochs\": {}", trained.epochs.size()));
    if (!trained.is_interrupted) {
      std::error_code none;
      fs::remove(train_.checkpoint, none);
    }
  }

  void look_at(VaeAccount& account) {
    const std::int64_t batch = std::max<std::int64_t>(1, 51'200 / held_out_samples());
    if (held_out_.x.defined())
      account.held_out_bound = mean_bound(built_->vae(), built_->flat(), held_out_, held_out_samples(),
                                          built_->model().seed, batch);
    const VaeRows& rows = held_out_.x.defined() && held_out_.size() >= 100 ? held_out_ : train_rows_;
    shown_ = take(rows, torch::arange(std::min(rows.size(), kMappedRows), torch::kInt64));
    means_ = built_->encode(shown_).mean;
    account.activity = activity_of(means_);
  }

  void write_results(const VaeAccount& account) {
    built_->save(request_.out / "weights.safetensors");
    replace_file(
        request_.out / "latents.png",
        png_bytes(latent_map(means_, shown_.label.defined() ? shown_.label.cpu() : torch::Tensor())));
    if (built_->model().spec.is_image()) write_images();
    replace_file(request_.out / "summary.json",
                 filled("{{\n  \"train_rows\": {},\n  \"held_out_rows\": {},\n  \"best_epoch\": {},\n"
                        "  \"held_out_bound\": {},\n  \"held_out_samples\": {},\n  \"active_units\": {},\n"
                        "  \"findings\": {}\n}}\n",
                        account.train_rows, account.held_out_rows, account.trained.best_epoch,
                        posterior::json_number(account.held_out_bound), account.held_out_samples,
                        account.activity.active, posterior::json_findings(outcome_.record.findings)));
  }

  // Originals, and below each its reconstruction.
  void write_images() {
    const VaeSpec& spec = built_->model().spec;
    const std::int64_t count = std::min(kShown, shown_.size());
    const torch::Tensor label = spec.labels > 0 ? shown_.label.narrow(0, 0, count) : torch::Tensor();
    const torch::Tensor originals = rows_as_numbers(shown_.x.narrow(0, 0, count), built_->options()).cpu();
    const torch::Tensor copies = built_->decode(means_.narrow(0, 0, count), label);
    replace_file(request_.out / "reconstructions.png",
                 png_bytes(image_grid(at::cat({originals, copies}), spec, count)));
    replace_file(request_.out / "samples.png",
                 png_bytes(image_grid(sample_vae(*built_, kSamples, {}), spec, 8)));
  }

  const VaeFitRequest& request_;
  const Ranks& ranks_;
  const VaeFitWatch& watch_;
  TrainOptions train_;
  Clock::time_point began_ = Clock::now();
  std::unique_ptr<BuiltVae> built_;
  std::string data_hash_;
  VaeRows train_rows_, held_out_;
  VaeRows shown_;        // of the pictures
  torch::Tensor means_;  // of the latent variables of those
  VaeFitOutcome outcome_;
};

}  // namespace

VaeFitOutcome fit_vae(const VaeFitRequest& request, const Ranks& ranks, const VaeFitWatch& watch) {
  return Fit(request, ranks, watch).run();
}

}  // namespace kullback::deep
