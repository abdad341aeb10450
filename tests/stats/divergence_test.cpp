// Closed forms of divergences against values with 60 digits, and what must hold of any pair of distributions.
#include "stats/divergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"

namespace kullback::stats::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Parameters are followed by zeros; as an array of numbers the rows compile quickly.
constexpr std::size_t kMaxParameters = 12;
struct Row {
  const char* family;
  double p[kMaxParameters], q[kMaxParameters];
  const char* divergence;
  double order;
  double expected;
};
const Row kRows[] = {
#include "tests/stats/data/divergences.inc"
};

using Parameters = const double (&)[kMaxParameters];

std::vector<double> without_zeros_at_the_end(Parameters x) {
  std::vector<double> result(std::begin(x), std::end(x));
  while (result.back() == 0) result.pop_back();
  return result;
}

void make(Normal& of, Parameters x) { of = {x[0], x[1]}; }
void make(Exponential& of, Parameters x) { of = {x[0]}; }
void make(Gamma& of, Parameters x) { of = {x[0], x[1]}; }
void make(Beta& of, Parameters x) { of = {x[0], x[1]}; }
void make(Poisson& of, Parameters x) { of = {x[0]}; }
void make(Dirichlet& of, Parameters x) { of = {without_zeros_at_the_end(x)}; }
void make(Discrete& of, Parameters x) { of = {{std::begin(x), std::end(x)}}; }
void make(Gaussian& of, Parameters parameters) {
  const std::vector<double> x = without_zeros_at_the_end(parameters);
  std::ptrdiff_t dim = 1;
  while (dim + dim * dim < static_cast<std::ptrdiff_t>(x.size())) ++dim;
  of = {{x.begin(), x.begin() + dim}, {x.begin() + dim, x.end()}};
}

template <class P>
double value(const P& p, const P& q, const std::string& name, double order) {
  if (name == "renyi") return renyi_divergence(p, q, order);
  if (name == "alpha") return alpha_divergence(p, q, order);
  if (name == "beta") return beta_divergence(p, q, order);
  if (name == "chi") return chi_divergence(p, q, order);
  if (name == "hellinger") return hellinger_distance(p, q);
  if (name == "cauchy_schwarz") return cauchy_schwarz_divergence(p, q);
  if constexpr (OnTheLine<P>) {
    if (name == "total_variation") return total_variation(p, q);
    if (name == "jensen_shannon") return jensen_shannon_divergence(p, q);
  }
  if constexpr (std::same_as<P, Normal>)
    if (name == "wasserstein") return wasserstein(p, q, order);
  if constexpr (std::same_as<P, Gaussian>)
    if (name == "wasserstein") return wasserstein(p, q);
  ADD_FAILURE() << "no divergence is named " << name;
  return 0;
}

template <class P>
double value(const Row& row) {
  P p, q;
  make(p, row.p);
  make(q, row.q);
  return value(p, q, row.divergence, row.order);
}

double found(const Row& row) {
  const std::string family = row.family;
  if (family == "Normal") return value<Normal>(row);
  if (family == "Gaussian") return value<Gaussian>(row);
  if (family == "Exponential") return value<Exponential>(row);
  if (family == "Gamma") return value<Gamma>(row);
  if (family == "Beta") return value<Beta>(row);
  if (family == "Dirichlet") return value<Dirichlet>(row);
  if (family == "Poisson") return value<Poisson>(row);
  if (family == "Discrete") return value<Discrete>(row);
  ADD_FAILURE() << "no family is named " << family;
  return 0;
}

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// Beyond rounding: quadrature, differences of distribution functions, escorts of nearly equal or very narrow
// distributions, and Bures's distance of nearly equal covariances.
Tolerance tolerance_of(const Row& row) {
  const std::string name = row.divergence, family = row.family;
  const bool are_near = std::abs(row.p[0] - row.q[0]) < 1e-4 * std::abs(row.p[0]);
  if (name == "jensen_shannon") return {1e-10, 1e-16};
  if (name == "total_variation") return {1e-12, 1e-15};
  if (name == "wasserstein") return {1e-10, are_near && family == "Gaussian" ? 1e-8 : 1e-15};
  if (name == "cauchy_schwarz" && family == "Poisson") return {1e-12, 1e-15};
  if (name == "beta") return {row.p[0] > 1e5 ? 1e-5 : are_near ? 1e-8 : 1e-12, 1e-300};
  return {1e-12, 1e-300};
}

