// With W = -d2L/dtheta2 and g = dL/dtheta at the mode theta = K a, a = g:
//   log p(y | K, eta) ~ L - a' theta / 2 - log|I + K W| / 2.
// Newton's step: a = b - W (I + K W)^-1 K b, b = W theta + g (Rasmussen and Williams 2006, ch. 3).
// Gradients (Margossian et al. 2020; Margossian 2022): with A = (I + K W)^-1 K, R = W (I + K W)^-1,
//   s_k = sum_ij A_ij d3L/dtheta_i dtheta_j dtheta_k / 2,  u = (I + W K)^-1 s,
//   dK:   a a' / 2 - R / 2 + u g',
//   deta: dL/deta + sum_ij A_ij d3L/dtheta_i dtheta_j deta / 2 + (d2L/deta dtheta) K u.
// L gives exact gradients only. Its second derivatives, and the contractions of the third with A, are central
// differences of these along lines, one line per column of a block: blocks do not mix, so one line serves
// all. Lines are measured in posterior standard deviations. For the contraction the diagonal blocks of A are
// factored, A = sum_r v_r v_r', and the second derivative is taken along each v_r.
#include "math/solvers/laplace.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "math/linear_algebra.hpp"
#include "math/solvers/check.hpp"
#include "math/solvers/directional.hpp"

namespace kullback::math {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Square blocks along the diagonal, one below another in an n x block matrix.
class BlockDiagonal final {
 public:
  BlockDiagonal() = default;
  BlockDiagonal(Index n, Index block) : blocks_(MatrixXd::Zero(n, block)) {}

  Index size() const { return blocks_.rows(); }
  Index block() const { return blocks_.cols(); }
  auto at(Index first) { return blocks_.middleRows(first, block()); }
  auto at(Index first) const { return blocks_.middleRows(first, block()); }
  bool all_finite() const { return blocks_.allFinite(); }

  VectorXd diagonal() const {
    VectorXd diagonal(size());
    for (Index i = 0; i < size(); ++i) diagonal[i] = blocks_(i, i % block());
    return diagonal;
  }
  MatrixXd times(const MatrixXd& x) const {
    MatrixXd result(x.rows(), x.cols());
    for (Index i = 0; i < size(); i += block())
      result.middleRows(i, block()).noalias() = at(i) * x.middleRows(i, block());
    return result;
  }
  MatrixXd times_from_right(const MatrixXd& x) const {
    MatrixXd result(x.rows(), x.cols());
    for (Index i = 0; i < size(); i += block())
      result.middleCols(i, block()).noalias() = x.middleCols(i, block()) * at(i);
    return result;
  }
  // Empty where a block has a negative eigenvalue.
  std::optional<BlockDiagonal> root() const {
    BlockDiagonal result(size(), block());
    for (Index i = 0; i < size(); i += block()) {
      VectorXd values(block());
      MatrixXd vectors(block(), block());
      if (!linear::symmetric_eigen(at(i), values, vectors) || !(values.minCoeff() >= 0)) return std::nullopt;
      result.at(i) = vectors * values.cwiseSqrt().asDiagonal() * vectors.transpose();
    }
    return result;
  }

 private:
  MatrixXd blocks_;
};

class Likelihood final {
 public:
  explicit Likelihood(const LaplaceProblem& problem)
      : f_(*problem.likelihood),
        n_(static_cast<Index>(problem.size())),
        point_(static_cast<Index>(f_.input_count())),
        gradient_(point_.size()) {
    point_.tail(point_.size() - n_) =
        Eigen::Map<const VectorXd>(problem.eta.data(), static_cast<Index>(problem.eta.size()));
  }

  // -infinity where the likelihood refuses theta: a line search steps back from there.
  double value(const VectorXd& theta) {
    if (!theta.allFinite()) return -std::numeric_limits<double>::infinity();
    point_.head(n_) = theta;
    double value = 0;
    try {
      f_.value(point_.data(), &value);
    } catch (const std::domain_error&) {
      return -std::numeric_limits<double>::infinity();
    }
    return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
  }

  // With respect to theta, then eta.
  const VectorXd& gradient(const VectorXd& theta) {
    point_.head(n_) = theta;
    double value = 0;
    f_.jacobian(point_.data(), &value, gradient_.data());
    return gradient_;
  }

  VectorXd along(const VectorXd& theta, const VectorXd& direction, int order) {
    const auto g = [&](double t, double* out) {
      const VectorXd& at = gradient(theta + t * direction);
      std::copy_n(at.data(), at.size(), out);
    };
    const std::vector<double> d = derivative_along(g, static_cast<std::size_t>(point_.size()), order);
    return Eigen::Map<const VectorXd>(d.data(), point_.size());
  }

