#include "conjugate/mixture/dense_gaussian.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/stop.hpp"
#include "conjugate/mixture/gaussian_prior.hpp"
#include "conjugate/mixture/kernels.hpp"
#include "conjugate/mixture/weights.hpp"
#include "math/gamma_functions.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::conjugate::mixture {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
const double kLog2Pi = std::log(2 * std::numbers::pi);

// The same numbers as the natural parameters, in the usual form.
struct Usual {
  struct Group {
    double nu = 0;
    Matrix scale;          // S
    Matrix lower;          // Cholesky factor of S
    Matrix inverse;        // of `lower`
    double log_det_s = 0;  // log |S|
    double expected_log_det = 0;
  };
  std::vector<Group> groups;
  std::vector<double> beta;
  std::vector<Vector> mean;
};

// Of a Gaussian with covariance S / nu: the regression of missing cells on observed ones.
struct Conditional {
  Matrix observed_lower;
  Matrix regression;  // L_mo L_oo^-1
  Matrix covariance;  // of the missing cells given the others
  double log_det_observed = 0;
  double log_det_missing = 0;
};

class DenseGaussian final : public Components {
 public:
  DenseGaussian(std::size_t components, bool is_tied, const OptionValues& values, const Shape& shape)
      : options_(read_gaussian_options(values, shape.columns, static_cast<double>(shape.columns) - 1)),
        is_tied_(is_tied),
        count_(components),
        groups_(is_tied ? 1 : components),
        columns_(shape.columns),
        triangle_(columns_ * (columns_ + 1) / 2),
        centre_(columns_, 0.0),
        constant_(columns_, 0.0),
        base_(1 + triangle_ + 1 + columns_, 0.0),
        prior_(natural_size(), 0.0),
        natural_(natural_size(), 0.0) {}

  std::size_t count() const override { return count_; }
  std::size_t statistics_size() const override { return count_ * columns_ + groups_ * triangle_; }
  std::size_t chunk() const override { return gaussian_chunk(columns_); }

  void begin(const Batch& sample) override;
  std::vector<double> points(const Batch& sample, std::size_t& dimensions) const override {
    dimensions = columns_;
    return standardised(sample, centre_, variances_);
  }
  void prepare() override;
  void load(const Batch& units, Workspace& workspace) const override {
    load_centred(units, centre_, workspace);
  }
  void expected_log_densities(const Batch& units, Workspace& workspace, Grid grid) const override;
  double add_statistics(const Batch& units, Workspace& workspace, Grid shares,
                        std::span<double> statistics) const override;
  double expected_log_likelihood(std::span<const double> counts,
                                 std::span<const double> statistics) const override;
  double kl() const override;
  std::vector<std::size_t> places(std::size_t component) const override;
  double log_partition(std::span<const double> natural, std::span<const std::size_t> joined) const override;

  std::span<double> natural() override { return natural_; }
  std::vector<double> target(std::span<const double> counts,
                             std::span<const double> statistics) const override;
  bool is_inside(std::span<const double> natural) const override;
  std::vector<double> mean_parameters() const override;
  void adopt_posterior_as_prior() override { prior_ = natural_; }
  void predictive_log_densities(const Batch& units, Workspace& workspace, Grid grid) const override;

  void append_state(std::vector<double>& state) const override;
  void take_state(std::span<const double>& state) override;
  std::vector<std::string> column_names(const Shape& shape) const override;
  void append_cells(std::size_t component, std::vector<double>& cells) const override;
  std::vector<ResultTable> tables(const Shape& shape) const override;
  Findings findings() const override { return sample_findings(constant_, shrinkage_); }

