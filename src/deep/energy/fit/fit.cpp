#include "deep/energy/fit/fit.hpp"

#include <fmt/format.h>

#include "base/content_hash.hpp"
#include "base/csv_numbers.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "deep/data/png.hpp"
#include "deep/energy/fit/account.hpp"
#include "deep/energy/fit/pictures.hpp"
#include "deep/energy/fit/sample.hpp"
#include "deep/split_rows.hpp"
#include "run/folder.hpp"

namespace kullback::deep {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kShownImages = 64, kShownPoints = 1000;

// epoch,energy_data,energy_chains,acceptance
void write_chains(const fs::path& file, const std::vector<EbmFigures>& epochs) {
  std::string text = "epoch,energy_data,energy_chains,acceptance\n";
  CsvNumbers numbers(text);
  double epoch = 0;
  for (const EbmFigures& figures : epochs) {
    numbers.write(++epoch, ',');
    numbers.write(figures.of_data, ',');
    numbers.write(figures.of_chains, ',');
    numbers.write(figures.acceptance, '\n');
  }
  numbers.flush();
  replace_file(file, text);
}

class Fit final : public TrainingRun {
 public:
  Fit(const EbmFitRequest& request, const Ranks& ranks, const run::Watch& watch, EbmTrace& trace)
      : TrainingRun({.train = request.train,
                     .has_patience = true,
                     .held_out_name = "log likelihood",
                     .data = request.rows.paths,
                     .out = request.out,
                     .force = request.force},
                    ranks, watch),
        request_(request),
        trace_(trace) {}

 private:
  void prepare() override {
    const RawRows raw = read_rows(request_.rows);
    const std::string file = request_.rows.paths.front().string();
    EbmModel model = request_.model;
    const RowSplit split = split_rows(raw.x.size(0), request_.validation, model.seed, file);
    fit_model_to_rows(model, raw, file);
    const EnergyRecord& energy = energy_named(model.energy.name);
    const ChainSamplerRecord& sampler = chain_sampler_named(model.sampler.name);
    model.energy.options =
        read_options(energy.options, request_.energy_options, "--energy " + model.energy.name);
    model.sampler.options =
        read_options(sampler.options, request_.sampler_options, "--sampler " + model.sampler.name);
    built_ = std::make_unique<BuiltEbm>(std::move(model), request_.device);
    describe_in_record(content_hash(std::string(static_cast<const char*>(raw.x.data_ptr()), raw.x.nbytes())));
    built_->start(raw.x.index_select(0, split.train));
    const torch::Tensor all = built_->prepared(raw.x);
    const auto on_device = [&](const torch::Tensor& rows) { return rows.to(all.device()); };
    train_rows_ = all.index_select(0, on_device(split.train));
    if (split.held_out.size(0) > 0) held_out_ = all.index_select(0, on_device(split.held_out));
    const bool is_exact = !built_->energy().exact_partition_by().empty();
    choose_lengths({.rows = train_rows_.size(0),
                    .batch = request_.train.batch,
                    .has_held_out = held_out_.defined(),
                    .no_patience = is_exact ? "" : "held-out likelihoods that only annealing gives"});
  }

  void describe_in_record(const std::string& data_hash) {
    record().kind = run::Kind::ebm;
    record().method = built_->model().training.name;
    record().data_hash = data_hash;
    record().seed = built_->model().seed;
    record().chains = 1;
    record().parameters = static_cast<std::size_t>(built_->energy().layout().size());
    record().options = request_.options;
  }

  Description describe() const override {
    const EbmTraining& training = request_.training;
    return {.file = "model.json",
            .text = to_json(built_->model()),
            .more = fmt::format("{} {} {}", training.rate, static_cast<int>(training.schedule),
                                training.energy_decay)};
  }

  std::unique_ptr<Trainee> make_trainee() override {
    return std::make_unique<EbmTrainee>(*built_, train_rows_, held_out_, request_.training, trace_);
  }

  void look() override {}

  void tell(bool is_interrupted) override {
    const std::vector<EbmFigures> figures = trace_.figures();
    const EbmAccount account{.built = *built_,
                             .options = train_options(),
                             .trained = trained(),
                             .figures = figures,
                             .train_rows = train_rows_.size(0),
                             .held_out_rows = held_out_.defined() ? held_out_.size(0) : 0};
    record().facts = facts_of(account);
    if (!is_interrupted) record().findings = findings_of(account);
  }

  void write_results() override {
    built_->save(file("weights.safetensors"));
    write_chains(file("chains.csv"), trace_.figures());
    if (trained().failure.empty()) write_pictures();
  }

  void write_pictures() {
    const bool is_image = built_->model().is_image(), is_plane = built_->model().dim == 2;
    if (!is_image && !(is_plane && built_->energy().is_continuous())) return;
    const torch::Tensor x = sample_ebm(*built_, {.count = is_image ? kShownImages : kShownPoints}).x;
    replace_file(file(is_image ? "samples.png" : "density.png"),
                 png_bytes(is_image ? ebm_images(*built_, x) : density_map(*built_, x)));
  }

  // The gap between the energies of data and chains, and what share of the chains' moves is accepted.
  std::vector<run::PartProgress> more_figures() const override {
    const EbmFigures last = trace_.figures().back();
    return {{.value_name = "energy gap", .value = last.gap()},
            {.value_name = "acceptance", .value = last.acceptance}};
  }

  const EbmFitRequest& request_;
  EbmTrace& trace_;
  std::unique_ptr<BuiltEbm> built_;
  torch::Tensor train_rows_, held_out_;  // prepared
};

}  // namespace

FitOutcome fit_ebm(const EbmFitRequest& request, const Ranks& ranks, const run::Watch& watch) {
  if (ranks.size() > 1)
    throw Error(ErrorKind::usage, "the chains of an energy move in one process.", "Start one process.");
  EbmTrace trace;
  return Fit(request, ranks, watch, trace).run();
}

}  // namespace kullback::deep
