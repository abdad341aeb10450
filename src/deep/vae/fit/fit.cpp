#include "deep/vae/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "deep/data/png.hpp"
#include "deep/split_rows.hpp"
#include "deep/vae/fit/account.hpp"
#include "deep/vae/fit/pictures.hpp"
#include "deep/vae/fit/prepare.hpp"
#include "run/folder.hpp"
#include "run/json_text.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kMappedRows = 5'000;  // of the map of latent variables
constexpr std::int64_t kMapLines = 1'000;    // of latent_map.csv
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
  return content_hash(bytes);
}

std::string variances_json(const Activity& activity) {
  const torch::Tensor variance = activity.variance.to(torch::kCPU, torch::kFloat64).contiguous();
  std::string text = "[";
  for (std::int64_t i = 0; i < variance.size(0); ++i)
    text += (i == 0 ? "" : ", ") + run::json_number(variance.data_ptr<double>()[i]);
  return text + "]";
}

class Fit final : public TrainingRun {
 public:
  Fit(const VaeFitRequest& request, const Ranks& ranks, const run::Watch& watch)
      : TrainingRun({.train = request.train,
                     .has_patience = request.has_patience,
                     .held_out_name = "bound",
                     .data = request.rows.paths,
                     .out = request.out,
                     .force = request.force},
                    ranks, watch),
        request_(request) {}

 private:
  void prepare() override {
    const RawRows raw = read_rows(request_.rows);
    const std::string file = request_.rows.paths.front().string();
    const RowSplit split = split_rows(raw.x.size(0), request_.validation, request_.model.seed, file);
    VaeModel model = request_.model;
    fit_model_to_rows(model, raw, split.train, request_.is_conditional, request_.decoder_options,
                      request_.rows);
    built_ = std::make_unique<BuiltVae>(std::move(model), request_.device);
    check_ranks();
    describe_in_record(hash_of(raw));
    const auto each =
        built_->model().has_levels ? 1 : static_cast<std::int64_t>(built_->options().dtype().itemsize());
    const std::int64_t bytes = raw.x.numel() * each;
    const torch::Device place = place_of_rows(bytes, request_.device, request_.device_memory);
    streams_ = request_.device_memory && bytes > *request_.device_memory;
    const VaeRows all = built_->prepared(raw, place);
    train_rows_ = take(all, split.train);
    if (split.held_out.size(0) > 0) held_out_ = take(all, split.held_out);
    built_->start(train_rows_);
    choose_lengths(
        {.rows = train_rows_.size(), .batch = request_.train.batch, .has_held_out = held_out_.x.defined()});
  }

  void describe_in_record(const std::string& data_hash) {
    record().kind = run::Kind::vae;
    record().method = built_->model().objective.name;
    record().data_hash = data_hash;
    record().seed = built_->model().seed;
    record().chains = 1;
    record().parameters = static_cast<std::size_t>(built_->vae().layout().size());
    record().options = request_.options;
  }

  void check_ranks() const {
    if (ranks().size() == 1) return;
    const bool is_family = built_->vae().family().mixes_rows();
    if (!is_family && !built_->objective().mixes_rows()) return;
    throw Error(
        ErrorKind::usage,
        fmt::format("{} looks at all rows of a minibatch together, which several processes do not have.",
                    !is_family                            ? "--objective " + built_->model().objective.name
                    : built_->model().family.name == "vq" ? "--codebook means"
                                                          : "--floor batch-norm"),
        "Start one process.");
  }

  Description describe() const override {
    return {.file = "model.json",
            .text = to_json(built_->model()),
            .more = fmt::format("{} {}", request_.rate, static_cast<int>(request_.schedule))};
  }

  std::int64_t held_out_samples() const { return std::min<std::int64_t>(built_->objective().samples(), 50); }

  std::unique_ptr<Trainee> make_trainee() override {
    return std::make_unique<VaeTrainee>(built_->vae(), built_->objective(), built_->flat(), train_rows_,
                                        held_out_,
                                        VaeTraining{.rate = request_.rate,
                                                    .schedule = request_.schedule,
                                                    .held_out_samples = held_out_samples(),
                                                    .seed = built_->model().seed,
                                                    .streams = streams_});
  }

