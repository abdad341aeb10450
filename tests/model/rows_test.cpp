// Minibatches against the full density: with all rows chosen both agree, and over a partition of the rows
// into K minibatches of B, (B / N) * sum of the minibatch densities = full density - (1 - K B / N) * global
// part, which for a partition (K B = N) is the full density itself, gradient included.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "model/memory_limit.hpp"
#include "model/stan_model.hpp"
#include "model/stan_rows.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using density::Status;

using namespace program_test;

std::vector<double> point_at(std::size_t dim, double phase = 1.0) {
  std::vector<double> theta(dim);
  for (std::size_t i = 0; i < dim; ++i) theta[i] = 0.4 * std::sin(phase + 2.0 * static_cast<double>(i));
  return theta;
}

void expect_near(const Evaluated& a, const Evaluated& b, const std::string& what, double tolerance = 1e-10) {
  for (std::size_t k = 0; k < a.log_density.size(); ++k) {
    EXPECT_EQ(a.status[k], Status::ok) << what;
    EXPECT_NEAR(a.log_density[k], b.log_density[k], tolerance * (1 + std::abs(b.log_density[k]))) << what;
  }
  for (std::size_t i = 0; i < a.gradient.size(); ++i) {
    EXPECT_NEAR(a.gradient[i], b.gradient[i], tolerance * (1 + std::abs(b.gradient[i])))
        << what << ", gradient " << i;
  }
}

std::vector<std::uint32_t> slice(const std::vector<std::uint32_t>& rows, std::size_t first,
                                 std::size_t size) {
  return {rows.begin() + static_cast<long>(first), rows.begin() + static_cast<long>(first + size)};
}

// All of it, for one program.
void check_minibatches(const std::string& name, const std::string& program, const std::string& data,
                       const std::vector<std::string>& names = {}) {
  SCOPED_TRACE(name);
  const auto loaded = load(program, data, {.rows = names});
  ASSERT_NE(loaded, nullptr);
  StanModel& model = *loaded->model;
  density::Rows* rows = nullptr;
  try {
    rows = model.rows();
  } catch (const Error& e) {
    FAIL() << e.message();
  }
  const std::size_t n = rows->count();
  for (const double phase : {1.0, 2.5}) {
    const std::vector<double> theta = point_at(model.dim(), phase);
    rows->choose({});
    const Evaluated full = evaluate_lanes(model, theta);
    ASSERT_EQ(full.status[0], Status::ok) << model.message();
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    rows->choose(order);
    expect_near(evaluate_lanes(model, theta), full, "all rows");
    std::reverse(order.begin(), order.end());
    rows->choose(order);
    expect_near(evaluate_lanes(model, theta), full, "all rows backwards");
    for (std::size_t i = 0; i < n; ++i)
      order[i] = static_cast<std::uint32_t>((i * 5 + 3) % n);  // n has no factor 5
    for (const std::size_t batch : {std::size_t{1}, std::size_t{2}, n / 2}) {
      ASSERT_EQ(n % batch, 0U);
      Evaluated sum;
      sum.log_density = {0};
      sum.status = {Status::ok};
      sum.gradient.assign(theta.size(), 0);
      const double share = static_cast<double>(batch) / static_cast<double>(n);
      Evaluated first;
      for (std::size_t at = 0; at < n; at += batch) {
        rows->choose(slice(order, at, batch));
        const Evaluated part = evaluate_lanes(model, theta);
        if (at == 0) first = part;
        sum.log_density[0] += share * part.log_density[0];
        for (std::size_t i = 0; i < theta.size(); ++i) sum.gradient[i] += share * part.gradient[i];
      }
      expect_near(sum, full, "minibatches of " + std::to_string(batch));
      rows->choose(slice(order, 0, batch));
      const Evaluated again = evaluate_lanes(model, theta);
      EXPECT_EQ(again.log_density, first.log_density) << "back again: same bits";
      EXPECT_EQ(again.gradient, first.gradient);
      // Lanes, with a workspace that lives through an exchange.
      std::vector<double> lanes(theta.size() * 3);
      for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = theta[i / 3];
      const Evaluated wide = evaluate_lanes(model, lanes, 3);
      EXPECT_NEAR(wide.log_density[2], first.log_density[0], 1e-11 * (1 + std::abs(first.log_density[0])));
      rows->choose(slice(order, n - batch, batch));
      const Evaluated other = evaluate_lanes(model, theta);
      EXPECT_NEAR(evaluate_lanes(model, lanes, 3).log_density[1], other.log_density[0],
                  1e-11 * (1 + std::abs(other.log_density[0])));
    }
  }
}

