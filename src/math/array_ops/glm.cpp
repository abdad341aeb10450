// Generalised linear models with one linear predictor, eta = alpha + x beta:
//   bernoulli_logit_glm    s = 2 y - 1: log inv_logit(s eta),                          d = s inv_logit(-s
//   eta) binomial_logit_glm     log(N over n) + n log p + (N - n) log(1 - p),               d = n (1 - p) -
//   (N - n) p poisson_log_glm        y eta - e^eta - log y!,                                     d = y -
//   e^eta neg_binomial_2_log_glm as neg_binomial_2_log (t = eta - log phi, p = inv_logit(t)), d = y (1 - p) -
//   phi p normal_id_glm          -z^2/2 - log sigma - log(2 pi)/2, z = (y - eta) / sigma,    d = z / sigma
// by beta: x' d, by alpha: d (or its sum), by x: d beta'. `~` drops factorials and log(2 pi); log sigma is
// kept with sigma, the gamma functions of phi with phi, and, as Stan has it, phi log phi too (-(y + phi)
// log(e^eta + phi) stays whole). x is read once: see glm_kernel.hpp. Arguments that are not allowed make the
// value NaN, and only then each is checked for the message.
#include "math/array_ops/density_support.hpp"
#include "math/array_ops/glm_kernel.hpp"
#include "math/fast_gamma.hpp"
#include "math/gamma_functions.hpp"
#include "math/logistic_pair.hpp"

