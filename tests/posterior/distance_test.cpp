// Two posteriors compared: which columns, what is found, what is refused.
#include "posterior/distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::posterior {
namespace {

// Standard normal chains whose neighbours correlate by rho.
Maker chain_of(std::string name, double rho = 0.5, double shift = 0) {
  return {std::move(name), [rho, shift, last = 0.0](Random& random, std::size_t, std::size_t d) mutable {
            last = d == 0 ? random.normal() : rho * last + std::sqrt(1 - rho * rho) * random.normal();
            return last + shift;
          }};
}

Posterior part(const Posterior& of, std::size_t first, std::size_t count) {
  Posterior result = of;
  result.chains.assign(of.chains.begin() + static_cast<std::ptrdiff_t>(first),
                       of.chains.begin() + static_cast<std::ptrdiff_t>(first + count));
  return result;
}

// For what joint tests have no part in.
constexpr DistanceOptions kQuick{.permutations = 99};

Distance of_chains(const Posterior& a, const Posterior& b, const DistanceOptions& options = {}) {
  return distance({"first", a}, {"second", b}, options);
}

std::string refusal(const DrawsOf& a, const DrawsOf& b) {
  try {
    distance(a, b);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_FALSE(error.hint().empty());
    return error.message();
  }
  return "nothing was thrown";
}

// Two halves of the same chains, 200 times: at the level 0.1 at most 0.1 of them are said to differ (standard
// error 0.021), and not none, or the test would never find anything.
TEST(Distance, HalvesOfOneFitDifferAtTheNominalRate) {
  std::size_t differ = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Posterior fit =
        make_posterior({chain_of("a", 0.4), chain_of("b.1", 0.2), chain_of("b.2", 0)}, 4, 400, seed);
    const Distance found =
        of_chains(part(fit, 0, 2), part(fit, 2, 2), {.level = 0.1, .seed = seed, .permutations = 199});
    EXPECT_TRUE(found.joint.has_value());
    differ += found.verdict == DistanceVerdict::differ;
  }
  EXPECT_LT(static_cast<double>(differ) / 200, 0.1 + 3 * 0.021);
  EXPECT_GT(differ, 2u);
}

TEST(Distance, AShiftIsFoundWhereItIs) {
  const std::vector<Maker> base{chain_of("mu"), chain_of("theta.1"), chain_of("theta.2")};
  std::vector<Maker> moved = base;
  moved[2] = chain_of("theta.2", 0.5, 0.4);
  const Distance found = of_chains(make_posterior(base, 4, 1000, 1), make_posterior(moved, 4, 1000, 2));
  EXPECT_EQ(found.verdict, DistanceVerdict::differ);
  EXPECT_LT(found.p_value, 1e-6);
  const ParameterDistance& top = found.parameters.front();
  EXPECT_EQ(top.name, "theta[2]");
  EXPECT_TRUE(top.differs);
  EXPECT_NEAR(top.apart.wasserstein, 0.4, top.apart.noise);
  EXPECT_NEAR(top.apart.shift, 0.4, 4 * top.apart.shift_error);
  EXPECT_NEAR(top.first_effective, 4000.0 / 3, 300);  // (1 - rho) / (1 + rho)
  EXPECT_FALSE(found.parameters[1].differs);
  EXPECT_EQ(found.first_independent, 500u);
  const std::string text = distance_text(found, 10);
  EXPECT_NE(text.find("mostly in theta[2] (0."), std::string::npos) << text;
}

// Marginals agree, the dependence does not: no row, but the joint tests.
TEST(Distance, DependenceIsFoundTogether) {
  Posterior a = make_posterior({normal("x"), normal("y")}, 4, 500, 1);
  Posterior b = make_posterior({normal("x"), normal("y")}, 4, 500, 2);
  for (Posterior* of : {&a, &b})
    for (Chain& chain : of->chains)
      for (std::size_t i = 0; i < chain.draws; ++i) {
        const double sign = of == &a ? 0.8 : -0.8;
        chain.columns[chain.draws + i] = sign * chain.columns[i] + 0.6 * chain.columns[chain.draws + i];
      }
  const Distance found = of_chains(a, b);
  EXPECT_EQ(found.verdict, DistanceVerdict::differ);
  EXPECT_FALSE(found.parameters[0].differs || found.parameters[1].differs);
  EXPECT_NE(distance_text(found, 10).find("how they depend on each other"), std::string::npos);
}

