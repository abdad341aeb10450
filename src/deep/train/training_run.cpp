#include "deep/train/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/content_hash.hpp"
#include "base/csv_numbers.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "deep/train/epoch_log.hpp"
#include "kullback_version.hpp"
#include "run/folder.hpp"
#include "run/progress_log.hpp"

namespace kullback::deep {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSteps = 20'000;  // of a training whose epochs were not given
constexpr const char* kCheckpoint = "checkpoint.safetensors";
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

TrainingRun::TrainingRun(RunRequest request, const Ranks& ranks, const run::Watch& watch)
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
    throw Error(ErrorKind::usage, fmt::format("--patience cannot be combined with {}.", lengths.no_patience),
                "Leave it out.");
  if (train_.patience > 0 && !lengths.has_held_out)
    throw Error(ErrorKind::usage, "--patience needs rows that are held out, but --validation is 0.",
                "Give --validation 0.1, or leave --patience away.");
}

void TrainingRun::begin() {
  run::RunRecord& record = outcome_.record;
  record.version = kVersion;
  for (const fs::path& path : request_.data) record.data += (record.data.empty() ? "" : " ") + path.string();
  record.status = "running";
  record.started = run::utc_now();
  const Description description = describe();
  train_.fingerprint =
      content_hash(fmt::format("{}{} {} {} {} {}", description.text, record.data_hash, train_.epochs,
                               train_.batch, train_.patience, description.more));
  if (ranks_.is_first()) begin_folder(description);
  request_.out = ranks_.broadcast(folder_ ? folder_->path().string() : std::string());
  train_.checkpoint = request_.out / kCheckpoint;
}

// All processes then write where the first one does.
void TrainingRun::begin_folder(const Description& description) {
  folder_ = train_.resume ? run::RunFolder::resume(request_.out)
                          : run::RunFolder::begin(request_.out, outcome_.record, {}, request_.force);
  try {
    replace_file(file(description.file), description.text);
    folder_->add_event(train_.resume ? "resume" : "start",
                       fmt::format("\"ranks\": {}, {}", ranks_.size(), run::process_fields()));
  } catch (const Error&) {
    abandon();
    throw;
  }
}

void TrainingRun::abandon() {
  if (folder_) folder_->abandon();
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
    abandon();
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
    log.note(told, more_figures());
    if (watch_.on_progress) watch_.on_progress(log.progress());
  };
  outcome_.trained = train(*trainee, train_, ranks_, watch);
  trainee.reset();
  gather();
  for (EpochFigures& epoch : outcome_.trained.epochs) epoch = in_own_units(epoch);
}

void TrainingRun::write() {
  const TrainOutcome& trained = outcome_.trained;
  run::RunRecord& record = outcome_.record;
  const bool failed = !trained.failure.empty();
  if (failed && trained.epochs.empty()) {  // the checkpoint is that of the start
    std::error_code none;
    if (folder_) fs::remove(train_.checkpoint, none);
    abandon();
    throw Error(ErrorKind::bad_input, trained.failure + ".",
                "Lower --rate, or look for extreme values in the data.");
  }
  write_training(file("training.csv"), trained.epochs);
  if (!trained.is_interrupted) look();
  tell(trained.is_interrupted);
  record.gradients = static_cast<std::uint64_t>(trained.epochs.size()) *
                     static_cast<std::uint64_t>((rows_ + train_.batch - 1) / train_.batch);
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  record.status = trained.is_interrupted ? "interrupted" : failed ? "stopped" : "complete";
  if (!trained.is_interrupted) write_results();
  // A checkpoint that stays where a kill comes between is passed over by those who read the results.
  folder_->finish(record, record.status, fmt::format("\"epochs\": {}", trained.epochs.size()));
  outcome_.folder = folder_->path();
  std::error_code none;
  if (!trained.is_interrupted) fs::remove(outcome_.folder / kCheckpoint, none);
}

}  // namespace kullback::deep
