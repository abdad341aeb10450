#include "deep/discrete/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/random.hpp"
#include "deep/diffusion/fit/figure.hpp"
#include "deep/discrete/fit/sample.hpp"
#include "deep/part.hpp"
#include "deep/purpose.hpp"
#include "deep/split_rows.hpp"

namespace kullback::deep::discrete {

namespace {

constexpr std::int64_t kShownImages = 64, kStripStates = 10, kShownSteps = 50;
constexpr std::int64_t kFewest = 64, kMost = 2000;  // held-out rows of the bound that is recorded
constexpr std::int64_t kWork = 40'000;              // rows times evaluations

class Fit final : public TrainingRun {
 public:
  Fit(const FitRequest& request, const Ranks& ranks, const run::Watch& watch)
      : TrainingRun({.train = request.train,
                     .has_patience = true,
                     .held_out_name = "held-out bound",
                     .data = request.rows.paths,
                     .out = request.out,
                     .force = request.force},
                    ranks, watch),
        request_(request) {}

 private:
  void prepare() override {
    Model model = request_.model;
    const std::string file = request_.rows.paths.front().string();
    const RawRows raw = read_rows(rows_request(model, request_.rows));
    fit_to_rows(model, raw, request_.limits, file);
    const torch::Tensor x = states_of(model, raw, file).contiguous();
    const RowSplit split = split_rows(x.size(0), request_.validation, model.seed, file);
    built_ = std::make_unique<Built>(std::move(model), request_.device);
    built_->start();
    train_rows_ = x.index_select(0, split.train).to(request_.device);
    if (split.held_out.size(0) > 0) held_out_ = x.index_select(0, split.held_out).to(request_.device);
    describe_in_record(x);
    choose_lengths({.rows = train_rows_.size(0), .has_held_out = held_out_.defined()});
  }

  void describe_in_record(const torch::Tensor& x) {
    const std::string bytes(static_cast<const char*>(x.data_ptr()), x.nbytes());
    record().kind = run::Kind::discrete_diffusion;
    record().method = built_->model().process.name;
    record().data_hash = content_hash(bytes);
    record().seed = built_->model().seed;
    record().chains = 1;
    record().parameters = static_cast<std::size_t>(built_->layout().size());
    record().options = request_.options;
  }

  Description describe() const override {
    const Training& training = request_.training;
    return {.file = "model.json",
            .text = to_json(built_->model()),
            .more = fmt::format("{} {} {}", training.rate, static_cast<int>(training.schedule),
                                training.averaging)};
  }

  std::unique_ptr<Trainee> make_trainee() override {
    return std::make_unique<DiscreteTrainee>(built_->process(), built_->net(), built_->layout(),
                                             built_->flat(), train_rows_, held_out_, request_.training);
  }

  void look() override {
    if (!held_out_.defined()) return;
    Random random(built_->model().seed, 0, static_cast<std::uint32_t>(Purpose::evaluation));
    at::manual_seed(random());
    const Process& process = built_->process();
    const std::int64_t draws = default_draws(process);
    const std::int64_t most = std::clamp(kWork / (draws * process.bound_evaluations()), kFewest, kMost);
    const torch::Tensor some = held_out_.narrow(0, 0, std::min(most, held_out_.size(0)));
    bound_ = diffusion::figure_of(bounds(process, built_->denoiser(), some, draws));
  }

  void tell(bool) override { record().facts = facts(); }

  void write_results() override {
    built_->save(file("weights.safetensors"));
    replace_file(file("summary.json"), diffusion::summary_json(bound_, built_->model().dims(),
                                                               train_rows_.size(0), held_out_rows()));
    if (!trained().failure.empty() || !built_->model().is_image()) return;
    const Drawn drawn =
        draw_rows(*built_, {.count = kShownImages, .steps = kShownSteps, .strip = kStripStates});
    replace_file(file("samples.png"), png_bytes(samples_picture(built_->model(), drawn.x)));
    replace_file(file("process.png"), png_bytes(strip_picture(built_->model(), drawn.strip)));
  }

  std::int64_t held_out_rows() const { return held_out_.defined() ? held_out_.size(0) : 0; }

  std::vector<std::pair<std::string, std::string>> facts() const {
    const Model& model = built_->model();
    const auto number = [](double x) { return fmt::format("{:.4g}", x); };
    const char* what = model.has_counts() ? "counts" : model.is_image() ? "pixels" : "categories";
    std::vector<std::pair<std::string, std::string>> all = {
        {"rows", fmt::format("{} to train on, {} held out, {} {} each, with up to {} values",
                             train_rows_.size(0), held_out_rows(), model.dims(), what, model.space().most())},
        {"states", fmt::format("{} ({})", model.process.name, process_named(model.process.name).summary)},
        {"network",
         fmt::format("{}, {} parameters", text_of(diffusion::kArchitecture, model.net.architecture),
                     built_->layout().size())},
        {"epochs", fmt::format("{} of {}", trained().epochs.size(), train_options().epochs)}};
    if (std::isfinite(bound_.mean))
      all.emplace_back("held-out bound",
                       fmt::format("{} nats a row (se {}), {} bits per dimension", number(bound_.mean),
                                   number(bound_.error), number(bound_.bits_per_dim(model.dims()))));
    return all;
  }

  const FitRequest& request_;
  std::unique_ptr<Built> built_;
  torch::Tensor train_rows_, held_out_;
  diffusion::Figure bound_;
};

}  // namespace

FitOutcome fit_discrete(const FitRequest& request, const Ranks& ranks, const run::Watch& watch) {
  return Fit(request, ranks, watch).run();
}

}  // namespace kullback::deep::discrete