 private:
  std::size_t natural_size() const { return groups_ * (1 + triangle_) + count_ * (1 + columns_); }
  std::size_t group_of(std::size_t component) const { return groups_ == 1 ? 0 : component; }
  std::size_t group_place(std::size_t group) const { return group * (1 + triangle_); }
  std::size_t component_place(std::size_t component) const {
    return groups_ * (1 + triangle_) + component * (1 + columns_);
  }
  double dimension() const { return static_cast<double>(columns_); }
  Matrix unpack(const double* lower) const;
  void pack(const Matrix& matrix, double* lower) const;
  // False where a scale is not positive definite or a number not positive; what is filled then is of no use.
  bool read(std::span<const double> natural, Usual& usual) const;
  bool finish(Usual::Group& group) const;
  // Of the K components, and last of a new one.
  void fill_squares(const Batch& units, Workspace& workspace, Grid grid, std::size_t terms) const;
  Conditional condition(const Usual::Group& group, const Pattern& pattern) const;
  Vector observed_away(const Workspace& workspace, std::size_t unit, const Pattern& pattern,
                       const Vector& mean) const;
  void fill_incomplete(const Batch& units, const Workspace& workspace, Grid grid) const;
  double add_incomplete(const Batch& units, const Workspace& workspace, Grid shares,
                        std::span<double> statistics) const;

  GaussianOptions options_;
  bool is_tied_;
  std::size_t count_, groups_, columns_, triangle_;
  // State.
  std::vector<double> centre_, constant_;
  double shrinkage_ = 0;
  std::vector<double> base_;  // natural parameters of the prior of a new component, with its own group
  std::vector<double> prior_, natural_;
  // Of begin.
  std::vector<double> variances_;
  // Of prepare. The last of each list belongs to a new component.
  Usual prior_usual_, usual_;
  std::vector<std::vector<double>> packed_, shift_;
  std::vector<double> constant_terms_;
};

Matrix DenseGaussian::unpack(const double* lower) const {
  const auto size = static_cast<Eigen::Index>(columns_);
  Matrix matrix(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) matrix(i, j) = matrix(j, i) = *lower++;
  }
  return matrix;
}

void DenseGaussian::pack(const Matrix& matrix, double* lower) const {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) *lower++ = matrix(i, j);
  }
}

void DenseGaussian::begin(const Batch& sample) {
  const SampleMoments moments = sample_moments(sample, true);
  centre_ = moments.mean;
  variances_ = moments.variances;
  shrinkage_ = options_.variances.empty() ? moments.shrinkage : 0.0;
  constant_.assign(columns_, 0.0);
  for (const std::size_t d : moments.constant) constant_[d] = 1;

  const auto size = static_cast<Eigen::Index>(columns_);
  Matrix scale = Matrix::Zero(size, size);
  Vector mean = Vector::Zero(size);
  for (std::size_t i = 0; i < columns_; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (!options_.mean.empty()) mean[row] = options_.mean[i] - centre_[i];
    if (!options_.variances.empty()) {
      scale(row, row) = options_.variances[i] * options_.scale;
      continue;
    }
    for (std::size_t j = 0; j < columns_; ++j) {
      scale(row, static_cast<Eigen::Index>(j)) = options_.scale * moments.correlation[i * columns_ + j] *
                                                 std::sqrt(moments.variances[i] * moments.variances[j]);
    }
  }
  const double beta = options_.mean_precision;
  const auto fill_group = [&](double* at, double components) {
    at[0] = options_.degrees;
    pack(scale + components * beta * mean * mean.transpose(), at + 1);
  };
  const auto fill_component = [&](double* at) {
    at[0] = beta;
    for (std::size_t d = 0; d < columns_; ++d) at[1 + d] = beta * mean[static_cast<Eigen::Index>(d)];
  };
  fill_group(base_.data(), 1);
  fill_component(base_.data() + 1 + triangle_);
  for (std::size_t g = 0; g < groups_; ++g) {
    fill_group(prior_.data() + group_place(g), static_cast<double>(count_ / groups_));
  }
  for (std::size_t k = 0; k < count_; ++k) fill_component(prior_.data() + component_place(k));
  natural_ = prior_;
  prepare();  // first statistics of units with missing cells need some q
}

