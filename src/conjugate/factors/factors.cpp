// Probabilistic PCA with automatic rank (Bishop 1999, "Bayesian PCA", NIPS 11) and Bayesian factor analysis;
// the model and its bound are in factor_model.hpp and .cpp.
//
// Local step: q(z_n) is exactly Gaussian, over the observed cells O of row n
//   precision  I + sum_{d in O} E tau_d E w_d w_d',   linear part  sum_{d in O} E tau_d (E w_d x_nd - E w_d
//   mu_d).
// Rows of one pattern of missing cells share the covariance. Cost in multiply-adds for N rows, D columns, K
// factors:
//   rows of a shared pattern (the complete one above all): 2 N D K + N K^2 (scores; sums of E[y] x and of E
//   yy'); rows of a pattern of their own: N D K^2 + 2 N D K + N K^3 / 2, the first as two products of the 0/1
//   matrix of observed cells: precisions of 64 rows at once, and the columns' sums of E yy'.
// Both are products of matrices that run at the speed of multiply-adds (lane_kernels.cpp); reading the data
// once, 8 N D bytes, is less unless K < 4.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/factors/factor_model.hpp"
#include "conjugate/factors/factor_options.hpp"
#include "conjugate/factors/lane_kernels.hpp"
#include "conjugate/factors/small_algebra.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate {

namespace {

constexpr std::size_t kLanes = 64;
// Rows of one pattern in a chunk from which a covariance of their own pays.
constexpr std::size_t kShare = 12;

enum class FirstLoadings : unsigned char { covariance, random };

constexpr auto kMeanPrecision =
    NumberOption("mean_precision", 0.001, "Precision of the prior of a column's mean, in its variances")
        .above(0);
constexpr auto kInit =
    ChoiceOption<FirstLoadings>("init", FirstLoadings::covariance, "covariance|random",
                                "First loadings: from the covariance of the rows, or random");
constexpr auto kStandardize =
    FlagOption("standardize", false, "Whether each column is divided by its standard deviation first");

constexpr const OptionRecord* kTableOptions[] = {&option::kFactors, &kMeanPrecision, &kInit};
constexpr const OptionRecord* kOfPca[] = {&kStandardize};
constexpr auto kPcaOptions = joined(kTableOptions, kSharedFactorOptions, kOfPca);
constexpr auto kFaOptions = joined(kTableOptions, kSharedFactorOptions);

std::size_t factors_of(const OptionValues& values, const Shape& shape) {
  const std::size_t factors = values[option::kFactors], most = std::max<std::size_t>(shape.columns, 1);
  if (factors <= most) return factors;
  throw Error(ErrorKind::usage,
              fmt::format("--factors is {}; it must be from 0 to {}, the number of columns.", factors, most),
              fmt::format("Use `--factors {}`, or fewer.", most));
}

// 64 rows with units as lanes: standardised cells (0 where missing), what is observed, weights (0 for
// padding).
struct Lanes {
  explicit Lanes(std::size_t columns) : cells(columns * kLanes), observed(columns * kLanes), weight(kLanes) {}

  std::vector<double> cells, observed, weight;
};

// The posterior of z shared by rows with the same observed cells: covariance, its log determinant, and scores
// as gain * cells + constant.
struct Shared {
  std::vector<double> covariance, gain, constant;
  double log_det = 0;
};

class TableFactors final : public FactorModel {
 public:
  TableFactors(const OptionValues& values, const Shape& shape, bool own_noise)
      : FactorModel(values, shape,
                    {.columns = shape.columns,
                     .factors = factors_of(values, shape),
                     .noises = own_noise ? shape.columns : 1,
                     .extra_precisions = 0,
                     .extra_statistics = 0}),
        own_scale_(own_noise || values[kStandardize]),
        random_start_(values[kInit] == FirstLoadings::random),
        mean_precision_(values[kMeanPrecision]),
        rebuilt_(chosen_columns(values[option::kReconstruct], shape)) {}

