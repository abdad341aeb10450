#include "posterior/summary.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "run/record.hpp"
#include "run/text.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::posterior {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

SummaryRow row(std::string name, double mean, double sd, double mcse, std::vector<double> quantiles,
               double ess, double rhat) {
  return {std::move(name), mean, sd, mcse, quantiles[0], quantiles[1], quantiles[2], ess, 0.9 * ess, rhat};
}

std::vector<SummaryRow> eight_schools() {
  return {row("lp__", -39.5712, 2.6178, 0.1781, {-44.332, -39.251, -35.812}, 1123, 1.0021),
          row("mu", 4.412, 3.314, 0.112, {-1.02, 4.38, 9.86}, 2211, 1.0007),
          row("tau", 3.6149, 3.2101, 0.1884, {0.253, 2.771, 9.943}, 1377, 1.0113),
          row("theta[1]", 6.234, 5.581, 0.11, {-1.431, 5.62, 16.22}, 3500, 0.99981),
          row("theta[8]", 4.851, 5.342, 0.185, {-3.11, 4.82, 13.57}, 3900, 1.0001)};
}

std::vector<SummaryRow> odd_rows() {
  return {row("tiny", 1.234e-12, 3e-13, 4e-15, {0.5e-12, 1.2e-12, 2.1e-12}, 4000, 1),
          row("huge", 1.2345e9, 2.2e8, 4e6, {0.8e9, 1.23e9, 1.6e9}, 4000, 1),
          row("nothing", kNan, kNan, kNan, {kNan, kNan, kNan}, kNan, kNan),
          row("count", 12.342, 3.41, 0.06, {7, 12, 18}, 3800, 1),
          row("constant", 3, 0, kNan, {3, 3, 3}, kNan, kNan),
          row("year", 2012.342, 0.21, 0.003, {2012.01, 2012.33, 2012.7}, 3800, 1),
          row("z[1,12,3]", -0.00213, 0.0051, 0.00008, {-0.011, -0.0021, 0.0062}, 3800, 1.013),
          row("diverges", -1.3e300, kInfinity, kNan, {-2e300, -1e300, 2}, 12, kInfinity)};
}

void expect_fits(const std::string& table, std::size_t width) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), width) << line;
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Table, EightSchools) {
  EXPECT_EQ(table_text(eight_schools()),
            "name        mean    sd      5%     50%     95%  ess_bulk  ess_tail   rhat\n"
            "lp__      -39.57  2.62  -44.33  -39.25  -35.81      1123      1011  1.002\n"
            "mu          4.41  3.31   -1.02    4.38    9.86      2211      1990  1.001\n"
            "tau         3.61  3.21    0.25    2.77    9.94      1377      1239  1.011\n"
            "theta[1]    6.23  5.58   -1.43    5.62   16.22      3500      3150  1.000\n"
            "theta[8]    4.85  5.34   -3.11    4.82   13.57      3900      3510  1.000\n");
}

TEST(Table, OddNumbers) {
  const std::string table = table_text(odd_rows());
  expect_fits(table, 80);
  EXPECT_EQ(table,
            "name          mean      sd       5%      50%     95% ess_bulk ess_tail  rhat\n"
            "tiny       1.2e-12 3.0e-13  5.0e-13  1.2e-12 2.1e-12     4000     3600 1.000\n"
            "huge         1.2e9   2.2e8    8.0e8    1.2e9   1.6e9     4000     3600 1.000\n"
            "nothing        NaN     NaN      NaN      NaN     NaN        -        -     -\n"
            "count         12.3     3.4        7       12      18     3800     3420 1.000\n"
            "constant         3       0        3        3       3        -        -     -\n"
            "year       2012.34    0.21  2012.01  2012.33 2012.70     3800     3420 1.000\n"
            "z[1,12,3]  -0.0021  0.0051  -0.0110  -0.0021  0.0062     3800     3420 1.013\n"
            "diverges  -1.3e300     inf -2.0e300 -1.0e300       2       12       11   inf\n");
}

TEST(Table, DigitsFollowTheMonteCarloError) {
  std::vector<SummaryRow> rows{row("a", 1.23456789, 0.5, 0.02, {0.4, 1.2, 2.1}, 900, 1),
                               row("b", 1.23456789, 0.5, 0.0002, {0.4, 1.2, 2.1}, 900, 1)};
  EXPECT_EQ(table_text(rows),
            "name    mean      sd      5%     50%     95%  ess_bulk  ess_tail   rhat\n"
            "a     1.235   0.500   0.400   1.200   2.100        900       810  1.000\n"
            "b     1.2346  0.5000  0.4000  1.2000  2.1000       900       810  1.000\n");
}

TEST(Table, LongNamesAreShortenedInTheMiddle) {
  std::vector<SummaryRow> rows = eight_schools();
  rows[4].name = "a_coefficient_with_a_name_that_is_long[12,103]";
  const std::string table = table_text(rows);
  expect_fits(table, 80);
  EXPECT_NE(table.find("\na_coefficie..ng[12,103] "), std::string::npos) << table;
  EXPECT_NE(table_text(rows, 120).find("\n" + rows[4].name + " "), std::string::npos);
}