  VaeAccount account() const {
    return {.built = *built_,
            .options = train_options(),
            .trained = trained(),
            .train_rows = train_rows_.size(),
            .held_out_rows = held_out_.x.defined() ? held_out_.size() : 0,
            .held_out_samples = held_out_samples(),
            .held_out_bound = held_out_bound_,
            .activity = activity_};
  }

  void tell(bool is_interrupted) override {
    record().facts = facts_of(account());
    if (!is_interrupted) record().findings = findings_of(account());
  }

  void look() override {
    const std::int64_t batch = std::max<std::int64_t>(1, 51'200 / held_out_samples());
    if (held_out_.x.defined())
      held_out_bound_ = mean_bound(built_->vae(), built_->flat(), held_out_, held_out_samples(),
                                   built_->model().seed, batch);
    const VaeRows& rows = held_out_.x.defined() && held_out_.size() >= 100 ? held_out_ : train_rows_;
    shown_ = take(rows, torch::arange(std::min(rows.size(), kMappedRows), torch::kInt64));
    shown_.x = shown_.x.to(request_.device);
    if (shown_.label.defined()) shown_.label = shown_.label.to(request_.device);
    means_ = built_->encode(shown_).mean;
    activity_ = activity_of(means_);
  }

  void write_results() override {
    const VaeAccount account = this->account();
    built_->save(file("weights.safetensors"));
    replace_file(
        file("latents.png"),
        png_bytes(latent_map(means_, shown_.label.defined() ? shown_.label.cpu() : torch::Tensor())));
    write_latent_map();
    if (built_->model().spec.is_image()) write_images();
    replace_file(
        file("summary.json"),
        fmt::format("{{\n  \"train_rows\": {},\n  \"held_out_rows\": {},\n  \"best_epoch\": {},\n"
                    "  \"held_out_bound\": {},\n  \"held_out_samples\": {},\n  \"active_units\": {},\n"
                    "  \"latent_variances\": {},\n  \"findings\": {}\n}}\n",
                    account.train_rows, account.held_out_rows, account.trained.best_epoch,
                    run::json_number(account.held_out_bound), account.held_out_samples,
                    account.activity.active, variances_json(account.activity),
                    run::json_findings(record().findings)));
  }

  // The points of latents.png, some of them.
  void write_latent_map() const {
    const std::int64_t count = std::min(kMapLines, means_.size(0));
    const torch::Tensor plane =
        in_the_plane(means_.to(torch::kCPU, torch::kFloat64)).narrow(0, 0, count).contiguous();
    const bool has_label = shown_.label.defined();
    const torch::Tensor label = has_label ? shown_.label.cpu().contiguous() : torch::Tensor();
    std::string text = has_label ? "x,y,label\n" : "x,y\n";
    for (std::int64_t row = 0; row < count; ++row) {
      const double* place = plane.data_ptr<double>() + 2 * row;
      text += fmt::format("{:.5g},{:.5g}", place[0], place[1]);
      if (has_label) text += "," + std::to_string(label.data_ptr<std::int64_t>()[row]);
      text += "\n";
    }
    replace_file(file("latent_map.csv"), text);
  }

  // Originals, and below each its reconstruction.
  void write_images() {
    const VaeSpec& spec = built_->model().spec;
    const std::int64_t count = std::min(kShown, shown_.size());
    const torch::Tensor label = spec.labels > 0 ? shown_.label.narrow(0, 0, count) : torch::Tensor();
    const torch::Tensor originals = rows_as_numbers(shown_.x.narrow(0, 0, count), built_->options()).cpu();
    const torch::Tensor copies = built_->decode(means_.narrow(0, 0, count), label);
    replace_file(file("reconstructions.png"),
                 png_bytes(image_grid(at::cat({originals, copies}), spec, count)));
    replace_file(file("samples.png"), png_bytes(image_grid(sample_vae(*built_, kSamples, {}), spec, 8)));
  }

  const VaeFitRequest& request_;
  std::unique_ptr<BuiltVae> built_;
  bool streams_ = false;
  VaeRows train_rows_, held_out_;
  double held_out_bound_ = std::numeric_limits<double>::quiet_NaN();
  VaeRows shown_;        // of the pictures
  torch::Tensor means_;  // of the latent variables of those
  Activity activity_;
};

}  // namespace

FitOutcome fit_vae(const VaeFitRequest& request, const Ranks& ranks, const run::Watch& watch) {
  return Fit(request, ranks, watch).run();
}

}  // namespace kullback::deep
