#include "conjugate/hmm/hmm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "hmm_data.hpp"
#include "math/gamma_functions.hpp"
#include "model_checks.hpp"

namespace kullback::conjugate {
namespace {

using Options = std::map<std::string, std::string>;

struct Case {
  std::string kind;
  Options options;
  bool has_gaps;
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const bool has_gaps : {false, true}) {
    result.push_back({"gaussian", {{"covariance", "full"}}, has_gaps});
    result.push_back({"gaussian", {{"covariance", "diagonal"}, {"sticky", "3"}}, has_gaps});
    result.push_back({"categorical", {}, has_gaps});
    result.push_back({"poisson", {}, has_gaps});
  }
  return result;
}

Buffer data_of(const Case& test, const std::vector<std::size_t>& lengths) {
  const Simulated simulated = simulate_kind(test.kind, lengths, 3, 3, 11);
  if (test.has_gaps) return with_gaps(simulated.data.batch(), 5);
  return simulated.data;
}

TEST(Hmm, PropertiesOfAllModels) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.kind + (test.has_gaps ? " with gaps" : ""));
    const Buffer data = data_of(test, {40, 1, 25, 60});
    const Shape shape = shape_of(test.kind, 3, 4);
    const auto model = make_hmm(test.kind, shape, test.options);
    expect_bound_never_falls(*model, data.batch(), 1, 30);
    expect_natural_gradient(*model, data.batch(), 2, 2);
    const auto other = make_hmm(test.kind, shape, test.options);
    expect_same_after_state(*model, *other, data.batch());
  }
}

// ---- One state: nothing is hidden and the bound is the log evidence.

double bound_of_one_state(const std::string& kind, Options options, const Batch& data) {
  options["states"] = "1";
  const auto model = make_hmm(kind, shape_of(kind, data.columns, data.units), options);
  fit_exactly(*model, data, 1, 1);
  return total(model->elbo(statistics_of(*model, data)));
}

// Rows one after another by the Student-t predictive density of a normal-gamma distribution.
double gaussian_evidence(std::span<const double> column, double degrees) {
  const auto n = static_cast<double>(column.size());
  const double centre = std::accumulate(column.begin(), column.end(), 0.0) / n;
  double variance = 0;
  for (const double x : column) variance += (x - centre) * (x - centre) / n;
  double mean = centre, beta = 1, shape = degrees / 2, rate = variance * (1 + 1e-6) / 2, sum = 0;
  for (const double x : column) {
    const double scale = rate * (beta + 1) / (shape * beta), z = (x - mean) * (x - mean) / scale;
    sum += math::log_gamma(shape + 0.5) - math::log_gamma(shape) - 0.5 * std::log(2 * M_PI * shape * scale) -
           (shape + 0.5) * std::log1p(z / (2 * shape));
    rate += 0.5 * beta / (beta + 1) * (x - mean) * (x - mean);
    mean += (x - mean) / (beta + 1);
    beta += 1;
    shape += 0.5;
  }
  return sum;
}

