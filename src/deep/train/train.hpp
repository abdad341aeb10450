// The training loop: epochs of minibatches with progress, early stopping, checkpoints; on a GPU as a replayed
// graph.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep {

struct TrainOptions {
  std::int64_t epochs = 100;
  std::int64_t batch = 128;      // rows of a minibatch, on all ranks together; no more than there are
  std::int64_t patience = 0;     // epochs without a better held-out figure after which it ends; 0: none
  std::int64_t judge_every = 1;  // epochs between two held-out figures
  std::uint64_t seed = 0;
  bool uses_graph = true;                 // on a GPU: capture the step
  std::filesystem::path checkpoint = {};  // a file; empty: none
  double save_every = 30;                 // seconds between checkpoints, which are written after epochs
  std::string fingerprint = {};           // of model and data: a checkpoint of another is refused
  bool resume = false;                    // from the checkpoint, where there is one
};

struct EpochFigures {
  std::int64_t epoch = 0;  // from 1
  double loss = 0;         // mean over its steps
  double held_out = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;  // since the start, earlier runs included
};

struct TrainWatch {
  std::function<void(const EpochFigures&)> on_epoch = {};
  std::function<bool()> should_stop = {};  // asked after each step
};

struct TrainOutcome {
  std::vector<EpochFigures> epochs = {};
  std::int64_t best_epoch = 0;  // whose state the trainee has in the end; 0: the last
  bool is_interrupted = false;
  bool stopped_early = false;
  std::string failure =
      {};  // why the loss ceased to be finite and where; the state is that of the last good epoch
};

// Throws Error for a checkpoint that does not belong to the trainee.
TrainOutcome train(Trainee& trainee, const TrainOptions& options, const Ranks& ranks,
                   const TrainWatch& watch = {});

}  // namespace kullback::deep
