// Random vectors and matrices.
//   Normal: mu + L z. Student t: mu + L z sqrt(nu / chi^2_nu).
//   Wishart: L B B' L' with Bartlett's lower triangular B: B_ii^2 ~ chi^2 with nu - i degrees (i from 0), the
//   rest normal; inverse Wishart: L (B B')^-1 L'. LKJ: canonical partial correlations 2 beta(b, b) - 1, b =
//   eta + (K - 2 - i)/2 for column i (the C-vine of Lewandowski, Kurowicka, Joe 2009), assembled to a
//   Cholesky factor. Dirichlet: normalised gammas, in logarithms (gamma(a) = gamma(a + 1) u^(1/a)) so that
//   small shapes do not underflow. Multinomial: binomials one after another. Hidden states: forward filter,
//   backward draw.
#include "math/multivariate_random.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "math/array_ops/density_linear.hpp"
#include "math/discrete_random.hpp"
#include "math/vector_math.hpp"

namespace kullback::math {
namespace {

using namespace density;

std::size_t side_of(std::string_view function, std::string_view name, Numbers matrix) {
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
  check_size_match(function, std::string("numbers in ") + std::string(name), matrix.size(),
                   "square of its rows", side * side);
  return side;
}

// The Cholesky factor of a symmetric matrix.
std::vector<double> factor_of(std::string_view function, std::string_view name, Numbers matrix) {
  const std::size_t size = side_of(function, name, matrix);
  check_finite(function, name, matrix);
  check_symmetric(function, name, {matrix.data(), size, size});
  std::vector<double> lower(matrix.size());
  factor(function, name, {matrix.data(), size, size}, {lower.data(), size, size});
  return lower;
}

void check_factor(std::string_view function, std::string_view name, Numbers matrix) {
  const std::size_t size = side_of(function, name, matrix);
  check_cholesky_factor(function, name, {matrix.data(), size, size});
}

// location + scale L z.
std::vector<double> shift_normal(Random& random, Numbers location, Numbers lower, double scale) {
  const std::size_t size = location.size();
  std::vector<double> z(size);
  for (double& value : z) value = scale * random.normal();
  std::vector<double> result(location.begin(), location.end());
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = j; i < size; ++i) result[i] += lower[i + j * size] * z[j];
  }
  return result;
}

void check_located(std::string_view function, Numbers location, Numbers matrix) {
  check_size_match(function, "Size of location parameter", location.size(), "rows of scale matrix",
                   side_of(function, "scale matrix", matrix));
  check_finite(function, "Location parameter", location);
}

double student_scale(Random& random, std::string_view function, double nu) {
  check_positive_finite(function, "Degrees of freedom parameter", {&nu, 1});
  return std::sqrt(0.5 * nu / random.gamma(0.5 * nu));
}

// Bartlett's factor of a standard Wishart.
std::vector<double> bartlett(Random& random, double nu, std::size_t size) {
  std::vector<double> lower(size * size, 0.0);
  for (std::size_t j = 0; j < size; ++j) {
    lower[j + j * size] = std::sqrt(2 * random.gamma(0.5 * (nu - static_cast<double>(j))));
    for (std::size_t i = j + 1; i < size; ++i) lower[i + j * size] = random.normal();
  }
  return lower;
}

std::vector<double> multiply(const ConstView& a, const ConstView& b) {
  std::vector<double> result(a.height() * b.width());
  dense::multiply(a, b, {result.data(), a.height(), b.width()});
  return result;
}

std::vector<double> times_own_transpose(const std::vector<double>& a, std::size_t size) {
  std::vector<double> result = multiply({a.data(), size, size}, {a.data(), size, size, true});
  dense::mirror_lower({result.data(), size, size});
  return result;
}

// A root of an inverse Wishart, not triangular: L B'^-1.
std::vector<double> inverse_root(Random& random, double nu, Numbers lower, std::size_t size) {
  const std::vector<double> b = bartlett(random, nu, size);
  std::vector<double> result(lower.begin(), lower.end());
  dense::solve_lower_right({b.data(), size, size, true}, {result.data(), size, size});
  return result;
}