TEST(Hmm, OneStateGivesTheEvidence) {
  const Simulated gaussian = simulate_kind("gaussian", {30, 20}, 2, 1, 3);
  const Batch rows = gaussian.data.batch();
  const double known = gaussian_evidence(rows.values, 1);
  EXPECT_NEAR(bound_of_one_state("gaussian", {{"covariance", "full"}}, rows), known, 1e-9 * std::abs(known));
  EXPECT_NEAR(bound_of_one_state("gaussian", {{"covariance", "diagonal"}}, rows), known,
              1e-9 * std::abs(known));

  const Simulated two = simulate_kind("gaussian", {30, 20}, 2, 2, 3);
  double sum = 0;
  for (const std::size_t c : {0, 1}) {
    std::vector<double> column;
    for (std::size_t t = 0; t < 50; ++t) column.push_back(two.data.batch().row(t)[c]);
    sum += gaussian_evidence(column, 2);
  }
  EXPECT_NEAR(bound_of_one_state("gaussian", {{"covariance", "diagonal"}}, two.data.batch()), sum,
              1e-9 * std::abs(sum));

  const Simulated words = simulate_kind("categorical", {30, 20}, 2, 1, 3);
  std::vector<double> a(4, 0.25);
  double evidence = 0, seen = 1;
  for (const double x : words.data.batch().values) {
    double& count = a[static_cast<std::size_t>(x)];
    evidence += std::log(count / seen);
    count += 1;
    seen += 1;
  }
  EXPECT_NEAR(bound_of_one_state("categorical", {}, words.data.batch()), evidence,
              1e-10 * std::abs(evidence));

  const Simulated counts = simulate_kind("poisson", {30, 20}, 2, 1, 3);
  const std::span<const double> xs = counts.data.batch().values;
  double shape = 1, rate = 50 / std::accumulate(xs.begin(), xs.end(), 0.0);
  evidence = 0;
  for (const double x : xs) {
    evidence += math::log_gamma(shape + x) - math::log_gamma(shape) - math::log_gamma(x + 1) +
                shape * std::log(rate / (rate + 1)) - x * std::log(rate + 1);
    shape += x;
    rate += 1;
  }
  EXPECT_NEAR(bound_of_one_state("poisson", {}, counts.data.batch()), evidence, 1e-10 * std::abs(evidence));
}

// A full covariance: the evidence is a ratio of normalisers, here from |V| by Gauss elimination of 2 x 2.
TEST(Hmm, OneStateWithAFullCovariance) {
  const Simulated simulated = simulate_kind("gaussian", {30, 20}, 3, 2, 3);
  const Batch data = simulated.data.batch();
  double mean[2] = {}, s[2][2] = {};
  for (std::size_t t = 0; t < 50; ++t) {
    for (int i = 0; i < 2; ++i) mean[i] += data.row(t)[i] / 50;
  }
  for (std::size_t t = 0; t < 50; ++t) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) s[i][j] += (data.row(t)[i] - mean[i]) * (data.row(t)[j] - mean[j]) / 50;
    }
  }
  const auto det = [&](double scale, double ridge) {
    const double d = scale * scale;
    return d * (s[0][0] * (1 + ridge) * s[1][1] * (1 + ridge) - s[0][1] * s[0][1]);
  };
  // W0^-1 = S (1 + 1e-6 on the diagonal), W^-1 = W0^-1 + 50 S, since the prior mean is the sample's.
  const double prior = -1.0 * std::log(det(1, 1e-6));
  const double posterior = -26.0 * std::log(det(51, 1e-6 / 51));
  const double known = posterior - prior + math::log_multivariate_gamma(2, 26) -
                       math::log_multivariate_gamma(2, 1) - std::log(51.0) - 50 * std::log(M_PI);
  EXPECT_NEAR(bound_of_one_state("gaussian", {{"covariance", "full"}}, data), known, 1e-9 * std::abs(known));
}

// ---- How the data are cut.

void expect_near(const Statistics& found, const Statistics& known, double tolerance) {
  ASSERT_EQ(found.values.size(), known.values.size());
  double scale = 1;
  for (const double x : known.values) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < known.values.size(); ++i) {
    EXPECT_NEAR(found.values[i], known.values[i], tolerance * scale) << i;
  }
  EXPECT_NEAR(found.local, known.local, tolerance * scale);
}

TEST(Hmm, LongSequencesInBlocksAndWeights) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.kind + (test.has_gaps ? " with gaps" : ""));
    const Buffer data = data_of(test, {40, 3, 200, 7, 8});
    const auto model = make_hmm(test.kind, shape_of(test.kind, 3, 5), test.options);
    fit_exactly(*model, data.batch(), 1, 3);
    const Statistics whole = statistics_of(*model, data.batch());
    dynamic_cast<hmm::Hmm&>(*model).set_kept_rows(11);
    expect_near(statistics_of(*model, data.batch()), whole, 1e-12);

    Buffer once(DataKind::sequences, 3), twice(DataKind::sequences, 3);
    for (std::size_t unit = 0; unit < 5; ++unit) {
      once.add(data.batch(), unit, unit == 2 ? 2.0 : 1.0);
      twice.add(data.batch(), unit);
    }
    twice.add(data.batch(), 2);
    const Statistics weighted = statistics_of(*model, once.batch());
    expect_near(weighted, statistics_of(*model, twice.batch()), 1e-12);
    EXPECT_EQ(weighted.units, 6);
  }
}