namespace kullback::math {
namespace density {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct BernoulliRow {
  KULLBACK_INLINE static double prepare(double eta) { return logistic_exp(eta); }
  KULLBACK_INLINE static double evaluate(double y, double eta, double, double exp_eta, double& d, double& e) {
    const double sign = 2.0 * y - 1.0;
    const LogisticPair pair = logistic_pair(sign * eta, exp_eta);
    d = sign * pair.complement;
    e = 0;
    return fast::abs(sign) == 1.0 ? pair.log_probability : kNaN;
  }
};

struct BinomialRow {
  KULLBACK_INLINE static double prepare(double eta) { return logistic_exp(eta); }
  KULLBACK_INLINE static double evaluate(double n, double eta, double trials, double exp_eta, double& d,
                                         double& e) {
    const LogisticParts parts = logistic_parts(eta, exp_eta);
    const double failures = trials - n;
    d = n * parts.complement - failures * parts.probability;
    e = 0;
    const double value = -(eta < 0.0 ? n : failures) * fast::abs(eta) - trials * parts.log1p;
    return ((n >= 0.0) & (failures >= 0.0)) ? value : kNaN;
  }
};

struct PoissonRow {
  KULLBACK_INLINE static double evaluate(double y, double eta, double, double& d, double& e) {
    const double rate = fast::exp(eta);
    d = y - rate;
    e = 0;
    return y >= 0.0 ? y * eta - rate : kNaN;
  }
};

// Where precision is false, phi does not vary and what depends on phi and y only is left out.
template <bool precision>
struct NegBinomialRow {
  KULLBACK_INLINE static double evaluate(double y, double eta, double phi, double& d, double& e) {
    const double log_phi = fast::log(phi);
    const double t = eta - log_phi;
    const LogisticParts parts = logistic_parts(t);
    const double log1p_exp = fast::at_least(t, 0.0) + parts.log1p;
    d = y * parts.complement - phi * parts.probability;
    double value = y * (eta - log_phi - log1p_exp) - phi * log1p_exp;
    if constexpr (precision) {
      e = parts.probability - y * parts.complement / phi - log1p_exp + fast::digamma_difference(phi, y);
      value += fast::log_rising(phi, y);
    } else {
      e = 0;
    }
    return ((y >= 0.0) & (phi > 0.0) & (phi < fast::kInfinity)) ? value : kNaN;
  }
};

struct NormalRow {
  KULLBACK_INLINE static double evaluate(double y, double eta, double sigma, double& d, double& e) {
    const double inverse = 1.0 / sigma;
    const double z = (y - eta) * inverse;
    d = z * inverse;
    e = (z * z - 1.0) * inverse;
    return ((sigma > 0.0) & (sigma < fast::kInfinity)) ? -0.5 * z * z : kNaN;
  }
};

struct LogChoose {
  KULLBACK_INLINE static double of(double n, double trials) { return fast::log_choose(trials, n); }
};
struct LogScale {
  KULLBACK_INLINE static double of(double, double sigma) { return fast::log(sigma); }
};

// Where each family has its arguments; extra: trials, precision or scale.
struct Layout {
  std::size_t x;
  std::size_t alpha;
  std::size_t beta;
  std::size_t extra;  // 0: none
};
constexpr Layout kPlain{1, 2, 3, 0};
constexpr Layout kWithTrials{2, 3, 4, 1};
constexpr Layout kWithScale{1, 2, 3, 4};

std::size_t row_count(Arguments arguments, const Layout& at) {
  const Shape& x = arguments[at.x].shape;
  // A row vector of predictors serves all outcomes; a matrix of one row comes with one outcome.
  return x.rows == 1 ? std::max(arguments[0].shape.size(), arguments[at.alpha].shape.size()) : x.rows;
}

struct GlmNames {
  std::string_view function;
  std::string_view outcome = "Vector of dependent variables";
  std::string_view extra = "";
};

void check_glm_size(const GlmNames& names, std::string_view name, std::size_t size, std::size_t rows) {
  if (size == 1) return;  // one for all rows
  check_size_match(names.function, "size of " + std::string(name), size, "number of rows", rows);
}

void check_glm_shapes(const GlmNames& names, Arguments arguments, const Layout& at) {
  const std::size_t rows = row_count(arguments, at);
  check_glm_size(names, names.outcome, arguments[0].shape.size(), rows);
  if (at.extra != 0) check_glm_size(names, names.extra, arguments[at.extra].shape.size(), rows);
  check_glm_size(names, "Vector of intercepts", arguments[at.alpha].shape.size(), rows);
  check_size_match(names.function, "size of Weight vector", arguments[at.beta].shape.size(),
                   "columns of Matrix of independent variables", arguments[at.x].shape.cols);
}

// The likelihood without constants.
template <class Row>
double run_rows(const Frame& frame, const Layout& at) {
  const Shape& x = frame.arguments[at.x].shape;
  double value = 0;
  double slope_sum = 0;
  double fixed = 0;
  GlmRows rows{.rows = row_count(frame.arguments, at), .x_rows = x.rows, .cols = x.cols};
  rows.x = frame.data(at.x);
  rows.beta = frame.data(at.beta);
  rows.y = frame.data(0);
  rows.y_step = frame.size(0) == 1 ? 0 : 1;
  rows.alpha = frame.data(at.alpha);
  rows.alpha_step = frame.size(at.alpha) == 1 ? 0 : 1;
  if (at.extra != 0) {
    rows.extra = frame.data(at.extra);
    rows.extra_step = frame.size(at.extra) == 1 ? 0 : 1;
    rows.by_extra = frame.partials[at.extra];
  }
  rows.by_y = frame.partials[0];
  rows.by_alpha = frame.partials[at.alpha];
  rows.by_x = frame.partials[at.x];
  rows.by_beta = frame.partials[at.beta];
  rows.value = &value;
  rows.slope_sum = &slope_sum;
  const bool is_shared = x.rows == 1;
  if (is_shared) {
    for (std::size_t j = 0; j < x.cols; ++j) fixed += rows.x[j] * rows.beta[j];
    rows.fixed = &fixed;
  }
  dispatch<GlmPass<Row>, GlmRows>(rows);
  if (is_shared) {
    for (std::size_t j = 0; j < x.cols; ++j) {
      if (rows.by_beta != nullptr) rows.by_beta[j] += slope_sum * rows.x[j];
      if (rows.by_x != nullptr) rows.by_x[j] += slope_sum * rows.beta[j];
    }
  }
  return value;
}

template <class Function>
double sum_over_rows(const Frame& frame, std::size_t y, std::size_t extra, std::size_t rows) {
  double value = 0;
  const SumCall call{.y = frame.data(y),
                     .y_step = frame.size(y) == 1 ? 0U : 1U,
                     .extra = frame.data(extra),
                     .extra_step = frame.size(extra) == 1 ? 0U : 1U,
                     .rows = rows,
                     .value = &value};
  dispatch<SumOf<Function>, SumCall>(call);
  return value;
}

// sum_i log y_i!; zero where y is not allowed, for then the value is NaN already.
double sum_log_factorials(Values y, std::size_t rows) {
  double sum = 0;
  for (double value : y) sum += value >= 0 ? log_factorial(value) : 0;
  return y.size() == 1 ? sum * static_cast<double>(rows) : sum;
}

// What Stan says of predictors once the density is not finite.
void check_predictors(std::string_view function, const Frame& frame, const Layout& at) {
  check_finite(function, "Weight vector", values_of(frame, at.beta));
  check_finite(function, "Intercept", values_of(frame, at.alpha));
  check_finite(function, "Matrix of independent variables", values_of(frame, at.x));
}

// Each model: names, layout, the rows' likelihood, constants, and the checks behind a NaN.
struct BernoulliLogitGlm {
  static constexpr GlmNames names{"bernoulli_logit_glm_lpmf"};
  static constexpr Layout at = kPlain;
  static double likelihood(const Frame& frame, std::size_t) { return run_rows<BernoulliRow>(frame, at); }
  static void check(const Frame& frame) {
    check_bounded(names.function, names.outcome, values_of(frame, 0), {0, 1});
  }
};

struct BinomialLogitGlm {
  static constexpr GlmNames names{"binomial_logit_glm_lpmf", "Successes variable",
                                  "Population size parameter"};
  static constexpr Layout at = kWithTrials;
  static double likelihood(const Frame& frame, std::size_t rows) {
    double value = run_rows<BinomialRow>(frame, at);
    if (frame.terms.normalized) value += sum_over_rows<LogChoose>(frame, 0, at.extra, rows);
    return value;
  }
  static void check(const Frame& frame) {
    check_nonnegative(names.function, names.extra, values_of(frame, at.extra));
    const Values n = values_of(frame, 0);
    const Values trials = values_of(frame, at.extra);
    for (std::size_t i = 0; i < std::max(n.size(), trials.size()); ++i) {
      check_bounded(names.function, names.outcome, n.subspan(n.size() == 1 ? 0 : i, 1),
                    {0, trials[trials.size() == 1 ? 0 : i]});
    }
  }
};

struct PoissonLogGlm {
  static constexpr GlmNames names{"poisson_log_glm_lpmf"};
  static constexpr Layout at = kPlain;
  static double likelihood(const Frame& frame, std::size_t rows) {
    double value = run_rows<PoissonRow>(frame, at);
    if (frame.terms.normalized) value -= sum_log_factorials(values_of(frame, 0), rows);
    return value;
  }
  static void check(const Frame& frame) {
    check_nonnegative(names.function, names.outcome, values_of(frame, 0));
  }
};

struct NegBinomial2LogGlm {
  static constexpr GlmNames names{"neg_binomial_2_log_glm_lpmf", "Vector of dependent variables",
                                  "Vector of precision parameters"};
  static constexpr Layout at = kWithScale;
  static double likelihood(const Frame& frame, std::size_t rows) {
    const bool has_precision = frame.terms.keep(1U << at.extra);
    double value = has_precision ? run_rows<NegBinomialRow<true>>(frame, at)
                                 : run_rows<NegBinomialRow<false>>(frame, at);
    if (frame.terms.normalized) value -= sum_log_factorials(values_of(frame, 0), rows);
    if (!has_precision) {
      const Values phi = values_of(frame, at.extra);
      for (std::size_t i = 0; i < rows; ++i) {
        const double p = phi[phi.size() == 1 ? 0 : i];
        value -= p * std::log(p);
      }
    }
    return value;
  }
  static void check(const Frame& frame) {
    check_nonnegative(names.function, "Failures variables", values_of(frame, 0));
    check_positive_finite(names.function, "Precision parameter", values_of(frame, at.extra));
  }
};

struct NormalIdGlm {
  static constexpr GlmNames names{"normal_id_glm_lpdf", "Vector of dependent variables",
                                  "Vector of scale parameters"};
  static constexpr Layout at = kWithScale;
  static double likelihood(const Frame& frame, std::size_t rows) {
    double value = run_rows<NormalRow>(frame, at);
    if (frame.terms.normalized) value -= kHalfLogTwoPi * static_cast<double>(rows);
    if (frame.terms.keep(1U << at.extra)) {
      value -= frame.size(at.extra) == 1 ? static_cast<double>(rows) * std::log(*frame.data(at.extra))
                                         : sum_over_rows<LogScale>(frame, 0, at.extra, rows);
    }
    return value;
  }
  static void check(const Frame& frame) {
    check_positive_finite(names.function, "Scale vector", values_of(frame, at.extra));
    check_finite(names.function, names.outcome, values_of(frame, 0));
  }
};

template <class Model>
struct Glm {
  static void check_shapes(Arguments arguments) { check_glm_shapes(Model::names, arguments, Model::at); }
  static std::size_t work_size(Arguments) { return 0; }