bool DenseGaussian::finish(Usual::Group& group) const {
  stop_if_asked();  // with thousands of columns each of these takes seconds
  const auto size = static_cast<Eigen::Index>(columns_);
  group.lower.resize(size, size);
  if (!math::linear::cholesky(group.scale, group.lower)) return false;
  group.inverse = Matrix::Identity(size, size);
  math::linear::solve_lower(group.lower, group.inverse);
  group.log_det_s = math::linear::log_determinant_of_cholesky(group.lower);
  group.expected_log_det = math::multivariate_digamma(static_cast<int>(columns_), 0.5 * group.nu) +
                           dimension() * std::numbers::ln2 - group.log_det_s;
  return std::isfinite(group.log_det_s);
}

bool DenseGaussian::read(std::span<const double> natural, Usual& usual) const {
  usual.groups.resize(groups_);
  usual.beta.resize(count_);
  usual.mean.resize(count_);
  for (std::size_t g = 0; g < groups_; ++g) {
    const double* at = natural.data() + group_place(g);
    usual.groups[g].nu = at[0];
    usual.groups[g].scale = unpack(at + 1);
    if (!(at[0] > dimension() - 1)) return false;
  }
  for (std::size_t k = 0; k < count_; ++k) {
    const double* at = natural.data() + component_place(k);
    usual.beta[k] = at[0];
    if (!(at[0] > 0)) return false;
    usual.mean[k] = Eigen::Map<const Vector>(at + 1, static_cast<Eigen::Index>(columns_)) / at[0];
    usual.groups[group_of(k)].scale -= at[0] * usual.mean[k] * usual.mean[k].transpose();
  }
  for (Usual::Group& group : usual.groups) {
    if (!finish(group)) return false;
  }
  return true;
}

bool DenseGaussian::is_inside(std::span<const double> natural) const {
  Usual usual;
  return read(natural, usual);
}

void DenseGaussian::prepare() {
  read(prior_, prior_usual_);
  if (!read(natural_, usual_)) {
    // Rounding ate S, which is at least the prior's: give each group a little of that.
    for (std::size_t g = 0; g < groups_; ++g) {
      Usual::Group& group = usual_.groups[g];
      Matrix extra = prior_usual_.groups[g].scale.diagonal().asDiagonal();
      extra.diagonal().array() += 1e-14 * group.scale.diagonal().array().abs();
      for (int tries = 0; tries < 40 && !finish(group); ++tries) {
        group.scale += extra;
        extra *= 10;
      }
    }
  }
  // A new component: with its own precision, or with that of all.
  Usual::Group fresh;
  const double* base = base_.data();
  const double fresh_beta = base[1 + triangle_];
  const Vector fresh_mean =
      Eigen::Map<const Vector>(base + 2 + triangle_, static_cast<Eigen::Index>(columns_)) / fresh_beta;
  if (!is_tied_) {
    fresh.nu = base[0];
    fresh.scale = unpack(base + 1) - fresh_beta * fresh_mean * fresh_mean.transpose();
    finish(fresh);
    usual_.groups.push_back(fresh);
  } else {
    usual_.groups.push_back(usual_.groups.front());
  }
  usual_.beta.push_back(fresh_beta);
  usual_.mean.push_back(fresh_mean);

  packed_.resize(groups_ + 1);
  shift_.resize(count_ + 1);
  constant_terms_.resize(count_);
  for (std::size_t g = 0; g <= groups_; ++g) {
    const Usual::Group& group = usual_.groups[g];
    const Matrix scaled = std::sqrt(group.nu) * group.inverse;
    packed_[g] = pack_triangle({scaled.data(), columns_ * columns_}, columns_);
  }
  for (std::size_t k = 0; k <= count_; ++k) {
    const Usual::Group& group = usual_.groups[k == count_ ? groups_ : group_of(k)];
    const Vector shift = std::sqrt(group.nu) * (group.inverse * usual_.mean[k]);
    shift_[k].assign(round_up(columns_, kPack), 0.0);
    std::copy(shift.begin(), shift.end(), shift_[k].begin());
    if (k == count_) break;
    constant_terms_[k] = 0.5 * (group.expected_log_det - dimension() * (kLog2Pi + 1 / usual_.beta[k]));
  }
}

