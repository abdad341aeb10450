// The contract of all approximate posteriors of a network's parameters, and their records.
// Every posterior holds `nets` independent copies of itself, trained at once: members of an ensemble (or
// chains), for each of several groups of data (splits): net = group * members + member.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/option.hpp"
#include "deep/bnn/bayes_net.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep {

// Rows for each net: x [nets, rows, ...], y [nets, rows].
struct NetRows {
  torch::Tensor x;
  torch::Tensor y;
};

struct Minibatch {
  NetRows rows;  // this rank's
  std::int64_t all_rows =
      0;  // of the training data of each net: a row of the minibatch stands for all_rows / step.batch
  const StepContext& step;
};

class Posterior {
 public:
  virtual ~Posterior() = default;

  // One move. Returns the loss before it, one number, detached: mean over nets of -(log joint or bound) /
  // all_rows as this rank sees it (sum over ranks is the whole). Nothing may be read back from the device.
  virtual torch::Tensor step(const Minibatch& batch) = 0;
  // After an epoch; progress is the part of all epochs that is done. Collects draws, for instance.
  virtual void end_epoch(double /*progress*/) {}
  // After the last epoch, with all training data, which may be on the CPU: curvature and the like. `batch`
  // rows are evaluated at once.
  virtual void finish(const NetRows& /*data*/, std::int64_t /*batch*/) {}
  // `draws` of each net at x [nets, rows, ...]: tensors [nets, draws', rows(, classes)]. A posterior that has
  // its own set of draws returns at most so many of them; one with a closed form may return a single Gaussian
  // mixture component.
  virtual Predictive predict(const torch::Tensor& x, std::int64_t draws) = 0;
  // Draws of the parameters [nets, draws, size], where they exist; undefined otherwise (dropout, closed
  // forms).
  virtual torch::Tensor draw_parameters(std::int64_t /*draws*/) { return {}; }
  // A point estimate, [nets, size]: for diagnoses of numbers that are not finite.
  virtual torch::Tensor center() = 0;
  // The first dimension of tensors of real numbers counts nets; whole numbers (counts, stages) are the same
  // for all nets.
  virtual void visit(const VisitTensor& visit) = 0;
  virtual bool is_capturable() const { return true; }
  virtual Findings findings() const { return {}; }
};

// What one draw of each net predicts, as one draw: [nets, 1, rows(, classes)].
Predictive one_draw(const Predictive& predictive);
// What `draws` of each net predict, given as that many nets each: [nets, draws, rows(, classes)].
Predictive as_draws(const Predictive& predictive, std::int64_t draws);
// What draws of parameters [nets, draws, size] predict at x [nets, rows, ...]. Many at once, in parts
// where that is too much for the memory.
Predictive predict_draws(const BayesNet& net, const torch::Tensor& draws, const torch::Tensor& x);

struct PosteriorStart {
  std::int64_t nets = 1;
  std::int64_t all_rows = 0;
  std::uint64_t seed = 0;
  torch::TensorOptions options = {};  // device and type of parameters
  // Where nets are divided among processes: the number of the first one here, and how many there are of all.
  std::int64_t first_net = 0;
  std::int64_t all_nets = 0;  // 0: as many as here

  NetPart part() const { return {.first = first_net, .count = nets, .all = all_nets == 0 ? nets : all_nets}; }
};

// Those of the nets here.
inline torch::Tensor fresh_parameters(const Layout& layout, const PosteriorStart& start) {
  return fresh_parameters(layout, start.nets, start.seed, start.options, start.first_net);
}

struct PosteriorRecord {
  std::string_view name;      // "mean-field"
  std::string_view summary;   // what it is, one clause
  std::string_view use_when;  // one sentence
  std::string_view citation;
  OptionTable options;  // besides those of training (epochs, batch, rate)
  // Defaults of training that suit it; empty: the program's.
  std::int64_t members = 1;
  // False where draws are collected while it trains: an early end, or going back to the best epoch, would
  // lose them.
  bool suits_early_stopping = true;
  bool needs_all_rows = false;       // a minibatch is all of the data
  bool suits_short_products = true;  // layers may multiply in bfloat16 or tf32 while it trains
  // Throws Error usage for what makes no sense (a prior without precisions, a likelihood without a closed
  // form ...).
  std::unique_ptr<Posterior> (*make)(const BayesNet& net, const OptionValues& values,
                                     const PosteriorStart& start);
};

// In the order of deep/bnn/posteriors.def.
std::span<const PosteriorRecord* const> posteriors();
// Null where there is none.
const PosteriorRecord* find_posterior(std::string_view name);

}  // namespace kullback::deep
