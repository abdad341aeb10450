#include "posterior/findings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "posterior/finding_parts.hpp"
#include "posterior/power_scaling.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::posterior {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Findings found(const Posterior& posterior, FindingOptions options = {}) {
  return find_problems(posterior, summarize(posterior, options.is_markov), options);
}

const Finding* find_code(const Findings& findings, const std::string& code) {
  for (const Finding& finding : findings)
    if (finding.code == code) return &finding;
  return nullptr;
}

std::string codes(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.code + " ";
  return text;
}

void add_sampler_stats(Posterior& posterior) {
  add_stat(posterior, "treedepth__",
           [](const Chain&, std::size_t, std::size_t d) { return d % 150 == 0 ? 10 : 3; });
  add_stat(posterior, "divergent__", [](const Chain&, std::size_t, std::size_t) { return 0; });
  Random random(5);
  add_stat(posterior, "energy__", [&](const Chain&, std::size_t, std::size_t) { return random.normal(); });
}

// Starts in its stationary distribution.
Maker autoregression(std::string name, double rho) {
  double last = 0;
  return {std::move(name), [rho, last](Random& random, std::size_t, std::size_t draw) mutable {
            const double innovation = random.normal();
            last = draw == 0 ? innovation : rho * last + std::sqrt(1 - rho * rho) * innovation;
            return last;
          }};
}

TEST(Findings, NoneOnAGoodSample) {
  Posterior posterior =
      make_posterior({normal("mu"), normal("theta.1", 5), normal("theta.2", -3, 0.1)}, 4, 1000);
  add_sampler_stats(posterior);
  EXPECT_EQ(codes(found(posterior)), "");
}

TEST(Findings, ConstantsAreNoProblem) {
  const Posterior posterior =
      make_posterior({normal("mu"), {"one", [](Random&, std::size_t, std::size_t) { return 1.0; }}}, 4, 1000);
  EXPECT_EQ(codes(found(posterior)), "");
}

TEST(Findings, AFewDrawsOfAnythingDoNotFail) {
  for (const std::size_t draws : {0, 1, 2, 3, 5}) {
    for (const std::size_t chains : {1, 3}) {
      Posterior posterior = make_posterior({normal("mu"), normal("tau")}, chains, draws);
      add_sampler_stats(posterior);
      EXPECT_EQ(find_code(found(posterior), "heavy-tails"), nullptr);
      found(posterior, {.is_markov = false});
    }
  }
}

TEST(Divergences, AreLocated) {
  // Half of the draws with tau below its 10 % quantile (-1.28) diverge.
  Posterior posterior =
      make_posterior({normal("mu"), normal("tau"), normal("eta.1"), normal("eta.2")}, 4, 1000);
  add_stat(posterior, "divergent__", [](const Chain& chain, std::size_t, std::size_t d) {
    return chain.columns[chain.draws + d] < -1.2816 && d % 2 == 0 ? 1 : 0;
  });
  const Findings findings = found(posterior);
  const Finding* finding = find_code(findings, "divergences");
  ASSERT_NE(finding, nullptr);
  const auto count = static_cast<int>(stats::mean(posterior.stat("divergent__")) * 4000 + 0.5);
  EXPECT_TRUE(finding->message.starts_with(std::to_string(count) + " of 4000 transitions diverged ("))
      << finding->message;
  const std::string all =
      "In " + std::to_string(count) + " of " + std::to_string(count) + ", tau is below -1.2";
  EXPECT_TRUE(finding->evidence.starts_with(all)) << finding->evidence;
  EXPECT_TRUE(finding->evidence.ends_with("10 % quantile.") || finding->evidence.ends_with("9 % quantile.") ||
              finding->evidence.ends_with("11 % quantile."))
      << finding->evidence;
  EXPECT_NE(finding->advice.find("--target-accept 0.95"), std::string::npos);
  EXPECT_NE(find_code(found(posterior, {.target_accept = 0.95}), "divergences")->advice.find("0.99"),
            std::string::npos);
}