TEST(Table, FitsAnyWidth) {
  std::vector<SummaryRow> rows = odd_rows();
  for (const SummaryRow& more : eight_schools()) rows.push_back(more);
  rows.push_back(row(std::string(200, 'x'), 1, 2, 3, {4, 5, 6}, 7, 8));
  rows.push_back(row("caf\xc3\xa9\x1b[31m", 1, 2, 3, {4, 5, 6}, 7, 8000));
  for (const std::size_t width : {10, 20, 30, 40, 50, 60, 70, 79, 80, 100, 200})
    expect_fits(table_text(rows, width), width);
}

TEST(Table, WithoutChainsThereIsNoRhat) {
  std::vector<SummaryRow> rows = eight_schools();
  for (SummaryRow& each : rows) each.ess_bulk = each.ess_tail = each.rhat = std::nullopt;
  EXPECT_TRUE(table_text(rows).starts_with("name        mean    sd      5%     50%     95%\n"));
}

TEST(Table, OneDrawIsAValue) {
  Posterior posterior = make_posterior({{"mu", [](Random&, std::size_t, std::size_t) { return 0.25; }},
                                        {"n", [](Random&, std::size_t, std::size_t) { return 31.0; }}},
                                       1, 1);
  posterior.chains[0].log_density = {-123.456789};
  EXPECT_EQ(table_text(summarize(posterior, false)),
            "name    value\n"
            "lp__  -123.46\n"
            "mu       0.25\n"
            "n       31\n");
}

TEST(Table, SaysHowManyRowsAreLeftOut) {
  const std::string table = table_text(eight_schools(), 80, 2);
  EXPECT_TRUE(table.ends_with("... 3 more rows\n"));
  EXPECT_EQ(table.find("tau"), std::string::npos);
  EXPECT_TRUE(table_text(eight_schools(), 80, 4).ends_with("... 1 more row\n"));
  EXPECT_EQ(table_text(eight_schools(), 80, 5), table_text(eight_schools()));
  EXPECT_EQ(table_text({}), "name  value\n");
}

TEST(FindingsText, IsWrapped) {
  const std::string text =
      run::findings_text({{"rhat", "R-hat is high for one of two quantities.", "Worst: tau (1.8).",
                           "Draw longer, and then look again at what came out of it."}},
                         40);
  EXPECT_EQ(text,
            "! R-hat is high for one of two\n"
            "  quantities.\n"
            "  Worst: tau (1.8).\n"
            "  -> Draw longer, and then look again at\n"
            "     what came out of it.\n");
  EXPECT_EQ(run::findings_text({}), "");
}

TEST(Summarize, ChainsHaveEverything) {
  const Posterior posterior = make_posterior({normal("mu", 3, 2), normal("theta.1")}, 4, 1000);
  const std::vector<SummaryRow> rows = summarize(posterior, true);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "lp__");
  EXPECT_EQ(rows[2].name, "theta[1]");
  EXPECT_NEAR(rows[1].mean, 3, 0.2);
  EXPECT_NEAR(rows[1].sd, 2, 0.1);
  EXPECT_NEAR(rows[1].q5, 3 - 2 * 1.645, 0.3);
  EXPECT_NEAR(*rows[1].rhat, 1, 0.01);
  EXPECT_GT(*rows[1].ess_bulk, 3000);
  EXPECT_NEAR(*rows[1].mcse_mean, 2 / std::sqrt(4000.0), 0.006);
}

TEST(Summarize, EqualWeightsAreNoWeights) {
  Posterior posterior = make_posterior({normal("mu", 3, 2)}, 2, 50);
  const SummaryRow plain = summarize(posterior, false)[1];
  for (Chain& chain : posterior.chains) chain.log_weight.assign(50, -700.0);
  const SummaryRow weighted = summarize(posterior, false)[1];
  EXPECT_NEAR(weighted.mean, plain.mean, 1e-12);
  EXPECT_NEAR(weighted.sd, plain.sd, 1e-12);
  EXPECT_NEAR(weighted.q5, plain.q5, 1e-12);
  EXPECT_NEAR(weighted.q50, plain.q50, 1e-12);
  EXPECT_NEAR(weighted.q95, plain.q95, 1e-12);
  EXPECT_NEAR(*weighted.mcse_mean, *plain.mcse_mean, 1e-12);
  EXPECT_FALSE(weighted.rhat.has_value());
}

// Draws of N(0, 1) with weights exp(x - 1/2) are draws of N(1, 1).
TEST(Summarize, WeightsMoveTheDistribution) {
  Posterior posterior = make_posterior({normal("x")}, 1, 20000);
  Chain& chain = posterior.chains[0];
  chain.log_weight = chain.columns;
  const SummaryRow row_of_x = summarize(posterior, false)[1];
  EXPECT_NEAR(row_of_x.mean, 1, 0.05);
  EXPECT_NEAR(row_of_x.sd, 1, 0.05);
  EXPECT_NEAR(row_of_x.q50, 1, 0.05);
  EXPECT_NEAR(row_of_x.q95, 1 + 1.645, 0.15);
  EXPECT_GT(*row_of_x.mcse_mean, 1 / std::sqrt(20000.0));
}

