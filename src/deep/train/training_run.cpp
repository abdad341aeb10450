#include "deep/train/training_run.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/csv_numbers.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/filled.hpp"
#include "deep/train/epoch_log.hpp"
#include "kullback_version.hpp"
#include "posterior/progress_log.hpp"
#include "posterior/run_folder.hpp"

namespace kullback::deep {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSteps = 20'000;  // of a training whose epochs were not given
constexpr std::int64_t kFewestEpochs = 20, kMostEpochs = 1000;

// epoch,loss,held_out,seconds
void write_training(const fs::path& file, const std::vector<EpochFigures>& epochs) {
  std::string text = "epoch,loss,held_out,seconds\n";
  CsvNumbers numbers(text);
  for (const EpochFigures& epoch : epochs) {
    numbers.write(static_cast<double>(epoch.epoch), ',');
    numbers.write(epoch.loss, ',');
    numbers.write(epoch.held_out, ',');
    numbers.write(epoch.seconds, '\n');
  }
  numbers.flush();
  replace_file(file, text);
}

}  // namespace

TrainingRun::TrainingRun(RunRequest request, const Ranks& ranks, const FitWatch& watch)
    : request_(std::move(request)), ranks_(ranks), watch_(watch), train_(request_.train) {}

FitOutcome TrainingRun::run() {
  prepare();
  begin();
  train_or_clean_up();
  if (ranks_.is_first()) write();
  return std::move(outcome_);
}

void TrainingRun::choose_lengths(const Lengths& lengths) {
  rows_ = lengths.rows;
  if (train_.batch == 0) train_.batch = lengths.batch;
  train_.batch = std::min(train_.batch, rows_);
  const std::int64_t steps = (rows_ + train_.batch - 1) / train_.batch;
  if (train_.epochs == 0) train_.epochs = std::clamp(kSteps / steps, kFewestEpochs, kMostEpochs);
  const bool suits = lengths.no_patience.empty();
  if (!request_.has_patience) {
    train_.patience = suits && lengths.has_held_out ? std::max<std::int64_t>(10, train_.epochs / 5) : 0;
    return;
  }
  if (train_.patience > 0 && !suits)
    throw Error(ErrorKind::usage, filled("--patience cannot be combined with {}.", lengths.no_patience),
                "Leave it out.");
  if (train_.patience > 0 && !lengths.has_held_out)
    throw Error(ErrorKind::usage, "--patience needs rows that are held out, but --validation is 0.",
                "Give --validation 0.1, or leave --patience away.");
}

void TrainingRun::begin() {
  posterior::RunRecord& record = outcome_.record;
  record.version = kVersion;
  for (const fs::path& path : request_.data) record.data += (record.data.empty() ? "" : " ") + path.string();
  record.status = "running";
  record.started = posterior::utc_now();
  const Description description = describe();
  train_.checkpoint = request_.out / "checkpoint.safetensors";
  train_.fingerprint =
      posterior::content_hash(filled("{}{} {} {} {} {}", description.text, record.data_hash, train_.epochs,
                                     train_.batch, train_.patience, description.more));
  if (ranks_.is_first()) begin_folder(description);
  ranks_.barrier();
}

void TrainingRun::begin_folder(const Description& description) {
  if (!train_.resume) {
    posterior::begin_folder(request_.out, outcome_.record, {}, request_.force);
  } else {
    posterior::remove_torn_files(request_.out);
  }
  replace_file(request_.out / description.file, description.text);
  posterior::add_event(request_.out, train_.resume ? "resume" : "start",
                       filled("\"ranks\": {}, {}", ranks_.size(), posterior::process_fields()));
}

bool TrainingRun::should_stop() const {
  double stops = watch_.should_stop && watch_.should_stop() ? 1 : 0;
  ranks_.sum({&stops, 1});  // a signal reaches the processes at different times
  return stops > 0;
}

// What cannot be trained at all leaves no folder behind.
void TrainingRun::train_or_clean_up() {
  try {
    train_model();
  } catch (const Error&) {
    std::error_code none;
    if (ranks_.is_first() && !train_.resume && !fs::exists(train_.checkpoint, none))
      fs::remove_all(request_.out, none);
    throw;
  }
}

void TrainingRun::train_model() {
  std::unique_ptr<Trainee> trainee = make_trainee();
  TrainWatch watch;
  EpochLog log(request_.out, train_.epochs, request_.held_out_name, ranks_.is_first());
  watch.should_stop = [&] {
    log.beat();
    return should_stop();
  };
  watch.on_epoch = [&](const EpochFigures& figures) {
    const EpochFigures told = in_own_units(figures);
    log.note(told);
    if (watch_.on_epoch) watch_.on_epoch(told, train_.epochs);
  };
  outcome_.trained = train(*trainee, train_, ranks_, watch);
  trainee.reset();
  gather();
  for (EpochFigures& epoch : outcome_.trained.epochs) epoch = in_own_units(epoch);
}

void TrainingRun::write() {
  const TrainOutcome& trained = outcome_.trained;
  posterior::RunRecord& record = outcome_.record;
  const bool failed = !trained.failure.empty();
  std::error_code none;
  if (failed && trained.epochs.empty()) {
    fs::remove_all(request_.out, none);
    throw Error(ErrorKind::bad_input, trained.failure + ".",
                "Lower --rate, or look for extreme values in the data.");
  }
  write_training(request_.out / "training.csv", trained.epochs);
  if (!trained.is_interrupted) look();
  tell(trained.is_interrupted);
  record.gradients = static_cast<std::uint64_t>(trained.epochs.size()) *
                     static_cast<std::uint64_t>((rows_ + train_.batch - 1) / train_.batch);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  record.status = trained.is_interrupted ? "interrupted" : failed ? "stopped" : "complete";
  if (!trained.is_interrupted) write_results();
  replace_file(request_.out / "run.json", posterior::to_json(record));
  posterior::add_event(request_.out, record.status, filled("\"epochs\": {}", trained.epochs.size()));
  if (!trained.is_interrupted) fs::remove(train_.checkpoint, none);
}

}  // namespace kullback::deep
