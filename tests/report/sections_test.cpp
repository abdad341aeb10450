// The JSON of single sections, and the draws as the page holds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/json_value.hpp"
#include "report/density.hpp"
#include "report/draw_store.hpp"
#include "report/page.hpp"
#include "report/section.hpp"
#include "report/telling.hpp"
#include "tests/report/made_folder.hpp"

namespace kullback::report {
namespace {

using posterior::make_posterior;
using posterior::normal;

std::vector<std::uint8_t> decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6 | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits >= 8) bytes.push_back(static_cast<std::uint8_t>(word >> (bits -= 8)));
  }
  return bytes;
}

std::vector<double> numbers_of(const JsonValue& column) {
  std::vector<double> numbers;
  if (const JsonValue* packed = column.find("u16")) {
    const std::vector<std::uint8_t> bytes = decoded(*packed->string());
    const double low = column.find("low")->number()->value, high = column.find("high")->number()->value;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
      numbers.push_back(low + (high - low) * (bytes[i] + 256 * bytes[i + 1]) / 65535);
    return numbers;
  }
  const std::vector<std::uint8_t> bytes = decoded(*column.find("f32")->string());
  for (std::size_t i = 0; i + 3 < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b) word |= static_cast<std::uint32_t>(bytes[i + b]) << (8 * b);
    numbers.push_back(std::bit_cast<float>(word));
  }
  return numbers;
}

struct Made {
  MadeFolder folder;
  posterior::Posterior draws;

  explicit Made(posterior::Posterior given, const std::function<void(run::RunRecord&)>& change = {})
      : draws(std::move(given)) {
    run::RunRecord record = nuts_record(draws);
    if (change) change(record);
    write_fit(folder, draws, record);
  }
  Result result() const { return Result(folder.path()); }
};

JsonValue parsed(const std::string& json) { return parse_json(json, "section"); }

// A page is read, not typed from: whoever has it made, messages have no marks around what may be typed.
TEST(Sections, ShowMessagesWithoutMarks) {
  const std::string marked = "Fit with `--method nuts --target-accept 0.95`.";
  const std::string plain = "Fit with --method nuts --target-accept 0.95.";
  ::setenv("KULLBACK_CLIENT", "python", 1);
  const Made made(make_posterior({normal("x")}, 2, 100), [&](run::RunRecord& record) {
    record.findings = {{"rhat", marked, marked, marked}};
    record.rungs = {{"laplace", "cannot tell", 1, marked}};
  });
  const JsonValue checks = parsed(checks_section(made.result())),
                  ladder = parsed(ladder_section(made.result()));
  ::unsetenv("KULLBACK_CLIENT");
  const JsonValue& check = (*checks.find("checks")->array())[0];
  for (const char* text : {"message", "evidence", "advice"})
    EXPECT_EQ(*check.find(text)->string(), plain) << text;
  EXPECT_EQ(*(*ladder.find("rungs")->array())[0].find("reason")->string(), plain);
}