TEST(Divergences, EverywhereAreNotLocated) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Posterior posterior = make_posterior({normal("a"), normal("b"), normal("c"), normal("d")}, 4, 500, seed);
    add_stat(posterior, "divergent__",
             [](const Chain&, std::size_t, std::size_t d) { return d % 20 == 0 ? 1 : 0; });
    EXPECT_EQ(find_code(found(posterior), "divergences")->evidence,
              "They are spread over the range of every parameter.");
  }
}

// The neck of a funnel lies around the middle of what the scale scales.
TEST(Divergences, AroundTheMiddleAreLocated) {
  Posterior posterior = make_posterior({normal("mu"), normal("x.1"), normal("x.2")}, 4, 1000);
  add_stat(posterior, "divergent__", [](const Chain& chain, std::size_t, std::size_t d) {
    return std::fabs(chain.columns[chain.draws + d]) < 0.1 && d % 2 == 0 ? 1 : 0;
  });
  const std::string evidence = find_code(found(posterior), "divergences")->evidence;
  EXPECT_NE(evidence.find(", x[1] is less than 0."), std::string::npos) << evidence;
  EXPECT_NE(evidence.find(" from its median, "), std::string::npos) << evidence;
}

TEST(Divergences, OnARidgeAreFoundByNeighbours) {
  const auto uniform = [](Random& r, std::size_t, std::size_t) { return r.uniform(); };
  Posterior posterior = make_posterior({{"a", uniform}, {"b", uniform}, {"c", uniform}}, 4, 1000);
  add_stat(posterior, "divergent__", [](const Chain& chain, std::size_t, std::size_t d) {
    return std::fabs(chain.columns[d] - chain.columns[chain.draws + d]) < 0.03 ? 1 : 0;
  });
  const std::string evidence = find_code(found(posterior), "divergences")->evidence;
  EXPECT_NE(evidence.find("lie close together"), std::string::npos) << evidence;
}

TEST(Divergences, FewAreNotCalledSpread) {
  Posterior posterior = make_posterior({normal("a"), normal("b")}, 4, 500);
  add_stat(posterior, "divergent__",
           [](const Chain&, std::size_t, std::size_t d) { return d % 200 == 7 ? 1 : 0; });
  EXPECT_EQ(find_code(found(posterior), "divergences")->evidence, "They are too few to tell where they sit.");
}

TEST(Divergences, OfOneChainAndFew) {
  Posterior posterior = make_posterior({normal("a")}, 4, 500);
  add_stat(posterior, "divergent__",
           [](const Chain&, std::size_t c, std::size_t d) { return c == 2 && d % 20 == 0 ? 1 : 0; });
  EXPECT_TRUE(find_code(found(posterior), "divergences")->evidence.ends_with("All are in chain 3."));
  Posterior few = make_posterior({normal("a")}, 4, 500);
  add_stat(few, "divergent__",
           [](const Chain&, std::size_t c, std::size_t d) { return c == 2 && d == 7 ? 1 : 0; });
  EXPECT_EQ(find_code(found(few), "divergences")->evidence, "They are too few to tell where they sit.");
}

// Two components at 0 and `apart`; chain c exchanges their labels from draw `from[c]` on.
Posterior mixture(double apart, std::vector<std::size_t> from) {
  const auto component = [=](std::string name, bool is_first) {
    return Maker{std::move(name), [=](Random& random, std::size_t c, std::size_t d) {
                   return ((d >= from[c]) == is_first ? apart : 0.0) + random.normal();
                 }};
  };
  return make_posterior({component("mu.1", true), component("mu.2", false)}, from.size(), 800);
}

