#include "deep/diffusion/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "deep/data/as_numbers.hpp"
#include "deep/diffusion/fit/figure.hpp"
#include "deep/diffusion/fit/pictures.hpp"
#include "deep/diffusion/fit/sample.hpp"
#include "deep/part.hpp"
#include "deep/purpose.hpp"
#include "deep/split_rows.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr std::int64_t kShownImages = 64, kShownPoints = 2000, kStripStates = 10, kShownSteps = 40;
constexpr std::int64_t kJudged = 2000, kDraws = 20;  // held-out rows and levels of the bound that is recorded

class Fit final : public TrainingRun {
 public:
  Fit(const FitRequest& request, const Ranks& ranks, const run::Watch& watch)
      : TrainingRun({.train = request.train,
                     .has_patience = true,
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
    Model model = request_.model;
    const RowSplit split = split_rows(raw.x.size(0), request_.validation, model.seed, file);
    fit_to_rows(model, raw, split.train, request_.rows);
    built_ = std::make_unique<Built>(std::move(model), request_.device);
    built_->start();
    const Rows all = built_->prepared(raw);
    const auto take = [&](const torch::Tensor& index) {
      const torch::Tensor here = index.to(all.x.device());
      return Rows{.x = all.x.index_select(0, here),
                  .label = all.label.defined() ? all.label.index_select(0, here) : torch::Tensor()};
    };
    train_rows_ = take(split.train);
    if (split.held_out.size(0) > 0) held_out_ = take(split.held_out);
    describe_in_record(raw);
    choose_lengths({.rows = train_rows_.size(), .has_held_out = held_out_.size() > 0});
    network_ = std::make_unique<Network>(Network{built_->first_sde(), built_->net(),
                                                 parameterisation_named(built_->model().parameterisation)});
  }

  void describe_in_record(const RawRows& raw) {
    std::string bytes(static_cast<const char*>(raw.x.data_ptr()), raw.x.nbytes());
    if (raw.label.defined()) bytes.append(static_cast<const char*>(raw.label.data_ptr()), raw.label.nbytes());
    record().kind = built_->model().kind == "score" ? run::Kind::score : run::Kind::diffusion;
    record().method = built_->model().sde.name;
    record().data_hash = content_hash(bytes);
    record().seed = built_->model().seed;
    record().chains = 1;
    record().parameters = static_cast<std::size_t>(built_->layout().size());
    record().options = request_.options;
  }

  Description describe() const override {
    return {.file = "model.json",
            .text = to_json(built_->model()),
            .more = fmt::format("{} {} {} {}", rate(), static_cast<int>(request_.schedule),
                                request_.label_dropout, request_.averaging)};
  }

  // bench/deep/diffusion: rows of few numbers are learned better with the larger one.
  double rate() const {
    if (request_.rate > 0) return request_.rate;
    const Model& model = built_->model();
    return model.is_image() || model.kind == "score" ? 1e-3 : 3e-3;
  }

  std::unique_ptr<Trainee> make_trainee() override {
    const Model& model = built_->model();
    return std::make_unique<DiffusionTrainee>(*network_, built_->objective(), built_->layout(),
                                              built_->flat(), train_rows_, held_out_,
                                              Training{.rate = rate(),
                                                       .schedule = request_.schedule,
                                                       .times = model.times,
                                                       .weighting = &weighting_named(model.weighting),
                                                       .label_dropout = request_.label_dropout,
                                                       .averaging = request_.averaging,
                                                       .labels = model.labels(),
                                                       .units = model.units(),
                                                       .seed = model.seed});
  }

  // A density has another value in other units; with a velocity the figure is a loss.
  EpochFigures in_own_units(EpochFigures figures) const override {
    if (!built_->model().has_levels && built_->first_sde().blocks() == 1)
      figures.held_out -= built_->log_volume();
    return figures;
  }

  void gather() override { built_->settle(); }
  void look() override { judge(); }
  void tell(bool) override { record().facts = facts(); }

  void write_results() override {
    built_->save(file("weights.safetensors"));
    replace_file(file("summary.json"),
                 summary_json(bound_, built_->model().dims, train_rows_.size(), held_out_.size()));
    if (trained().failure.empty()) write_pictures();
  }

  // The bound on held-out rows, in the data's units.
  void judge() {
    if (held_out_.size() == 0 || built_->sde().blocks() > 1) return;
    Random random(built_->model().seed, 0, static_cast<std::uint32_t>(Purpose::evaluation));
    at::manual_seed(random());
    const std::int64_t some = std::min(kJudged, held_out_.size());
    const torch::Tensor label =
        held_out_.label.defined()
            ? one_hot(held_out_.label.narrow(0, 0, some), built_->model().labels(), built_->options())
            : torch::Tensor();
    bound_ = figure_of(bound_terms(built_->network(), built_->parameters(), held_out_.x.narrow(0, 0, some),
                                   label, built_->model().units(), kDraws)
                           .bound()
                           .to(torch::kCPU, torch::kFloat64));
    if (!built_->model().has_levels) bound_.mean -= built_->log_volume();
  }

  std::vector<std::pair<std::string, std::string>> facts() const {
    const Model& model = built_->model();
    const auto number = [](double x) { return fmt::format("{:.4g}", x); };
    std::vector<std::pair<std::string, std::string>> all = {
        {"rows", fmt::format("{} to train on, {} held out, {} numbers each", train_rows_.size(),
                             held_out_.size(), model.dims)},
        {"noise", fmt::format("{} ({})", model.sde.name, sde_named(model.sde.name).summary)},
        {"network", fmt::format("{}, {} parameters, predicts {}",
                                text_of(kArchitecture, model.net.architecture), built_->layout().size(),
                                built_->sde().blocks() > 1 ? std::string("the velocity's noise")
                                                           : model.parameterisation)},
        {"objective", fmt::format("{}, weighting {}", model.objective.name, model.weighting)},
        {"epochs", fmt::format("{} of {}", trained().epochs.size(), train_options().epochs)}};
    if (model.labels() > 0)
      all.emplace_back("labels", fmt::format("{}, given to the network", model.labels()));
    if (std::isfinite(bound_.mean))
      all.emplace_back("held-out bound",
                       fmt::format("{} nats a row (se {}), {} bits per dimension{}", number(bound_.mean),
                                   number(bound_.error), number(bound_.bits_per_dim(model.dims)),
                                   model.has_levels ? ", of levels, without dequantisation" : ", a density"));
    return all;
  }

  void write_pictures() {
    const bool is_image = built_->model().is_image();
    if (!is_image && built_->model().dims != 2) return;
    DrawRequest request{.count = is_image ? kShownImages : kShownPoints,
                        .steps = kShownSteps,
                        .strip = is_image ? kStripStates : 0};
    const Drawn drawn = draw_rows(*built_, request);
    replace_file(file("samples.png"), png_bytes(samples_picture(*built_, drawn.x)));
    if (drawn.strip.defined())
      replace_file(file("process.png"), png_bytes(strip_picture(*built_, drawn.strip)));
  }

  const FitRequest& request_;
  std::unique_ptr<Built> built_;
  std::unique_ptr<Network> network_;
  Rows train_rows_, held_out_;
  Figure bound_;
};

}  // namespace

FitOutcome fit_diffusion(const FitRequest& request, const Ranks& ranks, const run::Watch& watch) {
  return Fit(request, ranks, watch).run();
}

}  // namespace kullback::deep::diffusion
