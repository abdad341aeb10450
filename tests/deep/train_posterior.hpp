// Trains a posterior on toy data, as the program does.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/ranks.hpp"
#include "deep/bnn/posterior.hpp"
#include "deep/bnn/training.hpp"
#include "deep/train/train.hpp"

namespace kullback::deep {

struct ToyRun {
  std::string posterior;
  std::map<std::string, std::string> options = {};
  std::int64_t epochs = 200;
  std::int64_t batch = 32;
  std::int64_t members = 1;
  std::uint64_t seed = 1;
};

// x [rows, inputs], y [rows]. Options must be those of the posterior's record.
inline std::unique_ptr<Posterior> train_posterior(const BayesNet& net, const ToyRun& run,
                                                  const torch::Tensor& x, const torch::Tensor& y) {
  const PosteriorRecord* record = find_posterior(run.posterior);
  const OptionValues settings = read_options(record->options, run.options, "a part");
  auto posterior = record->make(
      net, settings, {.nets = run.members, .all_rows = x.size(0), .seed = run.seed, .options = x.options()});
  const GroupRows rows{x.unsqueeze(0), y.unsqueeze(0)};
  PosteriorTrainee trainee(net, *posterior, {.train = rows, .members = run.members, .epochs = run.epochs});
  const Ranks ranks;
  train(trainee, {.epochs = run.epochs, .batch = run.batch, .seed = run.seed}, ranks);
  posterior->finish(for_members(rows, run.members), 256);
  return posterior;
}

}  // namespace kullback::deep