  static double log_density(const Frame& frame) {
    const std::size_t rows = row_count(frame.arguments, Model::at);
    if (rows == 0 || frame.size(0) == 0) return 0;
    const double value = Model::likelihood(frame, rows);
    if (!std::isfinite(value)) {
      Model::check(frame);
      check_predictors(Model::names.function, frame, Model::at);
    }
    const unsigned everything = (1U << frame.arguments.size()) - 1U;
    return frame.terms.keep(everything) ? value : 0;
  }
};

template <class Model>
void append(std::vector<ArrayOp>& ops, const std::vector<std::vector<Type>>& lists) {
  for (std::vector<Type>& types : combinations(lists)) {
    ops.push_back(density_op<Glm<Model>>(Model::names.function, std::move(types)));
  }
}

}  // namespace
}  // namespace density

void append_glm_ops(std::vector<ArrayOp>& ops) {
  using namespace density;
  const std::vector<Type> ints = {array_of(kInt)};
  const std::vector<Type> intercepts = {kReal, kVector};
  append<BernoulliLogitGlm>(ops, {int_types(), {kMatrix}, intercepts, {kVector}});
  append<BernoulliLogitGlm>(ops, {ints, {kRowVector}, intercepts, {kVector}});
  append<PoissonLogGlm>(ops, {int_types(), {kMatrix}, intercepts, {kVector}});
  append<PoissonLogGlm>(ops, {ints, {kRowVector}, intercepts, {kVector}});
  append<NegBinomial2LogGlm>(ops, {int_types(), {kMatrix}, intercepts, {kVector}, {kReal}});
  append<NegBinomial2LogGlm>(ops, {ints, {kRowVector}, intercepts, {kVector}, {kReal}});
  append<NormalIdGlm>(ops, {{kReal}, {kMatrix}, intercepts, {kVector}, intercepts});
  append<NormalIdGlm>(ops, {{kVector}, {kRowVector, kMatrix}, intercepts, {kVector}, intercepts});
  append<BinomialLogitGlm>(ops, {int_types(), int_types(), {kMatrix}, {kReal}, {kVector}});
  append<BinomialLogitGlm>(ops, {{kInt}, {kInt}, {kMatrix}, {kVector}, {kVector}});
  append<BinomialLogitGlm>(ops, {ints, ints, {kMatrix}, {kVector}, {kVector}});
  append<BinomialLogitGlm>(ops, {ints, ints, {kRowVector}, intercepts, {kVector}});
}

}  // namespace kullback::math
