// The states of a training run that are kept: after the last good epoch, after the best one, and both in a
// file.
#pragma once

#include <chrono>
#include <vector>

#include "deep/train/train.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep {

class Checkpoint final {
 public:
  Checkpoint(Trainee& trainee, const TrainOptions& options);

  void keep_good() { keep(good_); }
  void keep_best() { keep(best_); }
  void restore_good() { restore(good_); }
  void restore_best() { restore(best_); }

  // Of the good state; nothing where no file was asked for. Where members are spread over processes all of
  // them call it at once, and the first writes the state of all. Throws Error cannot_write.
  void save(const TrainOutcome& outcome);
  bool is_due(const TrainOutcome& outcome, bool is_last) const;
  // Nothing where there is no file. Throws Error bad_input for a checkpoint of something else.
  void load(TrainOutcome& outcome);

 private:
  using State = std::vector<torch::Tensor>;

  void keep(State& into);
  State whole(const State& here) const;
  void restore(const State& from);

  Trainee& trainee_;
  const TrainOptions& options_;
  State good_, best_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace kullback::deep