TEST(DivergenceReferences, all_rows) {
  ASSERT_GT(std::size(kRows), 1000u);
  for (const Row& row : kRows) {
    SCOPED_TRACE(std::string(row.family) + " " + row.divergence + " of order " + std::to_string(row.order) +
                 ", p = " + std::to_string(row.p[0]) + "..., q = " + std::to_string(row.q[0]) + "...");
    const double at = found(row);
    const Tolerance of = tolerance_of(row);
    if (std::isinf(row.expected))
      EXPECT_EQ(at, row.expected);
    else
      EXPECT_NEAR(at, row.expected, of.relative * std::abs(row.expected) + of.absolute);
  }
}

// ---- pairs for properties
// -------------------------------------------------------------------------------------------

double positive(Random& random) { return std::exp(1.5 * random.normal()); }

void draw(Normal& of, Random& random) { of = {2 * random.normal(), positive(random)}; }
void draw(Exponential& of, Random& random) { of = {positive(random)}; }
void draw(Gamma& of, Random& random) { of = {positive(random), positive(random)}; }
void draw(Beta& of, Random& random) { of = {positive(random), positive(random)}; }
void draw(Poisson& of, Random& random) { of = {3 * positive(random)}; }
void draw(Dirichlet& of, Random& random) { of = {{positive(random), positive(random), positive(random)}}; }
void draw(Discrete& of, Random& random) {
  of.probabilities.assign(5, 0.0);
  double total = 0;
  for (double& p : of.probabilities) total += p = random.exponential();
  for (double& p : of.probabilities) p /= total;
}
// A A' / 3 + I / 4.
void draw(Gaussian& of, Random& random) {
  double a[9];
  for (double& x : a) x = random.normal();
  of = {{random.normal(), random.normal(), random.normal()}, std::vector<double>(9, 0.0)};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) of.covariance[3 * i + j] += a[3 * i + k] * a[3 * j + k] / 3;
      if (i == j) of.covariance[3 * i + j] += 0.25;
    }
}

template <class P>
class Families : public testing::Test {
 public:
  template <class Check>
  void for_pairs(const Check& check) {
    Random random(20261115);
    for (int pair = 0; pair < 30; ++pair) {
      P p, q;
      draw(p, random);
      draw(q, random);
      SCOPED_TRACE("pair " + std::to_string(pair));
      check(p, q);
    }
  }
};
using AllFamilies = testing::Types<Normal, Gaussian, Exponential, Gamma, Beta, Dirichlet, Poisson, Discrete>;
TYPED_TEST_SUITE(Families, AllFamilies);

const double kSlack = 1 + 1e-12;

TYPED_TEST(Families, positive_and_zero_only_for_equal_ones) {
  this->for_pairs([](const TypeParam& p, const TypeParam& q) {
    for (const double order : {0.25, 0.5, 1.0, 2.0, 3.0}) {
      EXPECT_GT(renyi_divergence(p, q, order), 0);
      EXPECT_GT(alpha_divergence(p, q, order), 0);
      EXPECT_GT(beta_divergence(p, q, order), 0);
      EXPECT_EQ(renyi_divergence(p, p, order), 0);
      EXPECT_EQ(alpha_divergence(p, p, -order), 0);
      EXPECT_EQ(beta_divergence(p, p, order), 0);
    }
    EXPECT_GT(cauchy_schwarz_divergence(p, q), 0);
    EXPECT_EQ(cauchy_schwarz_divergence(p, p), 0);
    EXPECT_EQ(hellinger_distance(p, p), 0);
    EXPECT_EQ(chi_divergence(p, p), 0);
    EXPECT_NEAR(renyi_divergence(p, p, kInf), 0, 1e-12);
  });
}

