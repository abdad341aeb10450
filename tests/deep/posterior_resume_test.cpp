// A training that is interrupted and goes on in a fresh object ends with the same bits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/deep/linear_model.hpp"
#include "tests/deep/train_posterior.hpp"

namespace kullback::deep {
namespace {

constexpr std::int64_t kEpochs = 12;

struct Trained {
  std::unique_ptr<Posterior> posterior;
  TrainOutcome outcome;
};

class Resume : public testing::TestWithParam<std::string> {
 protected:
  Resume() : net_(toy_net({.inputs = 2, .hidden = {4}, .activation = Activation::tanh}, 0)) {
    torch::manual_seed(3);
    x_ = torch::randn({1, 20, 2}, torch::kFloat64);
    y_ = at::sin(x_.sum(2));
    path_ = std::filesystem::temp_directory_path() / ("resume_" + GetParam() + std::to_string(getpid()));
  }
  ~Resume() override { std::filesystem::remove(path_); }

  Trained run(TrainOptions options, std::int64_t stop_after = kEpochs) {
    const PosteriorRecord* record = find_posterior(GetParam());
    Trained result{.posterior = record->make(net_, read_options(record->options, settings_of(), "a part"),
                                             {.nets = 2, .all_rows = 20, .seed = 1, .options = x_.options()}),
                   .outcome = {}};
    PosteriorTrainee trainee(net_, *result.posterior, {.train = {x_, y_}, .members = 2, .epochs = kEpochs});
    bool stops = false;
    options.epochs = kEpochs;
    options.batch = GetParam() == "hmc" ? 20 : 8;
    const TrainWatch watch{
        .on_epoch = [&](const EpochFigures& figures) { stops = figures.epoch == stop_after; },
        .should_stop = [&] { return stops; }};
    result.outcome = train(trainee, options, Ranks(), watch);
    if (!result.outcome.is_interrupted) result.posterior->finish(for_members({x_, y_}, 2), 6);
    return result;
  }

  // Twelve transitions do not find a step size.
  static std::map<std::string, std::string> settings_of() {
    if (GetParam() != "hmc") return {};
    return {{"max_leapfrogs", "10"}};
  }

  static std::vector<torch::Tensor> state(Posterior& posterior) {
    std::vector<torch::Tensor> all;
    posterior.visit([&](const std::string&, torch::Tensor& tensor) { all.push_back(tensor.clone()); });
    return all;
  }

  BayesNet net_;
  torch::Tensor x_, y_;
  std::filesystem::path path_;
};

TEST_P(Resume, GivesTheSameBits) {
  const Trained whole = run({});
  EXPECT_TRUE(run({.checkpoint = path_}, 7).outcome.is_interrupted);
  const Trained resumed = run({.checkpoint = path_, .resume = true});
  EXPECT_EQ(resumed.outcome.epochs.size(), static_cast<std::size_t>(kEpochs));
  const std::vector<torch::Tensor> first = state(*whole.posterior), second = state(*resumed.posterior);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first[i].equal(second[i])) << i;
  const torch::Tensor x = x_.expand({2, 20, 2});
  EXPECT_TRUE(whole.posterior->predict(x, 5).mean.equal(resumed.posterior->predict(x, 5).mean));
}

// What finish() made is part of the state too.
TEST_P(Resume, StateOfAFinishedRunPredicts) {
  const Trained whole = run({});
  const std::vector<torch::Tensor> saved = state(*whole.posterior);
  const PosteriorRecord* record = find_posterior(GetParam());
  const auto fresh = record->make(net_, read_options(record->options, settings_of(), "a part"),
                                  {.nets = 2, .all_rows = 20, .seed = 1, .options = x_.options()});
  std::size_t i = 0;
  fresh->visit([&](const std::string&, torch::Tensor& tensor) {
    if (tensor.sizes() == saved[i].sizes()) {
      tensor.copy_(saved[i]);
    } else {
      tensor = saved[i].clone();
    }
    ++i;
  });
  const torch::Tensor x = x_.expand({2, 20, 2});
  const Predictive first = whole.posterior->predict(x, 5), second = fresh->predict(x, 5);
  EXPECT_TRUE(first.mean.equal(second.mean));
  EXPECT_TRUE(first.variance.equal(second.variance));
}

INSTANTIATE_TEST_SUITE_P(Posteriors, Resume,
                         testing::Values("map", "laplace", "swag", "dropout", "sgld", "psgld", "sghmc",
                                         "cyclical", "hmc"));

}  // namespace
}  // namespace kullback::deep
