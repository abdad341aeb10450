// The blocks and supports of a program's coordinates.
#include <cmath>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using density::Support;
using Kind = Support::Kind;

TEST(Layout, BlocksAreTheParametersWithTheirCoordinates) {
  const auto loaded = load(
      "data { int N; } parameters { real mu; simplex[N] p; matrix[2, N] A; vector[0] none; cov_matrix[3] S; }"
      " model { }",
      R"({"N": 4})");
  struct Row {
    const char* name;
    std::size_t first, size;
  };
  const Row expected[] = {{"mu", 0, 1}, {"p", 1, 3}, {"A", 4, 8}, {"none", 12, 0}, {"S", 12, 6}};
  const auto blocks = loaded->model->blocks();
  ASSERT_EQ(blocks.size(), 5U);
  for (std::size_t b = 0; b < 5; ++b) {
    EXPECT_EQ(blocks[b].name, expected[b].name);
    EXPECT_EQ(blocks[b].first, expected[b].first) << expected[b].name;
    EXPECT_EQ(blocks[b].size, expected[b].size) << expected[b].name;
  }
  EXPECT_EQ(loaded->model->dim(), 18U);
  EXPECT_EQ(loaded->model->supports().size(), 18U);
}

TEST(Layout, SlotsOfTuplesAreBlocksOfTheirOwn) {
  const auto loaded = load(
      "parameters { tuple(real<lower=0>, tuple(real, simplex[3])) t; array[2, 1] tuple(vector[2], "
      "real<upper=1>) u; }"
      " model { }");
  const char* names[] = {"t.1", "t.2.1", "t.2.2", "u[1,1].1", "u[1,1].2", "u[2,1].1", "u[2,1].2"};
  const std::size_t firsts[] = {0, 1, 2, 4, 6, 7, 9};
  const auto blocks = loaded->model->blocks();
  ASSERT_EQ(blocks.size(), 7U);
  for (std::size_t b = 0; b < 7; ++b) {
    EXPECT_EQ(blocks[b].name, names[b]);
    EXPECT_EQ(blocks[b].first, firsts[b]) << names[b];
  }
  const auto supports = loaded->model->supports();
  EXPECT_EQ(supports[0].kind, Kind::positive);
  EXPECT_EQ(supports[2].kind, Kind::simplex);
  EXPECT_EQ(supports[6].upper, 1.0);
}

struct SupportRow {
  const char* declaration;
  Kind kind;
  double lower;
  double upper;
};

TEST(Layout, SupportsTellTheBounds) {
  const double inf = INFINITY;
  const SupportRow rows[] = {
      {"real x;", Kind::real, -inf, inf},
      {"real<lower=2> x;", Kind::positive, 2, inf},
      {"real<upper=-a> x;", Kind::positive, -inf, -3},
      {"real<lower=-1, upper=b> x;", Kind::bounded, -1, 6},
      {"real<lower=negative_infinity(), upper=4> x;", Kind::positive, -inf, 4},
      {"real<lower=negative_infinity()> x;", Kind::real, -inf, inf},
      {"vector<offset=3, multiplier=2>[2] x;", Kind::real, -inf, inf},
      {"ordered[2] x;", Kind::other, -inf, inf},
      {"positive_ordered[2] x;", Kind::other, -inf, inf},
      {"simplex[3] x;", Kind::simplex, -inf, inf},
      {"array[2] simplex[3] x;", Kind::simplex, -inf, inf},
      {"unit_vector[2] x;", Kind::other, -inf, inf},
      {"cholesky_factor_corr[2] x;", Kind::other, -inf, inf},
  };
  for (const SupportRow& row : rows) {
    const auto loaded = load("data { real a; } transformed data { real b = 2 * a; } parameters { " +
                                 std::string(row.declaration) + " }",
                             R"({"a": 3})");
    const Support& support = loaded->model->supports().front();
    EXPECT_EQ(support.kind, row.kind) << row.declaration;
    EXPECT_EQ(support.lower, row.lower) << row.declaration;
    EXPECT_EQ(support.upper, row.upper) << row.declaration;
  }
}

TEST(Layout, ABoundForEachNumber) {
  const auto loaded = load(
      "data { array[2] vector[2] a; } parameters { vector<lower=a[1]>[2] x; array[2] vector<lower=a>[2] z; }",
      R"({"a": [[5, 7], [9, 11]]})");
  const auto supports = loaded->model->supports();
  const double expected[] = {5, 7, 5, 7, 9, 11};
  ASSERT_EQ(supports.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(supports[i].lower, expected[i]) << i;
}

TEST(Layout, ABoundThatIsAParameterCouplesCoordinates) {
  const auto loaded = load("parameters { real<lower=0> a; real<lower=0, upper=a> b; }");
  EXPECT_EQ(loaded->model->supports()[0].kind, Kind::positive);
  EXPECT_EQ(loaded->model->supports()[1].kind, Kind::other);
}

}  // namespace
}  // namespace kullback::model