TYPED_TEST(Families, symmetric_ones_are_symmetric) {
  this->for_pairs([](const TypeParam& p, const TypeParam& q) {
    const auto same = [](double a, double b) { EXPECT_NEAR(a, b, 1e-11 * a); };
    same(hellinger_distance(p, q), hellinger_distance(q, p));
    if (std::isfinite(cauchy_schwarz_divergence(p, q)))
      same(cauchy_schwarz_divergence(p, q), cauchy_schwarz_divergence(q, p));
    same(jeffreys_divergence(p, q), jeffreys_divergence(q, p));
    same(alpha_divergence(p, q, 0.3), alpha_divergence(q, p, 0.7));
  });
}

TYPED_TEST(Families, orders_and_inequalities) {
  this->for_pairs([](const TypeParam& p, const TypeParam& q) {
    double before = -kInf;
    for (const double order : {-kInf, -2.0, -0.5, 0.0, 1e-6, 0.2, 0.5, 0.9, 1.0, 1.1, 2.0, 5.0, 50.0, kInf}) {
      const double at = renyi_divergence(p, q, order);
      EXPECT_LE(before, at * (at < 0 ? 2 - kSlack : kSlack)) << order;
      before = at;
    }
    const double h = hellinger_distance(p, q), kl = kl_divergence(p, q), chi2 = chi_divergence(p, q);
    EXPECT_LE(kl, std::log1p(chi2) * kSlack);
    EXPECT_LE(h * h, kl / 2 * kSlack);
    EXPECT_NEAR(alpha_divergence(p, q, 0.5), 4 * h * h, 1e-12);
    if (std::isfinite(chi2)) {
      EXPECT_NEAR(alpha_divergence(p, q, 2), chi2 / 2, 1e-12 * chi2);
    }
    EXPECT_EQ(beta_divergence(p, q, 0), kl_divergence(p, q));
  });
}

template <class P>
class Line : public Families<P> {};
using LineFamilies = testing::Types<Normal, Exponential, Gamma, Beta, Poisson, Discrete>;
TYPED_TEST_SUITE(Line, LineFamilies);

TYPED_TEST(Line, total_variation_between_its_bounds) {
  this->for_pairs([](const TypeParam& p, const TypeParam& q) {
    const double h = hellinger_distance(p, q), tv = total_variation(p, q),
                 js = jensen_shannon_divergence(p, q);
    EXPECT_LE(h * h, tv * kSlack);
    EXPECT_LE(tv, h * std::sqrt(2 - h * h) * kSlack);
    EXPECT_LE(tv, std::sqrt(kl_divergence(p, q) / 2) * kSlack);  // Pinsker
    EXPECT_LE(tv * tv / 2, js * (1 + 1e-9));
    EXPECT_LE(js, std::numbers::ln2 * tv * (1 + 1e-9));  // Lin (1991)
    EXPECT_NEAR(tv, total_variation(q, p), 1e-12);
    EXPECT_NEAR(js, jensen_shannon_divergence(q, p), 1e-10);
    EXPECT_EQ(total_variation(p, p), 0);
    EXPECT_NEAR(jensen_shannon_divergence(p, p), 0, 1e-13);
  });
}

// ---- invariance
// -----------------------------------------------------------------------------------------------------

Gaussian transformed(const Gaussian& of, const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t n = of.mean.size();
  Gaussian result{b, std::vector<double>(n * n, 0.0)};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      result.mean[i] += a[n * i + k] * of.mean[k];
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t l = 0; l < n; ++l)
          result.covariance[n * i + j] += a[n * i + k] * of.covariance[n * k + l] * a[n * j + l];
    }
  return result;
}

