// How far an approximation is from what it approximates, by every measure there is; shown in
// docs/divergences.md.
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/random.hpp"
#include "stats/divergence.hpp"

using namespace kullback::stats;

std::vector<double> first_coordinates(const std::vector<double>& points) {
  std::vector<double> result;
  for (std::size_t i = 0; i < points.size(); i += 2) result.push_back(points[i]);
  return result;
}

int main() {
  // A correlated posterior p, and the best mean field q in the sense of KL(q, p).
  const Gaussian p{.mean = {0, 0}, .covariance = {2, 1.5, 1.5, 1.6}};
  const double det = 2 * 1.6 - 1.5 * 1.5;
  const Gaussian q{.mean = {0, 0}, .covariance = {det / 1.6, 0, 0, det / 2}};

  std::printf("KL(q, p)       %.6f\n", kl_divergence(q, p));
  std::printf("KL(p, q)       %.6f\n", kl_divergence(p, q));
  std::printf("Renyi, 0.5     %.6f\n", renyi_divergence(p, q, 0.5));
  std::printf("chi^2          %g\n", chi_divergence(p, q));
  std::printf("Hellinger      %.6f\n", hellinger_distance(p, q));
  std::printf("Wasserstein-2  %.6f\n", wasserstein(p, q));

  // Any density on the line: Student's t with 3 degrees of freedom against the normal one.
  const double pi = 3.14159265358979323846;
  const Density t3{.log_density = [=](double x) {
    return std::log(2 / (pi * std::sqrt(3.0))) - 2 * std::log1p(x * x / 3);
  }};
  const Density normal{.log_density = [=](double x) { return -x * x / 2 - std::log(2 * pi) / 2; }};
  std::printf("KL(normal, t3) %.6f\n", kl_divergence(normal, t3).value);
  std::printf("TV(normal, t3) %.6f\n", total_variation(normal, t3).value);

  // From draws alone: 2000 of p and of q, in two dimensions.
  kullback::Random random(1);
  std::vector<double> x, y;
  for (int i = 0; i < 2000; ++i) {
    const double a = random.normal(), b = random.normal();
    x.insert(x.end(), {std::sqrt(2.0) * a, 1.5 / std::sqrt(2.0) * a + std::sqrt(det / 2) * b});
    y.insert(y.end(), {std::sqrt(det / 1.6) * random.normal(), std::sqrt(det / 2) * random.normal()});
  }
  const Mmd apart = mmd({.values = x, .dim = 2}, {.values = y, .dim = 2});
  std::printf("MMD^2          %.3f +- %.3f\n", apart.squared_unbiased, apart.standard_error);
  const Sliced sliced = sliced_wasserstein({.values = x, .dim = 2}, {.values = y, .dim = 2});
  std::printf("sliced W2      %.2f +- %.2f\n", sliced.value, sliced.standard_error);

  const std::vector<double> x1 = first_coordinates(x), y1 = first_coordinates(y);
  // The same first coordinates against what two samples of one distribution would show.
  const Sample a = sample_of(x1, 2000), b = sample_of(y1, 2000);
  const MarginalDistance first = MarginalComparison()(a, b);
  std::printf("W1 in sds      %.2f +- %.2f\n", first.wasserstein, first.noise);
}