const std::string kData = R"({"N": 12, "K": 2, "J": 3,
  "x": [[0.1, 1.0], [-0.4, 0.3], [0.9, -1.2], [1.4, 0.2], [-0.8, 0.5], [0.3, 0.3], [0.2, -0.1], [1.1, 0.7],
        [-1.3, 0.4], [0.6, -0.6], [0.5, 1.5], [-0.2, -0.9]],
  "y": [0.2, 1.1, -0.7, 0.4, 2.0, -1.5, 0.3, 0.8, -0.1, 1.7, -0.9, 0.6],
  "b": [1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1],
  "c": [3, 0, 2, 5, 1, 1, 0, 4, 2, 2, 7, 1],
  "g": [1, 2, 3, 1, 2, 3, 3, 2, 1, 1, 2, 3],
  "s": [1, 0.5, 2, 1.5, 0.7, 0.9, 1.1, 1.3, 0.8, 0.6, 1.9, 1.2]})";

const std::string kHead =
    R"(data { int N; int K; int J; matrix[N, K] x; vector[N] y; array[N] int b; array[N] int c;
  array[N] int<lower=1, upper=J> g; vector<lower=0>[N] s; } )";

struct Case {
  std::string name;
  std::size_t scaled;  // terms
  std::size_t not_scaled;
  std::string body;
};