// nu (x - m)' S^-1 (x - m).
void DenseGaussian::fill_squares(const Batch& units, Workspace& workspace, Grid grid,
                                 std::size_t terms) const {
  load(units, workspace);
  const Tile tile{workspace.columns.data(), grid.stride, columns_};
  if (groups_ == count_) {
    for (std::size_t k = 0; k < terms; ++k) {
      stop_if_asked();
      triangular_squares(tile, {packed_[k].data(), shift_[k].data()}, grid.values + k * grid.stride);
    }
    return;
  }
  workspace.product.resize(columns_ * grid.stride);
  triangular_product(tile, packed_[0].data(), workspace.product.data());
  const std::vector<double> ones(columns_, 1.0);
  for (std::size_t k = 0; k < terms; ++k) {
    scaled_squares({workspace.product.data(), grid.stride, columns_}, shift_[k].data(), ones.data(),
                   grid.values + k * grid.stride);
  }
}

void DenseGaussian::expected_log_densities(const Batch& units, Workspace& workspace, Grid grid) const {
  fill_squares(units, workspace, grid, count_);
  for (std::size_t k = 0; k < count_; ++k) {
    double* at = grid.values + k * grid.stride;
    const double constant = constant_terms_[k];
    for (std::size_t n = 0; n < units.units; ++n) at[n] = constant - 0.5 * at[n];
  }
  if (!workspace.incomplete.empty()) fill_incomplete(units, workspace, grid);
}

// The Cholesky factor of S / nu with the observed columns first has all that is needed.
Conditional DenseGaussian::condition(const Usual::Group& group, const Pattern& pattern) const {
  std::vector<Eigen::Index> order = pattern.observed;
  order.insert(order.end(), pattern.missing.begin(), pattern.missing.end());
  const auto seen = static_cast<Eigen::Index>(pattern.observed.size());
  const auto hidden = static_cast<Eigen::Index>(pattern.missing.size());
  Matrix lower = group.scale(order, order) / group.nu;
  math::linear::cholesky(lower, lower);
  Conditional result;
  result.observed_lower = lower.topLeftCorner(seen, seen);
  const Matrix hidden_lower = lower.bottomRightCorner(hidden, hidden);
  result.covariance = hidden_lower * hidden_lower.transpose();
  // B L_oo = L_mo.
  Eigen::MatrixXd regression = lower.bottomLeftCorner(hidden, seen).transpose();
  math::linear::solve_lower_transposed(result.observed_lower, regression);
  result.regression = regression.transpose();
  result.log_det_observed = math::linear::log_determinant_of_cholesky(result.observed_lower);
  result.log_det_missing = math::linear::log_determinant_of_cholesky(hidden_lower);
  return result;
}

Vector DenseGaussian::observed_away(const Workspace& workspace, std::size_t unit, const Pattern& pattern,
                                    const Vector& mean) const {
  const double* row = workspace.rows.data() + unit * round_up(columns_, kPack);
  Vector away(static_cast<Eigen::Index>(pattern.observed.size()));
  for (Eigen::Index i = 0; i < away.size(); ++i) {
    const Eigen::Index d = pattern.observed[static_cast<std::size_t>(i)];
    away[i] = row[d] - mean[d];
  }
  return away;
}

