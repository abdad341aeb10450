// Exponential families against reference values (make_family_values.py) and against the identities that
// define them.
#include "conjugate/families/family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/graph/conditional.hpp"

namespace kullback::conjugate {
namespace {

FamilyPtr family_named(const std::string& name) {
  if (name == "gaussian") return gaussian_family();
  if (name == "gamma") return gamma_family();
  if (name == "beta") return beta_family();
  if (name == "von_mises") return von_mises_family();
  if (name == "poisson") return poisson_family();
  if (name == "bernoulli") return bernoulli_family();
  if (name == "categorical3") return categorical_family(3);
  if (name == "multinomial6x3") return multinomial_family(6, 3);
  if (name == "dirichlet3") return dirichlet_family(3);
  if (name == "normal_gamma") return normal_gamma_family();
  const std::size_t d = static_cast<std::size_t>(name.back() - '0');
  const std::string kind = name.substr(0, name.size() - 1);
  if (kind == "multivariate_gaussian") return multivariate_gaussian_family(d);
  if (kind == "wishart") return wishart_family(d);
  if (kind == "normal_wishart") return normal_wishart_family(d);
  throw std::runtime_error("no family " + name);
}

struct Case {
  std::string name;
  FamilyPtr family;
  std::vector<double> q, p;        // usual parameters
  std::vector<double> references;  // log-partition, entropy, KL(q, p), means
};

std::vector<double> numbers_in(std::istringstream& line) {
  std::vector<double> numbers;
  std::string word;
  while (line >> word && word != "|") numbers.push_back(std::stod(word));
  return numbers;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> read;
    std::ifstream file(KULLBACK_SOURCE_DIR "/tests/conjugate/data/families.txt");
    for (std::string text; std::getline(file, text);) {
      std::istringstream line(text);
      Case one;
      std::string bar;
      line >> one.name >> bar;
      one.family = family_named(one.name);
      one.q = numbers_in(line);
      one.p = numbers_in(line);
      one.references = numbers_in(line);
      read.push_back(std::move(one));
    }
    return read;
  }();
  return all;
}

class EveryFamily : public testing::TestWithParam<std::size_t> {
 protected:
  const Case& one() const { return cases()[GetParam()]; }
  Distribution q() const { return Distribution::of_parameters(one().family, one().q); }
  Distribution p() const { return Distribution::of_parameters(one().family, one().p); }
};

INSTANTIATE_TEST_SUITE_P(Table, EveryFamily, testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& row) {
                           return cases()[row.param].name + "_" + std::to_string(row.param);
                         });

void expect_close(double found, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(found, expected, tolerance * (1 + std::abs(expected))) << what;
}

TEST(Families, TheTableIsThere) { EXPECT_GE(cases().size(), 27u); }

TEST_P(EveryFamily, HasTheReferenceValues) {
  const std::vector<double>& r = one().references;
  ASSERT_EQ(r.size(), 3 + one().family->dim());
  expect_close(q().log_partition(), r[0], 1e-13, "log-partition");
  // Entropies and divergences are differences of log-partitions.
  const double scale = 1 + std::abs(r[0]);
  EXPECT_NEAR(q().entropy(), r[1], 1e-13 * scale + 1e-12 * std::abs(r[1])) << "entropy";
  EXPECT_NEAR(kl_divergence(q(), p()), r[2], 3e-13 * scale + 1e-12 * r[2]) << "KL";
  const std::vector<double> mean = q().mean();
  for (std::size_t i = 0; i < mean.size(); ++i)
    expect_close(mean[i], r[3 + i], 1e-13, "mean " + std::to_string(i));
}

TEST_P(EveryFamily, MeanIsTheGradientOfTheLogPartition) {
  for (const Distribution& at : {q(), p()}) {
    const std::vector<double> mean = at.mean();
    for (std::size_t i = 0; i < mean.size(); ++i) {
      // Richardson's extrapolation of central differences.
      const auto slope = [&](double h) {
        std::vector<double> up = at.natural(), down = at.natural();
        up[i] += h;
        down[i] -= h;
        return (at.family().log_partition(up) - at.family().log_partition(down)) / (2 * h);
      };
      const double size = std::abs(at.natural()[i]);
      const double h = 1e-3 * (size > 1e-9 ? std::min(1.0, size) : 0.02);
      const double gradient = (4 * slope(h) - slope(2 * h)) / 3;
      EXPECT_NEAR(gradient, mean[i],
                  1e-6 * (1 + std::abs(mean[i])) + 1e-14 * std::abs(at.log_partition()) / h)
          << i;
    }
  }
}