// Pieces whose buffers reach both ends of the sequence add up to the whole, entropy included.
TEST(Hmm, PiecesWithAllContextAddUpToTheWhole) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.kind + (test.has_gaps ? " with gaps" : ""));
    Options options = test.options;
    options["subchain"] = "7";
    options["buffer"] = "1000";
    const Buffer data = data_of(test, {40, 3, 65});
    const auto model = make_hmm(test.kind, shape_of(test.kind, 3, 3), options);
    fit_exactly(*model, data.batch(), 1, 3);
    Buffer pieces(DataKind::sequences, 3);
    Random random(1);
    model->sample_minibatch(data.batch(), 3, 1000, random, pieces);
    EXPECT_GE(pieces.units(), 16u);
    const Statistics whole = statistics_of(*model, data.batch());
    expect_near(statistics_of(*model, pieces.batch()), whole, 1e-11);
    const Batch first = pieces.batch().part(0, 9), rest = pieces.batch().part(9, pieces.units());
    EXPECT_NEAR(statistics_of(*model, first).units + statistics_of(*model, rest).units, whole.units, 1e-12);
  }
}

TEST(Hmm, MinibatchesOfPiecesAreUnbiased) {
  const Simulated simulated = simulate_kind("gaussian", {1500, 40, 300}, 3, 2, 9);
  const Batch data = simulated.data.batch();
  const auto model = make_hmm("gaussian", shape_of("gaussian", 2, 3), {{"subchain", "50"}, {"buffer", "30"}});
  fit_exactly(*model, data, 1, 5);
  const Statistics whole = statistics_of(*model, data);
  constexpr int kBatches = 2000;
  std::vector<double> mean(whole.values.size()), squares(whole.values.size());
  double local = 0, local_squares = 0, units = 0;
  for (std::uint32_t i = 0; i < kBatches; ++i) {
    Random random(5, 0, 0, i);
    Buffer pieces(DataKind::sequences, 2);
    model->sample_minibatch(data, 3, 7, random, pieces);
    ASSERT_EQ(pieces.units(), 5u);  // 2, 1 and 2
    const Statistics part = statistics_of(*model, pieces.batch());
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] += part.values[j] / kBatches;
      squares[j] += part.values[j] * part.values[j] / kBatches;
    }
    local += part.local / kBatches;
    local_squares += part.local * part.local / kBatches;
    units += part.units / kBatches;
  }
  const auto error = [](double m, double s) { return std::sqrt(std::max(s - m * m, 0.0) / kBatches); };
  for (std::size_t j = 0; j < mean.size(); ++j) {
    EXPECT_NEAR(mean[j], whole.values[j], 4.5 * error(mean[j], squares[j]) + 1e-9) << j;
  }
  EXPECT_NEAR(local, whole.local, 4.5 * error(local, local_squares));
  EXPECT_NEAR(units, 3, 0.01);
}

// Two machines make the same choice, and have each its part of it.
TEST(Hmm, MinibatchesDoNotDependOnShards) {
  const Simulated simulated = simulate_kind("poisson", {300, 20, 700, 150, 90}, 2, 1, 9);
  const Batch data = simulated.data.batch();
  const auto model = make_hmm("poisson", shape_of("poisson", 1, 5), {{"subchain", "40"}});
  fit_exactly(*model, data, 1, 2);
  Buffer whole(DataKind::sequences, 1), halves(DataKind::sequences, 1);
  Random one(8), two(8), three(8);
  model->sample_minibatch(data, 5, 8, one, whole);
  model->sample_minibatch(data.part(0, 2), 5, 8, two, halves);
  model->sample_minibatch(data.part(2, 5), 5, 8, three, halves);
  EXPECT_EQ(whole.units(), halves.units());
  expect_near(statistics_of(*model, halves.batch()), statistics_of(*model, whole.batch()), 1e-13);
}