TEST(Draws, ReadBackToASixteenthThousandthOfTheirRange) {
  const Made made(make_posterior(
      {normal("x"),
       {"wild", [](Random& random, std::size_t, std::size_t d) { return d == 3 ? 1e9 : random.normal(); }},
       {"count", [](Random&, std::size_t, std::size_t d) { return static_cast<double>(d % 7); }}},
      2, 100));
  const JsonValue store = parsed(draws_json(made.result()));
  const JsonValue::Array& columns = *store.find("columns")->array();
  ASSERT_EQ(columns.size(), 4u);  // lp__ first
  const std::vector<double> x = made.draws.column(0), read = numbers_of(columns[1]);
  ASSERT_EQ(read.size(), x.size());
  const double range = *std::max_element(x.begin(), x.end()) - *std::min_element(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(read[i], x[i], range / 65535);
  const std::vector<double> wild = made.draws.column(1), floats = numbers_of(columns[2]);
  ASSERT_NE(columns[2].find("f32"), nullptr);  // sixteen bits would make all but one draw the same
  for (std::size_t i = 0; i < wild.size(); ++i) EXPECT_EQ(floats[i], static_cast<float>(wild[i]));
  EXPECT_EQ(numbers_of(columns[3]), made.draws.column(2));  // whole numbers are exact
}

TEST(Draws, AreThinnedThenLeftOut) {
  std::vector<posterior::Maker> makers;
  for (int i = 1; i <= 50; ++i) makers.push_back(normal("theta." + std::to_string(i)));
  makers.push_back(normal("sigma"));
  const Made made(make_posterior(makers, 4, 100));
  const Result result = made.result();
  const StorePlan all = plan_store(result);
  EXPECT_EQ(all.every, 1u);
  EXPECT_EQ(all.rows.size(), 52u);
  // 52 rows of 400 draws are 55,467 characters.
  const StorePlan thin = plan_store(result, {.bytes = 28'000, .most_draws = 4000, .fewest_draws = 100});
  EXPECT_EQ(thin.every, 2u);
  EXPECT_EQ(thin.rows.size(), 52u);
  const StorePlan few = plan_store(result, {.bytes = 28'000, .most_draws = 4000, .fewest_draws = 400});
  EXPECT_EQ(few.every, 1u);
  EXPECT_EQ(few.rows.size(), 26u);
  EXPECT_EQ(few.rows.front(), 0u);  // lp__
  EXPECT_EQ(few.rows.back(), 51u);  // sigma, the smaller variable, goes before elements of theta
}

TEST(Draws, KeepDivergentOnesThatThinningDrops) {
  posterior::Posterior draws = make_posterior({normal("x")}, 1, 10);
  posterior::add_stat(draws, "divergent__", [](const posterior::Chain&, std::size_t, std::size_t d) {
    return d == 3 || d == 4 ? 1.0 : 0.0;
  });
  const Made made(draws);
  const StorePlan plan = plan_store(made.result(), {.bytes = 1'000'000, .most_draws = 5, .fewest_draws = 1});
  EXPECT_EQ(plan.every, 2u);
  EXPECT_EQ(plan.divergent, std::vector<std::size_t>{3});  // 4 is among the kept
}

// Between points as a line.
double height(const DensityCurve& curve, double x) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const double at = (x - curve.low) / (curve.high - curve.low) * (DensityCurve::kPoints - 1);
  const auto left = static_cast<std::size_t>(at);
  const auto value = [&](std::size_t i) {
    return static_cast<double>(digits.find(curve.heights.at(i))) / 63;
  };
  return value(left) + (at - static_cast<double>(left)) * (value(left + 1) - value(left));
}

TEST(Density, OfANormalAndOfAnExponential) {
  Random random(1, 0, 0, 0);
  std::vector<double> bell, falling;
  for (int i = 0; i < 20'000; ++i) {
    bell.push_back(random.normal());
    falling.push_back(random.gamma(1.0));
  }
  const DensityCurve normal_curve = density_curve(bell, {});
  EXPECT_NEAR(height(normal_curve, 0), 1, 0.04);
  EXPECT_NEAR(height(normal_curve, 1), std::exp(-0.5), 0.03);
  EXPECT_NEAR(height(normal_curve, -2), std::exp(-2), 0.04);
  // Smoothed by h = 0.9 (IQR / 1.34) n^(-1/5), or the step between points where that is more, and reflected,
  // exp(-x) is exp(h^2/2 - x) inside and 2 Phi(-h) exp(h^2/2) at its end.
  const DensityCurve falling_curve = density_curve(falling, {});
  const double h = std::max(0.9 * std::log(3.0) / 1.34 * std::pow(20'000.0, -0.2),
                            (falling_curve.high - falling_curve.low) / (DensityCurve::kPoints - 1));
  EXPECT_NEAR(height(falling_curve, 0.02), 1, 0.04);  // not smeared over its end
  EXPECT_NEAR(height(falling_curve, 1), std::exp(-1) / std::erfc(h / std::sqrt(2.0)), 0.02);
}

TEST(Density, OfWeightedDrawsIsTheTargets) {
  Random random(2, 0, 0, 0);
  std::vector<double> values, weights;
  double sum = 0;
  for (int i = 0; i < 40'000; ++i) {  // normal(0, 1) by weights of normal(0, 2)
    values.push_back(2 * random.normal());
    sum += weights.emplace_back(std::exp(-0.5 * values.back() * values.back() * (1 - 0.25)));
  }
  for (double& weight : weights) weight /= sum;
  const DensityCurve curve = density_curve(values, weights);
  EXPECT_NEAR(height(curve, 1), std::exp(-0.5), 0.06);
  EXPECT_NEAR(height(curve, -1.5), std::exp(-1.125), 0.06);
}

TEST(Density, HasNoCurveOfConstantsAndInfinities) {
  EXPECT_EQ(density_curve(std::vector<double>(10, 2.0), {}).heights, "");
  EXPECT_EQ(density_curve(std::vector<double>{1, 2, INFINITY}, {}).heights, "");
  EXPECT_EQ(density_curve(std::vector<double>{}, {}).heights, "");
}

TEST(Checks, AreWorstFirstAndSayWhatPassed) {
  posterior::Posterior draws = make_posterior({normal("mu"), normal("tau")}, 4, 500);
  posterior::add_stat(draws, "divergent__",
                      [](const posterior::Chain&, std::size_t, std::size_t) { return 0.0; });
  const Made made(draws, [](run::RunRecord& record) {
    record.findings = {{"ess", "Few.", "Smallest: tau (82).", "Draw more."},
                       {"stuck-chain", "Stuck.", "", "Start elsewhere."}};
  });
  const JsonValue json = parsed(checks_section(made.result()));
  std::vector<std::string> levels, codes;
  for (const JsonValue& check : *json.find("checks")->array()) {
    levels.push_back(*check.find("level")->string());
    codes.push_back(*check.find("code")->string());
  }
  EXPECT_EQ(codes, (std::vector<std::string>{"stuck-chain", "ess", "rhat", "divergences"}));
  EXPECT_EQ(levels, (std::vector<std::string>{"bad", "caution", "good", "good"}));
  EXPECT_EQ(*(*(*json.find("checks")->array())[1].find("names")->array())[0].string(), "tau");
}

// A record that says nothing does not make divergent draws well.
TEST(Checks, GoByTheNumbersWhereTheRecordIsSilent) {
  posterior::Posterior draws =
      make_posterior({normal("mu"),
                      {"apart", [](Random& random, std::size_t c,
                                   std::size_t) { return random.normal() + 5.0 * static_cast<double>(c); }}},
                     4, 500);
  posterior::add_stat(draws, "divergent__",
                      [](const posterior::Chain&, std::size_t, std::size_t d) { return d == 7 ? 1.0 : 0.0; });
  const Made made(draws);
  const JsonValue json = parsed(checks_section(made.result()));
  for (const JsonValue& check : *json.find("checks")->array())
    EXPECT_EQ(*check.find("level")->string(), "caution") << *check.find("code")->string();
}

TEST(Telling, NamesWhatSeparatesDivergentDraws) {
  posterior::Posterior draws =
      make_posterior({normal("a"), normal("b"), normal("c"), normal("d"), normal("scale")}, 4, 500);
  posterior::add_stat(draws, "divergent__", [](const posterior::Chain& chain, std::size_t, std::size_t d) {
    return chain.columns[4 * chain.draws + d] < -1.5 ? 1.0 : 0.0;
  });
  const Made made(draws);
  EXPECT_EQ(telling_names(made.result()), (std::vector<std::string>{"scale", "a", "b"}));
}

TEST(Inputs, CommandRepeatsTheFit) {
  const Made made(make_posterior({normal("mu")}, 2, 10), [](run::RunRecord& record) {
    record.program = "/home/a b/it's.stan";
    record.data = "/home/d.json";
    record.options = {{"draws", "10"}, {"max_depth", "8"}, {"init", "2"}};
    record.data_variables = {{"y", {3, 4}, false}, {"N", {}, true}};
  });
  const JsonValue json = parsed(inputs_section(made.result()));
  EXPECT_EQ(*json.find("command")->string(),
            "kullback fit '/home/a b/it'\\''s.stan' /home/d.json --method nuts --chains 2 --draws 10 --init "
            "2 \\\n  --max-depth 8 --seed 7");
  const JsonValue& y = (*json.find("data")->array())[0];
  EXPECT_EQ(*y.find("name")->string(), "y");
  EXPECT_EQ((*y.find("dims")->array())[1].number()->value, 4);
}

TEST(Certificate, HasTheLargestErrorsOfMany) {
  const Made made(make_posterior({normal("mu")}, 2, 10));
  std::string parameters;
  for (int i = 0; i < 100; ++i) {
    const std::string interval =
        "{\"estimate\": 0, \"low\": -0." + std::to_string(100 + i) + ", \"high\": 0, \"supports\": true}";
    parameters += std::string(i == 0 ? "" : ",") + "{\"name\": \"x[" + std::to_string(i) +
                  "]\", \"verdict\": \"met\", \"mean\": 1, \"sd\": 1, " +
                  "\"khat\": 0.1, \"mean_witnesses\": {\"importance\": null, \"chains\": " + interval +
                  "}, \"sd_witnesses\": {\"importance\": null, \"chains\": null}}";
  }
  made.folder.write("certificate.json",
                    "{\"tolerance\": 0.3, \"verdict\": \"met\", \"certified\": \"chains\", \"reasons\": [], "
                    "\"parameters\": [" +
                        parameters + "], \"notes\": [\"n\"]}");
  const JsonValue json = parsed(certificate_section(made.result()));
  EXPECT_EQ(json.find("judged")->number()->value, 100);
  EXPECT_EQ(json.find("parameters")->array()->size(), 60u);
  EXPECT_EQ(*(*json.find("parameters")->array())[0].find("name")->string(), "x[99]");
  EXPECT_TRUE((*json.find("parameters")->array())[0].find("location_importance")->is_null());
}

TEST(Bound, IsOfTheTraceWithItsError) {
  const Made made(make_posterior({normal("mu")}, 1, 10));
  made.folder.write("trace.csv", "iteration,gradients,bound,error\n1,10,-5,nan\n2,20,-4.5,0.25\n");
  const JsonValue json = parsed(bound_section(made.result()));
  EXPECT_EQ(*json.find("step")->string(), "gradients");
  EXPECT_EQ((*json.find("bound")->array())[1].number()->value, -4.5);
  EXPECT_TRUE((*json.find("error")->array())[0].is_null());
}

}  // namespace
}  // namespace kullback::report