// The first k, from 1, with cumulated weights above u times their sum.
double draw_from_weights(Random& random, Numbers weights) {
  double total = 0;
  for (double weight : weights) total += weight;
  double u = random.uniform() * total;
  std::size_t last = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] <= 0) continue;
    last = k;
    u -= weights[k];
    if (u < 0) break;
  }
  return static_cast<double>(last + 1);
}

std::vector<double> softmax(Numbers log_odds) {
  std::vector<double> result(log_odds.begin(), log_odds.end());
  const double largest = result.empty() ? 0 : *std::max_element(result.begin(), result.end());
  double sum = 0;
  for (double& value : result) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (double& value : result) value /= sum;
  return result;
}

std::vector<double> split_trials(Random& random, Numbers probabilities, double trials) {
  std::vector<double> counts(probabilities.size(), 0.0);
  double rest = 1;
  for (std::size_t k = 0; k + 1 < probabilities.size() && trials > 0; ++k) {
    const double share = rest > 0 ? std::clamp(probabilities[k] / rest, 0.0, 1.0) : 1.0;
    counts[k] = draw_binomial(random, trials, share);
    trials -= counts[k];
    rest -= probabilities[k];
  }
  if (!counts.empty()) counts.back() = trials > 0 ? trials : 0;
  return counts;
}

template <class Cdf>
double draw_ordered(Random& random, std::string_view function, double location, Numbers cuts, Cdf cdf) {
  check_finite(function, "Location parameter", {&location, 1});
  check_finite(function, "Cut-points parameter", cuts);
  check_ordered(function, "Cut-points parameter", cuts);
  const double u = random.uniform();
  std::size_t k = 0;
  while (k < cuts.size() && u > cdf(cuts[k] - location)) ++k;
  return static_cast<double>(k + 1);
}

}  // namespace

std::vector<double> draw_multi_normal_cholesky(Random& random, Numbers location, Numbers lower) {
  constexpr std::string_view function = "multi_normal_cholesky_rng";
  check_located(function, location, lower);
  check_factor(function, "Cholesky decomposition of a variance matrix", lower);
  return shift_normal(random, location, lower, 1);
}

std::vector<double> draw_multi_normal(Random& random, Numbers location, Numbers covariance) {
  constexpr std::string_view function = "multi_normal_rng";
  check_located(function, location, covariance);
  return shift_normal(random, location, factor_of(function, "Covariance matrix", covariance), 1);
}

std::vector<double> draw_multi_normal_prec(Random& random, Numbers location, Numbers precision) {
  constexpr std::string_view function = "multi_normal_prec_rng";
  check_located(function, location, precision);
  const std::size_t size = location.size();
  const std::vector<double> lower = factor_of(function, "Precision matrix", precision);
  std::vector<double> z(size);
  for (double& value : z) value = random.normal();
  dense::solve_lower_left({lower.data(), size, size, true}, {z.data(), size, 1});
  for (std::size_t k = 0; k < size; ++k) z[k] += location[k];
  return z;
}

std::vector<double> draw_multi_student_t(Random& random, double nu, Numbers location, Numbers scale) {
  constexpr std::string_view function = "multi_student_t_rng";
  check_located(function, location, scale);
  const std::vector<double> lower = factor_of(function, "Scale parameter", scale);
  return shift_normal(random, location, lower, student_scale(random, function, nu));
}

std::vector<double> draw_multi_student_t_cholesky(Random& random, double nu, Numbers location,
                                                  Numbers lower) {
  constexpr std::string_view function = "multi_student_t_cholesky_rng";
  check_located(function, location, lower);
  check_factor(function, "Scale parameter", lower);
  return shift_normal(random, location, lower, student_scale(random, function, nu));
}

