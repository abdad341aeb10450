// A Gaussian copula with sinh-arcsinh marginals (Jones and Pewsey 2009): x = L z has unit variances,
//   theta_i = m_i + s_i sinh(h_i),  h_i = (asinh(x_i) + e_i) / d_i,
// e_i > 0 skews to the right, d_i < 1 makes tails heavier than the normal's; e = 0, d = 1 is a Gaussian. The
// inverse is x_i = sinh(d_i asinh((theta_i - m_i) / s_i) - e_i).
// lambda = (m, log s, e, log d, A below its diagonal column after column), A has a diagonal of ones and row i
// of L is row i of A over its norm n_i: log L_ii = -log n_i. The correlations are diagonal (no A) where there
// are more than kMostDense coordinates: then the family factorises.
//   log q = -log det L - |z|^2 / 2 - sum_i [log s_i - log d_i + log cosh h_i - log(1 + x_i^2) / 2]
//           - dim log(2 pi) / 2
// Marginal moments in terms of P_p = e^(1/4) / sqrt(8 pi) (K_((p + 1) / 2)(1/4) + K_((p - 1) / 2)(1/4)):
//   E sinh h = sinh(e / d) P_(1/d),  E sinh^2 h = (cosh(2 e / d) P_(2/d) - 1) / 2.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "infer/vi/family.hpp"
#include "infer/vi/lower_factor.hpp"

namespace kullback::infer {

namespace {

const double kLogTwoPi = std::log(2 * std::numbers::pi);
constexpr std::size_t kMostDense = 200;

// P_p of the moments; infinite where the Bessel functions overflow.
double jones_pewsey(double p) {
  if (!(p < 300)) return std::numeric_limits<double>::infinity();
  const double sum = std::cyl_bessel_k((p + 1) / 2, 0.25) + std::cyl_bessel_k(std::abs(p - 1) / 2, 0.25);
  return std::exp(0.25) / std::sqrt(8 * std::numbers::pi) * sum;
}

class Copula final : public Family {
 public:
  explicit Copula(std::size_t dim)
      : dim_(dim),
        is_dense_(dim <= kMostDense),
        factor_(dim, is_dense_ ? Shape::triangle : Shape::diagonal) {}

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return 4 * dim_ + (is_dense_ ? dim_ * (dim_ - 1) / 2 : 0); }
  std::size_t noise() const override { return dim_; }
  Abilities abilities() const override { return {.moments = true}; }

  void begin(const GaussianGuess& guess, std::uint64_t, std::span<double> lambda) const override {
    std::fill(lambda.begin(), lambda.end(), 0.0);
    for (std::size_t i = 0; i < dim_; ++i) {
      lambda[i] = guess.mean[i];
      lambda[dim_ + i] = std::log(guess.sd[i]);
      for (std::size_t j = 0; j < i && is_dense_ && !guess.lower.empty(); ++j)
        lambda[place(i, j)] = guess.lower[j * dim_ + i] / guess.lower[i * dim_ + i];
    }
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    std::fill(result.begin(), result.end(), 1.0);
    LowerFactor factor = factor_;
    const std::vector<double> norms = set_factor(lambda, factor);
    std::vector<double> conditional(dim_);
    std::vector<double> packed(factor.parameters());
    factor.units(conditional, packed);
    for (std::size_t i = 0; i < dim_; ++i) {
      const double unit = std::min(1.0, conditional[i]);
      result[i] = std::exp(lambda[dim_ + i]) * unit;
      for (std::size_t shape = 1; shape < 4; ++shape) result[shape * dim_ + i] = unit;
      for (std::size_t j = 0; j < i && is_dense_; ++j) result[place(i, j)] = norms[i] * unit;
    }
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    const std::size_t lanes = batch.lanes;
    set_factor(lambda, factor_);
    drawn_.z.assign(batch.noise, batch.noise + dim_ * lanes);
    drawn_.x.resize(dim_ * lanes);
    drawn_.h.resize(dim_ * lanes);
    factor_.times(lanes, drawn_.z.data(), drawn_.x.data());
    for (std::size_t i = 0; i < dim_; ++i) {
      const Marginal marginal = marginal_of(lambda, i);
      for (std::size_t n = i * lanes; n < (i + 1) * lanes; ++n) {
        drawn_.h[n] = (std::asinh(drawn_.x[n]) + marginal.skew) / marginal.tail;
        batch.theta[n] = marginal.mean + marginal.scale * std::sinh(drawn_.h[n]);
      }
    }
    if (batch.log_q != nullptr) write_log_q(lambda, drawn_, lanes, batch.log_q);
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    const std::size_t lanes = adjoint.lanes;
    const std::vector<double> norms = set_factor(lambda, factor_);
    std::vector<double> of_x(dim_ * lanes);
    double of_log_q = 0;
    for (std::size_t k = 0; adjoint.log_q != nullptr && k < lanes; ++k) of_log_q += adjoint.log_q[k];
    for (std::size_t i = 0; i < dim_; ++i) {
      const Marginal marginal = marginal_of(lambda, i);
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t n = i * lanes + k;
        const double weight = adjoint.log_q == nullptr ? 0 : adjoint.log_q[k];
        const double x = drawn_.x[n];
        const double h = drawn_.h[n];
        const double of_sinh = adjoint.theta[n] * marginal.scale;
        const double of_h = of_sinh * std::cosh(h) - weight * std::tanh(h);
        of_x[n] = of_h / (marginal.tail * std::hypot(1, x)) + weight * x / (1 + x * x);
        lambda_adjoint[i] += adjoint.theta[n];
        lambda_adjoint[dim_ + i] += of_sinh * std::sinh(h) - weight;
        lambda_adjoint[2 * dim_ + i] += of_h / marginal.tail;
        lambda_adjoint[3 * dim_ + i] += weight - of_h * h;
      }
    }
    add_factor(lambda, norms, {lanes, of_x.data(), drawn_.z.data(), -of_log_q}, lambda_adjoint);
  }

