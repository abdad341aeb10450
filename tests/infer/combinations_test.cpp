// Every combination family x objective x estimator x optimiser of --method vi either runs to finite draws or
// is refused in a sentence that names the parts that do not go together and says what would work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/advice.hpp"
#include "base/error.hpp"
#include "infer/vi/parts.hpp"
#include "tests/infer/algorithm_runs.hpp"
#include "tests/infer/targets.hpp"

namespace kullback::infer {
namespace {

constexpr std::size_t kDim = 3;
constexpr std::size_t kRows = 8;

// Linear regression: a Gaussian posterior with correlations that tells its rows, terms, blocks and supports.
class Regression final : public density::LogDensity {
 public:
  Regression() {
    supports_[1] = {.kind = density::Support::Kind::positive, .lower = 0};
    supports_[2] = {.kind = density::Support::Kind::bounded, .lower = 0, .upper = 1};
  }

  std::size_t dim() const override { return kDim; }
  std::span<const density::Block> blocks() const override { return blocks_; }
  std::span<const density::Support> supports() const override { return supports_; }
  density::Terms* terms() override { return &terms_; }
  density::Rows* rows() override { return &rows_; }

  void evaluate(const density::Batch& batch) override {
    const std::size_t lanes = batch.lanes;
    const auto scale = static_cast<double>(kRows) / static_cast<double>(rows_.chosen.size());
    for (std::size_t k = 0; k < lanes; ++k) {
      const double* theta = batch.theta + k;
      double value = 0;
      double slopes[kDim];
      for (std::size_t i = 0; i < kDim; ++i) {
        value -= 0.5 * theta[i * lanes] * theta[i * lanes];
        slopes[i] = -theta[i * lanes];
      }
      for (const std::uint32_t row : rows_.chosen) {
        const double residual = residual_of(row, theta, lanes);
        value -= 0.5 * scale * residual * residual;
        for (std::size_t i = 0; i < kDim; ++i) slopes[i] += scale * residual * input(row, i);
      }
      batch.log_density[k] = value;
      batch.status[k] = std::isfinite(value) ? density::Status::ok : density::Status::not_finite;
      if (batch.gradient == nullptr) continue;
      for (std::size_t i = 0; i < kDim; ++i) batch.gradient[i * lanes + k] = slopes[i];
    }
  }

 private:
  static double input(std::size_t row, std::size_t i) {
    return i == 0 ? 1 : std::sin(static_cast<double>(row * i)) + 0.5;
  }
  static double residual_of(std::size_t row, const double* theta, std::size_t lanes) {
    double mean = 0;
    for (std::size_t i = 0; i < kDim; ++i) mean += input(row, i) * theta[i * lanes];
    return std::cos(static_cast<double>(row)) - mean;
  }

  // The prior of each coordinate, then the likelihood.
  struct PriorsAndLikelihood final : density::Terms {
    std::size_t count() const override { return kDim + 1; }
    std::span<const std::uint32_t> coordinates(std::size_t term) const override {
      static constexpr std::uint32_t kAll[] = {0, 1, 2};
      return term == kDim ? std::span(kAll) : std::span(kAll).subspan(term, 1);
    }
    void evaluate(std::size_t lanes, const double* theta, double* result) override {
      for (std::size_t k = 0; k < lanes; ++k) {
        for (std::size_t i = 0; i < kDim; ++i)
          result[i * lanes + k] = -0.5 * theta[i * lanes + k] * theta[i * lanes + k];
        double sum = 0;
        for (std::size_t row = 0; row < kRows; ++row) sum += std::pow(residual_of(row, theta + k, lanes), 2);
        result[kDim * lanes + k] = -0.5 * sum;
      }
    }
  };

  struct Chosen final : density::Rows {
    Chosen() { choose({}); }
    std::size_t count() const override { return kRows; }
    void choose(std::span<const std::uint32_t> rows) override {
      chosen.assign(rows.begin(), rows.end());
      for (std::uint32_t row = 0; rows.empty() && row < kRows; ++row) chosen.push_back(row);
    }
    std::vector<std::uint32_t> chosen;
  };

  std::vector<density::Block> blocks_{{"a", 0, 1}, {"b", 1, 2}};
  std::vector<density::Support> supports_{kDim};
  PriorsAndLikelihood terms_;
  Chosen rows_;
};

// Names of parts; empty: left to the method.
struct Combination {
  std::string family, objective, estimator, optimizer;

