// Rows of state k are N(mu_k, Lambda_k^-1). A full precision has a normal-Wishart prior and q,
//   mu | Lambda ~ N(m, (beta Lambda)^-1),  Lambda ~ Wishart(W, nu),  of d = columns dimensions;
// a diagonal one has one of d = 1 for each column, which is normal-gamma with shape nu/2 and rate W^-1/2.
//   T = (log|Lambda|/2, -mu' Lambda mu/2, Lambda mu, -Lambda_ii/2 and -Lambda_ij for i < j)
//   eta = (nu - d, beta, beta m, V_ij for i <= j),  V = W^-1 + beta m m'
//   A = d/2 log(2 pi/beta) + nu d/2 log 2 + nu/2 log|W| + log Gamma_d(nu/2),
// and the features of a row x, (1, x, x_i x_j), times E T give E log p(x) but for -d/2 log 2 pi. Cells are
// taken relative to the mean of their column in the sample, so that V does not lose digits to a far origin.
//
// Missing cells. Diagonal: they are left out, exactly. Full: a row with some of its cells missing has these
// as further latent variables, q(x_m | z) is Gaussian with precision P_mm, P = E Lambda, and its moments
// enter the statistics; a row without any cell is no observation.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/hmm/hmm.hpp"
#include "math/gamma_functions.hpp"
#include "math/linear_algebra.hpp"

namespace kullback::conjugate {

namespace hmm {
namespace {

constexpr double kLog2 = 0.69314718055994530942;
constexpr double kLog2Pi = 1.83787706640934548356;

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::size_t packed_size(std::size_t d) { return d * (d + 1) / 2; }
constexpr std::size_t natural_size(std::size_t d) { return 2 + d + packed_size(d); }

// A normal-Wishart distribution from its natural parameters.
struct NormalWishart {
  double nu = 0;
  double beta = 0;
  Vector mean;
  Matrix precision;  // E Lambda = nu W
  double log_det_w = 0;
  bool is_inside = false;
};

NormalWishart read_normal_wishart(const double* natural, std::size_t dimension) {
  const auto d = static_cast<Eigen::Index>(dimension);
  NormalWishart result;
  result.nu = natural[0] + static_cast<double>(dimension);
  result.beta = natural[1];
  if (!(result.beta > 0) || !(natural[0] > -1)) return result;
  result.mean = Eigen::Map<const Vector>(natural + 2, d) / result.beta;
  Matrix v(d, d);
  const double* packed = natural + 2 + dimension;
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = i; j < d; ++j) {
      v(j, i) = *packed++ - result.beta * result.mean[i] * result.mean[j];
    }
  }
  if (!math::linear::cholesky(v, v)) return result;
  result.precision = Matrix::Identity(d, d);
  math::linear::solve_cholesky(v, result.precision);
  result.precision *= result.nu;
  result.log_det_w = -math::linear::log_determinant_of_cholesky(v);
  result.is_inside = std::isfinite(result.log_det_w);
  return result;
}

double expected_log_det(const NormalWishart& q) {
  const auto d = static_cast<int>(q.mean.size());
  return math::multivariate_digamma(d, q.nu / 2) + d * kLog2 + q.log_det_w;
}

double log_partition_of(const NormalWishart& q) {
  const auto d = static_cast<double>(q.mean.size());
  return d / 2 * (kLog2Pi - std::log(q.beta)) + q.nu / 2 * (d * kLog2 + q.log_det_w) +
         math::log_multivariate_gamma(static_cast<int>(q.mean.size()), q.nu / 2);
}

void write_means(const NormalWishart& q, double* means) {
  const Vector shift = q.precision * q.mean;
  const Eigen::Index d = q.mean.size();
  *means++ = expected_log_det(q) / 2;
  *means++ = -0.5 * (static_cast<double>(d) / q.beta + q.mean.dot(shift));
  for (Eigen::Index i = 0; i < d; ++i) *means++ = shift[i];
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = i; j < d; ++j) *means++ = (i == j ? -0.5 : -1.0) * q.precision(i, j);
  }
}

// The constant of log p(x) in the features of x.
double constant_of(const NormalWishart& q, Plug plug) {
  const auto d = static_cast<double>(q.mean.size());
  const double square = q.mean.dot(q.precision * q.mean);
  if (plug == Plug::expected_logs) return 0.5 * (expected_log_det(q) - d / q.beta - square - d * kLog2Pi);
  return 0.5 * (q.log_det_w + d * std::log(q.nu) - square - d * kLog2Pi);
}