TEST(DivergenceInvariance, under_affine_maps) {
  const std::vector<double> map{2, 0.5, -1, 0, 3, 0.25, 1, 0, -0.5}, shift{1, -2, 3};
  Random random(7);
  for (int pair = 0; pair < 20; ++pair) {
    Gaussian p, q;
    draw(p, random);
    draw(q, random);
    const Gaussian p2 = transformed(p, map, shift), q2 = transformed(q, map, shift);
    const auto same = [](double a, double b) { EXPECT_NEAR(a, b, 1e-10 * a); };
    same(kl_divergence(p, q), kl_divergence(p2, q2));
    same(renyi_divergence(p, q, 0.7), renyi_divergence(p2, q2, 0.7));
    same(hellinger_distance(p, q), hellinger_distance(p2, q2));
    Gaussian shifted = p, shifted2;
    for (double& m : shifted.mean) m += 0.5;
    shifted2 = transformed(shifted, map, shift);
    same(total_variation(p, shifted), total_variation(p2, shifted2));
  }
}

// Data processing: joining outcomes never increases an f-divergence; a marginal is never farther than the
// whole.
TEST(DivergenceInvariance, data_processing) {
  Random random(11);
  for (int pair = 0; pair < 50; ++pair) {
    Discrete p, q;
    draw(p, random);
    draw(q, random);
    const auto joined = [](const Discrete& of) {
      const auto& x = of.probabilities;
      return Discrete{{x[0] + x[3], x[1], x[2] + x[4]}};
    };
    const Discrete p2 = joined(p), q2 = joined(q);
    for (const double alpha : {-1.0, 0.0, 0.5, 1.0, 2.0})
      EXPECT_LE(alpha_divergence(p2, q2, alpha), alpha_divergence(p, q, alpha) * kSlack);
    EXPECT_LE(total_variation(p2, q2), total_variation(p, q) * kSlack);
    EXPECT_LE(jensen_shannon_divergence(p2, q2), jensen_shannon_divergence(p, q) * kSlack);
    Gaussian a, b;
    draw(a, random);
    draw(b, random);
    const auto marginal = [](const Gaussian& of) { return Normal{of.mean[1], std::sqrt(of.covariance[4])}; };
    EXPECT_LE(kl_divergence(marginal(a), marginal(b)), kl_divergence(a, b) * kSlack);
    EXPECT_LE(wasserstein(marginal(a), marginal(b)), wasserstein(a, b) * kSlack);
  }
}

TEST(Divergence, one_dimensional_Gaussian_is_Normal) {
  const Normal p{0.5, 2}, q{-1, 0.75};
  const Gaussian p1{{0.5}, {4}}, q1{{-1}, {0.5625}};
  EXPECT_NEAR(kl_divergence(p1, q1), kl_divergence(p, q), 1e-13);
  EXPECT_NEAR(beta_divergence(p1, q1, 0.5), beta_divergence(p, q, 0.5), 1e-13);
  EXPECT_NEAR(wasserstein(p1, q1), wasserstein(p, q), 1e-13);
  EXPECT_EQ(renyi_divergence(p1, q1, kInf), kInf);
  EXPECT_NEAR(renyi_divergence(q1, p1, kInf), renyi_divergence(q, p, kInf), 1e-13);
  EXPECT_NEAR(renyi_divergence(q, p, kInf), renyi_divergence(q, p, 1e9), 1e-6);
}