const Case kCases[] = {
    {"vectorised regression", 12, 3, R"(parameters { real a; vector[K] beta; real<lower=0> sigma; }
      model { beta ~ normal(0, 2); sigma ~ exponential(1); y ~ normal(a + x * beta, sigma); })"},
    {"loop", 12, 2, R"(parameters { real a; vector[K] beta; real<lower=0> sigma; }
      model { a ~ normal(0, 1); for (n in 1:N) y[n] ~ normal(a + x[n] * beta, sigma); })"},
    {"normal GLM", 12, 2, R"(parameters { real a; vector[K] beta; real<lower=0> sigma; }
      model { beta ~ std_normal(); y ~ normal_id_glm(x, a, beta, sigma); })"},
    {"logistic GLM", 12, 1, R"(parameters { real a; vector[K] beta; }
      model { beta ~ std_normal(); b ~ bernoulli_logit_glm(x, a, beta); })"},
    {"logistic vectorised", 12, 1, R"(parameters { real a; vector[K] beta; }
      model { beta ~ std_normal(); b ~ bernoulli_logit(a + x * beta); })"},
    {"Poisson GLM with own intercepts", 12, 1, R"(parameters { vector[J] a; vector[K] beta; }
      model { a ~ std_normal(); c ~ poisson_log_glm(x, a[g], beta); })"},
    {"negative binomial GLM", 24, 2, R"(parameters { real a; vector[K] beta; real<lower=0> phi; }
      model { phi ~ gamma(2, 1); c ~ neg_binomial_2_log_glm(x, a, beta, phi); })"},
    {"groups, vectorised", 12, 3,
     R"(parameters { vector[J] a; real mu; real<lower=0> tau; real<lower=0> sigma; }
      model { a ~ normal(mu, tau); y ~ normal(a[g], sigma); })"},
    {"groups, non-centred", 12, 3,
     R"(parameters { vector[J] e; real mu; real<lower=0> tau; real<lower=0> sigma; }
      transformed parameters { vector[J] a = mu + tau * e; }
      model { e ~ std_normal(); for (n in 1:N) target += normal_lpdf(y[n] | a[g[n]] + 0.5 * x[n, 1], sigma); })"},
    {"latents with a bound", 36, 2, R"(parameters { vector<lower=0>[N] z; real<lower=0> tau; }
      model { tau ~ exponential(1); z ~ gamma(2, tau); y ~ normal(log(z), s); })"},
    {"latents with two bounds, loop", 48, 0, R"(parameters { array[N] real<lower=-1, upper=3> z; real m; }
      model { for (n in 1:N) { z[n] ~ normal(m, 1); y[n] ~ normal(z[n], 0.7); } })"},
    {"latent simplexes", 36, 0, R"(parameters { array[N] simplex[3] p; vector[3] m; }
      model { for (n in 1:N) { p[n] ~ dirichlet(rep_vector(2.0, 3)); y[n] ~ normal(dot_product(p[n], m), 1); } })"},
    {"mixture", 12, 4, R"(parameters { real<lower=0, upper=1> w; ordered[2] mu; }
      model { mu ~ normal(0, 2); for (n in 1:N) target += log_mix(w, normal_lpdf(y[n] | mu[1], 1),
        normal_lpdf(y[n] | mu[2], s[n])); })"},
    {"branch on data", 12, 1, R"(parameters { real a; real<lower=0> sigma; }
      model { for (n in 1:N) { if (b[n] == 1) y[n] ~ normal(a, sigma); else target += normal_lccdf(y[n] | a, sigma); } })"},
    {"default changed by a branch", 12, 0, R"(parameters { real a; real d; }
      model { for (n in 1:N) { real m = a; if (b[n] == 1) m = d; target += -square(m - 1); } })"},
    {"skipped rows", 6, 0, R"(parameters { real a; }
      model { for (n in 1:N) { if (b[n] == 0) continue; target += -square(a - 0.3); } })"},
    {"ternary and zero inflation", 12, 3, R"(parameters { real<lower=0, upper=1> t; real<lower=0> lambda; }
      model { for (n in 1:N) target += c[n] == 0 ? log_sum_exp(log(t), log1m(t) + poisson_lpmf(0 | lambda))
        : log1m(t) + poisson_lpmf(c[n] | lambda); })"},
    {"transformed data", 24, 1,
     R"(transformed data { vector[N] u = (y - mean(y)) / sd(y); matrix[N, K] q = qr_thin_Q(x) * sqrt(N - 1.0);
        int ones = sum(b); array[N] int up; for (n in 1:N) up[n] = c[n] + 1; }
      parameters { real a; vector[K] beta; }
      model { a ~ normal(ones, 3); u ~ normal(a + q * beta, 1); up ~ poisson_log(a + q * beta); })"},
    {"sums by hand", 48, 3, R"(parameters { real a; real<lower=0> sigma; real w; }
      model { real s1 = 0; for (n in 1:N) s1 += square(y[n] - a); target += -0.5 * s1 / square(sigma) - N * log(sigma);
        target += w * sum(exp(a * x[:, 1])) - square(w); target += -dot_self(y - w) + mean(y * a); })"},
    {"weights and offsets", 12, 0, R"(parameters { real a; }
      model { for (n in 1:N) target += s[n] * (normal_lpdf(y[n] | a, 1) + log(s[n])); })"},
    {"categorical and ordered", 36, 3,
     R"(parameters { simplex[J] p; ordered[2] cut; real a; matrix[K, J] beta; }
      model { g ~ categorical(p); for (n in 1:N) g[n] ~ ordered_logistic(a * y[n], cut);
        for (n in 1:N) g[n] ~ categorical_logit((x[n] * beta)'); to_vector(beta) ~ std_normal(); })"},
    {"vectors of rows", 12, 2, R"(transformed data { array[N] vector[2] v; for (n in 1:N) v[n] = x[n]'; }
      parameters { vector[2] m; cholesky_factor_corr[2] L; }
      model { L ~ lkj_corr_cholesky(2); v ~ multi_normal_cholesky(m, L); })"},
    {"truncation", 48, 1, R"(parameters { real a; real<lower=0> sigma; }
      model { for (n in 1:N) y[n] ~ normal(a, sigma) T[-3 - s[n], ]; for (n in 1:N) c[n] ~ poisson(sigma) T[, 9]; })"},
    {"as often as a row says", 40, 0, R"(parameters { real a; real d; }
      model { for (n in 1:N) { int k = 0; real m = 0; while (k < c[n]) { k += 1; m += a; }
        for (j in 1:c[n]) target += -square(a - j); target += -square(m - d); } })"},
    {"break", 12, 0, R"(parameters { vector[K] a; }
      model { for (n in 1:N) { real m = 0; for (k in 1:K) { if (x[n, k] > 0.2) break; m += a[k]; }
        target += -square(m - 0.3); } })"},
    {"own function of several forms", 14, 0, R"(parameters { real a; }
      model { array[N] real lp; for (n in 1:N) { lp[n] = 0; if (b[n] == 1) lp[n] = -square(a);
        else if (c[n] > 2) lp[n] = -abs(a - 2); } target += sum(lp); target += sum(lp[1:2]) / 2; })"},
    {"repeated measurements", 36, 2, R"(parameters { vector[N] u; real<lower=0> tau; real m; }
      model { u ~ normal(m, tau); tau ~ exponential(1);
        for (n in 1:N) for (k in 1:K) target += normal_lpdf(x[n, k] | u[n], s[n]); })"},
    {"powers", 12, 0, R"(parameters { matrix[2, 2] m; }
      model { for (n in 1:N) target += -sum(square(matrix_power(m, c[n] %/% 2) - y[n])); })"},
    {"categories by hand", 12, 1, R"(parameters { real a; vector[9] d; }
      model { array[N, 9] real q; d ~ std_normal();
        for (n in 1:N) { for (k in 1:c[n]) q[n, k] = a * k + d[k]; for (k in c[n] + 1:9) q[n, k] = -d[k];
          target += log_sum_exp(q[n]) - square(a * y[n]); } })"},
    {"guards", 24, 0, R"(parameters { real a; vector[N] z; }
      model { z ~ std_normal(); for (n in 1:N) { if (z[n] > 0) y[n] ~ normal(z[n], 1); else y[n] ~ normal(a, 2); } })"},
    {"truncated vectors", 36, 3, R"(parameters { real a; vector[K] beta; real<lower=0> sigma; }
      model { beta ~ std_normal(); y ~ normal(a, sigma) T[-5, ]; y ~ normal(a + x * beta, sigma) T[, 6]; })"},
    {"complex numbers", 24, 0, R"(parameters { real a; real d; }
      model { for (n in 1:N) { complex z = to_complex(a * y[n], s[n]) * to_complex(0, b[n]) + d; target += -abs(z);
        if (to_complex(b[n], 0) == 1) target += -square(a); else target += -square(d); } })"},
    {"functions of ints", 24, 0, R"(transformed data { array[N] int d = append_array(c[1:5], c[6:N]);
        array[2, N] int r = rep_array(d, 2); array[N] int t = to_int(to_array_1d(s * 2)); }
      parameters { real a; }
      model { for (n in 1:N) { target += -square(a - t[n]); target += -square(choose(r[2, n] + 2, 2) - a); } })"},
    {"random transformed data", 12, 0,
     R"(transformed data { array[N] real u = normal_rng(y, s); array[N] int k = poisson_rng(s); }
      parameters { real a; } model { for (n in 1:N) target += -square(a * k[n] - u[n]); })"},
    {"decompositions", 12, 0, R"(transformed data { matrix[N, K] q = qr_thin(x).1; }
      parameters { vector[K] beta; } model { y ~ normal(q * beta, s); })"},
    {"state space: observations only", 12, 2, R"(parameters { vector[N] z; }
      model { z[1] ~ std_normal(); z[2:N] ~ normal(z[1:(N - 1)], 1); y ~ normal(z, s); })"},
};

TEST(Rows, partitionsAddUpToTheFullDensity) {
  for (const Case& c : kCases) check_minibatches(c.name, kHead + c.body, kData);
}

// The sums above hold whatever is scaled; this is what must be.
TEST(Rows, scalesTheTermsOfRows) {
  for (const Case& c : kCases) {
    const auto loaded = load(kHead + c.body, kData);
    const auto& rows = dynamic_cast<StanRows&>(*loaded->model->rows());
    std::size_t scaled = 0;
    std::size_t not_scaled = 0;
    for (const tape::StatementTerms& statement : rows.program().statements) {
      scaled += statement.of_rows;
      not_scaled += statement.global;
    }
    EXPECT_EQ(scaled, c.scaled) << c.name << "\n" << rows.describe();
    EXPECT_EQ(not_scaled, c.not_scaled) << c.name << "\n" << rows.describe();
  }
}

// Data in which only one row is as in kData.
Data other_data_but(std::size_t row) {
  Data data = parse_json_data(kData, "test.json");
  const auto change = [&](const char* name, const std::function<double(double)>& f) {
    DataValue& value = *data.find(name);
    const std::size_t width = value.numbers.size() / value.dims.front();
    for (std::size_t i = 0; i < value.numbers.size(); ++i) {
      if (i / width != row) value.numbers[i] = f(value.numbers[i]);
    }
  };
  change("x", [](double x) { return 1.3 * x + 0.05; });
  change("y", [](double y) { return 0.8 * y - 0.1; });
  change("b", [](double b) { return 1 - b; });
  change("c", [](double c) { return std::fmod(c + 1, 8); });
  change("g", [](double g) { return std::fmod(g, 3) + 1; });
  change("s", [](double s) { return 1.2 * s + 0.01; });
  return data;
}

// Terms of a row must not know the data of other rows: a number that lost its row would be counted with all.
void expect_alone(const std::string& name, const std::string& program) {
  SCOPED_TRACE(name);
  const auto loaded = load(program, kData);
  ASSERT_NE(loaded, nullptr);
  const std::vector<double> theta = point_at(loaded->model->dim());
  for (const std::uint32_t row : {0U, 4U, 11U}) {
    const auto other = load(program, other_data_but(row));
    loaded->model->rows()->choose({&row, 1});
    other->model->rows()->choose({&row, 1});
    expect_near(evaluate_lanes(*other->model, theta), evaluate_lanes(*loaded->model, theta),
                "row " + std::to_string(row));
  }
}

TEST(Rows, rowsDoNotKnowEachOther) {
  for (const Case& c : kCases) {
    if (c.name == "transformed data" || c.name == "decompositions") continue;  // they use means, or R of QR
    expect_alone(c.name, kHead + c.body);
  }
  const std::pair<const char*, const char*> bodies[] = {
      {"numbers only",
       R"(parameters { real a; } model { a ~ normal(0, 1); for (n in 1:N) { target += log(s[n]);
        target += c[n]; target += -c[n]; target += c[n] * 1.0 / 2; target += fma(a, c[n], b[n]);
        target += hypergeometric_2F1(1.0, 1.0, 2.0, -s[n]); target += lmultiply(c[n], s[n]); } })"},
      {"complex zeros", R"(parameters { real a; } model { for (n in 1:N) { complex z = to_complex(b[n], 0);
        target += get_real(z * to_complex(a, 0) + z); target += abs(z); } })"},
      {"real loops", R"(parameters { real a; } model { for (n in 1:N) { real t = s[n];
        while (t > 0.5) { t -= 0.5; target += -square(a); } target += t; int k = c[n] %/% 2; k += 1;
        target += -a * a * k; } })"},
      {"tuples", R"(transformed data { array[N] tuple(real, int) d; for (n in 1:N) d[n] = (y[n], c[n]); }
        parameters { real a; } model { for (n in 1:N) target += -square(d[n].1 * a - d[n].2); })"},
      {"grids", R"(parameters { real a; } model { for (n in 1:N)
        target += -sum(square(linspaced_vector(3, y[n], y[n] + s[n]) - a)) + sum(linspaced_int_array(3, c[n], c[n] + 2)); })"},
      {"indexes", R"(transformed data { vector[J] w = [1, 2, 3]'; vector[N] v = w[g]; }
        parameters { vector[J] a; } model { v ~ normal(a[g], 1);
          for (n in 1:N) target += -square(a[g[n]] - w[g[n]] * one_hot_vector(J, g[n])[1]) + max(c[n], 3) + abs(c[n])
            + min({c[n], b[n]}) + modulus(c[n], 2) + logical_eq(c[n], 2); })"},
      {"constraints", R"(parameters { real a; } model { for (n in 1:N)
        target += -square(lower_bound_unconstrain(s[n], 0) - a) + lower_bound_constrain(y[n], 0.0); })"},
      {"draws",
       R"(transformed data { array[N] vector[2] u; for (n in 1:N) u[n] = multi_normal_rng(x[n]', identity_matrix(2)); }
        parameters { real a; } model { for (n in 1:N) target += -square(u[n, 1] - a) + (u[n, 2] > 0 ? s[n] : 0.3); })"},
      {"truncation at rows", R"(parameters { real a; real<lower=0> sigma; }
        model { for (n in 1:N) c[n] ~ poisson(sigma) T[c[n] - 1, c[n] + 4]; y ~ normal(a * s, sigma) T[-5, 5]; })"},
  };
  for (const auto& [name, body] : bodies) expect_alone(name, kHead + body);
}