double as_is(double x) { return x; }

// exp(c + h'x - x'Px/2) with the missing part of x integrated out, which has then this mean and covariance.
struct Integrated {
  double log_value;
  Vector mean;
  Matrix covariance;
};

enum class Covariance : unsigned char { full, diagonal };

constexpr auto kCovariance = ChoiceOption<Covariance>("covariance", Covariance::full, "full|diagonal",
                                                      "Shape of the states' covariances");
constexpr auto kMeanPrecision =
    NumberOption("mean_precision", 1, "How many rows the prior mean, that of the data, is worth").above(0);
constexpr auto kDegrees =
    NumberOption("degrees", "Degrees of freedom of the prior of precisions (default: number of columns)")
        .above(0)
        .hinted("Leave it out to have the number of columns.");
constexpr auto kCovarianceScale =
    NumberOption("covariance_scale", 1, "The prior scale matrix is the data's covariance times this")
        .above(0);

constexpr const OptionRecord* kOwnOptions[] = {&kCovariance, &kMeanPrecision, &kDegrees, &kCovarianceScale};
constexpr auto kOptions = joined(kSharedOptions, kOwnOptions);

class GaussianEmissions final : public FeatureEmissions {
 public:
  GaussianEmissions(const OptionValues& values, const Shape& shape, bool is_full)
      : FeatureEmissions(values[option::kStates], shape.columns,
                         is_full ? 1 + shape.columns + packed_size(shape.columns) : 1 + 3 * shape.columns),
        is_full_(is_full),
        dimension_(is_full ? shape.columns : 1),
        mean_precision_(values[kMeanPrecision]),
        scale_(values[kCovarianceScale]),
        degrees_(values.given(kDegrees).value_or(static_cast<double>(columns_))) {
    centre_.assign(columns_, 0.0);
    if (degrees_ <= static_cast<double>(dimension_) - 1) {
      throw Error(ErrorKind::usage,
                  "--degrees is " + values.text_of(kDegrees) + "; a full covariance of " +
                      std::to_string(columns_) + " columns needs more than " + std::to_string(columns_ - 1) +
                      ".",
                  "Leave it out, or use `--covariance diagonal`.");
    }
    natural_.assign(states_ * distributions() * natural_size(dimension_), 0.0);
    prior_ = natural_;
  }

  void begin(const Batch& sample, Random& random) override {
    set_prior(sample);
    natural_ = prior_;
    prepare();
    std::vector<double> statistics(statistics_size());
    accumulate_clusters(*this, sample, cluster_rows(sample, states_, random, as_is), stride_, statistics);
    update(statistics, natural_);
  }