TEST_P(EveryFamily, DivergencesAreZeroAtEqualityAndPositiveElsewhere) {
  EXPECT_EQ(kl_divergence(q(), q()), 0);
  EXPECT_GT(kl_divergence(q(), p()), 0);
  EXPECT_GT(kl_divergence(p(), q()), 0);
}

TEST_P(EveryFamily, RoundTrips) {
  for (const Distribution& at : {q(), p()}) {
    const std::vector<double> parameters = at.parameters();
    const Distribution again = Distribution::of_parameters(one().family, parameters);
    for (std::size_t i = 0; i < parameters.size(); ++i)
      expect_close(again.parameters()[i], parameters[i], 1e-13, "parameter");
    const Distribution back = Distribution::of_mean(one().family, at.mean());
    const std::vector<double> usual = back.parameters();
    // 1000 +- 0.16: E x^2 - (E x)^2 loses seven digits.
    const double tolerance = one().name == "gaussian" && std::abs(parameters[0]) > 100 ? 1e-8 : 1e-10;
    for (std::size_t i = 0; i < usual.size(); ++i)
      expect_close(usual[i], parameters[i], tolerance, "of mean, parameter");
  }
}

TEST_P(EveryFamily, UpdatesAndSteps) {
  std::vector<double> gap(q().natural().size());
  for (std::size_t i = 0; i < gap.size(); ++i) gap[i] = p().natural()[i] - q().natural()[i];
  for (std::size_t i = 0; i < gap.size(); ++i)
    expect_close(q().updated(gap).natural()[i], p().natural()[i], 1e-14, "updated");
  EXPECT_EQ(q().stepped(p(), 1).natural().size(), gap.size());
  // Along the way the divergence to the target falls.
  EXPECT_LT(kl_divergence(q().stepped(p(), 0.7), p()), kl_divergence(q().stepped(p(), 0.2), p()));
}

TEST_P(EveryFamily, ManyPointsAreIndependent) {
  std::vector<double> both = one().q;
  both.insert(both.end(), one().p.begin(), one().p.end());
  const Distribution pair = Distribution::of_parameters(one().family, both);
  EXPECT_EQ(pair.points(), 2u);
  expect_close(pair.entropy(), q().entropy() + p().entropy(), 1e-12, "entropy");
  expect_close(pair.log_partition(), q().log_partition() + p().log_partition(), 1e-12, "log-partition");
  EXPECT_EQ(pair.point(1).natural(), p().natural());
  EXPECT_THROW(kl_divergence(pair, q()), Error);
}

// ---- Draws: E t and the entropy of the log density, within standard errors.

using Draw = std::function<void(Random&, std::vector<double>&)>;

void expect_moments_of_draws(const Distribution& q, const Distribution& p, const Draw& draw) {
  constexpr int kDraws = 20000;
  Random random(17);
  const std::size_t dim = q.family().dim();
  std::vector<double> x(q.family().width()), t(dim), sum(dim + 2), square(dim + 2);
  for (int n = 0; n < kDraws; ++n) {
    draw(random, x);
    q.family().statistics(x, t);
    const double log_q = q.log_density(x);
    for (std::size_t i = 0; i < dim + 2; ++i) {
      const double value = i < dim ? t[i] : i == dim ? -log_q : log_q - p.log_density(x);
      sum[i] += value;
      square[i] += value * value;
    }
  }
  const std::vector<double> mean = q.mean();
  for (std::size_t i = 0; i < dim + 2; ++i) {
    const double found = sum[i] / kDraws;
    const double error = std::sqrt((square[i] / kDraws - found * found) / kDraws);
    const double expected = i < dim ? mean[i] : i == dim ? q.entropy() : kl_divergence(q, p);
    EXPECT_NEAR(found, expected, 4.5 * error + 1e-12) << q.family().name() << " " << i;
  }
}