std::vector<double> draw_wishart_cholesky(Random& random, double nu, Numbers scale_factor) {
  constexpr std::string_view function = "wishart_cholesky_rng";
  check_factor(function, "Cholesky Scale matrix", scale_factor);
  const std::size_t size = side_of(function, "Cholesky Scale matrix", scale_factor);
  check_greater(function, "degrees of freedom > dims - 1", nu, static_cast<double>(size) - 1);
  const std::vector<double> b = bartlett(random, nu, size);
  std::vector<double> result = multiply({scale_factor.data(), size, size}, {b.data(), size, size});
  dense::clear_upper({result.data(), size, size});
  return result;
}

std::vector<double> draw_wishart(Random& random, double nu, Numbers scale) {
  constexpr std::string_view function = "wishart_rng";
  const std::size_t size = side_of(function, "scale parameter", scale);
  check_greater(function, "degrees of freedom > dims - 1", nu, static_cast<double>(size) - 1);
  const std::vector<double> lower = factor_of(function, "scale parameter", scale);
  return times_own_transpose(draw_wishart_cholesky(random, nu, lower), size);
}

std::vector<double> draw_inv_wishart_cholesky(Random& random, double nu, Numbers scale_factor) {
  constexpr std::string_view function = "inv_wishart_cholesky_rng";
  check_factor(function, "Cholesky Scale matrix", scale_factor);
  const std::size_t size = side_of(function, "Cholesky Scale matrix", scale_factor);
  check_greater(function, "degrees of freedom > dims - 1", nu, static_cast<double>(size) - 1);
  const std::vector<double> draw = times_own_transpose(inverse_root(random, nu, scale_factor, size), size);
  return factor_of(function, "draw", draw);
}

std::vector<double> draw_inv_wishart(Random& random, double nu, Numbers scale) {
  constexpr std::string_view function = "inv_wishart_rng";
  const std::size_t size = side_of(function, "scale parameter", scale);
  check_greater(function, "degrees of freedom > dims - 1", nu, static_cast<double>(size) - 1);
  const std::vector<double> lower = factor_of(function, "scale parameter", scale);
  return times_own_transpose(inverse_root(random, nu, lower, size), size);
}

std::vector<double> draw_lkj_corr_cholesky(Random& random, std::size_t size, double eta) {
  check_positive("lkj_corr_cholesky_rng", "Shape parameter", {&eta, 1});
  std::vector<double> lower(size * size, 0.0);
  std::vector<double> rest(size, 1.0);  // one minus the squares so far in each row
  for (std::size_t j = 0; j < size; ++j) {
    lower[j + j * size] = std::sqrt(rest[j]);
    const double shape = eta + 0.5 * (static_cast<double>(size) - 2 - static_cast<double>(j));
    for (std::size_t i = j + 1; i < size; ++i) {
      const double z = 2 * draw_beta(random, shape, shape) - 1;
      lower[i + j * size] = z * std::sqrt(rest[i]);
      rest[i] *= 1 - z * z;
    }
  }
  return lower;
}

std::vector<double> draw_lkj_corr(Random& random, std::size_t size, double eta) {
  std::vector<double> result = times_own_transpose(draw_lkj_corr_cholesky(random, size, eta), size);
  for (std::size_t k = 0; k < size; ++k) result[k + k * size] = 1;
  return result;
}

std::vector<double> draw_dirichlet(Random& random, Numbers alpha) {
  check_positive("dirichlet_rng", "prior sample sizes", alpha);
  std::vector<double> logs;
  for (double a : alpha) logs.push_back(std::log(random.gamma(a + 1)) + std::log(random.uniform()) / a);
  return softmax(logs);
}

double draw_categorical(Random& random, Numbers probabilities) {
  check_simplex("categorical_rng", "Probabilities parameter", probabilities);
  return draw_from_weights(random, probabilities);
}

double draw_categorical_logit(Random& random, Numbers log_odds) {
  check_finite("categorical_logit_rng", "Log odds parameter", log_odds);
  return draw_from_weights(random, softmax(log_odds));
}

std::vector<double> draw_multinomial(Random& random, Numbers probabilities, double trials) {
  check_simplex("multinomial_rng", "Probabilities parameter", probabilities);
  check_nonnegative("multinomial_rng", "number of trials variable", {&trials, 1});
  return split_trials(random, probabilities, trials);
}