  std::size_t chunk() const override { return 1024; }
  void begin(const Batch& sample, Random& random) override;
  void prepare() override;
  void local_step(const Batch& units, std::span<double> local, Statistics& statistics) const override;
  std::string unit_table() const override { return "scores"; }
  std::vector<std::string> unit_columns(const Shape& shape) const override;
  void unit_lines(const Batch& units, std::vector<double>& cells) const override;
  Score score(const Batch& units) const override;

 private:
  MeanPrior mean_prior() const override { return {mean_precision_, std::log(mean_precision_), 0.0}; }
  void standardise(const Batch& sample);
  std::vector<double> principal_axes(const Batch& sample, Random& random, double& noise) const;

  // Also what is observed where there are `patterns`.
  void fill(const Batch& units, std::span<const std::size_t> rows, Lanes& lanes, bool patterns = true) const;
  Shared shared_posterior(const std::vector<char>* observed) const;
  void add_shared(const Batch& units, std::span<const std::size_t> rows, const Shared& shared,
                  std::span<double> yy, Statistics& statistics) const;
  void add_cells(const Lanes& lanes, const std::vector<double>& y, Statistics& statistics) const;
  void add_patterned(const Batch& units, std::span<const std::size_t> rows, const std::vector<char>& observed,
                     Statistics& statistics) const;
  void add_distinct(const Batch& units, std::span<const std::size_t> rows, Statistics& statistics) const;
  void posteriors(const Lanes& lanes, std::vector<double>& covariance, std::vector<double>& mean,
                  std::vector<double>& log_det) const;
  void log_densities(const Lanes& lanes, std::span<double> result) const;

  bool own_scale_;
  bool random_start_;
  double mean_precision_;
  std::vector<std::size_t> rebuilt_;  // columns whose reconstruction goes with the scores

