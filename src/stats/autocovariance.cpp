// A lag costs one dot product over all halves. Chains that mix well need few lags; beyond direct_lags_, one
// Fourier transform gives them all.
//
// Two halves a, b of zero-padded length L are one complex sequence a + ib with transform Z, and
// |A_k|^2 + |B_k|^2 = (|Z_k|^2 + |Z_{L-k}|^2) / 2. The sum P of |Z|^2 over all pairs, transformed back, has
// the summed autocovariances as its real part: taking the real part is taking the even part of P.
#include "stats/autocovariance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "stats/sums.hpp"

namespace kullback::stats {
namespace {

// A transform of length L costs about as much for each half as this many lags, times log2 L: measured.
constexpr std::size_t kLagsPerLevel = 6;

struct Complexes {
  std::vector<double> re;
  std::vector<double> im;
};

// exp(-2 pi i k / size), k < size / 2.
Complexes twiddles(std::size_t size) {
  Complexes result{std::vector<double>(size / 2), std::vector<double>(size / 2)};
  for (std::size_t k = 0; k < size / 2; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    result.re[k] = std::cos(angle);
    result.im[k] = std::sin(angle);
  }
  return result;
}

// Decimation in frequency: the order of the result is bit-reversed.
void transform_to_reversed(Complexes& z, const Complexes& w) {
  const std::size_t size = z.re.size();
  for (std::size_t half = size / 2, stride = 1; half > 0; half /= 2, stride *= 2)
    for (std::size_t block = 0; block < size; block += 2 * half)
      for (std::size_t j = 0; j < half; ++j) {
        const std::size_t a = block + j, b = a + half, k = j * stride;
        const double re = z.re[a] - z.re[b], im = z.im[a] - z.im[b];
        z.re[a] += z.re[b];
        z.im[a] += z.im[b];
        z.re[b] = re * w.re[k] - im * w.im[k];
        z.im[b] = re * w.im[k] + im * w.re[k];
      }
}

// Decimation in time, from bit-reversed order to natural.
void transform_from_reversed(Complexes& z, const Complexes& w) {
  const std::size_t size = z.re.size();
  for (std::size_t half = 1, stride = size / 2; half < size; half *= 2, stride /= 2)
    for (std::size_t block = 0; block < size; block += 2 * half)
      for (std::size_t j = 0; j < half; ++j) {
        const std::size_t a = block + j, b = a + half, k = j * stride;
        const double re = z.re[b] * w.re[k] - z.im[b] * w.im[k];
        const double im = z.re[b] * w.im[k] + z.im[b] * w.re[k];
        z.re[b] = z.re[a] - re;
        z.im[b] = z.im[a] - im;
        z.re[a] += re;
        z.im[a] += im;
      }
}

void load_pair(const Halves& from, std::size_t first, Complexes& z) {
  std::fill(z.re.begin(), z.re.end(), 0.0);
  std::fill(z.im.begin(), z.im.end(), 0.0);
  for (std::size_t i = 0; i < from.draws; ++i) {
    z.re[i] = from.values[i * from.halves + first];
    z.im[i] = from.values[i * from.halves + first + 1];
  }
}

std::vector<double> all_autocovariances(const Halves& centred, std::size_t size) {
  const Complexes w = twiddles(size);
  Complexes z{std::vector<double>(size), std::vector<double>(size)};
  Complexes power{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
  for (std::size_t h = 0; h < centred.halves; h += 2) {
    load_pair(centred, h, z);
    transform_to_reversed(z, w);
    for (std::size_t k = 0; k < size; ++k) power.re[k] += z.re[k] * z.re[k] + z.im[k] * z.im[k];
  }
  transform_from_reversed(power, w);
  power.re.resize(centred.draws);
  const double scale = 1 / (static_cast<double>(size) * static_cast<double>(centred.draws * centred.halves));
  for (double& value : power.re) value *= scale;
  return power.re;
}

}  // namespace

MeanAutocovariance::MeanAutocovariance(const Halves& centred)
    : centred_(centred),
      transform_size_(std::bit_ceil(2 * centred.draws)),
      direct_lags_(kLagsPerLevel * static_cast<std::size_t>(std::bit_width(transform_size_))) {}

double MeanAutocovariance::operator()(std::size_t lag) {
  if (lag >= direct_lags_) {
    if (all_.empty()) all_ = all_autocovariances(centred_, transform_size_);
    return all_[lag];
  }
  const std::size_t apart = lag * centred_.halves;
  const double* y = centred_.values.data();
  return dot(y, y + apart, centred_.values.size() - apart) / static_cast<double>(centred_.values.size());
}

}  // namespace kullback::stats