// One row of two, by hand: 2 * log normal(y_n | mu, 1) + log normal(mu | 0, 1), up to constants.
TEST(Rows, oneRowByHand) {
  const auto loaded = load(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 1); y ~ normal(mu, 1); }",
      R"({"N": 2, "y": [1, 3]})");
  const double mu = 0.7;
  for (const std::uint32_t row : {0U, 1U}) {
    const double y = row == 0 ? 1 : 3;
    loaded->model->rows()->choose({&row, 1});
    const Evaluated at = evaluate_lanes(*loaded->model, {mu});
    EXPECT_NEAR(at.log_density[0], -(y - mu) * (y - mu) - 0.5 * mu * mu, 1e-14);
    EXPECT_NEAR(at.gradient[0], 2 * (y - mu) - mu, 1e-14);
  }
}

// Own coordinates of rows: those whose gradient is 0 with other rows chosen.
TEST(Rows, knowsTheCoordinatesOfRows) {
  const auto loaded =
      load(kHead + R"(parameters { real a; array[N] simplex[3] p; vector<lower=0>[N] z; vector[3] m; }
      model { a ~ std_normal(); z ~ gamma(2, 1);
        for (n in 1:N) { p[n] ~ dirichlet(rep_vector(2.0, 3)); y[n] ~ normal(dot_product(p[n], m) + a, z[n]); } })",
           kData);
  StanModel& model = *loaded->model;
  density::Rows& rows = *model.rows();
  for (const std::uint32_t row : {0U, 5U, 11U}) {
    const std::vector<std::uint32_t> expected{1 + 2 * row, 2 + 2 * row, 25 + row};
    const auto own = rows.coordinates(row);
    EXPECT_EQ(std::vector<std::uint32_t>(own.begin(), own.end()), expected);
    rows.choose({&row, 1});
    const Evaluated at = evaluate_lanes(model, point_at(model.dim()));
    for (std::uint32_t i = 1; i < 37; ++i) {
      const bool is_own = std::find(own.begin(), own.end(), i) != own.end();
      EXPECT_EQ(at.gradient[i] != 0, is_own) << "row " << row << ", coordinate " << i;
    }
  }
}

