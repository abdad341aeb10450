// Conjugate conditionals: the expected log density is linear in the statistics of x and of each parent.
#include "conjugate/graph/conditional.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kullback::conjugate {
namespace {

struct Row {
  const char* name;
  ConditionalPtr conditional;
  std::vector<double> x;                     // a value
  std::vector<std::vector<double>> parents;  // usual parameters by slot, all copies
  std::vector<std::vector<double>> others;   // the same, elsewhere
  std::vector<double> point;                 // values of the parents, one slot after another
  double log_density;                        // of x given that point
};

double log_normal(double x, double mean, double precision) {
  return 0.5 * std::log(precision / (2 * M_PI)) - 0.5 * precision * (x - mean) * (x - mean);
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"gaussian",
       gaussian_conditional(),
       {1.5},
       {{0.3, 2}, {2, 3}},
       {{-1, 1}, {1, 1}},
       {0.4, 2.5},
       log_normal(1.5, 0.4, 2.5)},
      {"gaussian_joint",
       gaussian_joint_conditional(),
       {1.5},
       {{0.3, 2, 2, 3}},
       {{-1, 1, 1, 1}},
       {0.4, 2.5},
       log_normal(1.5, 0.4, 2.5)},
      {"multivariate",
       multivariate_gaussian_conditional(2),
       {1.5, -1},
       {{0, 1, 2, 0.3, 0.3, 1}, {3, 1, 0.2, 0.2, 1}},
       {{1, 1, 1, 0, 0, 1}, {4, 2, 0.1, 0.1, 1}},
       {0.5, 1, 2, 0.5, 0.5, 1},
       // (x - m) = (1, -2): 2 - 2 + 4 = 4; |L| = 1.75
       0.5 * std::log(1.75) - std::log(2 * M_PI) - 2.0},
      {"diagonal",
       multivariate_gaussian_diagonal_conditional(2),
       {1.5, -1},
       {{0, 1, 2, 0.3, 0.3, 1}, {2, 3, 1, 1}},
       {{1, 1, 1, 0, 0, 1}, {1, 1, 2, 2}},
       {0.5, 1, 2, 3},
       log_normal(1.5, 0.5, 2) + log_normal(-1, 1, 3)},
      {"multivariate_joint",
       multivariate_gaussian_joint_conditional(2),
       {1.5, -1},
       {{0, 1, 2, 3, 1, 0.2, 0.2, 1}},
       {{1, 1, 1, 4, 2, 0.1, 0.1, 1}},
       {0.5, 1, 2, 0.5, 0.5, 1},
       0.5 * std::log(1.75) - std::log(2 * M_PI) - 2.0},
      {"gamma",
       gamma_conditional(2.5),
       {1.5},
       {{2, 3}},
       {{1, 1}},
       {0.7},
       1.5 * std::log(1.5) - 0.7 * 1.5 + 2.5 * std::log(0.7) - std::lgamma(2.5)},
      {"bernoulli", bernoulli_conditional(), {1}, {{2, 3}}, {{1, 1}}, {0.7}, std::log(0.7)},
      {"categorical",
       categorical_conditional(3),
       {1},
       {{1, 2, 3}},
       {{1, 1, 1}},
       {0.2, 0.3, 0.5},
       std::log(0.3)},
      {"multinomial",
       multinomial_conditional(3),
       {1, 0, 2},
       {{1, 2, 3}},
       {{1, 1, 1}},
       {0.2, 0.3, 0.5},
       std::log(3 * 0.2 * 0.25)},
      {"poisson",
       poisson_conditional(),
       {3},
       {{2, 3}},
       {{1, 1}},
       {0.7},
       3 * std::log(0.7) - 0.7 - std::log(6)},
      {"von_mises",
       von_mises_conditional(2),
       {1},
       {{0.3, 2}},
       {{1, 0.5}},
       {0.4},
       2 * std::cos(0.6) - std::log(2 * M_PI * std::cyl_bessel_i(0, 2.0))},
  };
  return all;
}

std::vector<double> statistics_of(const Family& family, std::span<const double> x) {
  std::vector<double> t(x.size() / family.width() * family.dim());
  family.statistics(x, t);
  return t;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Parents {
  std::vector<std::vector<double>> moments;
  std::vector<const double*> pointers() const {
    std::vector<const double*> all;
    for (const auto& slot : moments) all.push_back(slot.data());
    return all;
  }
};

Parents means_of(const Conditional& conditional, const std::vector<std::vector<double>>& parameters) {
  Parents parents;
  for (std::size_t s = 0; s < parameters.size(); ++s)
    parents.moments.push_back(
        Distribution::of_parameters(conditional.slots()[s].family, parameters[s]).mean());
  return parents;
}

TEST(Conditionals, AreDensitiesAtPoints) {
  for (const Row& row : rows()) {
    const Conditional& conditional = *row.conditional;
    Parents parents;
    std::span<const double> rest = row.point;
    for (const Conditional::Slot& slot : conditional.slots()) {
      const std::size_t size = slot.family->width() * slot.copies;
      parents.moments.push_back(statistics_of(*slot.family, rest.first(size)));
      rest = rest.subspan(size);
    }
    const std::vector<double> t = statistics_of(*conditional.child(), row.x);
    EXPECT_NEAR(conditional.expected(t.data(), parents.pointers()) + conditional.child()->log_base(row.x),
                row.log_density, 1e-12)
        << row.name;
  }
}

TEST(Conditionals, AreLinearInXAndInEachParent) {
  for (const Row& row : rows()) {
    const Conditional& conditional = *row.conditional;
    const std::vector<double> t = statistics_of(*conditional.child(), row.x);
    const Parents parents = means_of(conditional, row.parents);
    const double expected = conditional.expected(t.data(), parents.pointers());
    std::vector<double> natural(conditional.child()->dim(), 0.0);
    conditional.add_natural(parents.pointers(), 1, natural.data());
    EXPECT_NEAR(dot(natural, t) - conditional.expected_log_partition(parents.pointers()), expected, 1e-12)
        << row.name;
    const Parents others = means_of(conditional, row.others);
    for (std::size_t s = 0; s < row.parents.size(); ++s) {
      Parents moved = parents;
      moved.moments[s] = others.moments[s];
      std::vector<double> message(parents.moments[s].size(), 0.0);
      conditional.add_message(s, t.data(), parents.pointers(), 1, message.data());
      EXPECT_NEAR(conditional.expected(t.data(), moved.pointers()) - expected,
                  dot(message, moved.moments[s]) - dot(message, parents.moments[s]), 1e-11)
          << row.name << ", slot " << s;
    }
  }
}

TEST(Conditionals, ObservedCategoriesAreCategories) {
  const auto dense = categorical_conditional(3), compact = observed_categorical_conditional(3);
  const std::vector<double> log_p = {-1, -2, -0.5}, one_hot = {0, 1, 0};
  const double* const parents[] = {log_p.data()};
  const double category = 1;
  EXPECT_EQ(dense->expected(one_hot.data(), parents), compact->expected(&category, parents));
  std::vector<double> a(3, 0.0), b(3, 0.0);
  dense->add_message(0, one_hot.data(), parents, 0.7, a.data());
  compact->add_message(0, &category, parents, 0.7, b.data());
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace kullback::conjugate