TEST(Hmm, ShortSequencesAreSampledWhole) {
  const Simulated simulated = simulate_kind("poisson", {20, 30, 40, 50}, 2, 1, 9);
  const auto model = make_hmm("poisson", shape_of("poisson", 1, 4), {});
  Random random(1);
  Buffer some(DataKind::sequences, 1);
  model->sample_minibatch(simulated.data.batch(), 4, 2, random, some);
  EXPECT_EQ(some.units(), 2u);
  EXPECT_TRUE(some.batch().margins.empty());
  EXPECT_EQ(some.batch().weight(0), 2.0);
}

// A part of the way, less and less.
class Decaying final : public Mover {
 public:
  void move(std::size_t block, std::span<double> natural, std::span<const double> target,
            const Inside&) override {
    const double rate = std::pow(++steps_[block] + 1.0, -0.7);
    for (std::size_t i = 0; i < natural.size(); ++i) natural[i] += rate * (target[i] - natural[i]);
  }

 private:
  int steps_[3] = {};
};

TEST(Hmm, StochasticStepsComeNearCoordinateAscent) {
  const Simulated train = simulate_kind("gaussian", {20000}, 3, 2, 9);
  const Simulated held_out = simulate_kind("gaussian", {5000}, 3, 2, 10);
  const Shape shape = shape_of("gaussian", 2, 1);
  const Options options = {{"subchain", "100"}, {"buffer", "20"}};
  const auto exact = make_hmm("gaussian", shape, options), stochastic = make_hmm("gaussian", shape, options);
  fit_exactly(*exact, train.data.batch(), 4, 30);
  fit_exactly(*stochastic, train.data.batch(), 4, 0);
  Decaying mover;
  for (std::uint32_t step = 0; step < 150; ++step) {
    Random random(6, 0, 0, step);
    Buffer pieces(DataKind::sequences, 2);
    stochastic->sample_minibatch(train.data.batch(), 1, 10, random, pieces);
    const Statistics statistics = statistics_of(*stochastic, pieces.batch());
    for (std::size_t block = 0; block < 3; ++block) stochastic->global_step(block, statistics, mover);
    stochastic->prepare();
  }
  const Model::Score best = exact->score(held_out.data.batch());
  const Model::Score found = stochastic->score(held_out.data.batch());
  EXPECT_EQ(best.count, 5000);
  EXPECT_NEAR(found.log_density / 5000, best.log_density / 5000, 0.01);
}

// ---- Missing cells.

double log_normal(double x, double mean, double variance) {
  return -0.5 * (std::log(2 * M_PI * variance) + (x - mean) * (x - mean) / variance);
}

TEST(Hmm, AMissingCellIsIntegratedOut) {
  const Simulated simulated = simulate_kind("gaussian", {200}, 1, 2, 3);
  const auto model = make_hmm("gaussian", shape_of("gaussian", 2, 1), {{"states", "1"}});
  fit_exactly(*model, simulated.data.batch(), 1, 1);
  const std::vector<ResultTable> tables = model->tables(shape_of("gaussian", 2, 1));
  ASSERT_EQ(tables[2].name, "means");
  ASSERT_EQ(tables[3].name, "covariances");
  Buffer row(DataKind::sequences, 2);
  row.begin_unit();
  const double cells[] = {std::nan(""), 99.0};
  row.add_row(cells);
  EXPECT_NEAR(model->score(row.batch()).log_density, log_normal(99, tables[2].cells[1], tables[3].cells[3]),
              1e-10);
  Buffer nothing(DataKind::sequences, 2);
  nothing.begin_unit();
  const double none[] = {std::nan(""), std::nan("")};
  nothing.add_row(none);
  EXPECT_EQ(model->score(nothing.batch()).log_density, 0);
  const Statistics statistics = statistics_of(*model, nothing.batch());
  EXPECT_EQ(std::accumulate(statistics.values.begin() + 8, statistics.values.end(), 0.0), 0);
}

