// Programs whose branches depend on parameters: the numbers of a draw are those of a model that met no other
// draw before, tapes are kept by the branches taken, and rejections are told as if traced.
#include "model/branches.hpp"

#include <cmath>
#include <set>

#include "base/random.hpp"
#include "density/log_density.hpp"
#include "model/cpp_model.hpp"
#include "model/outputs.hpp"
#include "model/stan_rows.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;
using namespace program_test;

constexpr const char* kChangePoint =
    "data { int N; array[N] int y; } parameters { vector<lower=0>[2] lambda; real<lower=0, upper=N> tau; }"
    " model { lambda ~ exponential(0.2); for (i in 1:N) y[i] ~ poisson(i < tau ? lambda[1] : lambda[2]); }";
constexpr const char* kCounts = R"({"N": 12, "y": [1, 0, 2, 1, 0, 1, 5, 4, 7, 3, 6, 4]})";

constexpr ProgramRow kPrograms[] = {
    {"two branches",
     "parameters { real<lower=-3, upper=3> x; real y; } model { real mu; if (x > 0) mu = 2; else mu = x;"
     " target += normal_lpdf(1 | mu, 1) + normal_lpdf(y | x, 1); }"},
    {"change point", kChangePoint, kCounts},
    {"while",
     "parameters { real<lower=0.5, upper=9> a; real<lower=0> s; } model { real t = 0; real z = 0;"
     " while (t < a) { z += s * exp(-0.3 * t); t += 0.5; } target += normal_lpdf(z | 2.7, s + a); }"},
    // What is compared is made of operations that a tape would fuse and batch, with functions of arrays.
    {"compared sums",
     "parameters { vector[5] x; real y; } model { real z = 0; vector[5] e = exp(x);"
     " for (i in 1:5) { if (e[i] * y + x[i] > dot_product(x, e)) z += e[i] * y + x[i]; else z -= "
     "square(x[i]);"
     " } target += -square(z) - dot_self(x) - y * y; }"},
    {"orders",
     "parameters { vector[4] x; } model { vector[4] s = sort_asc(x); target += -dot_self(x) + s[1] * s[3]; "
     "}"},
    {"refusals in a branch",
     "parameters { real x; matrix[2, 2] A; } model { if (x > 0.3) { target += "
     "log_determinant_spd(add_diag(A * A', x - 1)); } else if (x < -1.5) reject(\"far: \", x);"
     " target += -square(x) - sum(A .* A); }"},
};

std::vector<std::vector<double>> random_points(std::size_t dim, std::size_t count) {
  Random random(7, 0, 0);
  std::vector<std::vector<double>> points(count, std::vector<double>(dim));
  for (std::vector<double>& point : points) {
    for (double& x : point) x = 4 * random.uniform() - 2;
  }
  return points;
}

void expect_same_bits(const Point& found, const Point& expected, const std::string& what) {
  EXPECT_EQ(found.status, expected.status) << what;
  EXPECT_EQ(found.log_density, expected.log_density) << what;
  if (expected.status == Status::ok) {
    EXPECT_EQ(found.gradient, expected.gradient) << what;
  }
}

TEST(Branches, ADrawHasTheNumbersOfAModelThatMetNoOther) {
  for (const ProgramRow& row : kPrograms) {
    const auto loaded = load(row.program, row.data);
    const auto points = random_points(loaded->model->dim(), 80);
    for (int round = 0; round < 2; ++round) {
      for (const std::vector<double>& point : points) {
        const Point found = evaluate(*loaded->model, point);
        const std::string told = loaded->model->message();
        const auto fresh = load(row.program, row.data);
        expect_same_bits(found, evaluate(*fresh->model, point), row.name);
        if (found.status != Status::ok) {
          EXPECT_EQ(told.substr(0, 12), fresh->model->message().substr(0, 12)) << row.name;
        }
      }
    }
  }
}

TEST(Branches, TheOrderOfDrawsAndTheLanesDoNotShow) {
  for (const ProgramRow& row : kPrograms) {
    const auto loaded = load(row.program, row.data);
    const auto points = random_points(loaded->model->dim(), 60);
    evaluate(*loaded->model, points[0]);
    const auto clone = loaded->model->clone();
    std::vector<Point> expected;
    for (const std::vector<double>& point : points) expected.push_back(evaluate(*loaded->model, point));
    for (std::size_t i = points.size(); i-- > 0;)
      expect_same_bits(evaluate(*clone, points[i]), expected[i], row.name);
    // A batch gives the same bits to a clone that knows the branches and to one that knows none.
    const std::size_t lanes = points.size();
    std::vector<double> theta(lanes * points[0].size());
    for (std::size_t k = 0; k < lanes; ++k) {
      for (std::size_t i = 0; i < points[k].size(); ++i) theta[i * lanes + k] = points[k][i];
    }
    const Evaluated known = evaluate_lanes(*clone, theta, lanes);
    const Evaluated unknown = evaluate_lanes(*loaded->model->clone(), theta, lanes);
    EXPECT_EQ(known.log_density, unknown.log_density) << row.name;
    EXPECT_EQ(known.status, unknown.status) << row.name;
    for (std::size_t k = 0; k < lanes; ++k) {
      EXPECT_EQ(known.status[k], expected[k].status) << row.name;
      if (known.status[k] != Status::ok) continue;
      EXPECT_NEAR(known.log_density[k], expected[k].log_density,
                  1e-12 * (1 + std::abs(known.log_density[k])));
      for (std::size_t i = 0; i < points[k].size(); ++i) {
        EXPECT_EQ(known.gradient[i * lanes + k], unknown.gradient[i * lanes + k]) << row.name;
        EXPECT_NEAR(known.gradient[i * lanes + k], expected[k].gradient[i],
                    1e-10 * (1 + std::abs(expected[k].gradient[i])));
      }
    }
  }
}