TEST(Families, DrawsAgree) {
  const auto of = [](FamilyPtr family, std::vector<double> parameters) {
    return Distribution::of_parameters(std::move(family), parameters);
  };
  expect_moments_of_draws(of(gamma_family(), {2.5, 3}), of(gamma_family(), {1.5, 1}),
                          [](Random& r, auto& x) { x[0] = r.gamma(2.5) / 3; });
  expect_moments_of_draws(of(beta_family(), {2.5, 3}), of(beta_family(), {1, 1}), [](Random& r, auto& x) {
    const double a = r.gamma(2.5), b = r.gamma(3);
    x[0] = a / (a + b);
  });
  expect_moments_of_draws(of(dirichlet_family(3), {2.5, 3, 1}), of(dirichlet_family(3), {1, 1, 2}),
                          [](Random& r, auto& x) {
                            x = {r.gamma(2.5), r.gamma(3), r.gamma(1)};
                            const double sum = x[0] + x[1] + x[2];
                            for (double& v : x) v /= sum;
                          });
  expect_moments_of_draws(of(normal_gamma_family(), {1, 2, 3, 4}), of(normal_gamma_family(), {0, 1, 2, 2}),
                          [](Random& r, auto& x) {
                            x[1] = r.gamma(3) / 4;
                            x[0] = 1 + r.normal() / std::sqrt(2 * x[1]);
                          });
  // Bartlett: L = A A', A lower triangular with chi and normal entries, V the identity; mu given L by solving
  // A' e = z.
  const auto wishart = [](Random& r, double nu, double* matrix, double* a) {
    a[0] = std::sqrt(2 * r.gamma(nu / 2));
    a[1] = r.normal();
    a[2] = std::sqrt(2 * r.gamma((nu - 1) / 2));
    matrix[0] = a[0] * a[0];
    matrix[1] = matrix[2] = a[0] * a[1];
    matrix[3] = a[1] * a[1] + a[2] * a[2];
  };
  expect_moments_of_draws(of(wishart_family(2), {5, 1, 0, 0, 1}), of(wishart_family(2), {4, 1, 0.2, 0.2, 1}),
                          [&](Random& r, auto& x) {
                            double a[3];
                            wishart(r, 5, x.data(), a);
                          });
  expect_moments_of_draws(of(normal_wishart_family(2), {1, -1, 2, 5, 1, 0, 0, 1}),
                          of(normal_wishart_family(2), {0, 0, 1, 4, 1, 0.2, 0.2, 1}),
                          [&](Random& r, auto& x) {
                            double a[3];
                            wishart(r, 5, x.data() + 2, a);
                            const double e2 = r.normal() / a[2];
                            const double e1 = (r.normal() - a[1] * e2) / a[0];
                            x[0] = 1 + e1 / std::sqrt(2.0);
                            x[1] = -1 + e2 / std::sqrt(2.0);
                          });
  expect_moments_of_draws(of(multivariate_gaussian_family(2), {1, -1, 2, 0, 0, 3}),
                          of(multivariate_gaussian_family(2), {0, 0, 1, 0.5, 0.5, 1}),
                          [](Random& r, auto& x) {
                            x[0] = 1 + r.normal() / std::sqrt(2.0);
                            x[1] = -1 + r.normal() / std::sqrt(3.0);
                          });
}

// ---- Bad input: a sentence, not a NaN.

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

TEST(Families, ParametersOutsideTheDomainAreRefused) {
  struct Row {
    FamilyPtr family;
    std::vector<double> parameters;
    const char* part;
  };
  const Row rows[] = {
      {gaussian_family(), {0, -1}, "the precision is -1; it must be positive"},
      {gaussian_family(), {NAN, 1}, "must be finite"},
      {gaussian_family(), {0, 1, 2}, "3 parameters; a multiple of 2"},
      {gamma_family(), {0, 1}, "the shape is 0"},
      {gamma_family(), {1, NAN}, "the rate is nan"},
      {beta_family(), {1, -2}, "parameter b is -2"},
      {dirichlet_family(2), {1, 0}, "parameter alpha is 0"},
      {categorical_family(2), {1, 0}, "log probability is -inf"},
      {poisson_family(), {-1}, "the rate is"},
      {von_mises_family(), {0, -1}, "concentration"},
      {normal_gamma_family(), {0, 1, 1, -1}, "the rate is -1"},
      {normal_gamma_family(), {0, 0, 1, 1}, "kappa is 0"},
      {multivariate_gaussian_family(2), {0, 0, 1, 2, 2, 1}, "precision is not positive definite"},
      {multivariate_gaussian_family(2), {0, 0, 1, NAN, NAN, 1}, "must be finite"},
      {wishart_family(2), {1, 1, 0, 0, 1}, "more than 1 are needed"},
      {wishart_family(2), {3, 1, 2, 2, 1}, "inverse scale is not positive definite"},
      {normal_wishart_family(2), {0, 0, -1, 3, 1, 0, 0, 1}, "kappa is -1"},
      {gaussian_family(), {0, 1, 0, -1}, "(point 2)"},
  };
  for (const Row& row : rows) {
    const std::string message = message_of([&] { Distribution::of_parameters(row.family, row.parameters); });
    EXPECT_NE(message.find(row.part), std::string::npos) << row.family->name() << ": " << message;
  }
  EXPECT_NE(message_of([] {
              Distribution::of_mean(gamma_family(), std::vector<double>{1, 2});
            }).find("log E x > E log x"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              Distribution::of_mean(dirichlet_family(2), std::vector<double>{-0.1, -0.1});
            }).find("below 1"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              Distribution::of_mean(von_mises_family(), std::vector<double>{0.8, 0.8});
            }).find("below 1"),
            std::string::npos);
  const Distribution gamma = Distribution::of_parameters(gamma_family(), std::vector<double>{1, 1});
  EXPECT_NE(message_of([&] { gamma.log_density(std::vector<double>{-1}); }).find("the value is -1"),
            std::string::npos);
}

