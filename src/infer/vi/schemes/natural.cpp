// Natural gradients of the ELBO of a Gaussian with mean m and precision P (Khan and Nielsen 2018; Khan and
// Rue 2023, "The Bayesian learning rule"): in natural parameters a step of length rho is
//   P <- (1 - rho) P + rho (-E_q[Hessian of log p]),   m <- m + rho P^-1 E_q[gradient of log p]
// with the new P. Where log p is quadratic both means are exact with the points used here, and one step of
// length 1 ends at q = p. A family whose precision has zeros (mean field: all beside the diagonal) takes the
// entries it has. With the diagonal alone as P, means would follow m <- m + rho P^-1 (-E[Hessian]) (m* - m),
// which takes as many steps as the condition number of the correlations: far too many for regressions. The
// Hessian of E_q[log p] to m is E_q[Hessian of log p] (Bonnet), all of which the points tell: means take
// Newton steps, m <- m + rho (-E[Hessian])^-1 E[gradient], which have the same fixed point and are exact
// where log p is quadratic.
//
// In the coordinates z of q = mean + L z the precision is 1 and the curvature C = L' (-E[Hessian]) L.
// Eigenvalues of C that are not positive, or so small that one step would widen q more than fourfold on the
// word of a log density that is not quadratic, are raised to 1 / 16; to 1 where the density was not finite at
// some points of q: what is left of them does not say how wide q may be. The diagonal of mean field is raised
// entry by entry; its Newton steps may be longer, since q is narrower than p where p is correlated.
// With fewer points than twice the coordinates C is too noisy for long steps: then rho = 0.1, and the
// precision goes to 1 + rho G + rho^2 G^2 / 2 with G = C - 1, which is positive definite for any G (Lin,
// Schmidt and Khan 2020).
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

constexpr std::size_t kMaxSpherical = 256;  // coordinates; beyond, a rotation costs more than gradients
constexpr std::size_t kLeastPoints = 16;
constexpr std::size_t kNoisyPoints = 32;
constexpr double kNoisyLength = 0.1;
constexpr double kSmooth = 1e-8;      // roughness of a quadratic log density, by rounding
constexpr double kWidest = 1.0 / 16;  // curvature: fourfold standard deviations
constexpr double kFlattest = 1e-3;    // curvature that a Newton step of the means believes

class NaturalUpdate final : public GaussianUpdate {
 public:
  NaturalUpdate(std::size_t dim, std::size_t draws)
      : is_spherical_(dim <= kMaxSpherical && (draws == 0 || draws >= 2 * dim + 1)),
        draws_(draws > 0       ? draws
               : is_spherical_ ? kLeastPoints
                               : kNoisyPoints) {}

  NormalPoints points(std::size_t dim, Random random) const override {
    if (!is_spherical_) return antithetic_points(dim, draws_, random);
    return spherical_radial_points(dim, std::max<std::size_t>(1, draws_ / (2 * dim + 1)), random);
  }

  Bias bias() const override { return Bias::consistent; }
  bool climbs_elbo() const override { return true; }
  bool averages_itself() const override { return is_spherical_; }

  bool update(const GaussianGuess& now, const ScoredPoints& points, const UpdateContext& context,
              GaussianGuess& next) override {
    if (!is_spherical_ && now.lower.empty()) return update_noisy_diagonal(now, points, context, next);
    const WhiteExpansion expansion = expand(points, is_spherical_ && points.is_whole());
    const double length = context.caution / static_cast<double>(context.rank);
    const Trust trust{points.is_whole(), points.is_whole() && expansion.roughness < kSmooth};
    if (now.lower.empty()) return update_diagonal(now, expansion, trust, length, next);
    const auto dim = static_cast<Index>(now.mean.size());
    const Eigen::Map<const Vector> slope(expansion.slope.data(), dim);
    const Matrix curvature = lifted(expansion, trust);
    const Matrix precision = is_spherical_
                                 ? Matrix((1 - length) * Matrix::Identity(dim, dim) + length * curvature)
                                 : retracted(curvature, kNoisyLength * length);
    return update_dense(now, precision, slope, is_spherical_ ? length : kNoisyLength * length, next);
  }

 private:
  // What the points are worth.
  struct Trust {
    bool is_whole = false;   // the density was finite at all of them
    bool is_smooth = false;  // and quadratic
    // At least `least`, or 1 where points are missing; as it is where it is positive and there is no doubt.
    Vector raised(const Vector& curvatures, double least) const {
      if (is_smooth && curvatures.minCoeff() > 0) return curvatures;
      return curvatures.cwiseMax(is_whole ? least : 1);
    }
  };

  // The curvature with eigenvalues that may be trusted.
  static Matrix lifted(const WhiteExpansion& expansion, const Trust& trust) {
    const auto dim = static_cast<Index>(expansion.slope.size());
    const Eigen::Map<const Matrix> curvature(expansion.curvature.data(), dim, dim);
    Vector values(dim);
    Matrix vectors(dim, dim);
    math::linear::symmetric_eigen(curvature, values, vectors);
    const Vector raised = trust.raised(values, kWidest);
    if (raised == values) return curvature;
    return vectors * raised.asDiagonal() * vectors.transpose();
  }