std::vector<double> draw_multinomial_logit(Random& random, Numbers log_odds, double trials) {
  check_finite("multinomial_logit_rng", "Log-probabilities parameter", log_odds);
  check_nonnegative("multinomial_logit_rng", "number of trials variable", {&trials, 1});
  return split_trials(random, softmax(log_odds), trials);
}

std::vector<double> draw_dirichlet_multinomial(Random& random, Numbers alpha, double trials) {
  check_positive_finite("dirichlet_multinomial_rng", "Prior size parameter", alpha);
  check_nonnegative("dirichlet_multinomial_rng", "Number of trials variable", {&trials, 1});
  return split_trials(random, draw_dirichlet(random, alpha), trials);
}

double draw_ordered_logistic(Random& random, double location, Numbers cuts) {
  return draw_ordered(random, "ordered_logistic_rng", location, cuts,
                      [](double z) { return fast::inv_logit(z); });
}

double draw_ordered_probit(Random& random, double location, Numbers cuts) {
  return draw_ordered(random, "ordered_probit_rng", location, cuts,
                      [](double z) { return 0.5 * std::erfc(-z * 0.707106781186547524); });
}

std::vector<double> draw_bernoulli_logit_glm(Random& random, Numbers x, Numbers alpha, Numbers beta) {
  constexpr std::string_view function = "bernoulli_logit_glm_rng";
  const std::size_t rows = beta.empty() ? alpha.size() : x.size() / beta.size();
  check_size_match(function, "Weight vector times rows", rows * beta.size(),
                   "Matrix of independent variables", x.size());
  if (rows != 1) check_size_match(function, "Vector of intercepts", alpha.size(), "rows of x", rows);
  check_finite(function, "Matrix of independent variables", x);
  check_finite(function, "Weight vector", beta);
  check_finite(function, "Intercept", alpha);
  std::vector<double> result(alpha.size());
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    double eta = alpha[i];
    for (std::size_t j = 0; j < beta.size(); ++j) eta += x[(rows == 1 ? 0 : i) + j * rows] * beta[j];
    result[i] = random.uniform() < fast::inv_logit(eta) ? 1 : 0;
  }
  return result;
}

std::vector<double> draw_hmm_latent(Random& random, Numbers log_omegas, Numbers transitions, Numbers first) {
  constexpr std::string_view function = "hmm_latent_rng";
  const std::size_t states = first.size();
  check_size_match(function, "numbers in Gamma", transitions.size(), "square of the number of states",
                   states * states);
  check_simplex(function, "rho", first);
  const std::size_t times = states == 0 ? 0 : log_omegas.size() / states;
  std::vector<double> filtered(states * times);  // p(state_t | data up to t), up to a factor
  std::vector<double> weights(states);
  for (std::size_t t = 0; t < times; ++t) {
    const double* log_omega = log_omegas.data() + t * states;
    const double largest = *std::max_element(log_omega, log_omega + states);
    double total = 0;
    for (std::size_t k = 0; k < states; ++k) {
      double prior = t == 0 ? first[k] : 0;
      for (std::size_t j = 0; t > 0 && j < states; ++j) {
        prior += filtered[j + (t - 1) * states] * transitions[j + k * states];
      }
      filtered[k + t * states] = prior * std::exp(log_omega[k] - largest);
      total += filtered[k + t * states];
    }
    for (std::size_t k = 0; k < states; ++k) filtered[k + t * states] /= total;
  }
  std::vector<double> path(times);
  for (std::size_t t = times; t-- > 0;) {
    for (std::size_t k = 0; k < states; ++k) {
      const bool is_last = t + 1 == times;
      const double onward =
          is_last ? 1 : transitions[k + (static_cast<std::size_t>(path[t + 1]) - 1) * states];
      weights[k] = filtered[k + t * states] * onward;
    }
    path[t] = draw_from_weights(random, weights);
  }
  return path;
}

}  // namespace kullback::math