TEST(Distance, AMissingModeIsFound) {
  const Maker both{"x", [](Random& random, std::size_t, std::size_t) {
                     const double mode = random.uniform() < 0.5 ? -4 : 4;
                     return mode + random.normal();
                   }};
  const Distance found = of_chains(make_posterior({both, normal("y")}, 4, 500, 1),
                                   make_posterior({normal("x", 4), normal("y")}, 4, 500, 2));
  EXPECT_EQ(found.verdict, DistanceVerdict::differ);
  EXPECT_EQ(found.parameters.front().name, "x");
  EXPECT_NEAR(found.parameters.front().apart.largest_gap, 0.5, 0.03);
  EXPECT_EQ(found.joint->mmd_squared.p_value, 0.001);
}

// Chains that sit in different modes are worth a handful of draws, and nothing can be said from them.
TEST(Distance, ChainsThatDisagreeFindNothingAndSaySo) {
  const Maker stuck{"x", [](Random& random, std::size_t c, std::size_t) {
                      return (c % 2 == 0 ? 0.0 : 10.0) + random.normal();
                    }};
  const Maker other{
      "x", [](Random& random, std::size_t c, std::size_t) { return 10.0 * (c == 0) + random.normal(); }};
  const Distance found = of_chains(make_posterior({stuck, normal("y")}, 4, 500, 1),
                                   make_posterior({other, normal("y")}, 4, 500, 2));
  EXPECT_EQ(found.verdict, DistanceVerdict::none_found);
  EXPECT_FALSE(found.joint.has_value());
  EXPECT_NE(found.why_no_joint.find("can pass for independent"), std::string::npos);
  EXPECT_GT(found.largest_rhat, 1.5);
  EXPECT_NE(distance_text(found, 10).find("Chains disagree (R-hat "), std::string::npos);
}

// A normal of sd 1.5 with weights that make it standard, against the standard one.
TEST(Distance, WeightsCount) {
  Posterior a = make_posterior({normal("x", 0, 1.5), normal("y")}, 1, 4000, 1);
  const Posterior plain = a, b = make_posterior({normal("x"), normal("y")}, 1, 4000, 2);
  Chain& chain = a.chains[0];
  for (std::size_t i = 0; i < chain.draws; ++i) {
    const double x = chain.columns[i];
    chain.log_weight.push_back(-0.5 * x * x + 0.5 * x * x / 2.25);
  }
  const Distance weighted = distance({"first", a, false}, {"second", b, false}, kQuick);
  EXPECT_EQ(weighted.verdict, DistanceVerdict::none_found);
  EXPECT_EQ(weighted.first_independent, 500u);
  const ParameterDistance& x = weighted.parameters[weighted.parameters[0].name == "x" ? 0 : 1];
  // Effective draws: E[w]^2 / E[w^2] under q: 1 / (1.5 * sqrt(1 / (2 - 1 / 2.25))) = 0.831.
  EXPECT_NEAR(x.first_effective, 4000 * 0.831, 60);
  EXPECT_EQ(x.second_effective, 4000);
  EXPECT_EQ(distance({"first", plain, false}, {"second", b, false}, kQuick).verdict, DistanceVerdict::differ);
}

TEST(Distance, NamesThatAreShared) {
  Posterior a =
      make_posterior({normal("mu"), normal("theta_raw.1"), normal("theta.1"), normal("aside")}, 4, 200, 1);
  a.parameters = 2, a.generated = 4;  // theta is a transformed parameter here, and a parameter there
  Posterior b = make_posterior({normal("theta.1"), normal("mu"), normal("tau"), normal("aside"), normal("y")},
                               4, 200, 2);
  b.parameters = 3, b.generated = 4;
  const Distance found = of_chains(a, b, kQuick);
  ASSERT_EQ(found.parameters.size(), 2u);
  std::vector<std::string> names{found.parameters[0].name, found.parameters[1].name};
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"mu", "theta[1]"}));
  EXPECT_EQ(found.only_in_first, std::vector<std::string>{"theta_raw[1]"});
  EXPECT_EQ(found.only_in_second, std::vector<std::string>{"tau"});
  EXPECT_NE(distance_text(found, 10).find("Only in first: theta_raw[1]."), std::string::npos);
}