TEST(Labels, ThatSwitchAreNamedAndNotAnsweredWithMoreIterations) {
  for (const std::vector<std::size_t>& from : {std::vector<std::size_t>{0, 800, 0, 800},
                                               {0, 800, 800, 800},
                                               {400, 800, 800, 800},
                                               {200, 600, 0, 800}}) {
    const Findings findings = found(mixture(6, from));
    const Finding* finding = find_code(findings, "chains-apart");
    if (finding == nullptr) finding = find_code(findings, "rhat");
    ASSERT_NE(finding, nullptr);
    EXPECT_NE((finding->evidence + finding->advice).find("The elements of mu exchange places"),
              std::string::npos)
        << finding->evidence << finding->advice;
    EXPECT_NE(finding->advice.find("ordered[K]"), std::string::npos) << finding->advice;
    EXPECT_EQ(finding->advice.find("--warmup"), std::string::npos) << finding->advice;
  }
}

TEST(Labels, OfChainsThatDoNotAgreeOtherwiseAreNotSaidToSwitch) {
  EXPECT_EQ(switching_labels(make_posterior({normal("mu.1"), normal("mu.2", 5)}, 4, 800)), "");
  const auto chain_mean = [](std::string name, double factor) {
    return Maker{std::move(name), [factor](Random& random, std::size_t c, std::size_t) {
                   return factor * static_cast<double>(c) + random.normal();
                 }};
  };
  EXPECT_EQ(switching_labels(make_posterior({chain_mean("mu.1", 3), chain_mean("mu.2", 3)}, 4, 800)), "");
  EXPECT_EQ(switching_labels(make_posterior({chain_mean("mu.1", 3), normal("mu.2")}, 4, 800)), "");
}

TEST(Divergences, AdviceNamesWhatIsLocatedAndOnlyThen) {
  Posterior spread = make_posterior({normal("a")}, 4, 500);
  add_stat(spread, "divergent__",
           [](const Chain&, std::size_t, std::size_t d) { return d % 20 == 0 ? 1 : 0; });
  const std::string advice = find_code(found(spread), "divergences")->advice;
  EXPECT_NE(advice.find("reparametrise scales with what they scale"), std::string::npos) << advice;
  Posterior funnel = make_posterior({normal("mu"), normal("tau")}, 4, 500);
  add_stat(funnel, "divergent__", [](const Chain& chain, std::size_t, std::size_t d) {
    return chain.columns[chain.draws + d] < -1.2816 ? 1 : 0;
  });
  EXPECT_NE(find_code(found(funnel), "divergences")->advice.find("reparametrise tau"), std::string::npos);
}

TEST(Separation, IsMannAndWhitneys) {
  // Values 1 2 2 3 4 with 1 and one 2 chosen: pairs won 0, 0, 0, 1/2, 0, 0 of 6.
  const Separation apart = separation({3, 2, 1, 2, 4}, {0, 1, 1, 0, 0});
  EXPECT_DOUBLE_EQ(apart.auc, 0.5 / 6);
  EXPECT_DOUBLE_EQ(apart.z, (0.5 / 6 - 0.5) / std::sqrt(6.0 / 72.0));
  EXPECT_TRUE(apart.is_below);
  EXPECT_DOUBLE_EQ(apart.cut, 2.5);
  EXPECT_DOUBLE_EQ(apart.cut_quantile, 0.6);
  EXPECT_EQ(apart.beyond, 2u);
  EXPECT_FALSE(separation({1, 2, 3, 4}, {0, 0, 0, 1}).is_below);
  EXPECT_EQ(separation({1, 2, 3, 4}, {0, 0, 0, 1}).beyond, 1u);
  EXPECT_EQ(separation({1, 2}, {0, 0}).auc, 0.5);
  EXPECT_EQ(separation({1, kNan, 3}, {0, 1, 0}).auc, 0.5);
}

TEST(TreeDepth, FiresFromOnePercentOn) {
  Posterior posterior = make_posterior({normal("a")}, 4, 1000);
  add_stat(posterior, "treedepth__",
           [](const Chain&, std::size_t, std::size_t d) { return d % 50 == 0 ? 10 : 4; });
  const Findings findings = found(posterior);
  ASSERT_EQ(codes(findings), "tree-depth ");
  EXPECT_TRUE(findings[0].message.starts_with(
      "80 of 4000 transitions (2.0 %) stopped at the largest tree depth, 10"));
  EXPECT_NE(findings[0].advice.find("--max-depth 12"), std::string::npos);
  EXPECT_EQ(codes(found(posterior, {.max_depth = 11})), "");
}