  // Of prepare(): E tau w w' (packed x columns), E tau w (factors x columns), -E tau w mu, the same products
  // of posterior means for log densities, and the posterior of complete rows.
  std::vector<double> squares_, linear_, shift_, mean_squares_, inverse_scale_;
  Shared complete_;
};

// ---- Beginning.

void TableFactors::standardise(const Batch& sample) {
  const std::size_t columns = sizes_.columns;
  std::vector<double> count(columns, 0.0), sum(columns, 0.0), squares(columns, 0.0);
  for (const bool second : {false, true}) {
    for (std::size_t n = 0; n < sample.units; ++n) {
      const std::span<const double> row = sample.row(n);
      for (std::size_t d = 0; d < columns; ++d) {
        if (std::isnan(row[d])) continue;
        if (second) {
          squares[d] += sample.weight(n) * (row[d] - offset_[d]) * (row[d] - offset_[d]);
        } else {
          count[d] += sample.weight(n);
          sum[d] += sample.weight(n) * row[d];
        }
      }
    }
    for (std::size_t d = 0; d < columns && !second; ++d) offset_[d] = count[d] > 0 ? sum[d] / count[d] : 0.0;
  }
  double together = 0, counted = 0;
  for (std::size_t d = 0; d < columns; ++d) {
    const double variance = count[d] > 0 ? squares[d] / count[d] : 0.0;
    together += squares[d];
    counted += count[d];
    // A constant column differs from its mean by rounding only.
    scale_[d] = variance > 1e-20 * (offset_[d] * offset_[d]) ? std::sqrt(variance) : 1.0;
  }
  if (own_scale_) return;
  const double common = together > 0 ? std::sqrt(together / counted) : 1.0;
  std::fill(scale_.begin(), scale_.end(), common);
}

// Rows of `a` (rows x columns) become orthonormal; one that depends on those before it becomes random first.
void orthonormalise(std::vector<double>& a, std::size_t rows, std::size_t columns, Random& random) {
  for (std::size_t i = 0; i < rows; ++i) {
    double* own = &a[i * columns];
    const auto norm = [&] { return std::sqrt(std::inner_product(own, own + columns, own, 0.0)); };
    for (int attempt = 0; attempt < 3; ++attempt) {
      const double before = norm();
      for (int twice = 0; twice < 2; ++twice) {
        for (std::size_t j = 0; j < i; ++j) {
          const double* other = &a[j * columns];
          add_scaled(other, -std::inner_product(own, own + columns, other, 0.0), columns, own);
        }
      }
      if (norm() > 1e-8 * before) break;
      for (std::size_t d = 0; d < columns; ++d) own[d] = random.normal();
    }
    const double size = norm();
    for (std::size_t d = 0; d < columns; ++d) own[d] /= size;
  }
}

// Loadings of maximum likelihood (Tipping and Bishop 1999), v_k (lambda_k - noise)^(1/2), by subspace
// iteration on some rows, missing cells at their column's mean.
std::vector<double> TableFactors::principal_axes(const Batch& sample, Random& random, double& noise) const {
  const std::size_t k = sizes_.factors, columns = sizes_.columns;
  constexpr int kRounds = 8;
  constexpr double kMultiplyAdds = 1e9;
  const auto most =
      static_cast<std::size_t>(kMultiplyAdds / (2.0 * kRounds * static_cast<double>(columns * k)));
  const std::size_t rows = std::min(sample.units, std::max<std::size_t>(1000, most)),
                    lanes = padded_lanes(rows);
  const auto n = static_cast<double>(std::max<std::size_t>(rows, 1));
  std::vector<const double*> starts(rows);
  for (std::size_t l = 0; l < rows; ++l) starts[l] = sample.row(l * sample.units / rows).data();
  std::vector<double> inverse_scale(columns), x(columns * lanes), v(k * columns), image(k * lanes),
      squares(k * k);
  for (std::size_t d = 0; d < columns; ++d) inverse_scale[d] = 1 / scale_[d];
  rows_to_lanes({starts.data(), rows, columns, offset_.data(), inverse_scale.data()}, lanes, x.data(),
                nullptr);
  const double trace = std::inner_product(x.begin(), x.end(), x.begin(), 0.0) / n;
  for (double& cell : v) cell = random.normal();
  for (int round = 0; round <= kRounds; ++round) {
    orthonormalise(v, k, columns, random);
    std::fill(image.begin(), image.end(), 0.0);
    add_product({v.data(), k, columns}, x.data(), lanes, image.data());
    if (round == kRounds) break;
    std::fill(v.begin(), v.end(), 0.0);
    add_outer({image.data(), k, lanes}, {x.data(), columns, lanes}, v.data(), columns);
  }
  add_outer({image.data(), k, lanes}, {image.data(), k, lanes}, squares.data(), k);
  Square covariance(k);
  for (std::size_t i = 0; i < k * k; ++i) covariance(i / k, i % k) = squares[i] / n;
  std::vector<double> values(k);
  Square ritz(k);
  math::linear::symmetric_axes(covariance.view(), values, ritz.view());
  const double rest = static_cast<double>(columns) - static_cast<double>(k);
  const double left = trace - std::accumulate(values.begin(), values.end(), 0.0);
  const double average = std::max(trace / static_cast<double>(columns), 1e-6);
  noise = std::max(rest > 0 ? left / rest : 0.0, 0.02 * average);
  std::vector<double> loadings(columns * k);
  for (std::size_t f = 0; f < k; ++f) {
    const double size = std::sqrt(std::max(values[f] - noise, 0.01 * noise));
    for (std::size_t d = 0; d < columns; ++d) {
      for (std::size_t j = 0; j < k; ++j) loadings[d * k + f] += size * ritz(j, f) * v[j * columns + d];
    }
  }
  return loadings;
}

void TableFactors::begin(const Batch& sample, Random& random) {
  standardise(sample);
  const std::size_t k = sizes_.factors, columns = sizes_.columns;
  double noise = 1.0;
  std::vector<double> mean(columns * k);
  if (random_start_) {
    noise = 0.5;
    for (double& loading : mean) loading = std::sqrt(noise / static_cast<double>(k)) * random.normal();
  } else if (k > 0) {
    mean = principal_axes(sample, random, noise);
  }
  std::vector<double> noises(columns, noise);
  for (std::size_t d = 0; sizes_.noises > 1 && d < columns; ++d) {
    double signal = 0;
    for (std::size_t f = 0; f < k; ++f) signal += mean[d * k + f] * mean[d * k + f];
    noises[d] = std::max(1.0 - signal, 0.1);
  }
  start(mean, noises, static_cast<double>(std::max<std::size_t>(sample.units, 1)));
}

// ---- Local steps.

void TableFactors::prepare() {
  refresh();
  const std::size_t k = sizes_.factors, columns = sizes_.columns;
  squares_.assign(packed_size(k) * columns, 0.0);
  mean_squares_ = squares_;
  linear_.assign(k * columns, 0.0);
  shift_ = linear_;
  inverse_scale_.resize(columns);
  for (std::size_t d = 0; d < columns; ++d) {
    const double tau = noise_precision(d);
    const std::span<const double> mean = loadings_.mean(d);
    inverse_scale_[d] = 1 / scale_[d];
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        squares_[packed_at(i, j) * columns + d] = tau * loadings_.second(d, i, j);
        mean_squares_[packed_at(i, j) * columns + d] = tau * mean[i] * mean[j];
      }
      linear_[i * columns + d] = tau * mean[i];
      shift_[i * columns + d] = -tau * loadings_.second(d, k, i);
    }
  }
  complete_ = shared_posterior(nullptr);
}