TEST(Distance, Constants) {
  const auto constant = [](double value) {
    return Maker{"c", [value](Random&, std::size_t, std::size_t) { return value; }};
  };
  const Posterior one = make_posterior({normal("x"), constant(1)}, 4, 200, 1),
                  also_one = make_posterior({normal("x"), constant(1)}, 4, 200, 2),
                  two = make_posterior({normal("x"), constant(2)}, 4, 200, 2),
                  varying = make_posterior({normal("x"), normal("c")}, 4, 200, 2);
  EXPECT_EQ(of_chains(one, also_one, kQuick).constant, std::vector<std::string>{"c"});
  EXPECT_EQ(of_chains(one, also_one, kQuick).verdict, DistanceVerdict::none_found);
  const Distance apart = of_chains(one, two, kQuick);
  EXPECT_EQ(apart.verdict, DistanceVerdict::differ);
  EXPECT_EQ(apart.parameters.front().name, "c");
  EXPECT_EQ(apart.parameters.front().apart.wasserstein, std::numeric_limits<double>::infinity());
  EXPECT_NE(to_json(apart).find("\"distance\": \"Infinity\""), std::string::npos);
  EXPECT_EQ(of_chains(one, varying, kQuick).verdict, DistanceVerdict::differ);
}

TEST(Distance, OneSampleIsNotTwo) {
  const Posterior a = make_posterior({normal("x"), normal("y")}, 4, 200, 1);
  const Distance found = of_chains(a, a, kQuick);
  EXPECT_EQ(found.verdict, DistanceVerdict::same_draws);
  EXPECT_NE(distance_text(found, 10).find("the same draws"), std::string::npos);
}

TEST(Distance, RefusalsAreOneSentence) {
  const Posterior a = make_posterior({normal("x"), normal("y")}, 4, 200, 1),
                  other = make_posterior({normal("alpha")}, 4, 200, 1),
                  one = make_posterior({normal("x")}, 1, 1, 1),
                  brief = make_posterior({normal("x")}, 10, 5, 1);
  EXPECT_EQ(refusal({"A", a}, {"B", other}),
            "A and B have no parameter in common: the first has x and y, the second alpha.");
  EXPECT_EQ(refusal({"A", a}, {"B", one, false}), "B: has 1 draw; a distance needs at least 20.");
  EXPECT_EQ(refusal({"A", a}, {"B", brief}),
            "B: has 50 draws; a distance needs at least 20, 6 in each chain.");
  Posterior broken = a;
  broken.chains[2].columns[200 + 16] = NAN;
  EXPECT_EQ(refusal({"A", a}, {"B", broken}),
            "B: y is nan in draw 17 of chain 3; distances need finite draws.");
  const Maker constant{"x", [](Random&, std::size_t, std::size_t) { return 1.0; }};
  const Posterior still = make_posterior({constant}, 4, 200, 1);
  EXPECT_EQ(refusal({"A", still}, {"B", still}), "A and B: no parameter that they share varies in either.");
}

// The same bits again, and rows beyond the limit are counted.
TEST(Distance, TheTable) {
  std::vector<Maker> makers;
  for (int i = 1; i <= 12; ++i) makers.push_back(normal("v." + std::to_string(i)));
  const Posterior a = make_posterior(makers, 2, 100, 1), b = make_posterior(makers, 2, 100, 2);
  const Distance found = of_chains(a, b, kQuick);
  EXPECT_EQ(to_json(found), to_json(of_chains(a, b, kQuick)));
  EXPECT_NE(distance_text(found, 10).find("... and 2 more rows; --all shows them"), std::string::npos);
  EXPECT_EQ(distance_text(found, 0).find("more row"), std::string::npos);
  EXPECT_NE(distance_text(found, 10).find("No difference found (p "), std::string::npos);
}

}  // namespace
}  // namespace kullback::posterior