// Mean parameters at the ends of their range.
TEST(Families, NewtonArrivesFarOut) {
  for (const double shape : {1e-4, 0.02, 0.5, 3.0, 1e3, 1e6}) {
    const Distribution gamma = Distribution::of_parameters(gamma_family(), std::vector<double>{shape, 2});
    // For large shapes the gap log E x - E log x = 1/(2 shape) is a difference of numbers near log(shape /
    // 2).
    EXPECT_NEAR(Distribution::of_mean(gamma_family(), gamma.mean()).parameters()[0] / shape, 1,
                1e-12 + 1e-14 * shape);
    const std::vector<double> alpha = {shape, 2 * shape, 0.3 * shape};
    const Distribution dirichlet = Distribution::of_parameters(dirichlet_family(3), alpha);
    EXPECT_NEAR(Distribution::of_mean(dirichlet_family(3), dirichlet.mean()).parameters()[1] / alpha[1], 1,
                1e-9 + 1e-14 * shape);
  }
  for (const double kappa : {1e-8, 0.1, 1.5, 10.0, 31.0, 700.0, 1e5}) {
    const Distribution von_mises =
        Distribution::of_parameters(von_mises_family(), std::vector<double>{1, kappa});
    EXPECT_NEAR(Distribution::of_mean(von_mises_family(), von_mises.mean()).parameters()[1] / kappa, 1,
                1e-10 + 1e-14 * kappa);
  }
}

// ---- Conjugate updates: known posteriors.

TEST(Conjugacy, KnownPosteriors) {
  const auto of = [](FamilyPtr family, std::vector<double> parameters) {
    return Distribution::of_parameters(std::move(family), parameters);
  };
  const auto expect = [](const Distribution& found, const std::vector<double>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(found.parameters()[i], expected[i], 1e-12 * (1 + std::abs(expected[i])))
          << found.family().name() << i;
  };
  const std::vector<double> x = {1, 2, 4.5};
  // kappa = 1 + 3, m = 7.5/4, a = 2 + 3/2, b = 3 + sum (x - 2.5)^2 / 2 + 3/(2 * 4) 2.5^2.
  expect(conjugate_posterior(of(normal_gamma_family(), {0, 1, 2, 3}), *gaussian_joint_conditional(), x),
         {1.875, 4, 3.5, 3 + 6.5 / 2 + 3.0 / 8 * 6.25});
  expect(
      conjugate_posterior(of(gamma_family(), {2, 3}), *poisson_conditional(), std::vector<double>{1, 0, 5}),
      {8, 6});
  expect(conjugate_posterior(of(gamma_family(), {2, 3}), *gamma_conditional(1.5), x), {6.5, 10.5});
  expect(
      conjugate_posterior(of(beta_family(), {2, 3}), *bernoulli_conditional(), std::vector<double>{1, 0, 1}),
      {4, 4});
  expect(conjugate_posterior(of(dirichlet_family(2), {1, 1}), *categorical_conditional(2),
                             std::vector<double>{1, 0, 1}),
         {2, 3});
  expect(conjugate_posterior(of(dirichlet_family(2), {1, 1}), *multinomial_conditional(2),
                             std::vector<double>{5, 2, 0, 1}),
         {6, 4});
  const double c = 3 * std::cos(0.2) + 2 * (std::cos(1.0) + std::cos(2.0)),
               s = 3 * std::sin(0.2) + 2 * (std::sin(1.0) + std::sin(2.0));
  expect(conjugate_posterior(of(von_mises_family(), {0.2, 3}), *von_mises_conditional(2),
                             std::vector<double>{1, 2}),
         {std::atan2(s, c), std::hypot(s, c)});
  // Bishop (10.60)-(10.63) with one component.
  expect(conjugate_posterior(of(normal_wishart_family(2), {0, 0, 1, 3, 1, 0, 0, 1}),
                             *multivariate_gaussian_joint_conditional(2), std::vector<double>{1, 2, 3, 0}),
         {4.0 / 3, 2.0 / 3, 3, 5, 1 + 2 + 2.0 / 3 * 4, -2 + 2.0 / 3 * 2, -2 + 2.0 / 3 * 2, 1 + 2 + 2.0 / 3});
  EXPECT_NE(message_of([&] {
              conjugate_posterior(of(beta_family(), {1, 1}), *poisson_conditional(), x);
            }).find("a beta is not the conjugate prior"),
            std::string::npos);
}

}  // namespace
}  // namespace kullback::conjugate