  // -d2L/dtheta2; `scale` is a length for each coordinate.
  BlockDiagonal curvature(const VectorXd& theta, const VectorXd& scale, Index block) {
    BlockDiagonal w(n_, block);
    for (Index r = 0; r < block; ++r) {
      VectorXd direction = VectorXd::Zero(n_);
      for (Index i = r; i < n_; i += block) direction[i] = scale[i];
      const VectorXd slope = along(theta, direction, 1);
      for (Index first = 0; first < n_; first += block)
        w.at(first).col(r) = -slope.segment(first, block) / scale[first + r];
    }
    for (Index first = 0; first < n_; first += block) {
      const MatrixXd own = w.at(first);
      w.at(first) = 0.5 * (own + own.transpose());
    }
    return w;
  }

 private:
  VectorFunction& f_;
  Index n_;
  VectorXd point_;  // theta, eta
  VectorXd gradient_;
};

// (I + K W)^-1 and log|I + K W|. Empty where the decomposition does not exist.
class Factor final {
 public:
  static std::optional<Factor> make(const MatrixXd& k, const BlockDiagonal& w, int solver) {
    Factor factor;
    const Index n = k.rows();
    if (solver == 3) {
      factor.lu_ = linear::lu(MatrixXd(MatrixXd::Identity(n, n) + w.times_from_right(k)));
      factor.log_determinant_ = factor.lu_.log_abs_determinant();
      if (!(factor.lu_.sign_of_determinant() > 0) || !std::isfinite(factor.log_determinant_))
        return std::nullopt;
      return factor;
    }
    if (solver == 1) {
      const std::optional<BlockDiagonal> root = w.root();
      if (!root) return std::nullopt;
      factor.left_ = root->times_from_right(k);
      factor.right_ = root->times(MatrixXd::Identity(n, n));
      factor.lower_ = MatrixXd::Identity(n, n) + root->times(factor.left_);
    } else {
      factor.left_.resize(n, n);
      if (!linear::cholesky(k, factor.left_)) return std::nullopt;
      factor.right_ = w.times_from_right(factor.left_.transpose());
      factor.lower_ = MatrixXd::Identity(n, n) + factor.right_ * factor.left_;
    }
    if (!linear::cholesky(factor.lower_, factor.lower_)) return std::nullopt;
    factor.rooted_ = true;
    factor.log_determinant_ = linear::log_determinant_of_cholesky(factor.lower_);
    return factor;
  }

  // (I + K W)^-1 = I - left B^-1 right, with B = I + root K root, left = K root, right = root (root^2 = W),
  // or B = I + L' W L, left = L, right = L' W (L L' = K).
  MatrixXd solve(const MatrixXd& x) const {
    MatrixXd solved = rooted_ ? MatrixXd(right_ * x) : x;
    if (!rooted_) {
      linear::solve_lu(lu_, solved);
      return solved;
    }
    linear::solve_cholesky(lower_, solved);
    return x - left_ * solved;
  }
  double log_determinant() const { return log_determinant_; }

 private:
  bool rooted_ = false;
  MatrixXd left_;
  MatrixXd right_;
  MatrixXd lower_;  // of B
  linear::Lu lu_;
  double log_determinant_ = 0;
};

class Search final {
 public:
  explicit Search(const LaplaceProblem& problem)
      : problem_(problem),
        likelihood_(problem),
        n_(static_cast<Index>(problem.size())),
        block_(static_cast<Index>(problem.control.block_size)),
        k_(Eigen::Map<const MatrixXd>(problem.covariance.data(), n_, n_)),
        theta_(Eigen::Map<const VectorXd>(problem.initial.data(), n_)),
        scale_(k_.diagonal().array().max(1e-300).sqrt().min(1.0)) {}

  LaplaceMode run(bool wants_gradient) {
    find_mode();
    measure();
    const Factor factor = factorize();
    LaplaceMode result;
    result.log_marginal = objective(theta_, a_) - 0.5 * factor.log_determinant();
    result.mode.assign(theta_.data(), theta_.data() + n_);
    const MatrixXd solved = factor.solve(k_);
    const MatrixXd posterior = 0.5 * (solved + solved.transpose());
    result.covariance.assign(posterior.data(), posterior.data() + posterior.size());
    if (wants_gradient) differentiate(factor, posterior, result);
    return result;
  }

 private:
  double objective(const VectorXd& theta, const VectorXd& a) {
    return likelihood_.value(theta) - 0.5 * a.dot(theta);
  }

  // Gradient and curvature at theta, then the lengths by which the next curvature is measured.
  void measure() {
    w_ = likelihood_.curvature(theta_, scale_, block_);
    gradient_ = likelihood_.gradient(theta_);
    scale_ = (k_.diagonal().array().max(1e-300).inverse() + w_.diagonal().array().abs()).rsqrt();
    if (!w_.all_finite() || !gradient_.allFinite())
      refuse("the derivatives of the log likelihood are not finite. Check that it is smooth in theta");
  }

  Factor factorize() const {
    const int first = problem_.control.solver;
    const int last = problem_.control.allow_fallback ? 3 : first;
    for (int solver = first; solver <= last; ++solver) {
      if (std::optional<Factor> factor = Factor::make(k_, w_, solver)) return *std::move(factor);
    }
    refuse(
        fmt::format("solver {} failed to decompose its matrix{}", first,
                    last == first ? "; allow_fallback = 1 would try the next one" : ", and so did the next"));
  }