TEST(Rows, noCoordinatesOfRowsWithoutLatents) {
  const auto loaded = load(kHead + "parameters { real a; } model { y ~ normal(a, s); }", kData);
  EXPECT_TRUE(loaded->model->rows()->coordinates(3).empty());
}

TEST(Rows, raggedRows) {
  const std::string program = R"(data { int M; int R; vector[M] v; array[R] int first; array[R] int len; }
    parameters { vector[R] m; real<lower=0> t; }
    model { m ~ normal(0, t); for (r in 1:R) segment(v, first[r], len[r]) ~ normal(m[r], 1 + t * len[r]); })";
  const std::string data =
      R"({"M": 7, "R": 4, "v": [1, 2, 3, 4, 5, 6, 7], "first": [1, 3, 4, 6], "len": [2, 1, 2, 2]})";
  check_minibatches("ragged", program, data, {"first", "len"});
}

TEST(Rows, oneRow) {
  const auto loaded = load(
      "data { int N; vector[N] y; } parameters { real mu; } model { mu ~ normal(0, 2); y ~ normal(mu, 1); }",
      R"({"N": 1, "y": [3]})");
  const Evaluated full = evaluate_lanes(*loaded->model, {0.4});
  loaded->model->rows()->choose(std::vector<std::uint32_t>{0});
  expect_near(evaluate_lanes(*loaded->model, {0.4}), full, "the only row");
}

