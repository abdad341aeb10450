// The objective `fisher`, by batch and match (Cai, Modi, Pillaud-Vivien, Margossian, Gower, Blei and Saul
// 2024). With B draws x_b of q = N(m, S), their gradients g_b of log p, means x and g over the batch, and
//   U = t Gamma + t / (1 + t) g g',   V = S + t C + t / (1 + t) (m - x)(m - x)',
// C and Gamma the batch covariances of x_b and g_b, the q that minimises the affine-invariant score
// divergence of the batch plus 2/t KL(q_now || q) has
//   S U S + S = V,   m = m_now / (1 + t) + t / (1 + t) (S g + x).
// With V = A A' the solution is S = A 2 (1 + (1 + 4 A' U A)^(1/2))^-1 A'. Where U = Q Q' has few columns (a
// batch smaller than the dimension) it is, with W = V Q and M = 1/2 + (W' Q + 1/4)^(1/2),
//   S = V - W M^-2 W'.
// t = B dim / (number of the step), as the paper has it. Where gradients are linear (p Gaussian) and B > dim,
// t -> infinity gives p in one step; the error shrinks exponentially for any t.
//
// The objective `gsm`, Gaussian score matching (Modi, Margossian, Yao, Gower, Blei and Saul 2023): for each
// draw x with gradient g the q nearest in KL(q_now || q) that has the score g at x,
//   r = ((1 + 4 (g'S g + ((m - x)'g)^2))^(1/2) - 1) / 2,
//   m' = m + (1 - (m - x) g' / (1 + r + (m - x)'g)) (S g - m + x) / (1 + r),
//   S' = S + (m - x)(m - x)' - (m' - x)(m' - x)',
// and the mean of m' and S' over the batch.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "infer/vi/objective.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/schemes/gaussian_scheme.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::infer {

namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Lanes = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr std::size_t kLeastBatch = 8;
constexpr std::size_t kMostBatch = 64;  // as many as the paper's larger batches

Matrix lanes_of(std::span<const double> values, std::size_t lanes) {
  return Lanes(values.data(), static_cast<Index>(values.size() / lanes), static_cast<Index>(lanes));
}

Matrix root_of(const Matrix& symmetric) {
  Vector values(symmetric.rows());
  Matrix vectors(symmetric.rows(), symmetric.cols());
  math::linear::symmetric_eigen(symmetric, values, vectors);
  return vectors * values.cwiseMax(0.0).cwiseSqrt().asDiagonal() * vectors.transpose();
}

// a^-1 b for positive definite a.
Matrix solve_positive(const Matrix& a, Matrix b) {
  Matrix root(a.rows(), a.cols());
  math::linear::cholesky(a, root);
  math::linear::solve_cholesky(root, b);
  return b;
}

// The batch, in the coordinates z of q: there m = 0 and S = 1, and the updates are the same ones.
struct Batch {
  Matrix x;
  Matrix g;
  Vector x_mean;
  Vector g_mean;

  explicit Batch(const ScoredPoints& points)
      : x(lanes_of(points.points().z, points.lanes())),
        g(lanes_of(points.white_gradient(), points.lanes())),
        x_mean(x.rowwise().mean()),
        g_mean(g.rowwise().mean()) {}
};

// From the coordinates z of `now` to theta.
bool take(const GaussianGuess& now, const Vector& mean, const Matrix& covariance, GaussianGuess& next) {
  const Index dim = mean.size();
  Matrix root(dim, dim);
  if (!math::linear::cholesky(covariance, root)) return false;
  const Eigen::Map<const Matrix> lower(now.lower.data(), dim, dim);
  const Vector moved = Eigen::Map<const Vector>(now.mean.data(), dim) + lower * mean;
  const Matrix scale = lower * root;
  const Vector sd = scale.rowwise().norm();
  next.mean.assign(moved.data(), moved.data() + dim);
  next.sd.assign(sd.data(), sd.data() + dim);
  next.lower.assign(scale.data(), scale.data() + dim * dim);
  return true;
}

Matrix solve_whole(const Matrix& u, const Matrix& v) {
  const Index dim = v.rows();
  Matrix a(dim, dim);
  math::linear::cholesky(v, a);
  const Matrix inner = Matrix::Identity(dim, dim) + 4 * a.transpose() * u * a;
  const Matrix outer = Matrix::Identity(dim, dim) + root_of(inner);
  return 2 * a * solve_positive(outer, a.transpose());
}

Matrix solve_low_rank(const Matrix& q, const Matrix& v) {
  const Index rank = q.cols();
  const Matrix w = v * q;
  const Matrix m =
      0.5 * Matrix::Identity(rank, rank) + root_of(w.transpose() * q + 0.25 * Matrix::Identity(rank, rank));
  return v - w * solve_positive(m * m, w.transpose());
}

