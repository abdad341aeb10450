#include "lang/check/suggest.hpp"

namespace kullback::lang {

namespace {

struct Foreign {
  std::string_view name;
  std::string_view advice;
};

constexpr Foreign kFunctions[] = {
    {"length", "Use size(x), or num_elements(x) to count all entries."},
    {"len", "Use size(x), or num_elements(x) to count all entries."},
    {"numel", "Use num_elements(x)."},
    {"nrow", "Use rows(x)."},
    {"ncol", "Use cols(x)."},
    {"NROW", "Use rows(x)."},
    {"NCOL", "Use cols(x)."},
    {"dim", "Use dims(x)."},
    {"shape", "Use dims(x)."},
    {"t", "Write x' for the transpose."},
    {"transpose", "Write x' for the transpose."},
    {"c", "Write {a, b, c} for an array or [a, b, c]' for a vector."},
    {"list", "Write (a, b, c) for a tuple."},
    {"seq", "Use linspaced_vector(n, from, to) or linspaced_int_array(n, from, to)."},
    {"linspace", "Use linspaced_vector(n, from, to)."},
    {"rep", "Use rep_array(x, n) or rep_vector(x, n)."},
    {"numeric", "Use rep_vector(0, n)."},
    {"zeros", "Use zeros_vector(n) or rep_matrix(0, m, n)."},
    {"ones", "Use ones_vector(n) or rep_matrix(1, m, n)."},
    {"eye", "Use identity_matrix(n)."},
    {"diag", "Use diagonal(x) to take a diagonal or diag_matrix(v) to make one."},
    {"cbind", "Use append_col(x, y)."},
    {"rbind", "Use append_row(x, y)."},
    {"hstack", "Use append_col(x, y)."},
    {"vstack", "Use append_row(x, y)."},
    {"ifelse", "Write condition ? a : b."},
    {"where", "Write condition ? a : b."},
    {"plogis", "Use inv_logit(x)."},
    {"expit", "Use inv_logit(x)."},
    {"sigmoid", "Use inv_logit(x)."},
    {"logistic_sigmoid", "Use inv_logit(x)."},
    {"qlogis", "Use logit(x)."},
    {"pnorm", "Use Phi(x), or normal_cdf(x | mu, sigma)."},
    {"qnorm", "Use inv_Phi(p)."},
    {"dnorm", "Use normal_lpdf(x | mu, sigma): Stan's densities are logarithms."},
    {"rnorm", "Use normal_rng(mu, sigma)."},
    {"dbinom", "Use binomial_lpmf(n | N, theta): Stan's densities are logarithms."},
    {"rbinom", "Use binomial_rng(N, theta)."},
    {"dpois", "Use poisson_lpmf(n | lambda): Stan's densities are logarithms."},
    {"rpois", "Use poisson_rng(lambda)."},
    {"dgamma", "Use gamma_lpdf(x | alpha, beta): Stan's densities are logarithms."},
    {"dbeta", "Use beta_lpdf(x | alpha, beta): Stan's densities are logarithms."},
    {"dexp", "Use exponential_lpdf(x | beta): Stan's densities are logarithms."},
    {"dunif", "Use uniform_lpdf(x | a, b): Stan's densities are logarithms."},
    {"runif", "Use uniform_rng(a, b)."},
    {"std", "Use sd(x)."},
    {"stdev", "Use sd(x)."},
    {"var", "Use variance(x)."},
    {"average", "Use mean(x)."},
    {"solve", "Write A \\ b, or inverse(A)."},
    {"inv_matrix", "Use inverse(A)."},
    {"det", "Use determinant(A)."},
    {"logdet", "Use log_determinant(A)."},
    {"chol", "Use cholesky_decompose(A), which is lower triangular."},
    {"cholesky", "Use cholesky_decompose(A)."},
    {"matmul", "Write A * B."},
    {"dot", "Use dot_product(x, y)."},
    {"cumsum", "Use cumulative_sum(x)."},
    {"ln", "Use log(x)."},
    {"gammaln", "Use lgamma(x)."},
    {"gamma", "Use tgamma(x) for the function or gamma_lpdf(x | alpha, beta) for the density."},
    {"betaln", "Use lbeta(x, y)."},
    {"factorial", "Use tgamma(n + 1)."},
    {"logsumexp", "Use log_sum_exp(x)."},
    {"arcsin", "Use asin(x)."},
    {"arccos", "Use acos(x)."},
    {"arctan", "Use atan(x)."},
    {"power", "Write x ^ y."},
    {"sqr", "Use square(x)."},
    {"mod", "Write a % b."},
    {"sort", "Use sort_asc(x)."},
    {"order", "Use sort_indices_asc(x)."},
    {"argsort", "Use sort_indices_asc(x)."},
    {"rev", "Use reverse(x)."},
    {"stop", "Use reject(...) or fatal_error(...)."},
    {"error", "Use reject(...) or fatal_error(...)."},
    {"printf", "Use print(...)."},
    {"cat", "Use print(...)."},
    {"any", "Use max(x)."},
    {"all", "Use min(x)."},
    {"int", "Use to_int(x)."},
    {"float", "Write 1.0 * n."},
    {"increment_log_prob", "Write target += ..."},
};

constexpr Foreign kValues[] = {
    {"TRUE", "Write 1."},
    {"True", "Write 1."},
    {"true", "Write 1."},
    {"FALSE", "Write 0."},
    {"False", "Write 0."},
    {"false", "Write 0."},
    {"NA", "Use not_a_number()."},
    {"NaN", "Use not_a_number()."},
    {"nan", "Use not_a_number()."},
    {"Inf", "Use positive_infinity()."},
    {"inf", "Use positive_infinity()."},
    {"infinity", "Use positive_infinity()."},
    {"NULL", "Stan has no empty value."},
    {"None", "Stan has no empty value."},
    {"PI", "Use pi()."},
    {"lp__", "Use target()."},
};

template <std::size_t n>
std::string_view advice_for(std::string_view name, const Foreign (&table)[n]) {
  for (const Foreign& entry : table) {
    if (entry.name == name) return entry.advice;
  }
  return {};
}

}  // namespace

std::string_view foreign_function(std::string_view name) { return advice_for(name, kFunctions); }

std::string_view foreign_value(std::string_view name) { return advice_for(name, kValues); }

}  // namespace kullback::lang
