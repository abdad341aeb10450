#include "infer/optimize/path.hpp"

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "infer/optimize/options.hpp"
#include "infer/optimize/points.hpp"

namespace kullback::infer {

double estimate_elbo(density::LogDensity& density, const LowRankGaussian& gaussian, std::size_t count,
                     const PathName& path, std::uint64_t iteration) {
  Random random(path.seed, path.number, static_cast<std::uint32_t>(Purpose::path_elbo),
                static_cast<std::uint32_t>(iteration));
  std::vector<double> points;
  std::vector<double> normals(gaussian.dim());
  double sum = 0;
  for (std::size_t d = 0; d < count; ++d) {
    for (double& number : normals) number = random.normal();
    const std::vector<double> theta = gaussian.draw(normals);
    points.insert(points.end(), theta.begin(), theta.end());
    sum -= gaussian.log_density_of_draw(normals);
  }
  for (const double value : log_densities(density, points, count)) sum += value;
  return sum / static_cast<double>(count);
}

Path::Path(density::LogDensity& density, const Options& options, PathName name, std::vector<double> start)
    : density_(density),
      elbo_draws_(options[option::kElboDraws]),
      name_(name),
      lbfgs_(density, options, std::move(start)),
      pairs_(density.dim(), options[option::kHistory]),
      theta_(lbfgs_.theta()),
      gradient_(lbfgs_.gradient()),
      diagonal_(density.dim(), 1.0) {}

void Path::remember_step() {
  std::vector<double> s(theta_.size());
  std::vector<double> y(theta_.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    s[i] = lbfgs_.theta()[i] - theta_[i];
    y[i] = gradient_[i] - lbfgs_.gradient()[i];
  }
  if (pairs_.push(s, y)) update_diagonal(diagonal_, s, y);
  theta_ = lbfgs_.theta();
  gradient_ = lbfgs_.gradient();
}

void Path::judge_point() {
  is_judged_ = true;
  const auto gaussian = LowRankGaussian::at(theta_, gradient_, diagonal_, pairs_);
  if (!gaussian) return;
  evaluations_ += elbo_draws_;
  const double elbo = estimate_elbo(density_, *gaussian, elbo_draws_, name_, lbfgs_.iterations());
  if (!std::isfinite(elbo) || (has_gaussian_ && elbo <= best_elbo_)) return;
  best_ = *gaussian;
  best_elbo_ = elbo;
  has_gaussian_ = true;
}

bool Path::step() {
  if (lbfgs_.step()) {
    if (lbfgs_.stop() == Stop::line_search) return true;  // it has not moved
    remember_step();
    judge_point();
    return true;
  }
  if (is_judged_ || !is_convergence(lbfgs_.stop())) return false;
  judge_point();  // the start is a mode: all there is
  return true;
}

void Path::archive(Archive& archive) {
  lbfgs_.archive(archive);
  pairs_.archive(archive);
  archive.value(theta_);
  archive.value(gradient_);
  archive.value(diagonal_);
  best_.archive(archive);
  archive.value(best_elbo_);
  archive.value(has_gaussian_);
  archive.value(is_judged_);
  archive.value(evaluations_);
}

}  // namespace kullback::infer