TEST(Rows, userDefinedFunctions) {
  check_minibatches("function",
                    R"(functions {
      real term(real y, row_vector x, vector beta, int b) { if (b == 1) return normal_lpdf(y | x * beta, 1);
        real m = 0; for (k in 1:num_elements(beta)) m += x[k] * beta[k]; return cauchy_lpdf(y | m, 2); } } )" +
                        kHead + R"(parameters { vector[K] beta; } model { beta ~ normal(0, 1);
      for (n in 1:N) target += term(y[n], x[n], beta, b[n]); })",
                    kData);
}

TEST(Rows, functionsOfFunctions) {
  check_minibatches(
      "solver of a row",
      R"(functions { vector f(real t, vector z, real k, data real s) { return -k * s * z; } } )" + kHead +
          R"(parameters { real<lower=0> k; real<lower=0> z0; } model { k ~ lognormal(0, 1);
      for (n in 1:N) y[n] ~ normal(ode_rk45(f, [z0]', 0, {1.0}, k, s[n])[1][1], 1); })",
      kData);
  check_minibatches("solver of none",
                    R"(functions { vector f(real t, vector z, real k) { return -k * z; } } )" + kHead +
                        R"(parameters { real<lower=0> k; real<lower=0> z0; }
      transformed parameters { real z1 = ode_rk45(f, [z0]', 0, {1.0}, k)[1][1]; } model { y ~ normal(z1, s); })",
                    kData);
  check_minibatches("sum of slices",
                    R"(functions { real part(array[] real y, int first, int last, vector m) {
      return normal_lpdf(y | m[first:last], 1); } } )" +
                        kHead + R"(parameters { vector[K] beta; }
      model { target += reduce_sum(part, to_array_1d(y), 1, x * beta); })",
                    kData);
}