Shared TableFactors::shared_posterior(const std::vector<char>* observed) const {
  const std::size_t k = sizes_.factors, columns = sizes_.columns;
  // One Gaussian in the first of 8 lanes.
  std::vector<double> matrix(packed_size(k) * kLaneBlock), vector(k * kLaneBlock), log_det(kLaneBlock);
  const auto sum = [&](const std::vector<double>& of, std::size_t row) {
    double total = 0;
    for (std::size_t d = 0; d < columns; ++d) {
      if (observed == nullptr || (*observed)[d]) total += of[row * columns + d];
    }
    return total;
  };
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t p = packed_at(i, j);
      for (std::size_t l = 0; l < kLaneBlock; ++l) matrix[p * kLaneBlock + l] = i == j ? 1.0 : 0.0;
      matrix[p * kLaneBlock] += sum(squares_, p);
    }
    vector[i * kLaneBlock] = sum(shift_, i);
  }
  invert({k, kLaneBlock, matrix.data(), vector.data(), log_det.data()});
  Shared shared{std::vector<double>(packed_size(k)), std::vector<double>(k * columns), std::vector<double>(k),
                log_det[0]};
  for (std::size_t p = 0; p < packed_size(k); ++p) shared.covariance[p] = matrix[p * kLaneBlock];
  for (std::size_t i = 0; i < k; ++i) {
    shared.constant[i] = vector[i * kLaneBlock];
    for (std::size_t j = 0; j < k; ++j) {
      const double covariance = shared.covariance[packed_at(std::max(i, j), std::min(i, j))];
      add_scaled(&linear_[j * columns], covariance, columns, &shared.gain[i * columns]);
    }
  }
  return shared;
}

void TableFactors::fill(const Batch& units, std::span<const std::size_t> rows, Lanes& lanes,
                        bool patterns) const {
  const double* starts[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    lanes.weight[l] = l < rows.size() ? units.weight(rows[l]) : 0.0;
    starts[l] = l < rows.size() ? units.row(rows[l]).data() : nullptr;
  }
  rows_to_lanes({starts, rows.size(), sizes_.columns, offset_.data(), inverse_scale_.data()}, kLanes,
                lanes.cells.data(), patterns ? lanes.observed.data() : nullptr);
}

// Sums of E[y] x and of x^2; `y` is dim x lanes and has the weights already.
void TableFactors::add_cells(const Lanes& lanes, const std::vector<double>& y, Statistics& statistics) const {
  const MatrixView cells{lanes.cells.data(), sizes_.columns, kLanes};
  add_outer(cells, {y.data(), dim(), kLanes}, &statistics.values[column_at(0) + packed()], column_stride());
  add_squares(cells, lanes.weight.data(), &statistics.values[column_at(0) + column_stride() - 1],
              column_stride());
}