  void slopes_of_draws(std::span<const double> lambda, double* slopes) override {
    set_factor(lambda, factor_);
    const std::size_t lanes = dim_ == 0 ? 0 : drawn_.z.size() / dim_;
    const std::vector<double> w = solved(drawn_, lanes);
    for (std::size_t n = 0; n < drawn_.z.size(); ++n)
      slopes[n] = slope_to_theta(marginal_of(lambda, n / lanes), w[n], drawn_.x[n], drawn_.h[n]);
  }

  void evaluate(std::span<const double> lambda, const PointBatch& batch) override {
    const Points at = standardise(lambda, batch);
    write_log_q(lambda, at, batch.lanes, batch.log_q);
    if (batch.slopes == nullptr) return;
    const std::vector<double> w = solved(at, batch.lanes);
    for (std::size_t n = 0; n < at.z.size(); ++n)
      batch.slopes[n] = slope_to_theta(marginal_of(lambda, n / batch.lanes), w[n], at.x[n], at.h[n]);
  }

  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override {
    const std::size_t lanes = batch.lanes;
    const Points at = standardise(lambda, batch);
    const std::vector<double> norms = set_factor(lambda, factor_);
    std::vector<double> w = solved(at, lanes);
    double sum = 0;
    for (std::size_t k = 0; k < lanes; ++k) sum += weights[k];
    for (std::size_t i = 0; i < dim_; ++i) {
      const Marginal marginal = marginal_of(lambda, i);
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t n = i * lanes + k;
        const double slope = slope_to_theta(marginal, w[n], at.x[n], at.h[n]);
        const double of_arc = slope_to_arc(w[n], at.x[n]);
        lambda_adjoint[i] -= weights[k] * slope;
        lambda_adjoint[dim_ + i] -= weights[k] * (slope * marginal.scale * std::sinh(at.h[n]) + 1);
        lambda_adjoint[2 * dim_ + i] -= weights[k] * of_arc;
        lambda_adjoint[3 * dim_ + i] += weights[k] * (marginal.tail * at.h[n] * of_arc + 1);
        w[n] *= weights[k];
      }
    }
    add_factor(lambda, norms, {lanes, w.data(), at.z.data(), -sum}, lambda_adjoint);
  }

  Factors factors() const override {
    if (is_dense_ && dim_ > 1) return {};
    Factors result{dim_, std::vector<std::uint32_t>(dim_), std::vector<std::uint32_t>(parameters())};
    for (std::uint32_t i = 0; i < dim_; ++i) {
      result.of_coordinate[i] = i;
      for (std::size_t shape = 0; shape < 4; ++shape) result.of_parameter[shape * dim_ + i] = i;
    }
    return result;
  }

  void factor_log_q(std::span<const double> lambda, const PointBatch& batch, double* result) override {
    const Points at = standardise(lambda, batch);
    for (std::size_t n = 0; n < at.z.size(); ++n)
      result[n] = coordinate_log_q(lambda, n / batch.lanes, at.x[n], at.h[n]) - 0.5 * at.z[n] * at.z[n];
  }

  void moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const override {
    for (std::size_t i = 0; i < dim_; ++i) {
      const Marginal marginal = marginal_of(lambda, i);
      const double first = std::sinh(marginal.skew / marginal.tail) * jones_pewsey(1 / marginal.tail);
      const double second =
          0.5 * (std::cosh(2 * marginal.skew / marginal.tail) * jones_pewsey(2 / marginal.tail) - 1);
      mean[i] = marginal.mean + marginal.scale * first;
      sd[i] = marginal.scale * std::sqrt(second - first * first);
    }
  }

 private:
  struct Marginal {
    double mean = 0;
    double scale = 1;
    double skew = 0;
    double tail = 1;
  };

  // Lanes innermost.
  struct Points {
    std::vector<double> z;
    std::vector<double> x;
    std::vector<double> h;
  };

  // The adjoint of L: sum_k a_k z_k', and that of log det L.
  struct FactorAdjoint {
    std::size_t lanes = 1;
    const double* a = nullptr;
    const double* z = nullptr;
    double log_det = 0;
  };

  Marginal marginal_of(std::span<const double> lambda, std::size_t i) const {
    return {lambda[i], std::exp(lambda[dim_ + i]), lambda[2 * dim_ + i], std::exp(lambda[3 * dim_ + i])};
  }

  // Of A(row, column), row > column, in lambda.
  std::size_t place(std::size_t row, std::size_t column) const {
    return 4 * dim_ + column * (dim_ - 1) - column * (column + 1) / 2 + row - 1;
  }

  // Sets L and gives the norms of the rows of A.
  std::vector<double> set_factor(std::span<const double> lambda, LowerFactor& factor) const {
    std::vector<double> norms(dim_, 1.0);
    std::vector<double> packed(factor.parameters());
    for (std::size_t i = 0; i < dim_ && is_dense_; ++i) {
      for (std::size_t j = 0; j < i; ++j) norms[i] = std::hypot(norms[i], lambda[place(i, j)]);
      packed[factor.place(i, i)] = -std::log(norms[i]);
      for (std::size_t j = 0; j < i; ++j) packed[factor.place(i, j)] = lambda[place(i, j)] / norms[i];
    }
    factor.set(packed);
    return norms;
  }

  // L_ij = A_ij / n_i and log L_ii = -log n_i, so d n_i / d A_ij = L_ij.
  void add_factor(std::span<const double> lambda, const std::vector<double>& norms,
                  const FactorAdjoint& adjoint, std::span<double> lambda_adjoint) {
    if (!is_dense_) return;
    std::vector<double> packed(factor_.parameters());
    factor_.add_outer(adjoint.lanes, adjoint.a, adjoint.z, packed);
    factor_.add_log_det(adjoint.log_det, packed);
    for (std::size_t i = 0; i < dim_; ++i) {
      double of_norm = -packed[factor_.place(i, i)] / norms[i];
      for (std::size_t j = 0; j < i; ++j)
        of_norm -= packed[factor_.place(i, j)] * lambda[place(i, j)] / (norms[i] * norms[i]);
      for (std::size_t j = 0; j < i; ++j)
        lambda_adjoint[place(i, j)] += packed[factor_.place(i, j)] / norms[i] + of_norm * factor_.at(i, j);
    }
  }

  // L^-T z
  std::vector<double> solved(const Points& at, std::size_t lanes) const {
    std::vector<double> w = at.z;
    factor_.solve_transposed(lanes, w.data());
    return w;
  }

  // d log q / d (asinh x): x has -w + x / (1 + x^2).
  static double slope_to_arc(double w, double x) { return -w * std::hypot(1, x) + x / std::hypot(1, x); }

  static double slope_to_theta(const Marginal& marginal, double w, double x, double h) {
    return (marginal.tail * slope_to_arc(w, x) - std::tanh(h)) / (marginal.scale * std::cosh(h));
  }

  double coordinate_log_q(std::span<const double> lambda, std::size_t i, double x, double h) const {
    const double log_cosh = std::abs(h) + std::log1p(std::exp(-2 * std::abs(h))) - std::numbers::ln2;
    return lambda[3 * dim_ + i] - lambda[dim_ + i] - log_cosh + std::log(std::hypot(1, x)) - 0.5 * kLogTwoPi;
  }

  Points standardise(std::span<const double> lambda, const PointBatch& batch) {
    const std::size_t lanes = batch.lanes;
    set_factor(lambda, factor_);
    Points at{{}, std::vector<double>(dim_ * lanes), std::vector<double>(dim_ * lanes)};
    for (std::size_t n = 0; n < at.x.size(); ++n) {
      const Marginal marginal = marginal_of(lambda, n / lanes);
      at.h[n] = std::asinh((batch.theta[n] - marginal.mean) / marginal.scale);
      at.x[n] = std::sinh(marginal.tail * at.h[n] - marginal.skew);
    }
    at.z = at.x;
    factor_.solve(lanes, at.z.data());
    return at;
  }

  void write_log_q(std::span<const double> lambda, const Points& at, std::size_t lanes, double* log_q) const {
    std::fill(log_q, log_q + lanes, -factor_.log_det());
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t n = i * lanes + k;
        log_q[k] += coordinate_log_q(lambda, i, at.x[n], at.h[n]) - 0.5 * at.z[n] * at.z[n];
      }
    }
  }

  std::size_t dim_;
  bool is_dense_;
  LowerFactor factor_;
  Points drawn_;
};

std::unique_ptr<Family> make(const FamilySetting& setting) { return std::make_unique<Copula>(setting.dim); }

}  // namespace

const FamilyRecord& copula_family() {
  static const FamilyRecord record{
      .name = "copula",
      .summary = "a Gaussian copula whose marginals have skewness and tails of their own",
      .citation =
          "Smith, Loaiza-Maya and Nott (2020), High-dimensional copula variational approximation through "
          "transformation, Journal of Computational and Graphical Statistics 29; Jones and Pewsey (2009), "
          "Sinh-arcsinh distributions, Biometrika 96.",
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