// The missing cells are latent: q(x_m | z = k) is the conditional Gaussian of S / nu, and what stays of the
// expected log density when it is optimal is the integral over x_m of exp(E log p).
void DenseGaussian::fill_incomplete(const Batch& units, const Workspace& workspace, Grid grid) const {
  for (const Pattern& pattern : missing_patterns(units, workspace)) {
    const double hidden = static_cast<double>(pattern.missing.size());
    Conditional conditional;
    for (std::size_t k = 0; k < count_; ++k) {
      if (k < groups_) conditional = condition(usual_.groups[k], pattern);
      const double constant = constant_terms_[k] + 0.5 * (hidden * kLog2Pi + conditional.log_det_missing);
      for (const std::size_t n : pattern.units) {
        Vector away = observed_away(workspace, n, pattern, usual_.mean[k]);
        math::linear::solve_lower(conditional.observed_lower, away);
        grid.values[k * grid.stride + n] = constant - 0.5 * away.squaredNorm();
      }
    }
  }
}

double DenseGaussian::add_incomplete(const Batch& units, const Workspace& workspace, Grid shares,
                                     std::span<double> statistics) const {
  double entropy = 0;
  const std::size_t padded = round_up(columns_, kPack);
  for (const Pattern& pattern : missing_patterns(units, workspace)) {
    const double hidden = static_cast<double>(pattern.missing.size());
    Conditional conditional;
    for (std::size_t k = 0; k < count_; ++k) {
      if (k < groups_) conditional = condition(usual_.groups[k], pattern);
      const double entropy_of_one = 0.5 * (hidden * (kLog2Pi + 1) + conditional.log_det_missing);
      double* first = statistics.data() + k * columns_;
      double* second = statistics.data() + count_ * columns_ + group_of(k) * triangle_;
      for (const std::size_t n : pattern.units) {
        const double share = shares.values[k * shares.stride + n];
        if (!(share > 0)) continue;
        Vector x =
            Eigen::Map<const Vector>(workspace.rows.data() + n * padded, static_cast<Eigen::Index>(columns_));
        const Vector guess = conditional.regression * observed_away(workspace, n, pattern, usual_.mean[k]);
        for (Eigen::Index i = 0; i < guess.size(); ++i) {
          const Eigen::Index d = pattern.missing[static_cast<std::size_t>(i)];
          x[d] = usual_.mean[k][d] + guess[i];
        }
        Matrix square = x * x.transpose();
        for (std::size_t i = 0; i < pattern.missing.size(); ++i) {
          for (std::size_t j = 0; j < pattern.missing.size(); ++j) {
            square(pattern.missing[i], pattern.missing[j]) +=
                conditional.covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
          }
        }
        const double* packed = square.data();
        std::size_t at = 0;
        for (std::size_t i = 0; i < columns_; ++i) {
          first[i] += share * x[static_cast<Eigen::Index>(i)];
          for (std::size_t j = 0; j <= i; ++j) second[at++] += share * packed[i * columns_ + j];
        }
        entropy += share * entropy_of_one;
      }
    }
  }
  return entropy;
}

double DenseGaussian::add_statistics(const Batch& units, Workspace& workspace, Grid shares,
                                     std::span<double> statistics) const {
  double entropy = 0;
  if (!workspace.incomplete.empty()) {
    entropy = add_incomplete(units, workspace, shares, statistics);
    for (std::size_t k = 0; k < count_; ++k) {
      for (const std::size_t n : workspace.incomplete) shares.values[k * shares.stride + n] = 0;
    }
  }
  const std::size_t padded = round_up(columns_, kPack);
  std::vector<double> first(padded), second(second_size(padded));
  const auto unload_second = [&](std::size_t group) {
    double* to = statistics.data() + count_ * columns_ + group * triangle_;
    for (std::size_t i = 0; i < columns_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) *to++ += second[second_place(i, j)];
    }
  };
  const bool is_tied = groups_ < count_;
  for (std::size_t k = 0; k < count_; ++k) {
    stop_if_asked();
    std::fill(first.begin(), first.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    add_moments({workspace.rows.data(), padded, shares.values + k * shares.stride, units.units, first.data(),
                 is_tied ? nullptr : second.data()});
    for (std::size_t d = 0; d < columns_; ++d) statistics[k * columns_ + d] += first[d];
    if (!is_tied) unload_second(k);
  }
  if (is_tied) {
    // The shares of a unit add up to its weight.
    std::vector<double> weights(units.units, 0.0);
    for (std::size_t k = 0; k < count_; ++k) {
      for (std::size_t n = 0; n < units.units; ++n) weights[n] += shares.values[k * shares.stride + n];
    }
    std::fill(second.begin(), second.end(), 0.0);
    add_moments({workspace.rows.data(), padded, weights.data(), units.units, first.data(), second.data()});
    unload_second(0);
  }
  return entropy;
}