// `yy` (packed) gets the sum of E yy'.
void TableFactors::add_shared(const Batch& units, std::span<const std::size_t> rows, const Shared& shared,
                              std::span<double> yy, Statistics& statistics) const {
  const std::size_t k = sizes_.factors, dim = this->dim();
  Lanes lanes(sizes_.columns);
  std::vector<double> y(dim * kLanes), weighted(dim * kLanes), full(dim * dim);
  double weight = 0;
  for (std::size_t first = 0; first < rows.size(); first += kLanes) {
    fill(units, rows.subspan(first, std::min(kLanes, rows.size() - first)), lanes, false);
    for (std::size_t i = 0; i < dim; ++i) {
      std::fill_n(&y[i * kLanes], kLanes, i < k ? shared.constant[i] : 1.0);
    }
    add_product({shared.gain.data(), k, sizes_.columns}, lanes.cells.data(), kLanes, y.data());
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t l = 0; l < kLanes; ++l) weighted[i * kLanes + l] = y[i * kLanes + l] * lanes.weight[l];
    }
    add_outer({weighted.data(), dim, kLanes}, {y.data(), dim, kLanes}, full.data(), dim);
    add_cells(lanes, weighted, statistics);
    for (const double own : lanes.weight) weight += own;
  }
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      yy[packed_at(i, j)] += full[i * dim + j] + (i < k ? weight * shared.covariance[packed_at(i, j)] : 0.0);
    }
  }
  statistics.local += 0.5 * weight * (shared.log_det + static_cast<double>(k) * (1 + kLogTwoPi));
  statistics.units += weight;
  stamp(statistics, weight);
}

void TableFactors::add_patterned(const Batch& units, std::span<const std::size_t> rows,
                                 const std::vector<char>& observed, Statistics& statistics) const {
  std::vector<double> yy(packed());
  add_shared(units, rows, shared_posterior(&observed), yy, statistics);
  add_scaled(yy.data(), 1.0, packed(), &statistics.values[other_at()]);
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    if (observed[d]) add_scaled(yy.data(), 1.0, packed(), &statistics.values[column_at(d)]);
  }
}

void TableFactors::posteriors(const Lanes& lanes, std::vector<double>& covariance, std::vector<double>& mean,
                              std::vector<double>& log_det) const {
  const std::size_t k = sizes_.factors, columns = sizes_.columns;
  covariance.assign(packed_size(k) * kLanes, 0.0);
  mean.assign(k * kLanes, 0.0);
  log_det.resize(kLanes);
  for (std::size_t i = 0; i < k; ++i) std::fill_n(&covariance[packed_at(i, i) * kLanes], kLanes, 1.0);
  add_product({squares_.data(), packed_size(k), columns}, lanes.observed.data(), kLanes, covariance.data());
  add_product({linear_.data(), k, columns}, lanes.cells.data(), kLanes, mean.data());
  add_product({shift_.data(), k, columns}, lanes.observed.data(), kLanes, mean.data());
  invert({k, kLanes, covariance.data(), mean.data(), log_det.data()});
}

