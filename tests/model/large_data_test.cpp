// Many data: what is made of them refers to them in place, and threads share expensive batches.
#include <algorithm>
#include <cmath>

#include "model/columns.hpp"
#include "model/prepared.hpp"
#include "model/values.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

constexpr std::size_t kRows = 21'000;
constexpr std::size_t kColumns = 50;

// More than a million numbers.
Data many_rows() {
  Data data("data");
  const auto add = [&](const char* name, DataKind kind, std::vector<std::size_t> dims,
                       std::vector<double> numbers) {
    DataValue value;
    value.kind = kind;
    value.dims = std::move(dims);
    value.numbers = std::move(numbers);
    data.add(name, std::move(value));
  };
  std::vector<double> x(kRows * kColumns);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37 * static_cast<double>(i));
  std::vector<double> y(kRows);
  for (std::size_t i = 0; i < kRows; ++i) y[i] = static_cast<double>(i * i % 7 < 3);
  add("N", DataKind::int_, {}, {kRows});
  add("K", DataKind::int_, {}, {kColumns});
  add("X", DataKind::real, {kRows, kColumns}, std::move(x));
  add("y", DataKind::int_, {kRows}, std::move(y));
  return data;
}

constexpr const char* kDeclared = "data { int N; int K; matrix[N, K] X; array[N] int y; } ";

TEST(LargeData, ThreadsGiveTheSameBits) {
  const auto loaded = load(std::string(kDeclared) +
                               "parameters { real a; vector[K] b; } model { b ~ normal(0, 1);"
                               " y ~ bernoulli_logit(X * b + a); }",
                           many_rows());
  // Several pieces for the threads, and a rest.
  evaluate(*loaded->model, std::vector<double>(loaded->model->dim(), 0.1));
  const std::size_t width = loaded->model->lanes_together();
  ASSERT_GE(width, 4U);
  const std::size_t kLanes = 4 * width + 5;
  std::vector<double> theta(loaded->model->dim() * kLanes);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] = 0.1 * std::cos(static_cast<double>(i));
  const Evaluated expected = evaluate_lanes(*loaded->model, theta, kLanes);
  EXPECT_GT(loaded->model->tape()->constant_count(), 1'000'000U);  // so that threads are used
  for (const std::size_t threads : {2U, 3U}) {
    loaded->model->use_threads(threads);
    const Evaluated found = evaluate_lanes(*loaded->model, theta, kLanes);
    EXPECT_EQ(found.log_density, expected.log_density);
    EXPECT_EQ(found.gradient, expected.gradient);
    // Densities alone, for which no gradient is computed.
    std::vector<double> log_density(kLanes);
    std::vector<density::Status> status(kLanes);
    loaded->model->evaluate({kLanes, theta.data(), log_density.data(), nullptr, status.data()});
    EXPECT_EQ(log_density, expected.log_density);
  }
}

TEST(LargeData, TapesReferToThem) {
  const auto loaded =
      load(std::string(kDeclared) + "parameters { vector[K] b; } model { y ~ bernoulli_logit(X * b); }",
           many_rows());
  evaluate(*loaded->model, std::vector<double>(kColumns, 0.1));
  EXPECT_LT(loaded->model->tape()->constants.size(), 2 * kRows);
  EXPECT_EQ(loaded->model->prepared()->builder.constants().own_size(), 0U);
}

// brms writes transformed data column by column: what was computed on the way is not kept, and the result is
// one piece.
TEST(LargeData, TransformedDataAreOnePiece) {
  const auto loaded =
      load(std::string(kDeclared) +
               "transformed data { matrix[N, K] Xc; for (k in 1:K) Xc[, k] = X[, k] - mean(X[, k]); } "
               "parameters { vector[K] b; } model { y ~ bernoulli_logit(Xc * b); }",
           many_rows());
  const Point point = evaluate(*loaded->model, std::vector<double>(kColumns, 0.1));
  EXPECT_EQ(point.status, density::Status::ok);
  EXPECT_LT(loaded->model->tape()->constants.size(), 2 * kRows);
  EXPECT_LE(loaded->model->prepared()->builder.constants().size(), 2 * kRows * kColumns + 100);
}

TEST(LargeData, FileNumbersAreRowMajor) {
  const auto loaded = load(
      "data { array[2] matrix[2, 3] a; array[3] int n; complex_matrix[1, 2] z; }"
      " parameters { real m; } model { m ~ normal(0, 1); }",
      R"({"a": [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]], "n": [3, 1, 2],
                               "z": [[[1, 2], [3, 4]]]})");
  const auto& prepared = *loaded->model->prepared();
  const auto numbers = [&](std::size_t id, std::size_t first, std::size_t count) {
    std::vector<double> found(count);
    copy_file_numbers(prepared.values[id], prepared.builder, first, found);
    return found;
  };
  for (const lang::Variable* variable : declared_in(prepared.program, lang::BlockKind::data)) {
    if (variable->name == "a") {
      EXPECT_EQ(numbers(variable->id, 2, 6), (std::vector<double>{3, 4, 5, 6, 7, 8}));
    }
    if (variable->name == "n") {
      EXPECT_EQ(numbers(variable->id, 0, 3), (std::vector<double>{3, 1, 2}));
    }
    if (variable->name == "z") {
      EXPECT_EQ(numbers(variable->id, 0, 4), (std::vector<double>{1, 2, 3, 4}));
    }
  }
}

}  // namespace
}  // namespace kullback::model