class Json : public testing::Test {
 protected:
  Json()
      : path_((std::filesystem::path(testing::TempDir()) / ("kullback-json-" + std::to_string(::getpid())))
                  .string()) {}
  ~Json() override { std::filesystem::remove(path_); }
  std::string path_;
};

TEST_F(Json, SummaryComesBack) {
  Summary summary{odd_rows(), {{"a \"code\"", "line\nbreak", "\xff", "caf\xc3\xa9"}}};
  summary.rows[0].rhat.reset();
  replace_file(path_, to_json(summary));
  const Summary back = read_summary(path_);
  ASSERT_EQ(back.rows.size(), summary.rows.size());
  EXPECT_FALSE(back.rows[0].rhat.has_value());
  for (std::size_t i = 0; i < back.rows.size(); ++i) {
    EXPECT_EQ(back.rows[i].name, summary.rows[i].name);
    EXPECT_TRUE(back.rows[i].mean == summary.rows[i].mean || std::isnan(summary.rows[i].mean));
    EXPECT_TRUE(back.rows[i].sd == summary.rows[i].sd || std::isnan(summary.rows[i].sd));
  }
  EXPECT_TRUE(std::isnan(back.rows[2].mean));
  EXPECT_EQ(back.rows[7].sd, kInfinity);
  ASSERT_EQ(back.findings.size(), 1u);
  EXPECT_EQ(back.findings[0].code, "a \"code\"");
  EXPECT_EQ(back.findings[0].message, "line\nbreak");
  EXPECT_EQ(back.findings[0].evidence, "\xef\xbf\xbd");
  EXPECT_EQ(back.findings[0].advice, "caf\xc3\xa9");
}

TEST_F(Json, EmptySummaryComesBack) {
  replace_file(path_, to_json(Summary{}));
  EXPECT_TRUE(read_summary(path_).rows.empty());
}

TEST_F(Json, RecordComesBack) {
  run::RunRecord record;
  record.method = "nuts";
  record.version = "0.1.0";
  record.program = "a \\ \"b\".stan";
  record.program_hash = "0123456789abcdef";
  record.data = "d.json";
  record.data_variables = {{"y", {3, 4}, false, true}, {"N", {}, true}};
  record.seed = std::numeric_limits<std::uint64_t>::max();
  record.chains = 4;
  record.parameters = 10;
  record.generated = 12;
  record.options = {
      {"draws", std::size_t{1000}}, {"metric", "dense"}, {"tolerance", 1.0}, {"resample", false}};
  record.status = "interrupted";
  record.gradients = 123456789012;
  record.seconds = 0.1;
  record.findings = {{"rhat", "m", "e", "a"}};
  record.started = run::utc_now();
  record.files = {{"chain-1.csv", 1234567890123, "5f235fa033f1a3fb"}, {"a \"b\"", 0, "ef46db3751d8e999"}};
  replace_file(path_, to_json(record));
  const run::RunRecord back = run::read_run_record(path_);
  EXPECT_EQ(to_json(back), to_json(record));
  EXPECT_EQ(back.seed, record.seed);
  EXPECT_EQ(back.program, record.program);
  EXPECT_EQ(back.options, record.options);
  EXPECT_EQ(back.gradients, record.gradients);
  ASSERT_EQ(back.data_variables.size(), 2u);
  EXPECT_EQ(back.data_variables[0].dims, (std::vector<std::size_t>{3, 4}));
  EXPECT_TRUE(back.data_variables[1].is_int);
  EXPECT_TRUE(back.data_variables[0].is_observed);
  EXPECT_FALSE(back.data_variables[1].is_observed);
  EXPECT_EQ(back.started.size(), 23u);
  ASSERT_EQ(back.files.size(), 2u);
  EXPECT_EQ(back.files[0].bytes, 1234567890123u);
}

std::string record_error(const std::string& path, const std::string& text) {
  replace_file(path, text);
  try {
    run::read_run_record(path);
  } catch (const Error& error) {
    return error.message().substr(path.size());
  }
  return "no error";
}

TEST_F(Json, WrongRecordsAreRefused) {
  EXPECT_EQ(record_error(path_, "{}"), ": 'kind' must be there: it says what the folder holds.");
  EXPECT_EQ(record_error(path_, "[]"), ": must be a JSON object.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "seed": -1})"), ": 'seed' must be a count.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "method": 1})"), ": 'method' must be a string.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "seconds": "long"})"),
            ": 'seconds' must be a number.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "options": [5]})"),
            ": 'options' must be an object.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "options": {"draws": null}})"),
            ": 'draws' must be true, false, a number, a string or an array of strings.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "options": {"stream": [5]}})"),
            ": 'stream' must be an array of strings.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "findings": [1]})"),
            ": 'findings' must be an array of objects.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "data_variables": [{"name": "y", "dims": [-1]}]})"),
            ": 'dims' must be an array of counts.");
  EXPECT_EQ(record_error(path_, R"({"kind": "posterior", "from_the_future": [1]})"), "no error");
}

}  // namespace
}  // namespace kullback::posterior
