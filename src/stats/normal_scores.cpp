// Wichura's algorithm AS 241, PPND16 (1988): rational functions of the distance from 1/2 in the middle, and
// of sqrt(-log(p)) in the tails.
#include "stats/normal_scores.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kullback::stats {
namespace {

constexpr double kMiddle[2][8] = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
     4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
constexpr double kNear[2][8] = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
     7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr double kFar[2][8] = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5,
     2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

double polynomial(const double (&coefficients)[8], double x) {
  double value = coefficients[7];
  for (int i = 6; i >= 0; --i) value = value * x + coefficients[i];
  return value;
}

double ratio(const double (&of)[2][8], double x) { return polynomial(of[0], x) / polynomial(of[1], x); }

}  // namespace

double normal_quantile(double probability) {
  const double q = probability - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(kMiddle, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(std::min(probability, 1 - probability)));
  const double size = r <= 5 ? ratio(kNear, r - 1.6) : ratio(kFar, r - 5);
  return q < 0 ? -size : size;
}

// Ranks above the middle by symmetry: 1 - p loses no digits then.
double normal_score(double rank, std::size_t count) {
  const double n = static_cast<double>(count);
  if (2 * rank > n + 1) return -normal_score(n + 1 - rank, count);
  return normal_quantile((rank - 0.375) / (n + 0.25));
}

std::span<const double> normal_scores(std::size_t count) {
  static thread_local std::vector<double> scores;
  if (scores.size() == count) return scores;
  scores.resize(count);
  for (std::size_t i = 0; i < count; ++i) scores[i] = normal_score(static_cast<double>(i + 1), count);
  return scores;
}

}  // namespace kullback::stats
