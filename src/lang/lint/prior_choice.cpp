// Priors that rarely mean what was wanted. References: Gelman (2006), Prior distributions for variance
// parameters in hierarchical models; Lewandowski, Kurowicka and Joe (2009); Barnard, McCulloch and Meng
// (2000).
#include <fmt/format.h>

#include <cmath>

#include "lang/lint/expr_tools.hpp"
#include "lang/lint/report.hpp"
#include "lang/print_program/expr_text.hpp"

namespace kullback::lang {
namespace {

constexpr double kSmallShape = 0.1;
constexpr double kLarge = 1e4;
constexpr double kSmall = 1e-4;

bool is_prior(const DistributionUse& use) {
  return use.call == DistributionCall::density && !use.user && !use.variate->data_only &&
         use.place.in_density();
}

bool is_vague_gamma(const DistributionUse& use) {
  if ((use.family != "gamma" && use.family != "inv_gamma") || use.arguments.size() != 2) return false;
  const auto shape = constant_value(*use.arguments[0]);
  const auto rate = constant_value(*use.arguments[1]);
  return shape && rate && *shape > 0 && *rate > 0 && *shape <= kSmallShape && *rate <= kSmallShape;
}

}  // namespace

void lint_vague_gamma(const Facts& facts, Report& report) {
  for (const DistributionUse& use : facts.distributions) {
    if (!is_prior(use) || !is_vague_gamma(use)) continue;
    report.add(use.span,
               fmt::format("{}({}, {}) is not vague: nearly all its mass is at extreme values.", use.family,
                           stan_text(*use.arguments[0]), stan_text(*use.arguments[1])),
               "Give the standard deviation, declared with <lower=0>, a normal or student_t prior.");
  }
}

void lint_prefer_cholesky(const Facts& facts, Report& report) {
  for (const DistributionUse& use : facts.distributions) {
    if (!is_prior(use) || use.family != "lkj_corr") continue;
    report.add(use.span, "lkj_corr factors its matrix in every evaluation.",
               "Declare a cholesky_factor_corr, give it lkj_corr_cholesky and use multi_normal_cholesky.");
  }
}

void lint_wishart_prior(const Facts& facts, Report& report) {
  for (const DistributionUse& use : facts.distributions) {
    if (!is_prior(use) || (use.family != "wishart" && use.family != "inv_wishart")) continue;
    report.add(use.span, fmt::format("{} ties large scales to strong correlations.", use.family),
               "Give a vector of scales and a cholesky_factor_corr priors of their own (lkj_corr_cholesky).");
  }
}

void lint_extreme_constant(const Facts& facts, Report& report) {
  for (const DistributionUse& use : facts.distributions) {
    if (!is_prior(use) || is_vague_gamma(use) || use.family == "uniform") continue;
    for (const Expr* argument : use.arguments) {
      if (argument->type->is_int()) continue;  // a count, not a scale
      const auto value = constant_value(*argument);
      if (!value || *value == 0 || std::isinf(*value)) continue;
      const double size = std::abs(*value);
      if (size >= kSmall && size <= kLarge) continue;
      report.add(
          argument->span,
          fmt::format("{} is far from the unit scale, on which samplers work best.", stan_text(*argument)),
          "Change the units of the parameter, or take a tighter prior.");
    }
  }
}

}  // namespace kullback::lang
