// The training loop on a quadratic: x moves towards rows of data, so every number can be followed.
#include "deep/train/train.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace kullback::deep {
namespace {

// Loss of a row: (x - row)^2 / 2; the step has noise, so that random numbers count.
class Follower final : public Trainee {
 public:
  explicit Follower(std::int64_t rows) : data_(torch::arange(static_cast<double>(rows), torch::kFloat64)) {}

  std::int64_t rows() const override { return data_.size(0); }
  torch::Device device() const override { return torch::kCPU; }

  torch::Tensor step(const StepContext& context) override {
    const torch::Tensor rows = data_.index_select(0, context.rows[0]);
    seen_.index_add_(0, context.rows[0], torch::ones_like(rows));
    const torch::Tensor noise = context.noise.normal({rows.size(0)}, data_.options(), 0);
    const torch::Tensor gap = x_ - rows + noise;
    const torch::Tensor loss = gap.square().sum() / 2 / static_cast<double>(context.batch);
    x_.sub_(0.1 * gap.sum() / static_cast<double>(context.batch));
    if (++steps_ == break_at) x_.fill_(std::numeric_limits<double>::quiet_NaN());
    return loss;
  }

  double held_out() override {
    return held_out_figures.empty() ? std::nan("") : held_out_figures.at(judged_++);
  }
  void visit(const VisitTensor& visit) override { visit("x", x_); }
  std::string first_not_finite() override { return std::isnan(x()) ? "x" : ""; }

  double x() const { return x_.item<double>(); }
  const torch::Tensor& seen() const { return seen_; }

  std::vector<double> held_out_figures = {};
  int break_at = 0;

 private:
  torch::Tensor data_;
  torch::Tensor x_ = torch::zeros({1}, torch::kFloat64);
  torch::Tensor seen_ = torch::zeros({100}, torch::kFloat64);
  std::size_t judged_ = 0;
  int steps_ = 0;
};

class TrainTest : public testing::Test {
 protected:
  TrainTest()
      : folder_(std::filesystem::temp_directory_path() / ("train_test." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TrainTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "checkpoint.safetensors"; }

  Ranks ranks_;
  std::filesystem::path folder_;
};

TEST_F(TrainTest, EveryRowComesOnceInAnEpochAndSomeTwiceWhereTheBatchDoesNotDivide) {
  Follower even(12);
  train(even, {.epochs = 1, .batch = 4}, ranks_);
  EXPECT_TRUE(even.seen().slice(0, 0, 12).equal(torch::ones({12}, torch::kFloat64)));
  Follower odd(10);
  train(odd, {.epochs = 1, .batch = 4}, ranks_);
  EXPECT_EQ(odd.seen().sum().item<double>(), 12);
  EXPECT_EQ(odd.seen().slice(0, 0, 10).min().item<double>(), 1);
}

TEST_F(TrainTest, AResumedRunEndsWithTheSameBits) {
  const auto options = [&](std::int64_t epochs, bool resume) {
    return TrainOptions{.epochs = epochs,
                        .batch = 3,
                        .seed = 5,
                        .checkpoint = file(),
                        .save_every = 0,
                        .fingerprint = "a",
                        .resume = resume};
  };
  Follower whole(10);
  train(whole, {.epochs = 6, .batch = 3, .seed = 5}, ranks_);
  Follower first(10), second(10);
  train(first, options(4, false), ranks_);
  EXPECT_NE(first.x(), whole.x());
  const TrainOutcome outcome = train(second, options(6, true), ranks_);
  EXPECT_EQ(second.x(), whole.x());
  EXPECT_EQ(outcome.epochs.size(), 6u);
}

TEST_F(TrainTest, AnInterruptedEpochIsDoneAgain) {
  Follower whole(10), stopped(10), resumed(10);
  const TrainOptions options{.epochs = 3, .batch = 2, .seed = 5, .checkpoint = file(), .resume = true};
  train(whole, {.epochs = 3, .batch = 2, .seed = 5}, ranks_);
  int steps = 0;
  const TrainOutcome outcome = train(stopped, options, ranks_, {.should_stop = [&] { return ++steps == 7; }});
  EXPECT_TRUE(outcome.is_interrupted);
  EXPECT_EQ(outcome.epochs.size(), 1u);
  train(resumed, options, ranks_);
  EXPECT_EQ(resumed.x(), whole.x());
}

TEST_F(TrainTest, RefusesTheCheckpointOfAnother) {
  Follower first(10), second(10);
  train(first, {.epochs = 1, .checkpoint = file(), .fingerprint = "a"}, ranks_);
  try {
    train(second, {.epochs = 1, .checkpoint = file(), .fingerprint = "b", .resume = true}, ranks_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_NE(error.message().find("another model"), std::string::npos) << error.message();
  }
}

TEST_F(TrainTest, EndsWithTheBestEpochWhenPatienceIsOver) {
  Follower best_only(10), follower(10);
  train(best_only, {.epochs = 2, .batch = 2, .seed = 1}, ranks_);
  follower.held_out_figures = {1, 3, 2, 2.5, 2.9, 9};
  const TrainOutcome outcome = train(follower, {.epochs = 6, .batch = 2, .patience = 3, .seed = 1}, ranks_);
  EXPECT_TRUE(outcome.stopped_early);
  EXPECT_EQ(outcome.epochs.size(), 5u);
  EXPECT_EQ(outcome.best_epoch, 2);
  EXPECT_EQ(follower.x(), best_only.x());
}

TEST_F(TrainTest, ALossThatIsNotFiniteEndsAtTheLastGoodEpoch) {
  Follower good(10), bad(10);
  train(good, {.epochs = 2, .batch = 2, .seed = 1}, ranks_);
  bad.break_at = 12;
  const TrainOutcome outcome = train(bad, {.epochs = 6, .batch = 2, .seed = 1}, ranks_);
  EXPECT_EQ(outcome.epochs.size(), 2u);
  EXPECT_EQ(outcome.failure, "the loss ceased to be finite in epoch 3; it began in x");
  EXPECT_EQ(bad.x(), good.x());
}

TEST(Noise, ARankHasItsRowsOfTheWhole) {
  torch::manual_seed(3);
  const torch::Tensor all = Noise(0, 6, 6).normal({2, 6}, torch::kFloat64, 1);
  torch::manual_seed(3);
  const torch::Tensor part = Noise(2, 3, 6).normal({2, 3}, torch::kFloat64, 1);
  EXPECT_TRUE(part.equal(all.slice(1, 2, 5)));
}

}  // namespace
}  // namespace kullback::deep