std::vector<double> DenseGaussian::target(std::span<const double> counts,
                                          std::span<const double> statistics) const {
  std::vector<double> result = prior_;
  for (std::size_t g = 0; g < groups_; ++g) {
    const double* second = statistics.data() + count_ * columns_ + g * triangle_;
    for (std::size_t i = 0; i < triangle_; ++i) result[group_place(g) + 1 + i] += second[i];
  }
  for (std::size_t k = 0; k < count_; ++k) {
    result[group_place(group_of(k))] += counts[k];
    double* at = result.data() + component_place(k);
    at[0] += counts[k];
    for (std::size_t d = 0; d < columns_; ++d) at[1 + d] += statistics[k * columns_ + d];
  }
  return result;
}

double DenseGaussian::expected_log_likelihood(std::span<const double> counts,
                                              std::span<const double> statistics) const {
  std::vector<Matrix> scatter(groups_);  // sum r (x - m)(x - m)'
  for (std::size_t g = 0; g < groups_; ++g) {
    scatter[g] = unpack(statistics.data() + count_ * columns_ + g * triangle_);
  }
  double sum = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    const Vector first =
        Eigen::Map<const Vector>(statistics.data() + k * columns_, static_cast<Eigen::Index>(columns_));
    const Vector& mean = usual_.mean[k];
    scatter[group_of(k)] +=
        counts[k] * mean * mean.transpose() - first * mean.transpose() - mean * first.transpose();
    sum += counts[k] * constant_terms_[k];
  }
  for (std::size_t g = 0; g < groups_; ++g) {
    const Usual::Group& group = usual_.groups[g];
    const Matrix half = group.inverse * scatter[g];
    sum -= 0.5 * group.nu * (half.array() * group.inverse.array()).sum();
  }
  return sum;
}

double DenseGaussian::kl() const {
  double sum = 0;
  const int size = static_cast<int>(columns_);
  for (std::size_t g = 0; g < groups_; ++g) {
    const Usual::Group& q = usual_.groups[g];
    const Usual::Group& p = prior_usual_.groups[g];
    const auto log_normaliser = [&](const Usual::Group& group) {
      return 0.5 * group.nu * (group.log_det_s - dimension() * std::numbers::ln2) -
             math::log_multivariate_gamma(size, 0.5 * group.nu);
    };
    const Matrix half = q.inverse * p.lower;
    sum += log_normaliser(q) - log_normaliser(p) + 0.5 * (q.nu - p.nu) * q.expected_log_det +
           0.5 * q.nu * (half.squaredNorm() - dimension());
  }
  for (std::size_t k = 0; k < count_; ++k) {
    const Usual::Group& group = usual_.groups[group_of(k)];
    const double ratio = prior_usual_.beta[k] / usual_.beta[k];
    const Vector away = group.inverse * (usual_.mean[k] - prior_usual_.mean[k]);
    sum += 0.5 * (dimension() * (ratio - 1 - std::log(ratio)) +
                  prior_usual_.beta[k] * group.nu * away.squaredNorm());
  }
  return sum;
}

std::vector<std::size_t> DenseGaussian::places(std::size_t component) const {
  std::vector<std::size_t> result;
  for (std::size_t d = 0; d < columns_; ++d) result.push_back(component * columns_ + d);
  const std::size_t seconds = count_ * columns_ + component * triangle_;
  for (std::size_t i = 0; !is_tied_ && i < triangle_; ++i) result.push_back(seconds + i);
  return result;
}

