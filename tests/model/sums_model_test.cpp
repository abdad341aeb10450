// reduce_sum and map_rect are the loops they stand for.
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

void expect_same(const std::string& one, const std::string& other, const std::string& data,
                 const std::vector<double>& theta) {
  const auto a = load(one, data);
  const auto b = load(other, data);
  const Point at = evaluate(*a->model, theta);
  const Point same = evaluate(*b->model, theta);
  ASSERT_EQ(at.status, density::Status::ok) << a->model->message();
  EXPECT_NEAR(at.log_density, same.log_density, 1e-12 * std::abs(same.log_density));
  for (std::size_t i = 0; i < theta.size(); ++i) EXPECT_NEAR(at.gradient[i], same.gradient[i], 1e-11);
  expect_gradient(*a->model, theta, 1e-8, one);
}

TEST(Sums, ReduceSumIsTheSum) {
  const std::string head =
      "functions { real part(array[] real y, int start, int end, vector mu, real s) {"
      " return normal_lpdf(y | mu[start:end], s); }"
      " real part_lpdf(array[] real y, int start, int end, vector mu, real s) {"
      " return normal_lpdf(y | mu[start:end], s); } }"
      " data { int N; array[N] real y; } parameters { vector[N] mu; real<lower=0> s; } model { ";
  const std::string data = R"({"N": 4, "y": [1, -1, 0.5, 2]})";
  const std::vector<double> theta{0.1, 0.2, -0.3, 0.4, 0.5};
  const std::string plain = head + "target += normal_lpdf(y | mu, s); }";
  expect_same(head + "target += reduce_sum(part, y, 2, mu, s); }", plain, data, theta);
  expect_same(head + "target += reduce_sum_static(part, y, 1, mu, s); }", plain, data, theta);
  expect_same(head + "target += reduce_sum(part_lpdf, y, 1, mu, s); }", plain, data, theta);
}

TEST(Sums, TheSliceMayHoldParametersOrVectors) {
  const std::string head =
      "functions { real part(array[] vector x, int start, int end, array[] int k) { real sum = 0;"
      " for (i in start:end) sum += k[i] * dot_self(x[i - start + 1]); return sum; } }"
      " parameters { array[3] vector[2] x; } model { ";
  expect_same(head + "target += reduce_sum(part, x, 1, {1, 2, 3}); }",
              head + "for (i in 1:3) target += i * dot_self(x[i]); }", "{}", {1, 2, 3, 0.4, 0.5, 0.6});
}

TEST(Sums, AnEmptySliceIsZero) {
  const auto loaded = load(
      "functions { real part(array[] real y, int start, int end, real m) { return m / (end - start); } }"
      " parameters { real m; } model { array[0] real y; target += m + reduce_sum(part, y, 1, m); }");
  EXPECT_EQ(evaluate(*loaded->model, {2.0}).log_density, 2.0);
}

TEST(Sums, AGrainSizeMustBePositive) {
  const auto loaded = load(
      "functions { real part(array[] real y, int start, int end, real m) { return m; } }"
      " parameters { real m; } model { target += reduce_sum(part, {1.0}, 0, m); }");
  EXPECT_EQ(evaluate(*loaded->model, {2.0}).status, density::Status::rejected);
  EXPECT_NE(loaded->model->message().find("reduce_sum: grainsize is 0, but must be positive!"),
            std::string::npos);
}

TEST(Sums, MapRectCallsEachShard) {
  const std::string head =
      "functions { vector shard(vector phi, vector theta, array[] real x, array[] int k) {"
      " return [normal_lpdf(x | theta[1], exp(phi[1])), k[1] * theta[1]]'; } }"
      " parameters { vector[1] phi; array[2] vector[1] theta; } model { ";
  const std::string loop =
      "for (i in 1:2) { array[2] real x = {i + 0.5, -i}; target += normal_lpdf(x | theta[i, 1], exp(phi[1]));"
      " target += (i + 1) * theta[i, 1]; } }";
  expect_same(head + "target += sum(map_rect(shard, phi, theta, {{1.5, -1}, {2.5, -2}}, {{2}, {3}})); }",
              head + loop, "{}", {0.3, 0.4, -0.5});
}

TEST(Sums, MapRectNeedsOneRowOfDataPerShard) {
  const auto loaded = load(
      "functions { vector shard(vector phi, vector theta, array[] real x, array[] int k) { return theta; } }"
      " parameters { array[2] vector[1] theta; } model { vector[0] phi;"
      " target += sum(map_rect(shard, phi, theta, {{1.5}}, {{2}, {3}})); }");
  EXPECT_EQ(evaluate(*loaded->model, {2.0, 1.0}).status, density::Status::rejected);
  EXPECT_NE(loaded->model->message().find("map_rect: x_r has 1 elements, but there are 2 shards"),
            std::string::npos);
}

}  // namespace
}  // namespace kullback::model