// Two rows two steps apart, summed over the state between them by hand.
TEST(Hmm, ARowWithoutCellsIsAStepWithoutObservation) {
  const Simulated simulated = simulate_kind("categorical", {400}, 2, 1, 3);
  const Shape shape = shape_of("categorical", 1, 1);
  const auto model = make_hmm("categorical", shape, {{"states", "2"}});
  fit_exactly(*model, simulated.data.batch(), 2, 10);
  const std::vector<ResultTable> tables = model->tables(shape);
  const auto initial = [&](std::size_t i) { return tables[0].cells[i * tables[0].columns.size()]; };
  const auto step = [&](std::size_t i, std::size_t j) { return tables[1].cells[i * 4 + j]; };
  const auto emission = [&](std::size_t level, std::size_t i) { return tables[2].cells[level * 4 + i]; };
  double known = 0;
  for (std::size_t i : {0, 1}) {
    for (std::size_t j : {0, 1}) {
      for (std::size_t k : {0, 1}) {
        known += initial(i) * emission(2, i) * step(i, j) * step(j, k) * emission(0, k);
      }
    }
  }
  Buffer rows(DataKind::sequences, 1);
  rows.begin_unit();
  for (const double x : {2.0, std::nan(""), 0.0}) rows.add_row({&x, 1});
  EXPECT_NEAR(model->score(rows.batch()).log_density, std::log(known), 1e-12);
}

// ---- Results.

TEST(Hmm, RecoversStates) {
  const Simulated simulated = simulate_kind("gaussian", {1500, 1500}, 3, 3, 12);
  const Batch data = simulated.data.batch();
  const Shape shape = shape_of("gaussian", 3, 2);
  const auto model = make_hmm("gaussian", shape, {});
  fit_exactly(*model, data, 1, 40);
  std::vector<double> lines;
  model->unit_lines(data, lines);
  const std::size_t columns = model->unit_columns(shape).size();
  ASSERT_EQ(lines.size(), 3000 * columns);
  // The states that the fit calls 1, 2, 3 are the ones most of their rows have.
  double right = 0, log_density = 0;
  std::vector<std::array<double, 3>> table(3);
  for (std::size_t t = 0; t < 3000; ++t) {
    table[static_cast<std::size_t>(lines[t * columns]) - 1][simulated.path[t]] += 1;
    log_density += lines[t * columns + 1];
    EXPECT_NEAR(lines[t * columns + 2] + lines[t * columns + 3] + lines[t * columns + 4], 1, 1e-12);
  }
  for (const auto& row : table) right += *std::max_element(row.begin(), row.end());
  EXPECT_GT(right / 3000, 0.97);
  EXPECT_NEAR(log_density, model->score(data).log_density, 1e-9 * std::abs(log_density));
  EXPECT_EQ(model->figures()[0].second, 3);
  EXPECT_TRUE(model->findings(statistics_of(*model, data)).empty());
  // Staying has probability 0.9 + 0.1/3.
  const ResultTable transitions = model->tables(shape)[1];
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(transitions.cells[i * 6 + i], 0.9 + 0.1 / 3, 4 * transitions.cells[i * 6 + 3 + i]);
  }
}

TEST(Hmm, SaysWhichStatesAreNotNeeded) {
  const Simulated simulated = simulate_kind("categorical", {600}, 2, 2, 12);
  const auto model =
      make_hmm("categorical", shape_of("categorical", 2, 1), {{"states", "5"}, {"concentration", "0.01"}});
  fit_exactly(*model, simulated.data.batch(), 3, 300);
  const Findings findings = model->findings(statistics_of(*model, simulated.data.batch()));
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(findings[0].code == "unused-states" || findings[0].code == "duplicate-states");

  // Two states made the same by hand.
  const auto twins = make_hmm("poisson", shape_of("poisson", 1, 1), {{"states", "2"}});
  const Simulated counts = simulate_kind("poisson", {300}, 1, 1, 4);
  fit_exactly(*twins, counts.data.batch(), 3, 1);
  const std::span<double> rates = twins->natural(2);
  std::copy_n(rates.begin(), 2, rates.begin() + 2);
  std::fill(twins->natural(1).begin(), twins->natural(1).end(), 75.0);
  twins->prepare();
  const Findings same = twins->findings(statistics_of(*twins, counts.data.batch()));
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].code, "duplicate-states");
  EXPECT_NE(same[0].evidence.find("1 and 2"), std::string::npos);
}

