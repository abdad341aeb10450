// With exact denoisers of a known table: bounds against log p(x), samplers against the table.
#include <gtest/gtest.h>

#include <cmath>

#include "deep/discrete/binomial.hpp"
#include "deep/discrete/training.hpp"
#include "tests/discrete/tables.hpp"

namespace kullback::deep::discrete {
namespace {

// Categories; of counts the same table, whose values are then levels.
Table small_table() { return random_table({3, 3, 2}, 4); }

class EachProcess : public testing::TestWithParam<const char*> {
 protected:
  Table table_ = small_table();
  std::string name_ = GetParam();
  std::unique_ptr<Process> process_ = process_of(name_, table_, options_for(name_));
};

INSTANTIATE_TEST_SUITE_P(All, EachProcess, testing::Values("masked", "blackout", "glauber", "flow"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Processes, AreAllInTheList) {
  EXPECT_EQ(processes().size(), 4);
  EXPECT_ANY_THROW(process_named("mask"));
}

// In continuous time all four are tight: the mean of the estimate is log p(x), of every row.
TEST_P(EachProcess, TheBoundIsLogPWithExactConditionals) {
  const auto denoiser = exact_for(name_, table_);
  const std::int64_t copies = name_ == "glauber" ? 2 : 3000;
  at::manual_seed(1);
  const torch::Tensor x = table_.rows.repeat_interleave(copies, 0);
  const torch::Tensor each = bounds(*process_, *denoiser, x, 4).view({table_.states(), copies});
  const torch::Tensor gap = each.mean(1) - table_.p.log();
  if (name_ == "glauber") {
    EXPECT_LT(gap.abs().max().item<double>(), 1e-9);  // without noise
    return;
  }
  const torch::Tensor z = gap / (each.std(1) / std::sqrt(static_cast<double>(copies)));
  EXPECT_LT(z.abs().max().item<double>(), 4) << gap;
  EXPECT_LT(z.square().mean().item<double>(), 2.5);
  EXPECT_LT(gap.abs().max().item<double>(), 0.25);
}

// Below the log probabilities of a model, exp(bound) sums to at most 1; and a denoiser that is wrong loses
// against the entropy.
TEST_P(EachProcess, TheBoundIsBelowLogPOfAnyModel) {
  const auto denoiser = exact_for(name_, table_, 0.4);
  const std::int64_t copies = name_ == "glauber" ? 30 : 1500;
  at::manual_seed(2);
  const torch::Tensor x = table_.rows.repeat_interleave(copies, 0);
  const torch::Tensor each = bounds(*process_, *denoiser, x, 4).view({table_.states(), copies});
  const torch::Tensor mean = each.mean(1), error = each.std(1) / std::sqrt(static_cast<double>(copies));
  const double of_sum = (mean.exp() * error).square().sum().sqrt().item<double>();
  EXPECT_LT(mean.exp().sum().item<double>(), 1 + 3 * of_sum);
  const double loss = -(table_.p * mean).sum().item<double>();
  const double of_loss = (table_.p * error).square().sum().sqrt().item<double>();
  EXPECT_GT(loss, table_.entropy() + 5 * of_loss);
}

TEST_P(EachProcess, SamplesHaveTheJointTable) {
  const auto denoiser = exact_for(name_, table_);
  at::manual_seed(3);
  const std::int64_t rows = name_ == "glauber" ? 1500 : 10'000;
  const torch::Tensor x = process_->draw(*denoiser, rows, {.steps = 200});
  EXPECT_LT(std::fabs(misfit(table_.counts(x), table_.p)), 4);
}

TEST(Masked, OneStepForgetsHowColumnsDepend) {
  const Table table = small_table();
  const auto process = process_of("masked", table);
  const ExactMasked denoiser(table);
  at::manual_seed(3);
  EXPECT_GT(misfit(table.counts(process->draw(denoiser, 20'000, {.steps = 1})), table.p), 50);
  EXPECT_EQ(process->steps_taken(300), 3);
}

TEST(Steps, MoreOfThemComeNearer) {
  const Table table = small_table();
  for (const char* name : {"blackout", "flow"}) {
    const auto process = process_of(name, table);
    const auto denoiser = exact_for(name, table);
    const auto distance = [&](std::int64_t steps) {
      at::manual_seed(5);
      const torch::Tensor share = table.counts(process->draw(*denoiser, 10'000, {.steps = steps})) / 10'000;
      return (share - table.p).abs().sum().item<double>() / 2;
    };
    const double few = distance(3), some = distance(12), many = distance(100);
    EXPECT_GT(few, 1.5 * some) << name;
    EXPECT_LT(many, 0.03) << name;
  }
}

TEST(Flow, TheStochasticProcessHasTheSameLaw) {
  const Table table = small_table();
  const auto process = process_of("flow", table);
  const ExactFlow denoiser(table);
  at::manual_seed(6);
  const torch::Tensor x = process->draw(denoiser, 10'000, {.steps = 200, .eta = 1});
  EXPECT_LT(std::fabs(misfit(table.counts(x), table.p)), 4);
}

TEST(Blackout, BinomialDrawsHaveTheirLaw) {
  at::manual_seed(7);
  for (const std::int64_t count : {1, 6, 13, 255}) {
    const torch::Tensor p = torch::tensor({0.02, 0.4, 0.97}, doubles());
    const torch::Tensor n = draw_binomial(torch::full({3, 20'000}, count, torch::kInt64), p, 255, Noise());
    const torch::Tensor all = torch::arange(count + 1);
    for (std::int64_t row = 0; row < 3; ++row) {
      const torch::Tensor exact = log_binomial(all, torch::full_like(all, count), p[row]).exp();
      EXPECT_NEAR(exact.sum().item<double>(), 1, 1e-9);
      const torch::Tensor found = at::bincount(n[row], {}, count + 1).to(torch::kFloat64);
      EXPECT_LT(std::fabs(misfit(found, exact)), 4) << count << " " << row;
    }
  }
  const torch::Tensor ends = torch::tensor({0.0, 1.0}, doubles());
  const torch::Tensor n = draw_binomial(torch::full({2, 10}, 7, torch::kInt64), ends, 7, Noise());
  EXPECT_TRUE(n[0].eq(0).all().item<bool>() && n[1].eq(7).all().item<bool>());
}

// What is given to a denoiser, and answered by the exact one.
class Watched final : public Denoiser {
 public:
  explicit Watched(const Denoiser& exact) : exact_(exact) {}
  torch::Tensor at(const torch::Tensor& given, const torch::Tensor& t) const override {
    states.push_back(given);
    times.push_back(t);
    return exact_.at(given, t);
  }
  mutable std::vector<torch::Tensor> states, times;

 private:
  const Denoiser& exact_;
};

// The states that a loss sees are those of lives of units, each exponential with mean 1.
TEST(Blackout, StatesAreThoseOfADeathProcess) {
  const Table table = random_table({6}, 1);
  const auto process = process_of("blackout", table);
  const ExactBlackout exact(table);
  const Watched watched(exact);
  at::manual_seed(8);
  const std::int64_t rows = 20'000;
  const torch::Tensor x = torch::full({rows, 1}, 5, torch::kInt64);
  process->bound(watched, x, torch::full({rows}, 0.55, doubles()), Noise());
  const double p = at::sigmoid(watched.times[0][0]).item<double>();
  const torch::Tensor life = -torch::rand({rows, 5}, doubles()).log();
  const torch::Tensor alive = (life > -std::log(p)).sum(1);
  const torch::Tensor seen = at::bincount(watched.states[0].flatten(), {}, 6).to(torch::kFloat64);
  const torch::Tensor simulated = at::bincount(alive, {}, 6).to(torch::kFloat64);
  const torch::Tensor z = (seen - simulated) / (seen + simulated).clamp_min(1).sqrt();
  EXPECT_LT(z.abs().max().item<double>(), 4);
}

// The states that a loss sees are those of the chain, visit by visit.
TEST(Glauber, StatesAreThoseOfTheChain) {
  const Table table = random_table({3, 2}, 2);
  const auto process = process_of("glauber", table, options_for("glauber"));
  const ExactGlauber exact(table, kSweeps);
  const Watched watched(exact);
  at::manual_seed(9);
  const std::int64_t rows = 6000;
  process->loss(watched, torch::tensor({{2, 1}}).repeat({rows, 1}), Noise());
  const torch::Tensor state = watched.states[0], sweep = watched.times[0];
  // Before the visit of the second column in sweep 1: the first has been visited twice.
  const torch::Tensor is_here = (sweep == 1).logical_and(state.select(1, 1) == 3);
  const torch::Tensor seen = state.select(1, 0).masked_select(is_here);
  torch::Tensor value = torch::full({200'000}, 2, torch::kInt64);
  for (std::int64_t k = 0; k < 2; ++k) {
    const double stay = static_cast<double>(kSweeps - k - 1) / static_cast<double>(kSweeps - k);
    value = at::where(torch::rand({200'000}) < stay, value, torch::randint(3, {200'000}));
  }
  const torch::Tensor simulated = at::bincount(value, {}, 3).to(torch::kFloat64) / 200'000;
  EXPECT_NEAR(static_cast<double>(seen.size(0)), static_cast<double>(rows) / 6, 150);
  EXPECT_LT(std::fabs(misfit(at::bincount(seen, {}, 3).to(torch::kFloat64), simulated)), 4);
}

// A heat bath with the conditionals of a law leaves it as it is, and mixes the column.
TEST(Glauber, TheHeatBathTakesOneLawToTheNext) {
  const Table table = small_table();
  const ExactGlauber exact(table, kSweeps);
  const torch::Tensor before = exact.law({2, 1, 1}), after = exact.law({1, 1, 1});
  EXPECT_LT((before.sum(0) - after.sum(0)).abs().max().item<double>(), 1e-12);
  const torch::Tensor bath = before.sum(0, true) * after / after.sum(0, true);
  EXPECT_LT((bath - after).abs().max().item<double>(), 1e-12);
  EXPECT_GT((before - after).abs().max().item<double>(), 1e-3);
}

// Both losses of the heat bath are smallest at the exact conditionals.
TEST(Glauber, BothLossesPreferTheExactConditionals) {
  const Table table = random_table({3, 2}, 2);
  for (const char* loss : {"prediction", "classification"}) {
    auto options = options_for("glauber");
    options["heat_bath_loss"] = loss;
    const auto process = process_of("glauber", table, options);
    at::manual_seed(10);
    const torch::Tensor x = table.draw(6000);
    const auto mean = [&](double blend) {
      at::manual_seed(11);
      return process->loss(ExactGlauber(table, kSweeps, blend), x, Noise());
    };
    const torch::Tensor gain = mean(0.5) - mean(0);
    const double z = gain.mean().item<double>() / (gain.std().item<double>() / std::sqrt(6000.0));
    EXPECT_GT(z, 4) << loss;
  }
}

}  // namespace
}  // namespace kullback::deep::discrete