  void find_mode() {
    a_ = theta_;
    if (!theta_.isZero(0)) linear::solve_symmetric(k_, a_);
    double now = objective(theta_, a_);
    for (long step = 0; step < problem_.control.max_num_steps; ++step) {
      measure();
      if ((gradient_.head(n_) - a_).norm() <= problem_.control.tolerance) return;
      const double next = newton_step(now);
      const double change = std::abs(next - now);
      now = next;
      if (change <= 4 * std::numeric_limits<double>::epsilon() * (1 + std::abs(now))) return;
    }
    refuse(fmt::format("max number of iterations: {} exceeded", problem_.control.max_num_steps));
  }

  double newton_step(double now) {
    const Factor factor = factorize();
    const VectorXd b = w_.times(theta_) + gradient_.head(n_);
    VectorXd a = b - w_.times(factor.solve(k_ * b));
    VectorXd theta = k_ * a;
    double next = objective(theta, a);
    for (int i = 0; i < problem_.control.max_steps_line_search && !(next >= now); ++i) {
      if ((a - a_).norm() <= std::numeric_limits<double>::epsilon() * a_.norm()) break;
      a = 0.5 * (a + a_);
      theta = k_ * a;
      next = objective(theta, a);
    }
    if (!std::isfinite(next)) refuse("a Newton step led to where the log likelihood is not finite");
    a_ = a;
    theta_ = theta;
    return next;
  }

  void differentiate(const Factor& factor, const MatrixXd& posterior, LaplaceMode& result) {
    const Index eta_count = gradient_.size() - n_;
    VectorXd third = VectorXd::Zero(gradient_.size());
    for (const VectorXd& v : block_roots(posterior)) third += 0.5 * likelihood_.along(theta_, v, 2);
    const VectorXd s = third.head(n_);
    const VectorXd g = gradient_.head(n_);
    const VectorXd ku = posterior * s;                      // K (I + W K)^-1 s = A s
    const VectorXd u = s - w_.times(factor.solve(k_ * s));  // (I + W K)^-1 s
    VectorXd eta = gradient_.tail(eta_count) + third.tail(eta_count);
    if (eta_count > 0 && ku.norm() > 0) {
      const double unit = (ku.array() / scale_.array()).abs().maxCoeff();
      eta += unit * likelihood_.along(theta_, ku / unit, 1).tail(eta_count);
    }
    const MatrixXd r = w_.times(factor.solve(MatrixXd::Identity(n_, n_)));
    const MatrixXd k = 0.5 * (a_ * a_.transpose()) - 0.5 * r + u * g.transpose();
    result.eta_gradient.assign(eta.data(), eta.data() + eta_count);
    result.covariance_gradient.assign(k.data(), k.data() + k.size());
  }

  std::vector<VectorXd> block_roots(const MatrixXd& posterior) const {
    std::vector<VectorXd> roots(static_cast<std::size_t>(block_), VectorXd::Zero(n_));
    for (Index first = 0; first < n_; first += block_) {
      MatrixXd root(block_, block_);
      if (!linear::cholesky(posterior.block(first, first, block_, block_), root))
        refuse("the posterior of theta has no mode here: it is not concave");
      for (Index r = 0; r < block_; ++r)
        roots[static_cast<std::size_t>(r)].segment(first, block_) = root.col(r);
    }
    return roots;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw std::domain_error(fmt::format("{}: {}.", problem_.function, what));
  }

  const LaplaceProblem& problem_;
  Likelihood likelihood_;
  Index n_;
  Index block_;
  MatrixXd k_;
  VectorXd theta_;
  VectorXd scale_;
  VectorXd a_;         // K^-1 theta
  BlockDiagonal w_;    // -d2L/dtheta2
  VectorXd gradient_;  // of L, with respect to theta and eta
};

void check_problem(const LaplaceProblem& problem) {
  const LaplaceControl& control = problem.control;
  const std::string_view f = problem.function;
  check::nonzero_size(f, "initial guess", problem.size());
  check::finite(f, "initial guess", problem.initial);
  check::finite(f, "covariance", problem.covariance);
  check::same_size(f, "covariance", problem.covariance.size(), "square of the size of theta",
                   problem.size() * problem.size());
  check::nonnegative(f, "tolerance", control.tolerance);
  check::positive(f, "max_num_steps", control.max_num_steps);
  check::positive(f, "hessian_block_size", static_cast<long>(control.block_size));
  check::nonnegative(f, "max_steps_line_search", control.max_steps_line_search);
  if (problem.size() % control.block_size != 0) {
    throw std::domain_error(fmt::format("{}: hessian_block_size {} does not divide the size of theta, {}", f,
                                        control.block_size, problem.size()));
  }
  if (control.solver < 1 || control.solver > 3)
    throw std::domain_error(fmt::format("{}: solver is {}, but must be 1, 2 or 3", f, control.solver));
}

}  // namespace

LaplaceMode find_laplace_mode(const LaplaceProblem& problem, bool wants_gradient) {
  check_problem(problem);
  return Search(problem).run(wants_gradient);
}

}  // namespace kullback::math
