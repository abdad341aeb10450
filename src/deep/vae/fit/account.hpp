// What is told of a trained autoencoder: facts for a table, findings in words.
#pragma once

#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "deep/train/train.hpp"
#include "deep/vae/fit/model.hpp"

namespace kullback::deep {

// Burda, Grosse, Salakhutdinov 2016: a latent variable is active where the variance over rows of its
// posterior mean is above 0.01.
struct Activity {
  torch::Tensor variance;  // of each latent variable
  std::int64_t active = 0;

  std::int64_t latent() const { return variance.size(0); }
};
Activity activity_of(const torch::Tensor& means);
// None where enough are active.
Findings findings_of(const Activity& activity);

struct VaeAccount {
  const BuiltVae& built;
  const TrainOptions& options;
  const TrainOutcome& trained;
  std::int64_t train_rows = 0;
  std::int64_t held_out_rows = 0;
  std::int64_t held_out_samples = 1;
  double held_out_bound = 0;  // of the state that is kept; NaN: none
  Activity activity = {};
};

std::vector<std::pair<std::string, std::string>> facts_of(const VaeAccount& account);
Findings findings_of(const VaeAccount& account);

}  // namespace kullback::deep