// Of a normal-Wishart: log Gamma_D(nu / 2) - nu / 2 (log |S| - D log 2) - D / 2 log beta, less what all have.
// A tied S belongs to all components, so that there L is that of all.
double DenseGaussian::log_partition(std::span<const double> natural,
                                    std::span<const std::size_t> joined) const {
  const std::size_t into = joined.empty() ? 0 : joined[0];
  const auto with_others = [&](std::size_t place, std::size_t stride, std::size_t i) {
    double sum = prior_[place + into * stride + i];
    for (const std::size_t k : joined) {
      sum += natural[place + k * stride + i] - prior_[place + k * stride + i];
    }
    return sum;
  };
  const std::size_t components = groups_ * (1 + triangle_);
  const auto length = static_cast<Eigen::Index>(columns_);
  Vector sum(length);
  Usual::Group group;
  double log_betas = 0;
  const auto take_mean = [&](double beta) {
    log_betas += std::log(beta);
    group.scale -= sum * sum.transpose() / beta;
  };
  const auto take_joined = [&] {
    for (std::size_t d = 0; d < columns_; ++d)
      sum[static_cast<Eigen::Index>(d)] = with_others(components, 1 + columns_, 1 + d);
    take_mean(with_others(components, 1 + columns_, 0));
  };
  if (is_tied_) {
    group.nu = natural[0];
    group.scale = unpack(natural.data() + 1);
    for (std::size_t k = 0; k < count_; ++k) {
      const bool is_joined = std::find(joined.begin(), joined.end(), k) != joined.end();
      const double* own = (is_joined ? prior_.data() : natural.data()) + component_place(k);
      if (is_joined && k == into) {
        take_joined();
      } else {
        sum = Eigen::Map<const Vector>(own + 1, length);
        take_mean(own[0]);
      }
    }
  } else {
    std::vector<double> lower(triangle_);
    for (std::size_t i = 0; i < triangle_; ++i) lower[i] = with_others(0, 1 + triangle_, 1 + i);
    group.nu = with_others(0, 1 + triangle_, 0);
    group.scale = unpack(lower.data());
    take_joined();
  }
  if (!finish(group)) return -std::numeric_limits<double>::infinity();
  return math::log_multivariate_gamma(static_cast<int>(columns_), 0.5 * group.nu) -
         0.5 * (group.nu * (group.log_det_s - dimension() * std::numbers::ln2) + dimension() * log_betas);
}

std::vector<double> DenseGaussian::mean_parameters() const {
  std::vector<double> means(natural_size());
  for (std::size_t g = 0; g < groups_; ++g) {
    const Usual::Group& group = usual_.groups[g];
    const Matrix expected = group.nu * group.inverse.transpose() * group.inverse;  // E Lambda
    double* at = means.data() + group_place(g);
    *at++ = 0.5 * group.expected_log_det;
    for (Eigen::Index i = 0; i < expected.rows(); ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) *at++ = (i == j ? -0.5 : -1.0) * expected(i, j);
    }
  }
  for (std::size_t k = 0; k < count_; ++k) {
    const Usual::Group& group = usual_.groups[group_of(k)];
    const Vector half = group.inverse * usual_.mean[k];
    const Vector product = group.nu * (group.inverse.transpose() * half);
    double* at = means.data() + component_place(k);
    *at++ = -0.5 * (dimension() / usual_.beta[k] + group.nu * half.squaredNorm());
    std::copy(product.begin(), product.end(), at);
  }
  return means;
}