TEST(Hmm, StickyIsPriorMassOnStaying) {
  const Simulated simulated = simulate_kind("poisson", {60}, 2, 1, 3);
  const Shape shape = shape_of("poisson", 1, 1);
  const auto plain = make_hmm("poisson", shape, {{"states", "2"}});
  const auto sticky = make_hmm("poisson", shape, {{"states", "2"}, {"sticky", "20"}});
  Random random(1), again(1);
  plain->begin(simulated.data.batch(), random);
  sticky->begin(simulated.data.batch(), again);
  plain->prepare();
  sticky->prepare();
  const Statistics statistics = statistics_of(*plain, simulated.data.batch());
  Spy without, with;
  plain->global_step(1, statistics, without);
  sticky->global_step(1, statistics, with);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(with.target[i] - without.target[i], i == 0 || i == 3 ? 20 : 0);
  }
}

TEST(Hmm, AMillionRowsDoNotUnderflow) {
  const Simulated simulated = simulate_kind("gaussian", {1000000}, 3, 1, 12);
  const auto model = make_hmm("gaussian", shape_of("gaussian", 1, 1), {{"states", "10"}});
  fit_exactly(*model, simulated.data.batch(), 1, 2);
  const Statistics statistics = statistics_of(*model, simulated.data.batch());
  double rows = 0;
  for (std::size_t k = 0; k < 10; ++k) rows += statistics.values[12 + 120 + k];
  EXPECT_NEAR(rows, 1e6, 1e-4);
  EXPECT_TRUE(std::isfinite(total(model->elbo(statistics))));
  EXPECT_LT(model->score(simulated.data.batch()).log_density, -1e6);
}

// A state that cannot explain a row at all, and priors at the least concentration.
TEST(Hmm, ExtremeRowsStayFinite) {
  Buffer data(DataKind::sequences, 1);
  data.begin_unit();
  Random random(2);
  for (int t = 0; t < 300; ++t) {
    const double x = (t / 100) * 1e4 + 1e-3 * random.normal() + (t == 150 ? 1e9 : 0.0);
    data.add_row({&x, 1});
  }
  const auto model =
      make_hmm("gaussian", shape_of("gaussian", 1, 1), {{"states", "6"}, {"concentration", "0.004"}});
  expect_bound_never_falls(*model, data.batch(), 1, 50);
}

// ---- What is refused.

TEST(Hmm, Refusals) {
  const Shape shape = shape_of("gaussian", 3, 1);
  EXPECT_THROW(make_hmm("gaussian", shape, {{"concentration", "0.001"}}), Error);
  EXPECT_THROW(make_hmm("gaussian", shape, {{"sticky", "-1"}}), Error);
  EXPECT_THROW(make_hmm("gaussian", shape, {{"degrees", "2"}}), Error);
  EXPECT_NO_THROW(make_hmm("gaussian", shape, {{"degrees", "2"}, {"covariance", "diagonal"}}));
  EXPECT_THROW(make_hmm("gaussian", shape, {{"buffer", "0"}}), Error);
  EXPECT_THROW(make_hmm("categorical", shape, {}), Error);

  const Simulated few = simulate_kind("gaussian", {2}, 1, 3, 1);
  const auto model = make_hmm("gaussian", shape, {});
  Random random(1);
  EXPECT_THROW(model->begin(few.data.batch(), random), Error);

  const auto words = make_hmm("categorical", shape_of("categorical", 1, 1), {{"states", "1"}});
  Buffer data(DataKind::sequences, 1);
  data.begin_unit();
  const double too_large = 4;
  data.add_row({&too_large, 1});
  EXPECT_THROW(words->begin(data.batch(), random), Error);
}

}  // namespace
}  // namespace kullback::conjugate