// Transformed data are computed again for rows, with the same random numbers.
TEST(Rows, randomTransformedDataAreTheSame) {
  const auto loaded =
      load(kHead + R"(transformed data { vector[N] u; for (n in 1:N) u[n] = normal_rng(0, 1); }
    parameters { real a; } model { y - u ~ normal(a, 1); })",
           kData);
  const Evaluated full = evaluate_lanes(*loaded->model, {0.4});
  loaded->model->rows()->choose(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_near(evaluate_lanes(*loaded->model, {0.4}), full, "all rows");
}

TEST(Rows, clonesChooseForThemselves) {
  const auto loaded = load(kHead + "parameters { real a; } model { a ~ std_normal(); y ~ normal(a, s); }",
                           kData, {.rows = {"y"}});
  StanModel& model = *loaded->model;
  const Evaluated full = evaluate_lanes(model, {0.4});
  model.rows()->choose(std::vector<std::uint32_t>{3, 7});
  const Evaluated some = evaluate_lanes(model, {0.4});
  const std::unique_ptr<density::LogDensity> clone = model.clone();
  auto& own = dynamic_cast<StanModel&>(*clone);
  EXPECT_EQ(evaluate_lanes(own, {0.4}).log_density, full.log_density);
  own.rows()->choose(std::vector<std::uint32_t>{3, 7});
  EXPECT_EQ(evaluate_lanes(own, {0.4}).log_density, some.log_density);
  own.rows()->choose({});
  EXPECT_EQ(evaluate_lanes(model, {0.4}).log_density, some.log_density);
  EXPECT_EQ(own.terms()->count(), model.terms()->count());
}

TEST(Rows, namedRows) {
  check_minibatches("y only", kHead + R"(parameters { real a; vector[K] beta; }
    model { y ~ normal(a + x * beta, 1); })",
                    kData, {.rows = {"y"}});
}

std::string refusal(const std::string& body, const std::vector<std::string>& names = {}) {
  const auto loaded = load(kHead + body, kData, {.rows = names});
  try {
    loaded->model->rows();
  } catch (const Error& e) {
    return e.message();
  }
  return "accepted";
}

TEST(Rows, refusesWhatMixesRows) {
  const auto expect = [](const std::string& body, const std::string& part) {
    const std::string message = refusal(body);
    EXPECT_NE(message.find(part), std::string::npos) << body << "\n" << message;
    EXPECT_NE(message.find("model.stan:"), std::string::npos) << message;
  };
  expect("parameters { real a; } model { for (n in 2:N) y[n] ~ normal(a * y[n - 1], 1); }", "rows 1 and 2");
  expect(
      "parameters { real<lower=0> r; } model { y ~ multi_normal(rep_vector(0, N), add_diag(gp_exp_quad_cov("
      "to_array_1d(x[:, 1]), 1.0, r), 0.1)); }",
      "rows 1 and 12");
  expect("parameters { real a; } model { target += -square(sum(y * a) - 1); }", "rows 1 and 12");
  expect("parameters { real a; } model { target += log_sum_exp(a * y); }", "log_sum_exp");
  expect(
      "transformed data { complex_vector[N] z = to_complex(y, s); } parameters { real a; } "
      "model { for (n in 1:N) target += -square(abs(z[n]) - a); }",
      "rows 1 and 12 of the data meet in 'to_complex'");
}

