#include "conjugate/factors/factor_parts.hpp"

#include <algorithm>
#include <cmath>

#include "conjugate/factors/lane_kernels.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate {

namespace {

constexpr std::size_t kRowsAtOnce = 64;

// Rows first .. first + count as lanes, padded with standard normals.
struct Panel {
  Panel(std::size_t dim, std::size_t count)
      : lanes(padded_lanes(count)), matrix(packed_size(dim) * lanes), vector(dim * lanes), log_det(lanes) {
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t l = count; l < lanes; ++l) matrix[packed_at(i, i) * lanes + l] = 1;
    }
  }
  LaneGaussians view(std::size_t dim) { return {dim, lanes, matrix.data(), vector.data(), log_det.data()}; }

  std::size_t lanes;
  std::vector<double> matrix, vector, log_det;
};

Panel inverted(std::span<const double> natural, std::size_t dim, std::size_t first, std::size_t count) {
  const std::size_t stride = dim + packed_size(dim);
  Panel panel(dim, count);
  for (std::size_t l = 0; l < count; ++l) {
    const double* from = &natural[(first + l) * stride];
    for (std::size_t i = 0; i < dim; ++i) panel.vector[i * panel.lanes + l] = *from++;
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        panel.matrix[packed_at(i, j) * panel.lanes + l] = (i == j ? -2.0 : -1.0) * *from++;
      }
    }
  }
  invert(panel.view(dim));
  return panel;
}

}  // namespace

GaussianRows::GaussianRows(std::size_t rows, std::size_t dim)
    : rows_(rows),
      dim_(dim),
      packed_(packed_size(dim)),
      natural_(rows * (dim + packed_)),
      mean_(rows * dim),
      covariance_(rows * packed_),
      log_det_(rows) {}

void GaussianRows::refresh() {
  for (std::size_t first = 0; first < rows_; first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows_ - first);
    const Panel panel = inverted(natural_, dim_, first, count);
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t row = first + l;
      for (std::size_t i = 0; i < dim_; ++i) mean_[row * dim_ + i] = panel.vector[i * panel.lanes + l];
      for (std::size_t p = 0; p < packed_; ++p) {
        covariance_[row * packed_ + p] = panel.matrix[p * panel.lanes + l];
      }
      log_det_[row] = panel.log_det[l];
    }
  }
}

bool GaussianRows::inside(std::span<const double> natural, std::size_t dim) {
  const std::size_t rows = natural.size() / (dim + packed_size(dim));
  for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
    const Panel panel = inverted(natural, dim, first, std::min(kRowsAtOnce, rows - first));
    for (const double log_det : panel.log_det) {
      if (!std::isfinite(log_det)) return false;
    }
  }
  return true;
}

double GaussianRows::variance(std::size_t row, std::size_t i) const {
  return covariance_[row * packed_ + packed_at(i, i)];
}

double GaussianRows::second(std::size_t row, std::size_t i, std::size_t j) const {
  const double* mean = &mean_[row * dim_];
  return covariance_[row * packed_ + packed_at(i, j)] + mean[i] * mean[j];
}

std::vector<double> GaussianRows::mean_parameters() const {
  std::vector<double> result;
  result.reserve(natural_.size());
  for (std::size_t row = 0; row < rows_; ++row) {
    result.insert(result.end(), mean(row).begin(), mean(row).end());
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) result.push_back(second(row, i, j));
    }
  }
  return result;
}

// ((m - m0)' P0 (m - m0) + tr P0 C - dim - log |P0 C|) / 2: no large terms that cancel.
double GaussianRows::divergence(const GaussianRows& other, std::size_t row) const {
  const std::span<const double> m = mean(row), m0 = other.mean(row), c = covariance(row);
  const double* natural = &other.natural_[row * stride() + dim_];
  double sum = -static_cast<double>(dim_) - log_det_[row] + other.log_det_[row];
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      // -2 natural is the precision on the diagonal and twice it below.
      const double expected = c[packed_at(i, j)] + (m[i] - m0[i]) * (m[j] - m0[j]);
      sum += -2 * natural[packed_at(i, j)] * expected;
    }
  }
  return 0.5 * sum;
}

// Precision P and h = P m become A^-T P A^-1 and A^-T h.
void GaussianRows::transform(std::span<const double> inverse) {
  std::vector<double> transposed(dim_ * dim_), precision(packed_), turned(packed_), linear(dim_);
  for (std::size_t i = 0; i < dim_; ++i) {
    for (std::size_t j = 0; j < dim_; ++j) transposed[i * dim_ + j] = inverse[j * dim_ + i];
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::span<double> natural(&natural_[row * stride()], stride());
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        precision[packed_at(i, j)] = (i == j ? -2.0 : -1.0) * natural[dim_ + packed_at(i, j)];
      }
      linear[i] = 0;
      for (std::size_t j = 0; j < dim_; ++j) linear[i] += transposed[i * dim_ + j] * natural[j];
    }
    congruence(transposed, precision, turned);
    set_natural(natural, linear, turned);
  }
  refresh();
}

void GaussianRows::set_natural(std::span<double> natural, std::span<const double> mean_times_precision,
                               std::span<const double> precision) {
  const std::size_t dim = mean_times_precision.size();
  std::copy(mean_times_precision.begin(), mean_times_precision.end(), natural.begin());
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      natural[dim + packed_at(i, j)] = (i == j ? -0.5 : -1.0) * precision[packed_at(i, j)];
    }
  }
}

void Gammas::set(std::size_t i, double shape, double rate) {
  natural_[2 * i] = shape - 1;
  natural_[2 * i + 1] = -rate;
}

void Gammas::refresh() {
  for (std::size_t i = 0; i < count(); ++i) {
    mean_[i] = shape(i) / rate(i);
    mean_log_[i] = math::digamma_positive(shape(i)) - std::log(rate(i));
  }
}

bool Gammas::inside(std::span<const double> natural) {
  for (std::size_t i = 0; i + 1 < natural.size(); i += 2) {
    if (!(natural[i] > -1 && natural[i + 1] < 0)) return false;
  }
  return true;
}

std::vector<double> Gammas::mean_parameters() const {
  std::vector<double> result;
  for (std::size_t i = 0; i < count(); ++i) {
    result.push_back(mean_log_[i]);
    result.push_back(mean_[i]);
  }
  return result;
}

double Gammas::divergence(const Gammas& other, std::size_t i) const {
  const double a = shape(i), b = rate(i), a0 = other.shape(i), b0 = other.rate(i);
  return (a - a0) * math::digamma_positive(a) - math::log_gamma(a) + math::log_gamma(a0) +
         a0 * std::log(b / b0) + a * (b0 - b) / b;
}

void congruence(std::span<const double> a, std::span<const double> s, std::span<double> b) {
  const auto dim = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(a.size()))));
  std::vector<double> full(dim * dim), half(dim * dim);
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) full[i * dim + j] = full[j * dim + i] = s[packed_at(i, j)];
  }
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t k = 0; k < dim; ++k) {
      const double factor = a[i * dim + k];
      for (std::size_t j = 0; j < dim; ++j) half[i * dim + j] += factor * full[k * dim + j];
    }
  }
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < dim; ++k) sum += half[i * dim + k] * a[j * dim + k];
      b[packed_at(i, j)] = sum;
    }
  }
}

}  // namespace kullback::conjugate