  static Matrix retracted(const Matrix& curvature, double length) {
    const Index dim = curvature.rows();
    const Matrix step = length * (curvature - Matrix::Identity(dim, dim));
    return Matrix::Identity(dim, dim) + step + 0.5 * step * step;
  }

  static bool update_dense(const GaussianGuess& now, const Matrix& precision, const Vector& slope,
                           double length, GaussianGuess& next) {
    const Index dim = slope.size();
    const Eigen::Map<const Matrix> lower(now.lower.data(), dim, dim);
    Matrix root(dim, dim);
    if (!math::linear::cholesky(precision, root)) return false;
    Matrix inverse = Matrix::Identity(dim, dim);
    math::linear::solve_cholesky(root, inverse);
    if (!math::linear::cholesky(inverse, inverse)) return false;
    const Matrix scale = lower * inverse;
    Vector step = slope;
    math::linear::solve_cholesky(root, step);
    const Vector mean = Eigen::Map<const Vector>(now.mean.data(), dim) + lower * (length * step);
    const Vector sd = scale.rowwise().norm();
    next.mean.assign(mean.data(), mean.data() + dim);
    next.sd.assign(sd.data(), sd.data() + dim);
    next.lower.assign(scale.data(), scale.data() + dim * dim);
    return true;
  }

  static bool update_diagonal(const GaussianGuess& now, const WhiteExpansion& expansion, const Trust& trust,
                              double length, GaussianGuess& next) {
    const auto dim = static_cast<Index>(now.mean.size());
    const Eigen::Map<const Vector> slope(expansion.slope.data(), dim);
    const Eigen::Map<const Matrix> curvature(expansion.curvature.data(), dim, dim);
    Vector values(dim);
    Matrix vectors(dim, dim);
    math::linear::symmetric_eigen(curvature, values, vectors);
    const Vector along = vectors.transpose() * slope;
    const Vector newton = vectors * along.cwiseQuotient(trust.raised(values, kFlattest));
    const Vector diagonal = trust.raised(curvature.diagonal(), kWidest);
    const Vector precision = (1 - length + length * diagonal.array()).matrix();
    move(now, precision, length * newton, next);
    return true;
  }

  static bool update_noisy_diagonal(const GaussianGuess& now, const ScoredPoints& points,
                                    const UpdateContext& context, GaussianGuess& next) {
    const WhiteExpansion expansion = expand_diagonal(points);
    const auto dim = static_cast<Index>(now.mean.size());
    const double length = kNoisyLength * context.caution;
    const Vector step =
        length * (Eigen::Map<const Vector>(expansion.curvature.data(), dim).array() - 1).matrix();
    const Vector precision = (1 + step.array() + 0.5 * step.array().square()).matrix();
    const Vector slope = Eigen::Map<const Vector>(expansion.slope.data(), dim) * length;
    move(now, precision, slope.cwiseQuotient(precision), next);
    return true;
  }

  // By a step and to a precision in the coordinates z.
  static void move(const GaussianGuess& now, const Vector& precision, const Vector& step,
                   GaussianGuess& next) {
    next = now;
    for (Index i = 0; i < precision.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      next.mean[at] += now.sd[at] * step[i];
      next.sd[at] /= std::sqrt(precision[i]);
    }
  }

  bool is_spherical_;
  std::size_t draws_;
};

std::unique_ptr<Scheme> make(const SchemeSetting& setting) {
  if (setting.objective->name != "elbo") {
    throw Error(
        ErrorKind::usage,
        fmt::format("`--optimizer natural` climbs the ELBO; found --objective {}.", setting.objective->name),
        "Leave --objective out, or take another --optimizer: adam goes with any objective.");
  }
  const GaussianShape shape = shape_of(*setting.family);
  if (shape == GaussianShape::none || shape == GaussianShape::other) {
    throw Error(
        ErrorKind::usage,
        "`--optimizer natural` needs a Gaussian family that is given by the entries of its precision, "
        "and this family is not.",
        "`--family fullrank` and `--family meanfield` are; `--optimizer adam` goes with any family.");
  }
  return make_gaussian_scheme(setting, std::make_unique<NaturalUpdate>(
                                           setting.family->dim(), (*setting.options)[option::kGradDraws]));
}

constexpr const OptionRecord* kOptions[] = {&option::kGradDraws, &option::kMaxSteps};

}  // namespace

const OptimizerRecord& natural_optimizer() {
  static const OptimizerRecord record{
      .name = "natural",
      .summary = "natural gradients of Gaussian families: one step is exact where the posterior is Gaussian",
      .citation = "Khan and Rue (2023), The Bayesian learning rule, JMLR 24.",
      .options = kOptions,
      .has_step_size = false,
      .make_scheme = make,
  };
  return record;
}

}  // namespace kullback::infer