void TableFactors::add_distinct(const Batch& units, std::span<const std::size_t> rows,
                                Statistics& statistics) const {
  const std::size_t k = sizes_.factors, dim = this->dim();
  Lanes lanes(sizes_.columns);
  std::vector<double> covariance, mean, log_det, yy(packed() * kLanes), weighted(dim * kLanes);
  for (std::size_t first = 0; first < rows.size(); first += kLanes) {
    fill(units, rows.subspan(first, std::min(kLanes, rows.size() - first)), lanes);
    posteriors(lanes, covariance, mean, log_det);
    const double* weight = lanes.weight.data();
    mean.insert(mean.end(), kLanes, 1.0);
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t l = 0; l < kLanes; ++l) weighted[i * kLanes + l] = mean[i * kLanes + l] * weight[l];
      for (std::size_t j = 0; j <= i; ++j) {
        double* to = &yy[packed_at(i, j) * kLanes];
        for (std::size_t l = 0; l < kLanes; ++l) to[l] = weighted[i * kLanes + l] * mean[j * kLanes + l];
        const double* own = i < k ? &covariance[packed_at(i, j) * kLanes] : nullptr;
        for (std::size_t l = 0; own != nullptr && l < kLanes; ++l) to[l] += weight[l] * own[l];
      }
    }
    const std::vector<double> ones(kLanes, 1.0);
    add_outer({ones.data(), 1, kLanes}, {yy.data(), packed(), kLanes}, &statistics.values[other_at()],
              packed());
    add_outer({lanes.observed.data(), sizes_.columns, kLanes}, {yy.data(), packed(), kLanes},
              &statistics.values[column_at(0)], column_stride());
    add_cells(lanes, weighted, statistics);
    double sum = 0;
    for (std::size_t l = 0; l < kLanes; ++l) {
      sum += weight[l];
      statistics.local += 0.5 * weight[l] * (log_det[l] + static_cast<double>(k) * (1 + kLogTwoPi));
    }
    statistics.units += sum;
    stamp(statistics, sum);
  }
}

void TableFactors::local_step(const Batch& units, std::span<double>, Statistics& statistics) const {
  std::vector<std::size_t> whole, distinct;
  std::vector<char> missing(units.units);
  find_missing({units.values.data(), units.units, sizes_.columns}, missing.data());
  std::map<std::vector<char>, std::vector<std::size_t>> patterns;
  for (std::size_t n = 0; n < units.units; ++n) {
    if (!missing[n]) {
      whole.push_back(n);
      continue;
    }
    const std::span<const double> row = units.row(n);
    std::vector<char> observed(row.size());
    std::transform(row.begin(), row.end(), observed.begin(),
                   [](double cell) { return char(!std::isnan(cell)); });
    patterns[std::move(observed)].push_back(n);
  }
  if (!whole.empty()) {
    add_shared(units, whole, complete_, std::span(statistics.values).first(packed()), statistics);
  }
  for (const auto& [observed, rows] : patterns) {
    if (rows.size() >= kShare) {
      add_patterned(units, rows, observed, statistics);
    } else {
      distinct.insert(distinct.end(), rows.begin(), rows.end());
    }
  }
  add_distinct(units, distinct, statistics);
}

// ---- Results.

// log N(x; mu, W W' + diag(1 / tau)) over observed cells, at posterior means of W, mu and tau. With r = x -
// mu, L = I + sum tau w w' and b = sum tau w r the determinant lemma and Woodbury's identity give
//   sum (log tau - log 2 pi - 2 log scale) / 2 - log |L| / 2 - (sum tau r^2 - b' L^-1 b) / 2.
void TableFactors::log_densities(const Lanes& lanes, std::span<double> result) const {
  const std::size_t k = sizes_.factors, columns = sizes_.columns;
  std::vector<double> residual(lanes.cells), matrix(packed_size(k) * kLanes), vector(k * kLanes),
      log_det(kLanes);
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t d = 0; d < columns; ++d) {
    const double tau = noise_precision(d), mean = loadings_.mean(d).back();
    const double constant = 0.5 * (std::log(tau) - kLogTwoPi) - std::log(scale_[d]);
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double observed = lanes.observed[d * kLanes + l];
      const double away = residual[d * kLanes + l] -= observed * mean;
      result[l] += observed * constant - 0.5 * tau * away * away;
    }
  }
  for (std::size_t i = 0; i < k; ++i) std::fill_n(&matrix[packed_at(i, i) * kLanes], kLanes, 1.0);
  add_product({mean_squares_.data(), packed_size(k), columns}, lanes.observed.data(), kLanes, matrix.data());
  add_product({linear_.data(), k, columns}, residual.data(), kLanes, vector.data());
  const std::vector<double> b = vector;
  invert({k, kLanes, matrix.data(), vector.data(), log_det.data()});
  for (std::size_t l = 0; l < kLanes; ++l) result[l] += 0.5 * log_det[l];
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t l = 0; l < kLanes; ++l) result[l] += 0.5 * b[i * kLanes + l] * vector[i * kLanes + l];
  }
}