  std::string text() const {
    return "--family " + family + " --objective " + objective + " --estimator " + estimator +
           " --optimizer " + optimizer;
  }
};

template <class Record>
std::vector<std::string> names_of(std::span<const Record* const> records) {
  std::vector<std::string> names{""};
  for (const Record* record : records) names.emplace_back(record->name);
  return names;
}

Options options_for(const Combination& combination, std::size_t steps) {
  Options options;
  options.set("family", combination.family);
  options.set("objective", combination.objective);
  options.set("estimator", combination.estimator);
  options.set("optimizer", combination.optimizer);
  options.set("max_steps", steps);
  options.set("grad_draws", 4);
  options.set("draws", 6);
  return options;
}

std::unique_ptr<Algorithm> make(density::LogDensity& density, const Combination& combination,
                                std::size_t steps) {
  return find_method("vi")->make(density, options_for(combination, steps),
                                 {std::vector<double>(density.dim(), 0.1), 5, 0});
}

// A refusal names what was given for two of the parts at least, each with its flag, and what to do.
void expect_helpful(const Error& error, const Combination& combination) {
  EXPECT_EQ(error.kind(), ErrorKind::usage) << error.message();
  const std::string text = error.message() + " " + error.hint();
  std::size_t named = 0;
  for (const auto& [flag, name] :
       {std::pair{"--family ", combination.family}, std::pair{"--objective ", combination.objective},
        std::pair{"--estimator ", combination.estimator}, std::pair{"--optimizer ", combination.optimizer}}) {
    if (!name.empty() && error.message().find(flag + name) != std::string::npos) ++named;
  }
  const std::size_t given =
      static_cast<std::size_t>(!combination.family.empty() + !combination.objective.empty() +
                               !combination.estimator.empty() + !combination.optimizer.empty());
  const bool is_refused_by_model =
      for_terminal(error.message()).starts_with("--family " + combination.family + ": the model");
  EXPECT_GE(named, std::min<std::size_t>(is_refused_by_model ? 1 : 2, given)) << text;
  EXPECT_FALSE(error.hint().empty()) << text;
  EXPECT_EQ(text.find("internal"), std::string::npos) << text;
}

bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

void expect_facts(const Facts& facts, const Combination& combination) {
  const auto fact = [&](const std::string& name) {
    for (const auto& [key, value] : facts) {
      if (key == name) return value;
    }
    return std::string();
  };
  for (const auto& [key, name] :
       {std::pair{"family", combination.family}, std::pair{"objective", combination.objective},
        std::pair{"estimator", combination.estimator}, std::pair{"optimizer", combination.optimizer}}) {
    EXPECT_TRUE(name.empty() || fact(key) == name) << key << ": " << fact(key);
  }
  EXPECT_FALSE(fact("family").empty());
  EXPECT_FALSE(fact("objective").empty());
  EXPECT_FALSE(fact("gradient").empty());
  EXPECT_FALSE(fact("khat").empty());
  EXPECT_FALSE(fact("elbo").empty() && fact("surrogate elbo").empty());
  for (const auto& [key, value] : facts) {
    EXPECT_TRUE(key == "khat" || value.find("nan") == std::string::npos) << key << ": " << value;
  }
}

void expect_ran(Algorithm& algorithm, const Draws& draws, const Combination& combination) {
  EXPECT_EQ(draws.count(), 6U);
  EXPECT_TRUE(is_finite(draws.theta));
  EXPECT_TRUE(is_finite(draws.log_q));
  EXPECT_TRUE(is_finite(draws.log_density));
  expect_facts(algorithm.facts(), combination);
  for (const Finding& finding : algorithm.findings()) EXPECT_FALSE(finding.message.empty());
}

// Runs on from the archive of a run that is half done.
void expect_resumes_half_way(density::LogDensity& density, const Combination& combination, std::size_t steps,
                             const Draws& expected, std::uint64_t length) {
  const auto first = make(density, combination, steps);
  Draws draws;
  for (std::uint64_t i = 0; i < length / 2; ++i) first->step(draws);
  Archive out;
  first->archive(out);
  const auto second = make(density, combination, steps);
  Archive in(out.numbers());
  second->archive(in);
  EXPECT_TRUE(in.is_complete());
  while (second->step(draws)) {
  }
  EXPECT_EQ(draws.theta, expected.theta);
  EXPECT_EQ(draws.log_q, expected.log_q);
  EXPECT_EQ(second->progress().done, length);
}

struct Tally {
  std::size_t ran = 0;
  std::size_t refused = 0;
};

class Combinations : public ::testing::TestWithParam<std::string> {
 protected:
  // Most with few steps; with every kResumed-th also the halves.
  static constexpr std::size_t kFewSteps = 3;
  static constexpr std::size_t kManySteps = 60;
  static constexpr std::size_t kLong = 11;
  static constexpr std::size_t kResumed = 3;

