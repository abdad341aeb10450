// One training from data to a folder: what networks and autoencoders do alike. The folder is begun, the model
// trained (or a training that was interrupted goes on), its results written, each in its turn; kinds of
// models say what these are.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "deep/train/train.hpp"
#include "run/folder.hpp"
#include "run/progress.hpp"
#include "run/record.hpp"

namespace kullback::deep {

struct FitOutcome {
  run::RunRecord record;  // facts and findings for people
  TrainOutcome trained;
  std::filesystem::path folder = {};  // where the files are
  bool is_complete() const { return record.status == "complete"; }
};

struct RunRequest {
  TrainOptions train = {};  // epochs 0: chosen by the number of rows; without files
  bool has_patience = false;
  std::string held_out_name = {};                // what the held-out figure is, for people who watch
  std::vector<std::filesystem::path> data = {};  // for the record
  std::filesystem::path out = {};
  bool force = false;
};

class TrainingRun {
 public:
  virtual ~TrainingRun() = default;
  // Throws Error; a folder that was made is left only where something was learned.
  FitOutcome run();

 protected:
  TrainingRun(RunRequest request, const Ranks& ranks, const run::Watch& watch);

  // The model on paper: a file of the folder, and what else decides about the training.
  struct Description {
    std::string file = {};
    std::string text = {};
    std::string more = {};
  };

  // In the order of the calls. On all processes: reads the data and builds the model, fills in the record
  // (kind, method, hash of the data, seed, chains, parameters, options), and calls choose_lengths().
  virtual void prepare() = 0;
  virtual Description describe() const = 0;
  virtual std::unique_ptr<Trainee> make_trainee() = 0;
  virtual EpochFigures in_own_units(EpochFigures figures) const { return figures; }
  virtual void gather() {}
  // On the first process. After a training that was not interrupted: last touches, and what they are worth.
  virtual void look() = 0;
  // Facts, and where the training was not interrupted findings, for the record.
  virtual void tell(bool is_interrupted) = 0;
  virtual void write_results() = 0;

  struct Lengths {
    std::int64_t rows = 0;   // to train on
    std::int64_t batch = 0;  // where the user gave none
    bool has_held_out = false;
    // Why there is no early stopping, for "--patience makes no sense with ..."; empty: there may be.
    std::string no_patience = {};
  };
  // Epochs, batch and patience where the user gave none. Throws Error usage.
  void choose_lengths(const Lengths& lengths);
  // Of the last epoch, beside its loss, for people who watch.
  virtual std::vector<run::PartProgress> more_figures() const { return {}; }

  run::RunRecord& record() { return outcome_.record; }
  const TrainOptions& train_options() const { return train_; }
  const TrainOutcome& trained() const { return outcome_.trained; }
  // Where one of the run's files is written; on the first process.
  std::filesystem::path file(const std::string& name) const { return folder_->file(name); }
  const Ranks& ranks() const { return ranks_; }

 private:
  void begin();
  void begin_folder(const Description& description);
  void abandon();
  bool should_stop() const;
  void train_or_clean_up();
  void train_model();
  void write();

  RunRequest request_;
  std::unique_ptr<run::RunFolder> folder_;  // on the first process, once the run has begun
  const Ranks& ranks_;
  const run::Watch& watch_;
  TrainOptions train_;
  std::int64_t rows_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  FitOutcome outcome_;
};

}  // namespace kullback::deep