std::vector<std::size_t> numbers(std::size_t first, std::size_t last) {
  std::vector<std::size_t> result;
  for (std::size_t n = first; n < last; ++n) result.push_back(n);
  return result;
}

Model::Score TableFactors::score(const Batch& units) const {
  Score score;
  Lanes lanes(sizes_.columns);
  std::vector<double> densities(kLanes);
  for (std::size_t first = 0; first < units.units; first += kLanes) {
    fill(units, numbers(first, std::min(first + kLanes, units.units)), lanes);
    log_densities(lanes, densities);
    for (std::size_t l = 0; l < kLanes; ++l) {
      score.log_density += lanes.weight[l] * densities[l];
      for (std::size_t d = 0; d < sizes_.columns; ++d) {
        score.count += lanes.weight[l] * lanes.observed[d * kLanes + l];
      }
    }
  }
  return score;
}

std::vector<std::string> TableFactors::unit_columns(const Shape&) const {
  std::vector<std::string> columns;
  for (std::size_t k = 0; k < sizes_.factors; ++k) columns.push_back("factor" + std::to_string(k + 1));
  for (std::size_t k = 0; k < sizes_.factors; ++k)
    columns.push_back("factor" + std::to_string(k + 1) + "_sd");
  columns.push_back("log_density");
  for (const std::size_t d : rebuilt_) columns.push_back(column_name(d));
  return columns;
}

void TableFactors::unit_lines(const Batch& units, std::vector<double>& cells) const {
  const Order order = this->order();
  Lanes lanes(sizes_.columns);
  std::vector<double> covariance, mean, log_det, densities(kLanes);
  for (std::size_t first = 0; first < units.units; first += kLanes) {
    const std::size_t count = std::min(kLanes, units.units - first);
    fill(units, numbers(first, first + count), lanes);
    posteriors(lanes, covariance, mean, log_det);
    log_densities(lanes, densities);
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t at = 0; at < sizes_.factors; ++at) {
        cells.push_back(order.sign[at] * mean[order.factor[at] * kLanes + l]);
      }
      for (const std::size_t k : order.factor) {
        cells.push_back(std::sqrt(covariance[packed_at(k, k) * kLanes + l]));
      }
      cells.push_back(densities[l]);
      for (const std::size_t d : rebuilt_) {
        double value = loadings_.mean(d).back();
        for (std::size_t k = 0; k < sizes_.factors; ++k) value += loadings_.mean(d)[k] * mean[k * kLanes + l];
        cells.push_back(offset_[d] + scale_[d] * value);
      }
    }
  }
}

}  // namespace

extern const ModelRecord k_factors_pca;
const ModelRecord k_factors_pca = {
    .verb = "factors",
    .kind = "pca",
    .summary = "Probabilistic principal components with automatic rank: the same noise in every column.",
    .use_when = "columns are measured in the same units, or --standardize makes them so.",
    .citation = "Bishop 1999, Bayesian PCA, NIPS 11; Luttinen, Ilin 2010, Neurocomputing 73",
    .data = DataKind::table,
    .takes_missing = true,
    .options = kPcaOptions,
    .make = [](const OptionValues& values, const Shape& shape) -> std::unique_ptr<Model> {
      return std::make_unique<TableFactors>(values, shape, false);
    }};

extern const ModelRecord k_factors_fa;
const ModelRecord k_factors_fa = {
    .verb = "factors",
    .kind = "fa",
    .summary = "Bayesian factor analysis with automatic rank: each column has its own noise.",
    .use_when = "columns differ in units or in noise, and what they share is of interest.",
    .citation = "Bishop 1999, Bayesian PCA, NIPS 11; Luttinen, Ilin 2010, Neurocomputing 73",
    .data = DataKind::table,
    .takes_missing = true,
    .options = kFaOptions,
    .make = [](const OptionValues& values, const Shape& shape) -> std::unique_ptr<Model> {
      return std::make_unique<TableFactors>(values, shape, true);
    }};

}  // namespace kullback::conjugate