TEST(EnergyRatio, NamesTheChains) {
  Posterior posterior = make_posterior({normal("a")}, 4, 1000);
  Maker slow = autoregression("energy", 0.95);
  Random random(3);
  add_stat(posterior, "energy__", [&](const Chain&, std::size_t c, std::size_t d) {
    return c == 1 || c == 3 ? slow.draw(random, c, d) : random.normal();
  });
  const Findings findings = found(posterior);
  ASSERT_EQ(codes(findings), "e-bfmi ");
  EXPECT_TRUE(findings[0].message.starts_with("The energy of chains 2 and 4 moves slowly"))
      << findings[0].message;
}

TEST(ChainsApart, ModesAreToldFromDrift) {
  const Posterior modes = make_posterior(
      {normal("a"),
       {"mu.1", [](Random& r, std::size_t c, std::size_t) { return (c == 2 ? 8 : 0) + r.normal(); }}},
      4, 500);
  const Findings of_modes = found(modes);
  EXPECT_EQ(codes(of_modes), "chains-apart rhat ess ");
  EXPECT_TRUE(of_modes[0].message.starts_with("Chain 3 stands apart from the others: each chain has settled"))
      << of_modes[0].message;
  EXPECT_TRUE(of_modes[0].evidence.starts_with("Most in mu[1]: its mean is ")) << of_modes[0].evidence;
  EXPECT_NE(of_modes[0].evidence.find("in chain 3 and "), std::string::npos);
  EXPECT_NE(of_modes[0].evidence.find("The log densities are about equal."), std::string::npos)
      << of_modes[0].evidence;

  const Posterior drift = make_posterior(
      {{"mu", [](Random& r, std::size_t c,
                 std::size_t d) { return (c == 0 ? 20 + 0.02 * static_cast<double>(d) : 0) + r.normal(); }}},
      4, 500);
  EXPECT_NE(found(drift)[0].message.find("the chains are still moving"), std::string::npos);
}

TEST(ChainsApart, TwoAndTwo) {
  const Posterior posterior = make_posterior(
      {{"mu", [](Random& r, std::size_t c, std::size_t) { return (c % 2 == 0 ? 4 : -4) + r.normal(); }}}, 4,
      500);
  EXPECT_TRUE(found(posterior)[0].message.starts_with("Chains 2 and 4 stand apart"))
      << found(posterior)[0].message;
}

TEST(ChainsApart, ALowerModeIsSaidToBeLower) {
  Posterior posterior = make_posterior(
      {{"mu", [](Random& r, std::size_t c, std::size_t) { return (c == 0 ? 9 : 0) + r.normal(); }}}, 4, 500);
  for (double& value : posterior.chains[0].log_density) value -= 30;
  const std::string evidence = found(posterior)[0].evidence;
  const std::size_t at = evidence.find("The log density there is lower by ");
  ASSERT_NE(at, std::string::npos) << evidence;
  EXPECT_NEAR(std::stod(evidence.substr(at + 34)), 30, 0.5);
}

TEST(StuckChain, IsNamed) {
  const Posterior posterior = make_posterior(
      {{"mu", [](Random& r, std::size_t c,
                 std::size_t d) { return c == 1 ? static_cast<double>(d / 100) : r.normal(); }}},
      4, 500);
  const Findings findings = found(posterior);
  const Finding* finding = find_code(findings, "stuck-chain");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->message.starts_with("Chain 2 hardly moved"));
  EXPECT_EQ(finding->evidence, "Parameters changed in 4 of 499 transitions.");
}