class ScoreMatching : public GaussianUpdate {
 public:
  explicit ScoreMatching(std::size_t batch) : batch_(batch) {}

  NormalPoints points(std::size_t dim, Random random) const final {
    return independent_points(dim, batch_, random);
  }
  Bias bias() const final { return Bias::consistent; }
  bool climbs_elbo() const final { return false; }
  bool averages_itself() const final { return false; }

 private:
  std::size_t batch_;
};

class BatchAndMatch final : public ScoreMatching {
 public:
  using ScoreMatching::ScoreMatching;

  bool update(const GaussianGuess& now, const ScoredPoints& points, const UpdateContext& context,
              GaussianGuess& next) override {
    const Batch batch(points);
    const Index dim = batch.x.rows();
    const auto count = static_cast<double>(batch.x.cols());
    const double t = context.caution * count * static_cast<double>(dim) / static_cast<double>(context.steps);
    const Matrix x = batch.x.colwise() - batch.x_mean;
    Matrix q(dim, batch.g.cols() + 1);
    q.leftCols(batch.g.cols()) = std::sqrt(t / count) * (batch.g.colwise() - batch.g_mean);
    q.rightCols(1) = std::sqrt(t / (1 + t)) * batch.g_mean;
    Matrix v = Matrix::Identity(dim, dim) + t / count * x * x.transpose() +
               t / (1 + t) * batch.x_mean * batch.x_mean.transpose();
    Matrix covariance = q.cols() < dim ? solve_low_rank(q, v) : solve_whole(q * q.transpose(), v);
    covariance = (0.5 * (covariance + covariance.transpose())).eval();
    return take(now, t / (1 + t) * (covariance * batch.g_mean + batch.x_mean), covariance, next);
  }
};

class GaussianScoreMatching final : public ScoreMatching {
 public:
  using ScoreMatching::ScoreMatching;

  bool update(const GaussianGuess& now, const ScoredPoints& points, const UpdateContext& context,
              GaussianGuess& next) override {
    const Batch batch(points);
    const Index dim = batch.x.rows();
    const double share = context.caution / static_cast<double>(batch.x.cols());
    Vector mean = Vector::Zero(dim);
    Matrix covariance = Matrix::Identity(dim, dim);
    for (Index b = 0; b < batch.x.cols(); ++b) {
      const auto x = batch.x.col(b);
      const auto g = batch.g.col(b);
      const double along = -x.dot(g);
      const double r = 0.5 * (std::sqrt(1 + 4 * (g.squaredNorm() + along * along)) - 1);
      const Vector gap = g + x;
      const Vector moved = (gap + x * (g.dot(gap) / (1 + r + along))) / (1 + r);
      mean += share * moved;
      covariance += share * (x * x.transpose() - (moved - x) * (moved - x).transpose());
    }
    return take(now, mean, covariance, next);
  }
};

std::size_t batch_size(const SchemeSetting& setting) {
  if ((*setting.options)[option::kGradDraws] > 0) return (*setting.options)[option::kGradDraws];
  return std::clamp(2 * (setting.family->dim() + 1), kLeastBatch, kMostBatch);
}

template <class Update>
std::unique_ptr<Scheme> make(const SchemeSetting& setting) {
  if (shape_of(*setting.family) != GaussianShape::dense) {
    throw Error(ErrorKind::usage,
                fmt::format("--objective {} matches the scores of a Gaussian with any covariance; this "
                            "family has no such covariance.",
                            setting.objective->name),
                "Use `--family fullrank`.");
  }
  return make_gaussian_scheme(setting, std::make_unique<Update>(batch_size(setting)));
}

constexpr const OptionRecord* kOptions[] = {&option::kGradDraws, &option::kMaxSteps};

}  // namespace

const ObjectiveRecord& fisher_objective() {
  static const ObjectiveRecord record{
      .name = "fisher",
      .summary = "scores of q and p agree: batch and match",
      .citation =
          "Cai, Modi, Pillaud-Vivien, Margossian, Gower, Blei and Saul (2024), Batch and match: black-box "
          "variational inference with a score-based divergence, ICML.",
      .options = kOptions,
      .make_scheme = make<BatchAndMatch>,
  };
  return record;
}

const ObjectiveRecord& gsm_objective() {
  static const ObjectiveRecord record{
      .name = "gsm",
      .summary = "scores of q and p agree: Gaussian score matching, draw by draw",
      .citation =
          "Modi, Margossian, Yao, Gower, Blei and Saul (2023), Variational inference with Gaussian score "
          "matching, NeurIPS.",
      .options = kOptions,
      .make_scheme = make<GaussianScoreMatching>,
  };
  return record;
}

}  // namespace kullback::infer