  void prepare() override {
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t i = 0; i < distributions(); ++i) fill_tables(k, i);
    }
    if (is_full_) return;
    for (const Plug plug : {Plug::expected_logs, Plug::means}) {
      double* rows = table(plug).data();
      std::fill_n(rows, stride_, 0.0);
      for (std::size_t c = 0; c < columns_; ++c) {
        for (std::size_t k = 0; k < states_; ++k) rows[k] += rows[observed(c) * stride_ + k];
      }
    }
  }

  void update(std::span<const double> statistics, std::span<double> natural) const override {
    for (std::size_t k = 0; k < states_; ++k) {
      const auto sum = [&](std::size_t feature) { return statistics[feature * stride_ + k]; };
      for (std::size_t i = 0; i < distributions(); ++i) {
        double* eta = natural.data() + distribution(k, i) * natural_size(dimension_);
        const double count = sum(0) + (is_full_ ? 0.0 : sum(observed(i)));
        eta[0] += count;
        eta[1] += count;
        if (is_full_) {
          for (std::size_t f = 1; f < features_; ++f) eta[1 + f] += sum(f);
        } else {
          eta[2] += sum(1 + i);
          eta[3] += sum(1 + columns_ + i);
        }
      }
    }
  }

  std::vector<double> mean_parameters() const override {
    std::vector<double> result(natural_.size());
    for (std::size_t at = 0; at < natural_.size(); at += natural_size(dimension_)) {
      write_means(read_normal_wishart(&natural_[at], dimension_), &result[at]);
    }
    return result;
  }

  double log_partition(std::span<const double> natural) const override {
    double sum = 0;
    for (std::size_t at = 0; at < natural.size(); at += natural_size(dimension_)) {
      sum += log_partition_of(read_normal_wishart(&natural[at], dimension_));
    }
    return sum;
  }

  bool is_inside(std::span<const double> natural) const override {
    for (std::size_t at = 0; at < natural.size(); at += natural_size(dimension_)) {
      if (!read_normal_wishart(&natural[at], dimension_).is_inside) return false;
    }
    return true;
  }

  // tr(P1 S2 + P2 S1)/2 - d + (m1 - m2)'(P1 + P2)(m1 - m2)/2.
  double difference(std::size_t one, std::size_t other) const override {
    double sum = 0;
    for (std::size_t i = 0; i < distributions(); ++i) {
      const NormalWishart p = of_state(one, i), q = of_state(other, i);
      const Vector apart = p.mean - q.mean;
      Matrix p_in_q = p.precision, q_in_p = q.precision;
      math::linear::solve_symmetric(q.precision, p_in_q);
      math::linear::solve_symmetric(p.precision, q_in_p);
      sum += 0.5 * (p_in_q.trace() + q_in_p.trace() + apart.dot((p.precision + q.precision) * apart)) -
             static_cast<double>(apart.size());
    }
    return sum;
  }

  void add_tables(const Shape& shape, std::vector<ResultTable>& tables) const override {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < columns_; ++c) names.push_back(column_name(shape, c));
    ResultTable means{"means", names, {}, state_names(states_), "state"};
    ResultTable spread{is_full_ ? "covariances" : "variances", names, {}, {}, "state"};
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t i = 0; i < distributions(); ++i) {
        const NormalWishart q = of_state(k, i);
        Matrix covariance = Matrix::Identity(q.mean.size(), q.mean.size());
        math::linear::solve_lu(math::linear::lu(q.precision), covariance);
        for (Eigen::Index c = 0; c < q.mean.size(); ++c) {
          means.cells.push_back(q.mean[c] + centre_[i + static_cast<std::size_t>(c)]);
        }
        for (Eigen::Index c = 0; c < covariance.size(); ++c) spread.cells.push_back(covariance.data()[c]);
      }
      for (std::size_t c = 0; c < (is_full_ ? columns_ : 1); ++c) {
        spread.row_names.push_back(std::to_string(k + 1) + (is_full_ ? " " + names[c] : ""));
      }
    }
    tables.push_back(std::move(means));
    tables.push_back(std::move(spread));
  }

 protected:
  // Diagonal: (complete, x, x^2, observed in an incomplete row). Full: those of incomplete rows are 0.
  std::size_t describe(const double* cells, std::size_t rows, double* features) const override {
    std::size_t used = is_full_ ? features_ : 1 + 2 * columns_;
    for (std::size_t t = 0; t < rows; ++t, cells += columns_) {
      double* row = features + t * features_;
      const bool is_complete = std::none_of(cells, cells + columns_, [](double x) { return std::isnan(x); });
      if (is_full_) {
        describe_full(cells, is_complete, row);
      } else {
        if (!is_complete && used < features_) {  // now all rows of the tile need the counts
          used = features_;
          for (std::size_t s = 0; s < t; ++s) {
            std::fill_n(features + s * features_ + observed(0), columns_, 0.0);
          }
        }
        describe_diagonal(cells, is_complete, used == features_, row);
      }
    }
    return used;
  }

  void finish_log_densities(const double* cells, std::size_t rows, Plug plug, double* out) const override {
    if (!is_full_) return;
    for (std::size_t t = 0; t < rows; ++t) {
      const std::vector<Eigen::Index> missing = missing_of(cells + t * columns_);
      if (missing.empty() || missing.size() == columns_) continue;
      for (std::size_t k = 0; k < states_; ++k) {
        out[t * stride_ + k] = integrate(cells + t * columns_, missing, k, plug).log_value;
      }
    }
  }

  void finish_statistics(const double* cells, std::size_t rows, const double* probabilities,
                         double* statistics) const override {
    if (!is_full_) return;
    for (std::size_t t = 0; t < rows; ++t) {
      const std::vector<Eigen::Index> missing = missing_of(cells + t * columns_);
      if (missing.empty() || missing.size() == columns_) continue;
      for (std::size_t k = 0; k < states_; ++k) {
        const double weight = probabilities[t * stride_ + k];
        if (weight == 0) continue;
        add_incomplete(integrate(cells + t * columns_, missing, k, Plug::expected_logs), weight,
                       statistics + k);
      }
    }
  }

 private:
  std::size_t distributions() const { return is_full_ ? 1 : columns_; }  // of a state
  std::size_t distribution(std::size_t state, std::size_t i) const { return state * distributions() + i; }
  std::size_t observed(std::size_t column) const { return 1 + 2 * columns_ + column; }
  NormalWishart of_state(std::size_t state, std::size_t i) const {
    return read_normal_wishart(&natural_[distribution(state, i) * natural_size(dimension_)], dimension_);
  }

  void describe_full(const double* cells, bool is_complete, double* row) const {
    if (!is_complete) {
      std::fill_n(row, features_, 0.0);
      return;
    }
    row[0] = 1;
    double* x = row + 1;
    for (std::size_t c = 0; c < columns_; ++c) x[c] = cells[c] - centre_[c];
    double* products = x + columns_;
    for (std::size_t i = 0; i < columns_; ++i) {
      for (std::size_t j = i; j < columns_; ++j) products[j - i] = x[i] * x[j];
      products += columns_ - i;
    }
  }

  void describe_diagonal(const double* cells, bool is_complete, bool with_counts, double* row) const {
    row[0] = is_complete ? 1.0 : 0.0;
    for (std::size_t c = 0; c < columns_; ++c) {
      const bool is_missing = std::isnan(cells[c]);
      const double x = is_missing ? 0.0 : cells[c] - centre_[c];
      row[1 + c] = x;
      row[1 + columns_ + c] = x * x;
      if (with_counts) row[observed(c)] = is_complete || is_missing ? 0.0 : 1.0;
    }
  }

  void fill_tables(std::size_t k, std::size_t i) {
    const NormalWishart q = of_state(k, i);
    if (!q.is_inside) throw Error(ErrorKind::internal, "a normal-Wishart distribution has left its family.");
    std::vector<double> means(natural_size(dimension_));
    write_means(q, means.data());
    for (const Plug plug : {Plug::expected_logs, Plug::means}) {
      double* column = table(plug).data() + k;
      if (is_full_) {
        column[0] = constant_of(q, plug);
        for (std::size_t f = 1; f < features_; ++f) column[f * stride_] = means[1 + f];
      } else {
        column[observed(i) * stride_] = constant_of(q, plug);
        column[(1 + i) * stride_] = means[2];
        column[(1 + columns_ + i) * stride_] = means[3];
      }
    }
  }

  std::vector<Eigen::Index> missing_of(const double* cells) const {
    std::vector<Eigen::Index> result;
    for (std::size_t c = 0; c < columns_; ++c) {
      if (std::isnan(cells[c])) result.push_back(static_cast<Eigen::Index>(c));
    }
    return result;
  }

  // With h~ = h_m - P_mo x_o: mean P_mm^-1 h~, covariance P_mm^-1, and the integral
  // c + h_o'x_o - x_o'P_oo x_o/2 + h~'P_mm^-1 h~/2 + |m|/2 log 2 pi - log|P_mm|/2.
  Integrated integrate(const double* cells, const std::vector<Eigen::Index>& missing, std::size_t state,
                       Plug plug) const {
    const auto d = static_cast<Eigen::Index>(columns_);
    const double* column = table(plug).data() + state;
    Vector x(d), h(d);
    Matrix p(d, d);
    const double* product = column + (1 + columns_) * stride_;
    for (Eigen::Index i = 0; i < d; ++i) {
      x[i] = cells[i] - centre_[static_cast<std::size_t>(i)];
      h[i] = column[(1 + static_cast<std::size_t>(i)) * stride_];
      for (Eigen::Index j = i; j < d; ++j, product += stride_)
        p(i, j) = p(j, i) = (i == j ? -2 : -1) * *product;
    }
    for (const Eigen::Index i : missing) x[i] = 0;
    const Vector slope = h - p * x;  // at the point with 0 in the missing places
    Matrix factor = p(missing, missing);
    math::linear::cholesky(factor, factor);
    const auto count = static_cast<Eigen::Index>(missing.size());
    Integrated result{.log_value = 0, .mean = x, .covariance = Matrix::Identity(count, count)};
    math::linear::solve_cholesky(factor, result.covariance);
    Vector best = slope(missing);
    math::linear::solve_cholesky(factor, best);
    const double log_det = math::linear::log_determinant_of_cholesky(factor);
    result.log_value = column[0] + h.dot(x) - 0.5 * x.dot(p * x) + 0.5 * best.dot(slope(missing)) +
                       0.5 * (static_cast<double>(count) * kLog2Pi - log_det);
    result.mean(missing) = best;
    Matrix all = Matrix::Zero(d, d);
    all(missing, missing) = result.covariance;
    result.covariance = std::move(all);
    return result;
  }

  void add_incomplete(const Integrated& row, double weight, double* column) const {
    column[0] += weight;
    column += stride_;
    for (Eigen::Index i = 0; i < row.mean.size(); ++i, column += stride_) *column += weight * row.mean[i];
    for (Eigen::Index i = 0; i < row.mean.size(); ++i) {
      for (Eigen::Index j = i; j < row.mean.size(); ++j, column += stride_) {
        *column += weight * (row.mean[i] * row.mean[j] + row.covariance(i, j));
      }
    }
  }

  // As scikit-learn's BayesianGaussianMixture: m = 0 (the sample's mean), W^-1 the sample's covariance.
  void set_prior(const Batch& sample) {
    const std::span<const double> cells = cells_of(sample);
    const auto d = static_cast<Eigen::Index>(columns_);
    Vector counts = Vector::Zero(d);
    std::fill(centre_.begin(), centre_.end(), 0.0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (std::isnan(cells[i])) continue;
      const std::size_t c = i % columns_;
      counts[static_cast<Eigen::Index>(c)] += 1;
      centre_[c] += (cells[i] - centre_[c]) / counts[static_cast<Eigen::Index>(c)];
    }
    // Pairs of observed cells; then shrunk towards the diagonal until it is positive definite.
    Matrix sums = Matrix::Zero(d, d);
    Matrix pairs = Matrix::Zero(d, d);
    Vector x(d), seen(d);
    for (std::size_t i = 0; i < cells.size(); i += columns_) {
      for (Eigen::Index c = 0; c < d; ++c) {
        const double cell = cells[i + static_cast<std::size_t>(c)];
        seen[c] = std::isnan(cell) ? 0.0 : 1.0;
        x[c] = seen[c] == 0 ? 0.0 : cell - centre_[static_cast<std::size_t>(c)];
      }
      sums.noalias() += x * x.transpose();
      pairs.noalias() += seen * seen.transpose();
    }
    Matrix covariance = sums.cwiseQuotient(pairs.cwiseMax(1.0));
    for (Eigen::Index c = 0; c < d; ++c) {
      const double mean = centre_[static_cast<std::size_t>(c)];
      if (!(covariance(c, c) > 0)) covariance(c, c) = mean == 0 ? 1.0 : 1e-6 * mean * mean;  // constant
    }
    const Matrix diagonal = covariance.diagonal().asDiagonal();
    covariance += 1e-6 * diagonal;
    Matrix lower(d, d);
    while (!math::linear::cholesky(covariance, lower) && covariance.allFinite()) {
      covariance = 0.9 * covariance + 0.1 * diagonal;
    }
    write_prior(covariance * scale_);
  }

  void write_prior(const Matrix& v) {
    for (std::size_t k = 0; k < states_; ++k) {
      for (std::size_t i = 0; i < distributions(); ++i) {
        double* eta = &prior_[distribution(k, i) * natural_size(dimension_)];
        eta[0] = degrees_ - static_cast<double>(dimension_);
        eta[1] = mean_precision_;
        double* packed = eta + 2 + dimension_;
        const auto first = static_cast<Eigen::Index>(i);
        if (!is_full_) *packed = v(first, first);
        for (Eigen::Index a = 0; is_full_ && a < v.rows(); ++a) {
          for (Eigen::Index b = a; b < v.cols(); ++b) *packed++ = v(a, b);
        }
      }
    }
  }

  bool is_full_;
  std::size_t dimension_;
  double mean_precision_;
  double scale_;
  double degrees_;
  std::vector<double>& centre_ = constants_;  // means of columns
};

std::unique_ptr<Model> make_gaussian(const OptionValues& values, const Shape& shape) {
  const bool is_full = values[kCovariance] == Covariance::full;
  return std::make_unique<Hmm>(values, shape, std::make_unique<GaussianEmissions>(values, shape, is_full));
}

}  // namespace
}  // namespace hmm

extern const ModelRecord k_hmm_gaussian;
const ModelRecord k_hmm_gaussian = {
    .verb = "hmm",
    .kind = "gaussian",
    .summary = "Hidden Markov model whose rows are Gaussian in each state",
    .use_when = "sequences of numeric rows go to and fro between a few regimes",
    .citation = "Beal (2003), chapter 3; Foti, Xu, Laird, Fox (2014) for parts of long sequences",
    .data = DataKind::sequences,
    .takes_missing = true,
    .options = hmm::kOptions,
    .make = &hmm::make_gaussian,
};

}  // namespace kullback::conjugate