TEST(Rhat, CountsAndWorst) {
  const Posterior posterior = make_posterior(
      {normal("a"),
       {"b",
        [](Random& r, std::size_t c, std::size_t) { return 0.5 * static_cast<double>(c) + r.normal(); }}},
      4, 500);
  const Findings findings = found(posterior);
  const Finding* finding = find_code(findings, "rhat");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->message.starts_with("R-hat is above 1.01 for 1 of 3 quantities")) << finding->message;
  EXPECT_TRUE(finding->evidence.starts_with("Worst: b (1.")) << finding->evidence;
  EXPECT_EQ(find_code(findings, "chains-apart"), nullptr);
}

TEST(Ess, AdvisesHowManyDraws) {
  const Posterior posterior = make_posterior({autoregression("slow", 0.9)}, 4, 1000);
  const std::vector<SummaryRow> rows = summarize(posterior, true);
  Findings findings;
  find_low_ess(posterior, rows, {}, findings);
  ASSERT_EQ(codes(findings), "ess ");
  EXPECT_TRUE(findings[0].evidence.starts_with("Smallest: slow (")) << findings[0].evidence;
  EXPECT_TRUE(findings[0].advice.starts_with("`--draws ")) << findings[0].advice;
  EXPECT_TRUE(findings[0].advice.ends_with("(now 1000).")) << findings[0].advice;
  Findings none;
  find_low_ess(posterior, rows, {.min_ess = 50}, none);
  EXPECT_TRUE(none.empty());
}

int count_heavy(const std::function<double(Random&)>& draw, int seeds, double rho = 0) {
  int count = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Maker slow = autoregression("x", rho);
    const Maker maker{
        "x", [&](Random& r, std::size_t c, std::size_t d) {
          if (rho == 0) return draw(r);
          return std::tan(0.5 * M_PI * std::erf(slow.draw(r, c, d) / std::sqrt(2.0)));  // Cauchy
        }};
    const Posterior posterior = make_posterior({maker}, 4, 1000, static_cast<std::uint64_t>(seed));
    Findings findings;
    find_heavy_tails(posterior, summarize(posterior, true), {}, findings);
    count += !findings.empty();
  }
  return count;
}

double cauchy(Random& random) { return std::tan(M_PI * (random.uniform() - 0.5)); }

TEST(HeavyTails, OfCauchyMarginals) {
  EXPECT_GE(count_heavy(cauchy, 200), 198);
  EXPECT_GE(count_heavy([](Random& r) { return std::fabs(cauchy(r)); }, 200), 190);  // one tail
  EXPECT_GE(count_heavy(cauchy, 50, 0.8), 35);                                       // a slow chain
}

TEST(HeavyTails, NotOfLighterOnes) {
  EXPECT_EQ(count_heavy([](Random& r) { return r.normal(); }, 200), 0);
  EXPECT_EQ(count_heavy([](Random& r) { return r.exponential(); }, 200), 0);
  EXPECT_EQ(count_heavy([](Random& r) { return r.uniform(); }, 50), 0);
  EXPECT_EQ(count_heavy([](Random& r) { return std::exp(r.normal()); }, 200), 0);
  EXPECT_EQ(count_heavy([](Random& r) { return r.normal() / std::sqrt(r.gamma(2.5) / 2.5); }, 200),
            0);  // t, 5 df
  EXPECT_EQ(count_heavy([](Random& r) { return std::floor(3 * r.exponential()); }, 50), 0);
  EXPECT_EQ(count_heavy([](Random& r) { return r.uniform() < 0.01 ? 1.0 : 0.0; }, 50), 0);
}

