// Forward-backward steps in the Bures-Wasserstein space of Gaussians (Diao, Balasubramanian, Chewi and Salim
// 2023): KL(q || p) = E_q[V] - entropy(q) with V = -log p. A step of length h goes down E_q[V], then to the
// minimum of W2(q, .)^2 / 2h - entropy, which Gaussians have in closed form:
//   m <- m - h E_q[grad V],   S' = M S M with M = 1 - h E_q[Hessian of V],
//   S <- (S' + 2h + (S' (S' + 4h))^(1/2)) / 2.
// W2 is not the same in all coordinates: here it is that of x with theta = m0 + L0 x, where the start is
// standard normal; h = 1 / (largest eigenvalue of E_q[Hessian of V] in x), the longest step that descends for
// sure. Where p is Gaussian the error shrinks by 1 - h (least eigenvalue) in a step.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/schemes/gaussian_scheme.hpp"
#include "infer/vi/schemes/white_expansion.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t kMaxDim = 256;
constexpr std::size_t kLeastPoints = 16;

class ForwardBackward final : public GaussianUpdate {
 public:
  ForwardBackward(Matrix scale, std::size_t draws)
      : scale_(std::move(scale)), draws_(draws > 0 ? draws : kLeastPoints) {}

  NormalPoints points(std::size_t dim, Random random) const override {
    return spherical_radial_points(dim, std::max<std::size_t>(1, draws_ / (2 * dim + 1)), random);
  }
  Bias bias() const override { return Bias::consistent; }
  bool climbs_elbo() const override { return true; }
  bool averages_itself() const override { return false; }

  bool update(const GaussianGuess& now, const ScoredPoints& points, const UpdateContext& context,
              GaussianGuess& next) override {
    const Index dim = scale_.rows();
    const WhiteExpansion expansion = expand(points, points.is_whole());
    const Eigen::Map<const Vector> slope(expansion.slope.data(), dim);
    const Eigen::Map<const Matrix> curvature(expansion.curvature.data(), dim, dim);
    const Eigen::Map<const Matrix> lower(now.lower.data(), dim, dim);
    // L = L0 R: gradients to x are R^-T times those to z.
    Matrix ratio = lower;
    math::linear::solve_lower(scale_, ratio);
    Vector gradient = slope;
    math::linear::solve_lower_transposed(ratio, gradient);
    Matrix half = curvature;
    math::linear::solve_lower_transposed(ratio, half);
    Matrix hessian = half.transpose();
    math::linear::solve_lower_transposed(ratio, hessian);
    Vector curvatures(dim);
    math::linear::symmetric_eigenvalues(hessian, curvatures);
    if (!(curvatures.maxCoeff() > 0)) return false;
    const double length = context.caution / curvatures.maxCoeff();
    const Matrix moved = (Matrix::Identity(dim, dim) - length * hessian) * ratio;
    const Vector mean = Eigen::Map<const Vector>(now.mean.data(), dim) + scale_ * (length * gradient);
    return hold(mean, scale_ * root_of_proximal(moved * moved.transpose(), length), next);
  }

 private:
  // A square root of (S + 2h + (S (S + 4h))^(1/2)) / 2, whose eigenvalues are ((s + (s^2 + 4h)^(1/2)) / 2)^2
  // with those s^2 of S.
  static Matrix root_of_proximal(const Matrix& covariance, double length) {
    Vector values(covariance.rows());
    Matrix vectors(covariance.rows(), covariance.cols());
    math::linear::symmetric_eigen(covariance, values, vectors);
    Vector roots = values.cwiseMax(0.0).cwiseSqrt();
    for (Index i = 0; i < roots.size(); ++i)
      roots[i] = 0.5 * (roots[i] + std::sqrt(roots[i] * roots[i] + 4 * length));
    return vectors * roots.asDiagonal();
  }

  static bool hold(const Vector& mean, const Matrix& root, GaussianGuess& next) {
    const Index dim = mean.size();
    Matrix lower = root * root.transpose();
    if (!math::linear::cholesky(lower, lower)) return false;
    const Vector sd = lower.rowwise().norm();
    next.mean.assign(mean.data(), mean.data() + dim);
    next.sd.assign(sd.data(), sd.data() + dim);
    next.lower.assign(lower.data(), lower.data() + dim * dim);
    return true;
  }

  Matrix scale_;  // L0
  std::size_t draws_;
};

std::unique_ptr<Scheme> make(const SchemeSetting& setting) {
  if (setting.objective->name != "elbo") {
    throw Error(ErrorKind::usage,
                fmt::format("`--optimizer bures-wasserstein` climbs the ELBO; found --objective {}.",
                            setting.objective->name),
                "Leave --objective out, or take another --optimizer: adam goes with any objective.");
  }
  const std::size_t dim = setting.family->dim();
  if (shape_of(*setting.family) != GaussianShape::dense) {
    throw Error(ErrorKind::usage, "`--optimizer bures-wasserstein` moves a Gaussian with any covariance.",
                "Use `--family fullrank`, or `--optimizer natural`, which takes `--family meanfield` too.");
  }
  if (dim > kMaxDim) {
    throw Error(
        ErrorKind::usage,
        fmt::format("`--optimizer bures-wasserstein` needs {} gradients a step for {} coordinates; it "
                    "takes {} coordinates at most.",
                    2 * dim + 1, dim, kMaxDim),
        "`--optimizer adam` takes any number.");
  }
  std::vector<double> lambda(setting.family->parameters());
  setting.family->begin(setting.guess, setting.noise.seed, lambda);
  const GaussianGuess start = setting.family->gaussian_of(lambda);
  const auto size = static_cast<Index>(dim);
  const Matrix scale = Eigen::Map<const Matrix>(start.lower.data(), size, size);
  return make_gaussian_scheme(
      setting, std::make_unique<ForwardBackward>(scale, (*setting.options)[option::kGradDraws]));
}

constexpr const OptionRecord* kOptions[] = {&option::kGradDraws, &option::kMaxSteps};

}  // namespace

const OptimizerRecord& bures_wasserstein_optimizer() {
  static const OptimizerRecord record{
      .name = "bures-wasserstein",
      .summary = "forward-backward steps in the Wasserstein geometry of Gaussians",
      .citation =
          "Diao, Balasubramanian, Chewi and Salim (2023), Forward-backward Gaussian variational inference "
          "via "
          "JKO in the Bures-Wasserstein space, ICML.",
      .options = kOptions,
      .has_step_size = false,
      .make_scheme = make,
  };
  return record;
}

}  // namespace kullback::infer
