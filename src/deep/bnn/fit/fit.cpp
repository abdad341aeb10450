#include "deep/bnn/fit/fit.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "base/random.hpp"
#include "deep/bnn/fit/account.hpp"
#include "deep/bnn/fit/files.hpp"
#include "deep/bnn/training.hpp"
#include "deep/purpose.hpp"
#include "deep/train/epoch_log.hpp"
#include "kullback_version.hpp"
#include "posterior/json_text.hpp"
#include "posterior/progress_log.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::deep {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSteps = 20'000;  // of a training whose epochs were not given
constexpr std::int64_t kFewestEpochs = 20, kMostEpochs = 1000;
constexpr std::int64_t kBatch = 32;
constexpr double kSmallStep = 2e7;          // operations
constexpr std::int64_t kFinishRows = 1024;  // evaluated at once after the last epoch
constexpr std::size_t kShownRows = 2000;    // of held_out.csv

struct Split {
  std::vector<std::size_t> train, held_out;
};

// A random part of the rows, each in its old order.
Split split_rows(std::size_t rows, double part, std::uint64_t seed) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed, 0, static_cast<std::uint32_t>(Purpose::split));
  for (std::size_t i = rows; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const auto count = static_cast<std::ptrdiff_t>(std::llround(part * static_cast<double>(rows)));
  Split split{.train = {order.begin() + count, order.end()},
              .held_out = {order.begin(), order.begin() + count}};
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

TableRequest::Target target_kind(const std::string& likelihood) {
  if (likelihood == "auto") return TableRequest::Target::either;
  return likelihood_named(likelihood).is_classification ? TableRequest::Target::category
                                                        : TableRequest::Target::number;
}

std::string hash_of(const Table& table) {
  std::string bytes(reinterpret_cast<const char*>(table.cells.data()), table.cells.size() * sizeof(double));
  for (const std::string& name : table.shape.names) bytes += name + "\n";
  return posterior::content_hash(bytes);
}

class Fit final {
 public:
  Fit(const FitRequest& request, const Ranks& ranks, const FitWatch& watch)
      : request_(request), ranks_(ranks), watch_(watch), train_(request.train) {}

  FitOutcome run() {
    read();
    build();
    begin();
    outcome_.trained = train_or_clean_up();
    if (ranks_.is_first()) write();
    return std::move(outcome_);
  }

 private:
  void read() {
    table_ = read_table({.paths = request_.data,
                         .target = request_.target,
                         .ignored = request_.ignored,
                         .kind = target_kind(request_.likelihood)});
    split_ = split_rows(table_.rows, request_.validation, request_.network.seed);
    if (split_.train.size() < 2)
      throw Error(ErrorKind::bad_input,
                  filled("{}: {} rows with a target are too few to train on.", request_.data.front().string(),
                         table_.rows),
                  "Give more rows, or a smaller --validation.");
    const auto rows = static_cast<std::int64_t>(split_.train.size());
    if (train_.batch == 0)
      train_.batch = posterior_named(request_.network.posterior).needs_all_rows ? rows : kBatch;
    train_.batch = std::min(train_.batch, rows);
    const std::int64_t steps = (rows + train_.batch - 1) / train_.batch;
    if (train_.epochs == 0) train_.epochs = std::clamp(kSteps / steps, kFewestEpochs, kMostEpochs);
    choose_patience();
  }

  void choose_patience() {
    const bool suits = posterior_named(request_.network.posterior).suits_early_stopping;
    if (!request_.has_patience) {
      train_.patience = suits && !split_.held_out.empty() ? std::max<std::int64_t>(10, train_.epochs / 5) : 0;
      return;
    }
    if (train_.patience > 0 && !suits)
      throw Error(ErrorKind::usage,
                  filled("--patience makes no sense with --posterior {}, which collects draws as it goes.",
                         request_.network.posterior),
                  "Leave it away.");
    if (train_.patience > 0 && split_.held_out.empty())
      throw Error(ErrorKind::usage, "--patience needs rows that are held out, but --validation is 0.",
                  "Give --validation 0.1, or leave --patience away.");
  }

  void build() {
    Network network = request_.network;
    network.preparation = prepare(table_, split_.train);
    network.likelihood = request_.likelihood != "auto"             ? request_.likelihood
                         : network.preparation.is_classification() ? "categorical"
                                                                   : "gaussian";
    if (network.noise > 0 && network.likelihood != "gaussian")
      throw Error(ErrorKind::usage,
                  filled("--noise is not an option of --likelihood {}.", network.likelihood),
                  "Leave it out, or give --likelihood gaussian.");
    network.train_rows = static_cast<std::int64_t>(split_.train.size());
    built_ = std::make_unique<BuiltNetwork>(std::move(network), request_.device);
    data_.train = rows_of(split_.train);
    if (!split_.held_out.empty()) data_.held_out = rows_of(split_.held_out);
    use_threads(true);
    data_.members = built_->network().members;
    data_.epochs = train_.epochs;
  }

  // Threads that wait for each other cost more than a small step does.
  void use_threads(bool is_training) const {
    const double work = 6.0 * static_cast<double>(built_->network().members * train_.batch) *
                        static_cast<double>(built_->net().layout().size());
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const int all = request_.threads > 0 ? request_.threads : std::max(1, cores / ranks_.size());
    const bool takes_one = request_.threads == 0 && is_training && work < kSmallStep;
    at::set_num_threads(takes_one ? 1 : all);
  }

  GroupRows rows_of(const std::vector<std::size_t>& rows) const {
    const Preparation& preparation = built_->network().preparation;
    const torch::Tensor y = preparation.y(table_, rows).unsqueeze(0);
    const torch::TensorOptions kind =
        preparation.is_classification() ? built_->options().dtype(torch::kInt64) : built_->options();
    return {preparation.x(table_, rows).unsqueeze(0).to(built_->options()), y.to(kind)};
  }

  void begin() {
    posterior::RunRecord& record = outcome_.record;
    record.kind = "bnn";
    record.method = built_->network().posterior;
    record.version = kVersion;
    for (const fs::path& path : request_.data)
      record.data += (record.data.empty() ? "" : " ") + path.string();
    record.data_hash = hash_of(table_);
    record.seed = built_->network().seed;
    record.chains = static_cast<std::size_t>(built_->network().members);
    record.parameters = static_cast<std::size_t>(built_->net().layout().size());
    record.options = request_.options;
    record.status = "running";
    record.started = posterior::utc_now();
    train_.checkpoint = request_.out / "checkpoint.safetensors";
    train_.fingerprint =
        posterior::content_hash(filled("{}{} {} {} {}", to_json(built_->network()), record.data_hash,
                                       train_.epochs, train_.batch, train_.patience));
    if (ranks_.is_first()) begin_folder();
    ranks_.barrier();
  }

  void begin_folder() {
    if (!train_.resume) {
      posterior::begin_folder(request_.out, outcome_.record, {}, request_.force);
    } else {
      posterior::remove_torn_files(request_.out);
    }
    replace_file(request_.out / "network.json", to_json(built_->network()));
    posterior::add_event(request_.out, train_.resume ? "resume" : "start",
                         filled("\"ranks\": {}, {}", ranks_.size(), posterior::process_fields()));
  }

  // In the units of the target: a density of the standardised one is larger by its sd.
  EpochFigures in_own_units(EpochFigures figures) const {
    figures.held_out -= std::log(built_->network().preparation.target_sd);
    return figures;
  }

  bool should_stop() const {
    double stops = watch_.should_stop && watch_.should_stop() ? 1 : 0;
    ranks_.sum({&stops, 1});  // a signal reaches the processes at different times
    return stops > 0;
  }

  // What cannot be trained at all leaves no folder behind.
  TrainOutcome train_or_clean_up() {
    try {
      return train_network();
    } catch (const Error&) {
      std::error_code none;
      if (ranks_.is_first() && !train_.resume && !fs::exists(train_.checkpoint, none))
        fs::remove_all(request_.out, none);
      throw;
    }
  }

  TrainOutcome train_network() {
    PosteriorTrainee trainee(built_->net(), built_->posterior(), data_);
    TrainWatch watch;
    EpochLog log(request_.out, train_.epochs, "log likelihood", ranks_.is_first());
    watch.should_stop = [&] {
      log.beat();
      return should_stop();
    };
    watch.on_epoch = [&](const EpochFigures& figures) {
      log.note(in_own_units(figures));
      if (watch_.on_epoch) watch_.on_epoch(in_own_units(figures), train_.epochs);
    };
    TrainOutcome trained = train(trainee, train_, ranks_, watch);
    for (EpochFigures& epoch : trained.epochs) epoch = in_own_units(epoch);
    return trained;
  }

  void write() {
    const TrainOutcome& trained = outcome_.trained;
    posterior::RunRecord& record = outcome_.record;
    const bool failed = !trained.failure.empty();
    if (failed && trained.epochs.empty()) {
      std::error_code none;
      fs::remove_all(request_.out, none);
      throw Error(ErrorKind::bad_input, trained.failure + ".",
                  "Lower --rate, or look for extreme values in the data.");
    }
    write_training(request_.out / "training.csv", trained.epochs);
    Evaluation evaluation;
    if (!trained.is_interrupted) evaluation = finish_and_evaluate();
    const Account account{table_, split_.train, split_.held_out.size(), *built_, train_, trained, evaluation};
    record.facts = facts_of(account);
    if (!trained.is_interrupted) record.findings = findings_of(account);
    record.gradients =
        static_cast<std::uint64_t>(trained.epochs.size()) *
        static_cast<std::uint64_t>((split_.train.size() + static_cast<std::size_t>(train_.batch) - 1) /
                                   static_cast<std::size_t>(train_.batch));
    record.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    record.status = trained.is_interrupted ? "interrupted" : failed ? "stopped" : "complete";
    if (!trained.is_interrupted) write_results(evaluation);
    replace_file(request_.out / "run.json", posterior::to_json(record));
    posterior::add_event(request_.out, record.status, filled("\"epochs\": {}", trained.epochs.size()));
    if (!trained.is_interrupted) {
      std::error_code none;
      fs::remove(train_.checkpoint, none);
    }
  }

  Evaluation finish_and_evaluate() {
    use_threads(false);
    built_->posterior().finish(for_members(data_.train, data_.members), kFinishRows);
    if (split_.held_out.empty()) return {};
    const bool has_all_lines = split_.held_out.size() <= kShownRows;
    const Evaluation all = evaluate_rows(split_.held_out, has_all_lines);
    if (has_all_lines) {
      write_held_out(split_.held_out, all);
    } else {
      const std::vector<std::size_t> some(split_.held_out.begin(), split_.held_out.begin() + kShownRows);
      write_held_out(some, evaluate_rows(some, true));
    }
    return all;
  }

  std::vector<double> targets_of(const std::vector<std::size_t>& rows) const {
    std::vector<double> target;
    for (const std::size_t row : rows) target.push_back(table_.target(row));
    return target;
  }

  Evaluation evaluate_rows(const std::vector<std::size_t>& rows, bool wants_lines) {
    return evaluate(
        *built_, built_->network().preparation.x(table_, rows), targets_of(rows),
        {.wants_lines = wants_lines, .draws = built_->network().draws, .seed = built_->network().seed});
  }

  void write_held_out(const std::vector<std::size_t>& rows, const Evaluation& evaluation) const {
    write_predictions(request_.out / "held_out.csv", evaluation, built_->network().preparation,
                      targets_of(rows));
  }

  void write_results(const Evaluation& evaluation) {
    built_->save(request_.out / "weights.safetensors");
    std::string text = filled("{{\n  \"train_rows\": {},\n  \"held_out_rows\": {},\n  \"best_epoch\": {}",
                              split_.train.size(), split_.held_out.size(), outcome_.trained.best_epoch);
    for (const auto& [name, value] : evaluation.figures)
      text += filled(",\n  \"held_out_{}\": {}", name, posterior::json_number(value));
    if (!evaluation.bins.empty()) text += ",\n  \"reliability\": " + reliability_json(evaluation.bins);
    text += ",\n  \"findings\": " + posterior::json_findings(outcome_.record.findings) + "\n}\n";
    replace_file(request_.out / "summary.json", text);
  }

  const FitRequest& request_;
  const Ranks& ranks_;
  const FitWatch& watch_;
  TrainOptions train_;
  Clock::time_point began_ = Clock::now();
  Table table_;
  Split split_;
  std::unique_ptr<BuiltNetwork> built_;
  PosteriorTrainee::Data data_;
  FitOutcome outcome_;
};

}  // namespace

FitOutcome fit(const FitRequest& request, const Ranks& ranks, const FitWatch& watch) {
  return Fit(request, ranks, watch).run();
}

}  // namespace kullback::deep