// phi^100 with |phi| < 1: nothing in its draws tells it from a tail with infinite variance.
TEST(HeavyTails, NotOfBoundedQuantities) {
  std::vector<Maker> makers = {normal("mu"),
                               {"x", [](Random& r, std::size_t, std::size_t) { return cauchy(r); }}};
  for (int i = 1; i <= 5; ++i)
    makers.push_back({"powers." + std::to_string(i), [](Random& r, std::size_t, std::size_t) {
                        return std::pow(std::tanh(0.7 + 0.2 * r.normal()), 100);
                      }});
  const Posterior posterior = make_posterior(makers, 4, 1000);
  const Finding all = *find_code(found(posterior), "heavy-tails");
  EXPECT_TRUE(all.message.starts_with("6 quantities")) << all.message;
  EXPECT_NE(all.evidence.find("powers, 5 of 5 elements, at most ("), std::string::npos) << all.evidence;
  const FindingOptions options{.are_bounded = [](std::span<const std::size_t> columns) {
    std::vector<bool> is_bounded;
    for (const std::size_t column : columns) is_bounded.push_back(column >= 2);
    return is_bounded;
  }};
  EXPECT_TRUE(
      find_code(found(posterior, options), "heavy-tails")->message.starts_with("x has so heavy a tail"));
}

TEST(NotFinite, IsCounted) {
  const Posterior posterior = make_posterior(
      {normal("a"),
       {"r.1", [](Random& r, std::size_t, std::size_t d) { return d % 100 == 3 ? kNan : r.normal(); }},
       {"r.2", [](Random& r, std::size_t, std::size_t d) { return d == 5 ? INFINITY : r.normal(); }}},
      4, 1000);
  const Findings findings = found(posterior);
  ASSERT_EQ(codes(findings), "not-finite ");
  EXPECT_TRUE(findings[0].message.starts_with("2 quantities are NaN or infinite in some draws"));
  EXPECT_EQ(findings[0].evidence, "Draws of 4000: r[1] (40) and r[2] (4).");
}

TEST(Weights, OfAPoorApproximation) {
  Posterior posterior = make_posterior({normal("a")}, 1, 1000);
  Random random(1);
  for (std::size_t i = 0; i < 1000; ++i) posterior.chains[0].log_weight.push_back(0.1 * random.normal());
  EXPECT_EQ(codes(found(posterior, {.is_markov = false})), "");
  for (double& weight : posterior.chains[0].log_weight) weight *= 60;
  EXPECT_EQ(codes(found(posterior, {.is_markov = false})), "weights ");
}

// By a direct transcription of the definition in Python with double precision.
TEST(PowerScaling, DistanceIsTheDefinitions) {
  EXPECT_NEAR(cumulative_js_distance({3, 1, 2, 7}, {0.1, 0.4, 0.3, 0.2}), 0.1278480201077651, 1e-12);
  EXPECT_NEAR(cumulative_js_distance({0.5, -2, 1.5}, {0.2, 0.2, 0.6}), 0.2134619335503054, 1e-12);
  EXPECT_EQ(cumulative_js_distance({3, 1, 2, 7}, {0.25, 0.25, 0.25, 0.25}), 0);
}

// One normal mean: prior N(0, prior_sd), one observation y with sd 1.
Findings of_normal_mean(double prior_sd, double y, double sd) {
  const double precision = 1 / (prior_sd * prior_sd) + 1 / (sd * sd);
  const double mean = y / (sd * sd) / precision;
  const Posterior posterior = make_posterior({normal("mu", mean, 1 / std::sqrt(precision))}, 4, 1000);
  std::vector<double> log_prior, log_likelihood;
  for (const double mu : posterior.column(0)) {
    log_prior.push_back(-0.5 * mu * mu / (prior_sd * prior_sd));
    log_likelihood.push_back(-0.5 * (y - mu) * (y - mu) / (sd * sd));
  }
  return find_prior_conflict(posterior, log_prior, log_likelihood);
}

TEST(PowerScaling, TellsConflictFromStrongPrior) {
  EXPECT_EQ(codes(of_normal_mean(10, 1, 0.3)), "");
  EXPECT_EQ(codes(of_normal_mean(1, 6, 1)), "prior-data-conflict ");
  EXPECT_EQ(codes(of_normal_mean(0.3, 0.5, 5)), "strong-prior ");
  EXPECT_TRUE(of_normal_mean(1, 6, 1)[0].evidence.find("mu (0.") != std::string::npos)
      << of_normal_mean(1, 6, 1)[0].evidence;
}

}  // namespace
}  // namespace kullback::posterior