TEST(Branches, EachWayIsTracedOnce) {
  const auto loaded = load(kChangePoint, kCounts);
  const auto points = random_points(3, 500);
  std::set<int> ways;
  for (const std::vector<double>& point : points) {
    evaluate(*loaded->model, point);
    ways.insert(static_cast<int>(std::ceil(12 / (1 + std::exp(-point[2])))));
  }
  EXPECT_GT(ways.size(), 7U);
  EXPECT_LE(loaded->model->branches_known(), ways.size());
  const std::size_t known = loaded->model->branches_known();
  for (const std::vector<double>& point : points) evaluate(*loaded->model, point);
  EXPECT_EQ(loaded->model->branches_known(), known);
}

// Comparisons of numbers that differ by roundings of the operations behind them: whichever tape was first,
// one branch is taken.
TEST(Branches, TiesAreBrokenAlike) {
  const char* program =
      "parameters { real x; real y; } model { real p = x * y; if (p + 0.1 * x < 0.3 * x) target += -x * x;"
      " else target += -2 * y * y - p; if (exp(x) * exp(y) < exp(x + y)) target += 1; }";
  const auto loaded = load(program);
  evaluate(*loaded->model, {-1, 3});
  const auto clone = loaded->model->clone();
  evaluate(*clone, {2, 4});
  evaluate(*clone, {2, -4});
  for (int i = 0; i < 300; ++i) {
    const double x = 0.01 * i + 0.005;
    const std::vector<double> point{x, 0.2 + (i % 3 - 1) * 1e-17};
    const Point found = evaluate(*clone, point);
    expect_same_bits(evaluate(*loaded->model, point), found, std::to_string(i));
  }
}

TEST(Branches, WhatWasUsedLongestAgoIsForgottenBeyondTheLimit) {
  constexpr std::size_t kLimit = std::size_t{4} << 20;
  const auto bounded = load(kChangePoint, kCounts, {.max_memory = kLimit});
  const auto free = load(kChangePoint, kCounts);
  const auto points = random_points(3, 300);
  std::size_t most = 0;
  for (const std::vector<double>& point : points) {
    expect_same_bits(evaluate(*bounded->model, point), evaluate(*free->model, point), "bounded");
    most = std::max(most, bounded->model->branches_known());
  }
  EXPECT_LT(most, free->model->branches_known());
  EXPECT_GE(most, 1U);
}

TEST(Branches, OutputsAreThoseOfTheBranchTaken) {
  const char* program =
      "parameters { real x; } transformed parameters { real z = x > 0.5 ? exp(x) : -x;"
      " if (x < -1.9) reject(\"low\"); } generated quantities { real w = z < 1 ? z * z : 3; }";
  const auto loaded = load(program);
  Outputs outputs(loaded->model->prepared());
  Random random(1, 0, 0);
  for (const std::vector<double>& point : random_points(1, 200)) {
    const double x = point[0];
    std::vector<double> row(3);
    const bool accepted = outputs.write(point.data(), random, row.data());
    EXPECT_EQ(accepted, x >= -1.9);
    if (!accepted) {
      EXPECT_NE(outputs.message().find("low"), std::string::npos);
      continue;
    }
    const double z = x > 0.5 ? std::exp(x) : -x;
    EXPECT_DOUBLE_EQ(row[1], z);
    EXPECT_DOUBLE_EQ(row[2], z < 1 ? z * z : 3);
  }
}

TEST(Branches, OfMinibatchesAndTerms) {
  const char* program =
      "data { int N; vector[N] y; } parameters { real m; } model { m ~ normal(0, 1);"
      " if (m > 0) y ~ normal(m, 1); else y ~ normal(2 * m, 1); }";
  const char* data = R"({"N": 4, "y": [0.5, -1, 2, 1]})";
  const double y[] = {0.5, -1, 2, 1};
  const auto loaded = load(program, data);
  density::Rows* rows = loaded->model->rows();
  density::Terms* terms = loaded->model->terms();
  for (int round = 0; round < 2; ++round) {
    for (const double m : {0.7, -0.4, 0.2, -1.5}) {
      const double mean = m > 0 ? m : 2 * m;
      for (const std::uint32_t row : {2U, 0U}) {
        const std::uint32_t chosen[] = {row, 3};
        rows->choose(chosen);
        double expected = -0.5 * m * m;
        for (const std::uint32_t r : chosen) expected -= 4.0 / 2 * 0.5 * (y[r] - mean) * (y[r] - mean);
        EXPECT_NEAR(evaluate(*loaded->model, {m}).log_density, expected, 1e-12);
      }
      rows->choose({});
      std::vector<double> each(terms->count());
      terms->evaluate(1, &m, each.data());
      double sum = 0;
      for (const double term : each) sum += term;
      EXPECT_NEAR(sum, evaluate(*loaded->model, {m}).log_density, 1e-12);
    }
  }
}

TEST(Branches, OfACppModelRunTheFunctionOncePerBranch) {
  int runs = 0;
  CppModel model([&runs](Joint& p) {
    ++runs;
    const Real x = p.real("x");
    p += x > 0 ? -x : 3 * x;
    if (!(x <= 2)) p += -1;
  });
  for (int i = 0; i < 50; ++i) {
    for (const double x : {1.0, -1.0, 3.0, -2.0}) {
      const Point at = evaluate(model, {x});
      EXPECT_EQ(at.log_density, (x > 0 ? -x : 3 * x) - (x <= 2 ? 0 : 1));
      EXPECT_EQ(at.gradient[0], x > 0 ? -1 : 3);
    }
  }
  EXPECT_LE(runs, 6);
}

}  // namespace
}  // namespace kullback::model