TEST(Rows, namesThatAreNoRows) {
  EXPECT_NE(refusal("parameters { real a; } model { y ~ normal(a, 1); }", {"q"}).find("no data named 'q'"),
            std::string::npos);
  EXPECT_NE(refusal("parameters { real a; } model { y ~ normal(a, 1); }", {"N"}).find("one number"),
            std::string::npos);
}

TEST(Rows, badChoices) {
  const auto loaded = load(kHead + "parameters { real a; } model { y ~ normal(a, 1); }", kData);
  density::Rows& rows = *loaded->model->rows();
  EXPECT_THROW(rows.choose(std::vector<std::uint32_t>{1, 12}), Error);
  EXPECT_THROW(rows.choose(std::vector<std::uint32_t>{1, 1}), Error);
}

TEST(Rows, saysWhatIsScaled) {
  const auto loaded = load(kHead + R"(parameters {
    vector<lower=0>[N] z;
    real m;
  }
  model {
    m ~ normal(0, 1);
    z ~ exponential(1);
    y ~ normal(m + log(z), s);
  })",
                           kData);
  const std::string text = loaded->model->describe_rows();
  const auto has = [&](const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  };
  has("rows: 12, of the data x, y, b, c, g, s");
  has("parameters of rows: z");
  has("other parameters: m");
  has("scaled by N/B (12 terms): vector<lower=0>[N] z;");
  has("not scaled (1 term): m ~ normal(0, 1);");
  has("scaled by N/B (12 terms): z ~ exponential(1);");
  has("all rows have one form");
}

// ---- memory ----

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.message() + " " + error.hint();
  }
  return "no error";
}

TEST(Rows, MinibatchesAreRefusedBeforeTheyFillTheMemory) {
  const std::string program =
      "data { int N; vector[N] y; } parameters { real m; real<lower=0> s; }"
      " model { y ~ normal(exp(m * y), s); }";
  std::string numbers;
  for (int i = 0; i < 500; ++i) numbers += (i > 0 ? ", " : "") + std::to_string(0.01 * i);
  const std::string data = R"({"N": 500, "y": [)" + numbers + "]}";
  const auto loaded = load(program, data, {.max_memory = 500'000});
  StanModel& model = *loaded->model;
  std::vector<std::uint32_t> rows(100);
  std::iota(rows.begin(), rows.end(), 0U);
  model.rows()->choose(rows);
  const std::vector<double> one = point_at(model.dim());
  const Evaluated small = evaluate_lanes(model, one);
  const std::string many = message_of([&] { evaluate_lanes(model, point_at(model.dim() * 512), 512); });
  EXPECT_TRUE(many.starts_with("a minibatch of 100 rows: 512 draws at once need about ")) << many;
  EXPECT_NE(many.find(" MB of memory, but 500 kB can be used. Choose fewer rows, or fewer draws at once"),
            std::string::npos)
      << many;
  EXPECT_TRUE(evaluate_lanes(model, one) == small);  // what was chosen still is
}

TEST(Rows, ATapeOfTooManyRowsIsRefused) {
  const auto loaded = load(
      "data { int N; vector[N] y; } parameters { real m; } model { for (n in 1:N) y[n] ~ normal(m, 2); }",
      R"({"N": 3, "y": [1, 2, 4]})");
  loaded->model->rows()->choose(std::vector<std::uint32_t>{0, 2});
  const tape::RowProgram& program = dynamic_cast<StanRows&>(*loaded->model->rows()).program();
  std::vector<std::uint32_t> counts(program.classes.size(), 3'000'000);
  const std::string message = message_of([&] { check_row_tape_size(program, counts, 1'000'000); });
  EXPECT_TRUE(message.starts_with("the tape of a minibatch of 3000000 rows needs about ")) << message;
  EXPECT_NE(message.find(" MB of memory, but 1 MB can be used. Choose fewer rows"), std::string::npos)
      << message;
  counts.assign(counts.size(), 3);
  EXPECT_EQ(message_of([&] { check_row_tape_size(program, counts, 1'000'000); }), "no error");
}

}  // namespace
}  // namespace kullback::model