// Student's t with nu - D + 1 degrees of freedom about m, scale S (1 + 1 / beta) over those; of observed
// cells alone it has the same degrees and the part of that scale.
void DenseGaussian::predictive_log_densities(const Batch& units, Workspace& workspace, Grid grid) const {
  fill_squares(units, workspace, grid, count_ + 1);
  const std::vector<Pattern> incomplete = missing_patterns(units, workspace);
  for (std::size_t k = 0; k <= count_; ++k) {
    const Usual::Group& group = usual_.groups[k == count_ ? groups_ : group_of(k)];
    const double degrees = group.nu - dimension() + 1;
    const double spread = 1 + 1 / usual_.beta[k];
    const auto constant = [&](double size, double log_det_scale) {
      return math::log_gamma(0.5 * (degrees + size)) - math::log_gamma(0.5 * degrees) -
             0.5 * (size * std::log(std::numbers::pi * spread) + log_det_scale);
    };
    double* at = grid.values + k * grid.stride;
    const double all = constant(dimension(), group.log_det_s);
    const double factor = 1 / (group.nu * spread);
    for (std::size_t n = 0; n < units.units; ++n) {
      at[n] = all - 0.5 * (degrees + dimension()) * std::log1p(at[n] * factor);
    }
    for (const Pattern& pattern : incomplete) {
      const Conditional conditional = condition(group, pattern);
      const double size = static_cast<double>(pattern.observed.size());
      const double some = constant(size, conditional.log_det_observed + size * std::log(group.nu));
      for (const std::size_t n : pattern.units) {
        Vector away = observed_away(workspace, n, pattern, usual_.mean[k]);
        math::linear::solve_lower(conditional.observed_lower, away);
        at[n] = some - 0.5 * (degrees + size) * std::log1p(away.squaredNorm() * factor);
      }
    }
  }
}

void DenseGaussian::append_state(std::vector<double>& state) const {
  for (const std::vector<double>* part : {&centre_, &constant_, &base_, &prior_, &natural_}) {
    state.insert(state.end(), part->begin(), part->end());
  }
  state.push_back(shrinkage_);
}

void DenseGaussian::take_state(std::span<const double>& state) {
  for (std::vector<double>* part : {&centre_, &constant_, &base_, &prior_, &natural_}) take(state, *part);
  take(state, {&shrinkage_, 1});
}

std::vector<std::string> DenseGaussian::column_names(const Shape& shape) const {
  std::vector<std::string> names = {"mean_precision", "degrees"};
  for (std::size_t d = 0; d < columns_; ++d) names.push_back("mean_" + column_name(shape, d));
  return names;
}

void DenseGaussian::append_cells(std::size_t component, std::vector<double>& cells) const {
  cells.push_back(usual_.beta[component]);
  cells.push_back(usual_.groups[group_of(component)].nu);
  for (std::size_t d = 0; d < columns_; ++d) {
    cells.push_back(usual_.mean[component][static_cast<Eigen::Index>(d)] + centre_[d]);
  }
}

// S / nu, the inverse of the expected precision.
std::vector<ResultTable> DenseGaussian::tables(const Shape& shape) const {
  ResultTable table{.name = "covariances", .columns = {}, .cells = {}};
  for (std::size_t d = 0; d < columns_; ++d) table.columns.push_back(column_name(shape, d));
  table.row_head = is_tied_ ? "column" : "component_column";
  for (std::size_t g = 0; g < groups_; ++g) {
    const Matrix covariance = usual_.groups[g].scale / usual_.groups[g].nu;
    for (std::size_t d = 0; d < columns_; ++d) {
      const std::string prefix = is_tied_ ? "" : std::to_string(g + 1) + ":";
      table.row_names.push_back(prefix + column_name(shape, d));
      for (std::size_t e = 0; e < columns_; ++e) {
        table.cells.push_back(covariance(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(e)));
      }
    }
  }
  return {table};
}

}  // namespace

std::unique_ptr<Components> make_dense_gaussian(std::size_t components, bool is_tied,
                                                const OptionValues& values, const Shape& shape) {
  return std::make_unique<DenseGaussian>(components, is_tied, values, shape);
}

}  // namespace kullback::conjugate::mixture