  void check(density::LogDensity& density, const Combination& combination) {
    SCOPED_TRACE(combination.text());
    const bool is_long = tally_.ran % kLong == 0;
    const std::size_t steps = is_long ? kManySteps : kFewSteps;
    try {
      const auto algorithm = make(density, combination, steps);
      Draws draws;
      while (algorithm->step(draws)) {
      }
      expect_ran(*algorithm, draws, combination);
      const std::uint64_t length = algorithm->progress().done;
      if (tally_.ran++ % kResumed == 0) expect_resumes_half_way(density, combination, steps, draws, length);
    } catch (const Error& error) {
      ++tally_.refused;
      expect_helpful(error, combination);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }

  void check_all(density::LogDensity& density) {
    for (const std::string& objective : names_of(objectives())) {
      for (const std::string& estimator : names_of(estimators())) {
        for (const std::string& optimizer : names_of(optimizers())) {
          check(density, {GetParam(), objective, estimator, optimizer});
        }
      }
    }
    RecordProperty("ran", static_cast<int>(tally_.ran));
    RecordProperty("refused", static_cast<int>(tally_.refused));
  }

  Tally tally_;
};

TEST_P(Combinations, OnACorrelatedGaussian) {
  Regression density;
  check_all(density);
}

TEST_P(Combinations, OnABanana) {
  Target density = banana(0.5);
  check_all(density);
}

std::string refusal(density::LogDensity& density, const Options& options) {
  try {
    find_method("vi")->make(density, options, {std::vector<double>(density.dim(), 0.1), 5, 0});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return for_terminal(error.message() + " " + error.hint());
  }
  return "nothing was refused";
}

TEST(Refusals, FixedDrawsNoMoreThanDimensionsOfAFullCovariance) {
  Regression density;
  Options options = options_for({"fullrank", "elbo", "fixed", "adam"}, 10);
  options.set("grad_draws", kDim);
  EXPECT_EQ(
      refusal(density, options),
      "--estimator fixed does not go with this family and --objective elbo: with 3 fixed draws in 3 "
      "dimensions a free covariance spreads without end where no draw varies. Found --family "
      "fullrank --objective elbo --estimator fixed --optimizer adam. --grad-draws 6 or more, or --family "
      "meanfield.");
  options = options_for({"fullrank", "elbo", "", "lbfgs"}, 10);
  options.set("grad_draws", kDim);
  EXPECT_NE(refusal(density, options).find("3 fixed draws do not determine a covariance of 3 coordinates"),
            std::string::npos)
      << refusal(density, options);
}

TEST(Refusals, ObjectivesThatNeedAnInverseOfFlowsWithout) {
  Regression density;
  for (const std::string family : {"planar", "radial", "sylvester"}) {
    for (const std::string objective : {"forward-kl", "msc"}) {
      EXPECT_EQ(refusal(density, options_for({family, objective, "", "adam"}, 10)),
                "--objective " + objective +
                    " needs log q at points that q did not draw, and this family has none. Found --family " +
                    family + " --objective " + objective +
                    " --optimizer adam. A Gaussian family or a flow with a cheap inverse has it; --objective "
                    "elbo does without.");
    }
    EXPECT_EQ(refusal(density, options_for({family, "fisher", "", ""}, 10)),
              "--objective fisher matches the scores of a Gaussian with any covariance; this family has no "
              "such covariance. Found --family " +
                  family + " --objective fisher. Use --family fullrank.");
  }
}

TEST(Refusals, NoSteps) { EXPECT_THROW(options_for({}, 0), Error); }

INSTANTIATE_TEST_SUITE_P(Families, Combinations, ::testing::ValuesIn(names_of(families())),
                         [](const auto& tested) {
                           std::string name = tested.param.empty() ? "chosen" : tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace kullback::infer