// The moments of a mean field on a correlated target: CUBO of order 2 is finite only while |rho| < 1/2.
TEST(Divergence, infinite_where_the_integral_diverges) {
  for (const double rho : {0.49, 0.51}) {
    const Gaussian target{{0, 0}, {1, rho, rho, 1}};
    const double variance = 1 - rho * rho;  // the best mean field in KL(q, p)
    const Gaussian mean_field{{0, 0}, {variance, 0, 0, variance}};
    EXPECT_EQ(std::isinf(chi_divergence(target, mean_field)), rho > 0.5) << rho;
    EXPECT_EQ(std::isinf(renyi_divergence(target, mean_field, 2)), rho > 0.5) << rho;
  }
  EXPECT_EQ(kl_divergence(Discrete{{0.5, 0.5}}, Discrete{{1, 0}}), kInf);
  EXPECT_NEAR(renyi_divergence(Discrete{{1, 0}}, Discrete{{0.25, 0.75}}, 0), std::log(4), 1e-15);
  EXPECT_NEAR(renyi_divergence(Discrete{{1, 0}}, Discrete{{0.25, 0.75}}, kInf), std::log(4), 1e-15);
  EXPECT_EQ(hellinger_distance(Discrete{{1, 0}}, Discrete{{0, 1}}), 1);
  EXPECT_EQ(cauchy_schwarz_divergence(Gamma{0.25, 1}, Gamma{2, 1}), kInf);
  EXPECT_EQ(beta_divergence(Normal{0, 1}, Normal{0, 2}, -1), kInf);
}

TEST(Divergence, bad_input_is_told) {
  const auto kind = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
      return error.kind();
    }
    return ErrorKind::internal;
  };
  const auto bad = ErrorKind::bad_input, usage = ErrorKind::usage;
  EXPECT_EQ(kind([] { kl_divergence(Normal{0, -1}, Normal{0, 1}); }), bad);
  EXPECT_EQ(kind([] { kl_divergence(Normal{NAN, 1}, Normal{0, 1}); }), bad);
  EXPECT_EQ(kind([] { kl_divergence(Gaussian{{0, 0}, {1, 2, 2, 1}}, Gaussian{{0, 0}, {1, 0, 0, 1}}); }), bad);
  EXPECT_EQ(kind([] {
              kl_divergence(Gaussian{{0, 0}, {1, 0.5, 0, 1}}, Gaussian{{0, 0}, {1, 0, 0, 1}});
            }),
            bad);
  EXPECT_EQ(kind([] { kl_divergence(Gaussian{{0, 0}, {1, 0, 1}}, Gaussian{{0, 0}, {1, 0, 0, 1}}); }), bad);
  EXPECT_EQ(kind([] { kl_divergence(Gaussian{{0}, {1}}, Gaussian{{0, 0}, {1, 0, 0, 1}}); }), bad);
  EXPECT_EQ(kind([] { kl_divergence(Discrete{{0.5, 0.4}}, Discrete{{0.5, 0.5}}); }), bad);
  EXPECT_EQ(kind([] { kl_divergence(Discrete{{1.5, -0.5}}, Discrete{{0.5, 0.5}}); }), bad);
  EXPECT_EQ(kind([] { kl_divergence(Dirichlet{{1, 0}}, Dirichlet{{1, 1}}); }), bad);
  EXPECT_EQ(kind([] { chi_divergence(Gamma{1, 1}, Gamma{1, 2}, 1); }), usage);
  EXPECT_EQ(kind([] { renyi_divergence(Gamma{1, 1}, Gamma{1, 2}, NAN); }), usage);
  EXPECT_EQ(kind([] { alpha_divergence(Gamma{1, 1}, Gamma{1, 2}, kInf); }), usage);
  EXPECT_EQ(kind([] { beta_divergence(Poisson{1}, Poisson{2}, -0.5); }), usage);
  EXPECT_EQ(kind([] { total_variation(Gaussian{{0}, {1}}, Gaussian{{0}, {2}}); }), usage);
  EXPECT_EQ(kind([] { wasserstein(Normal{0, 1}, Normal{1, 1}, 0.5); }), usage);
}

}  // namespace
}  // namespace kullback::stats::test
