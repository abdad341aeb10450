#include "deep/train/row_feed.hpp"

#include <gtest/gtest.h>

#include "deep/vae/training.hpp"
#include "tests/deep/linear_model.hpp"
#include "tests/deep/train_posterior.hpp"
#include "tests/deep/vae_toy.hpp"

namespace kullback::deep {
namespace {

TEST(RowFeed, BringsTheRowsOfEachStepInTurn) {
  const torch::Tensor x = torch::arange(24, torch::kFloat64).view({2, 6, 2}),
                      y = torch::arange(12, torch::kInt64).view({2, 6});
  const torch::Tensor order =
      torch::tensor({5, 0, 3, 1, 2, 4, 0, 1, 2, 3, 4, 5}, torch::kInt64).view({2, 3, 2});
  RowFeed there({x, y}, torch::kCPU), streamed({x, y}, torch::kCPU, true);
  EXPECT_FALSE(there.is_streamed());
  EXPECT_TRUE(streamed.is_streamed());
  const void* place = nullptr;
  for (int epoch = 0; epoch < 2; ++epoch) {
    streamed.begin_epoch(order);
    for (std::int64_t step = 0; step < 3; ++step) {
      streamed.ready();
      const torch::Tensor rows = order.select(1, step);
      EXPECT_TRUE(streamed.take(0, rows).equal(there.take(0, rows)));
      EXPECT_TRUE(streamed.take(1, rows).equal(there.take(1, rows)));
      // A captured step reads the same memory each time.
      if (place != nullptr) {
        EXPECT_EQ(streamed.take(0, rows).data_ptr(), place);
      }
      place = streamed.take(0, rows).data_ptr();
      streamed.prefetch();
    }
  }
}

TEST(RowFeed, RowsArePlacedWhereTheyFit) {
  EXPECT_EQ(place_of_rows(100, torch::kCPU, {}).type(), torch::kCPU);
  EXPECT_EQ(place_of_rows(100, torch::Device(torch::kCUDA, 0), 99).type(), torch::kCPU);
  EXPECT_EQ(place_of_rows(100, torch::Device(torch::kCUDA, 0), 100).type(), torch::kCUDA);
}

TEST(RowFeed, StreamedNetworksTrainToTheSameBits) {
  const BayesNet net = toy_net({.inputs = 2, .hidden = {5}}, 0);
  torch::manual_seed(3);
  const torch::Tensor x = torch::randn({1, 30, 2}, torch::kFloat64), y = at::sin(x.sum(2));
  for (const std::string name : {"map", "mean-field"}) {
    const auto trained = [&](bool streams) {
      const PosteriorRecord* record = find_posterior(name);
      auto posterior =
          record->make(net, OptionValues(), {.nets = 2, .all_rows = 30, .seed = 1, .options = x.options()});
      PosteriorTrainee trainee(
          net, *posterior,
          {.train = {x, y}, .held_out = {x, y}, .members = 2, .epochs = 5, .streams = streams});
      std::vector<double> curve;
      train(trainee, {.epochs = 5, .batch = 8, .seed = 4}, Ranks(),
            {.on_epoch = [&](const EpochFigures& figures) {
              curve.push_back(figures.loss);
              curve.push_back(figures.held_out);
            }});
      return curve;
    };
    EXPECT_EQ(trained(true), trained(false));
  }
}

TEST(RowFeed, StreamedAutoencodersTrainToTheSameBits) {
  ToyVae toy;
  toy.spec.labels = 2;
  const torch::Tensor levels = (toy_bits(40, 6) * 200).to(torch::kUInt8);
  const torch::Tensor label = torch::arange(40, torch::kInt64).remainder(2);
  const auto objective = make_objective("vae");
  const auto trained = [&](bool streams) {
    const Vae vae = toy.make();
    VaeTrainee trainee(vae, *objective, vae.fresh(rows_as_numbers(levels, torch::kFloat64), 1),
                       {.x = levels, .label = label}, {}, {.seed = 4, .streams = streams});
    train(trainee, {.epochs = 4, .batch = 16, .seed = 4}, Ranks());
    return trainee.flat().clone();
  };
  EXPECT_TRUE(trained(true).equal(trained(false)));
}

}  // namespace
}  // namespace kullback::deep
