// Tables of diffusion where the truth is known; docs/diffusion.md has their figures. Each prints itself and
// says whether what is promised was kept.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deep/diffusion/learned_score.hpp"
#include "deep/diffusion/training.hpp"

namespace kullback::deep::diffusion {

bool exact_tables();
bool learned_table();
bool two_sample_table();

struct Recipe {
  std::vector<std::int64_t> hidden;
  std::int64_t steps = 0;
  std::int64_t batch = 1024;
  double rate = 5e-3;
};

// A network trained on rows [rows, dims]: lognormal times, the weighting and the parameterisation of EDM,
// Adam with a cosine rate, and the running mean of the parameters. Progress goes to stderr. Throws Error
// where it is interrupted.
class Trained final {
 public:
  Trained(std::unique_ptr<Sde> sde, const torch::Tensor& x, const Recipe& recipe, const std::string& name);

  const Sde& sde() const { return *sde_; }
  LearnedScore score() const { return {network(), Parameters(layout_, flat_), dims_}; }
  double seconds() const { return seconds_; }

 private:
  Network network() const;

  std::unique_ptr<Sde> sde_;
  std::int64_t dims_;
  Layout layout_;
  std::unique_ptr<ScoreNet> net_;
  torch::Tensor flat_;
  double seconds_ = 0;
};

// "kept" or "MISSED".
const char* verdict(bool is_kept);
// One line on stderr that replaces the last; an empty one clears it.
void show_progress(const std::string& text);
// Throws Error where Ctrl-C was pressed.
void stop_if_interrupted();

}  // namespace kullback::deep::diffusion
