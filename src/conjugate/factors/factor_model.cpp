// The bound, with all sums over observed cells and E over q:
//   E log p(x | .) = sum_d n_d (E log tau_d - log 2 pi) / 2 - E tau_d Q_d / 2 - n_d log scale_d,
//   Q_d = sum x^2 - 2 E[u_d]' sum E[y] x + tr E[u_d u_d'] sum E[yy'],
//   E log p(z) = -(N K log 2 pi + tr sum E zz') / 2,   entropy of q(z) in Statistics::local,
//   minus the divergences of u_d, alpha, tau.
// Updates: u_d: precision diag(E alpha, delta) + E tau_d sum E yy', linear part E tau_d sum E[y] x (+ the
// prior's); alpha_k: shape a + D/2, rate b + sum_d E w_dk^2 / 2; tau: shape a + n/2, rate b + Q/2.
//
// Rotation (Luttinen and Ilin 2010). Coordinate ascent creeps along z -> R z + t, u -> the inverse map,
// because the likelihood does not change there. With y -> T y, T = [R t; 0 1], the terms that do change,
// q(alpha) kept at its optimum, are minus
//   f(T) = tr sum E zz' / 2 - (N - D) log |R| + sum_k (a + D/2) log(b + V_kk / 2) + delta sum_d E (mu_d -
//   centre)^2 / 2,
// V = sum_d E u_d u_d' after the map. Without b and delta its global minimum is known: Hadamard's inequality
// gives f >= tr sum E zz' / 2 - (N + 2 a) log |R| + const, with equality where V is diagonal, so sum E zz' =
// (N + 2 a) I, z centred, and V diagonal. That T is proposed, f is computed for it, and it is taken only
// where f falls: the bound never does.
#include "conjugate/factors/factor_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "conjugate/factors/factor_options.hpp"
#include "conjugate/factors/lane_kernels.hpp"
#include "conjugate/factors/small_algebra.hpp"

namespace kullback::conjugate {

namespace {

double product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void append(std::vector<double>& to, std::span<const double> from) {
  to.insert(to.end(), from.begin(), from.end());
}

void take(std::span<const double>& from, std::span<double> to) {
  if (from.size() < to.size()) throw Error(ErrorKind::internal, "the state of a factor model is too short.");
  std::copy_n(from.begin(), to.size(), to.begin());
  from = from.subspan(to.size());
}

FactorSizes affordable(const FactorSizes& sizes) {
  constexpr double kMostNumbers = 1 << 28;
  const auto dim = static_cast<double>(sizes.factors + 1);
  if (static_cast<double>(sizes.columns) * dim * (dim + 3) / 2 > kMostNumbers) {
    throw Error(ErrorKind::usage,
                std::to_string(sizes.columns) + " columns with --factors " + std::to_string(sizes.factors) +
                    " need more than 2 GB of statistics for each thread.",
                "Lower --factors.");
  }
  return sizes;
}

}  // namespace

FactorModel::FactorModel(const OptionValues& values, const Shape& shape, const FactorSizes& sizes)
    : sizes_(affordable(sizes)),
      names_(shape.names),
      offset_(sizes.columns, 0.0),
      scale_(sizes.columns, 1.0),
      loadings_(sizes.columns, sizes.factors + 1),
      loadings_prior_(loadings_),
      precisions_(sizes.factors + sizes.extra_precisions),
      precisions_prior_(precisions_),
      noise_(sizes.noises),
      noise_prior_(noise_) {
  for (std::size_t k = 0; k < precisions_.count(); ++k) {
    precisions_prior_.set(k, values[option::kArdShape], values[option::kArdRate]);
  }
  for (std::size_t i = 0; i < noise_.count(); ++i) {
    noise_prior_.set(i, values[option::kNoiseShape], values[option::kNoiseRate]);
  }
  known_noise_ = values[option::kNoiseSd];
  rotates_ = values[option::kRotate] && sizes.factors > 0;
  precisions_prior_.refresh();
  noise_prior_.refresh();
  turn_.assign(dim() * dim(), 0.0);
}

std::size_t FactorModel::statistics_size() const { return column_at(sizes_.columns); }

double FactorModel::noise_precision(std::size_t d) const {
  if (known_noise_ == 0) return noise_.mean(noise_of(d));
  return scale_[d] * scale_[d] / (known_noise_ * known_noise_);
}

double FactorModel::noise_log_precision(std::size_t d) const {
  return known_noise_ == 0 ? noise_.mean_log(noise_of(d)) : std::log(noise_precision(d));
}

void FactorModel::refresh() {
  loadings_.refresh();
  precisions_.refresh();
  noise_.refresh();
}

void FactorModel::start(std::span<const double> mean, std::span<const double> noise, double rows) {
  const std::size_t k = sizes_.factors, columns = sizes_.columns;
  for (std::size_t i = 0; i < noise_.count(); ++i) {
    double variance = noise[i];
    if (sizes_.noises == 1) {
      variance = std::accumulate(noise.begin(), noise.end(), 0.0) / static_cast<double>(columns);
    }
    const double seen = sizes_.noises == 1 ? rows * static_cast<double>(columns) : rows;
    const double shape = noise_prior_.shape(i) + 0.5 * seen;
    noise_.set(i, shape, shape * variance);
  }
  noise_.refresh();
  for (std::size_t f = 0; f < precisions_.count(); ++f) {
    double sum = f < k ? 1e-6 * static_cast<double>(columns) : static_cast<double>(columns);
    for (std::size_t d = 0; f < k && d < columns; ++d) sum += mean[d * k + f] * mean[d * k + f];
    const double shape = precisions_prior_.shape(f) + 0.5 * static_cast<double>(columns);
    precisions_.set(f, shape, precisions_prior_.rate(f) + 0.5 * sum);
  }
  precisions_.refresh();
  std::vector<double> linear(dim()), precision(packed());
  for (std::size_t d = 0; d < columns; ++d) {
    std::fill(precision.begin(), precision.end(), 0.0);
    for (std::size_t f = 0; f < dim(); ++f) {
      const double own = rows * noise_precision(d) + (f < k ? precisions_.mean(f) : 1.0);
      precision[packed_at(f, f)] = own;
      linear[f] = f < k ? own * mean[d * k + f] : 0.0;
    }
    GaussianRows::set_natural(loadings_.natural().subspan(d * loadings_.stride(), loadings_.stride()), linear,
                              precision);
  }
  loadings_.refresh();
  rotations_ = 0;
  adopted_ = false;
}

// ---- Statistics.

bool FactorModel::stale(const Statistics& statistics) const {
  if (!rotates_ || !(statistics.units > 0)) return false;
  const double age =
      static_cast<double>(rotations_) - std::round(statistics.values[stamp_at()] / statistics.units);
  if (age != 0 && age != 1) {
    throw Error(ErrorKind::internal, "statistics of a factor model are from before two rotations.");
  }
  return age == 1;
}

void FactorModel::read(const Statistics& statistics, std::size_t d, Column& column) const {
  const std::span<const double> all(statistics.values);
  const std::span<const double> own = all.subspan(column_at(d), column_stride());
  column.yy.resize(packed());
  for (std::size_t p = 0; p < packed(); ++p) column.yy[p] = all[p] + own[p];
  column.yx.assign(own.begin() + static_cast<long>(packed()), own.end() - 1);
  column.xx = own.back();
  column.count = column.yy.back();
  if (!stale(statistics)) return;
  const std::vector<double> before = column.yy, linear = column.yx;
  congruence(turn_, before, column.yy);
  column.yy.back() = column.count;
  for (std::size_t i = 0; i < dim(); ++i) {
    column.yx[i] = product(std::span(turn_).subspan(i * dim(), dim()), linear);
  }
}

std::vector<double> FactorModel::all_yy(const Statistics& statistics) const {
  std::vector<double> sum(packed());
  for (std::size_t p = 0; p < packed(); ++p) {
    sum[p] = statistics.values[p] + statistics.values[other_at() + p];
  }
  if (stale(statistics)) {
    const std::vector<double> before = sum;
    congruence(turn_, before, sum);
  }
  return sum;
}

// Q_d, written as a sum of squares' expectation: never negative but for rounding.
double FactorModel::misfit(const Column& column, std::size_t d) const {
  double sum = column.xx - 2 * product(loadings_.mean(d), column.yx);
  for (std::size_t i = 0; i < dim(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      sum += (i == j ? 1.0 : 2.0) * loadings_.second(d, i, j) * column.yy[packed_at(i, j)];
    }
  }
  return std::max(sum, 0.0);
}

// ---- Blocks.

void FactorModel::global_step(std::size_t block, const Statistics& statistics, Mover& mover) {
  switch (block) {
    case kLoadings: return step_loadings(statistics, mover);
    case kPrecisions: return step_precisions(statistics, mover);
    case kNoise: return step_noise(statistics, mover);
    default: break;
  }
  if (block < own_blocks()) return extra_global_step(block, statistics, mover);
  // A rotation is fitted to all of the data: not to a minibatch, and not where priors of loadings are given.
  if (dynamic_cast<ExactMover*>(&mover) == nullptr || adopted_) return;
  shut(statistics);
  rotate(statistics);
}

void FactorModel::step_loadings(const Statistics& statistics, Mover& mover) {
  std::vector<double> target(loadings_.natural().size()), linear(dim()), precision(packed());
  const MeanPrior mean = mean_prior();
  Column column;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    read(statistics, d, column);
    const double tau = noise_precision(d);
    for (std::size_t p = 0; p < packed(); ++p) precision[p] = tau * column.yy[p];
    for (std::size_t i = 0; i < dim(); ++i) linear[i] = tau * column.yx[i];
    const std::span<double> own = std::span(target).subspan(d * loadings_.stride(), loadings_.stride());
    if (!adopted_) {
      for (std::size_t k = 0; k < sizes_.factors; ++k) precision[packed_at(k, k)] += precisions_.mean(k);
      precision.back() += mean.precision;
      linear.back() += mean.precision * mean.centre;
    }
    GaussianRows::set_natural(own, linear, precision);
    if (adopted_) add_scaled(&loadings_prior_.natural()[d * own.size()], 1.0, own.size(), own.data());
  }
  mover.move(kLoadings, loadings_.natural(), target,
             [dim = dim()](std::span<const double> natural) { return GaussianRows::inside(natural, dim); });
  loadings_.refresh();
}

void FactorModel::step_precisions(const Statistics& statistics, Mover& mover) {
  Gammas target = precisions_prior_;
  for (std::size_t k = 0; k < sizes_.factors && !adopted_; ++k) {
    double sum = 0;
    for (std::size_t d = 0; d < sizes_.columns; ++d) sum += loadings_.second(d, k, k);
    target.set(k, target.shape(k) + 0.5 * static_cast<double>(sizes_.columns), target.rate(k) + 0.5 * sum);
  }
  extra_targets(statistics, target.natural());
  mover.move(kPrecisions, precisions_.natural(), target.natural(), &Gammas::inside);
  precisions_.refresh();
}

void FactorModel::step_noise(const Statistics& statistics, Mover& mover) {
  Gammas target = noise_prior_;
  Column column;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    read(statistics, d, column);
    const std::size_t i = noise_of(d);
    target.set(i, target.shape(i) + 0.5 * column.count, target.rate(i) + 0.5 * misfit(column, d));
  }
  if (known_noise_ > 0) target = noise_;
  mover.move(kNoise, noise_.natural(), target.natural(), &Gammas::inside);
  noise_.refresh();
}

// Factors that are not in use: their precision goes to the fixed point of updates of it and of the loadings
// around 0,
//   alpha (b + sum_d 1 / (alpha + tau_d S_kk) / 2) = a + D / 2,
// from which alternating updates are thousands of passes away. Loadings and precisions follow; all is undone
// where the bound did not rise.
void FactorModel::shut(const Statistics& statistics) {
  const GaussianRows loadings = loadings_;
  const Gammas precisions = precisions_;
  const double before = total(elbo(statistics));
  std::vector<double> squares(sizes_.columns * sizes_.factors);  // S_kk of each column
  Column column;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    read(statistics, d, column);
    for (std::size_t k = 0; k < sizes_.factors; ++k)
      squares[d * sizes_.factors + k] = column.yy[packed_at(k, k)];
  }
  bool any = false;
  for (std::size_t k = 0; k < sizes_.factors; ++k) {
    if (in_use(k)) continue;
    const double shape = precisions_.shape(k), rate = precisions_prior_.rate(k);
    double alpha = precisions_.mean(k), next = alpha;
    // Each round multiplies a small alpha; the fixed point is approached from below.
    for (int round = 0; round < 100; ++round, alpha = next) {
      double ratio = 0, slope = 0;
      for (std::size_t d = 0; d < sizes_.columns; ++d) {
        const double data = noise_precision(d) * squares[d * sizes_.factors + k];
        ratio += 0.5 * alpha / (alpha + data);
        slope += 0.5 * data / ((alpha + data) * (alpha + data));
      }
      // Newton's step on alpha b + ratio - shape: concave and rising, so from below it never passes the root.
      next = alpha + (shape - rate * alpha - ratio) / (rate + slope);
      if (!(next > alpha * (1 + 1e-3))) break;
    }
    if (!(alpha > 2 * precisions_.mean(k))) continue;
    precisions_.set(k, shape, shape / alpha);
    any = true;
  }
  if (!any) return;
  precisions_.refresh();
  ExactMover exact;
  step_loadings(statistics, exact);
  step_precisions(statistics, exact);
  if (total(elbo(statistics)) >= before) return;
  loadings_ = loadings;
  precisions_ = precisions;
}

// What f depends on: sum E yy', V and sum E u before a map T of y, and the prior's numbers.
struct FactorModel::Energy {
  Square yy, v;
  std::vector<double> u;
  double rows, columns, shape, rate;
  MeanPrior mean;

  double operator()(const Square& turn, const Square& inverse, double log_det) const {
    const std::size_t k = yy.dim() - 1;
    const Square turned = yy.congruent(turn), w = v.congruent(inverse.transposed());
    double centre = 0;
    for (std::size_t i = 0; i <= k; ++i) centre += inverse(i, k) * u[i];
    double value = 0.5 * mean.precision * (w(k, k) - 2 * mean.centre * centre) - (rows - columns) * log_det;
    for (std::size_t i = 0; i < k; ++i) {
      value += 0.5 * turned(i, i) + (shape + 0.5 * columns) * std::log(rate + 0.5 * w(i, i));
    }
    return value;
  }
};

FactorModel::Energy FactorModel::energy(const Statistics& statistics) const {
  std::vector<double> v(packed()), u(dim());
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    for (std::size_t i = 0; i < dim(); ++i) {
      u[i] += loadings_.mean(d)[i];
      for (std::size_t j = 0; j <= i; ++j) v[packed_at(i, j)] += loadings_.second(d, i, j);
    }
  }
  return {Square::symmetric(all_yy(statistics), dim()),
          Square::symmetric(v, dim()),
          u,
          statistics.units,
          static_cast<double>(sizes_.columns),
          precisions_prior_.shape(0),
          precisions_prior_.rate(0),
          mean_prior()};
}

void FactorModel::rotate(const Statistics& statistics) {
  // Statistics that are stale already would need both turns.
  if (!(statistics.units > 0) || stale(statistics)) return;
  const std::size_t k = sizes_.factors;
  const Energy energy = this->energy(statistics);
  // z around its centre has spread (N + 2 a) L L'; R = Q' L^-1 and R^-1 = L Q, Q the axes of L' V L.
  Square spread(k), v(k), l(k), q(k), l_inverse(k);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      spread(i, j) = (energy.yy(i, j) - energy.yy(i, k) * energy.yy(k, j) / energy.rows) /
                     (energy.rows + 2 * energy.shape);
      v(i, j) = energy.v(i, j);
    }
  }
  if (!math::linear::cholesky(spread.view(), l.view())) return;
  math::linear::inverse_of_lower(l.view(), l_inverse.view());
  Square turned = v.congruent(l.transposed());
  std::vector<double> values(k);
  math::linear::symmetric_axes(turned.view(), values, q.view());
  const Square r = q.transposed() * l_inverse, r_inverse = l * q;
  Square turn = Square::identity(dim()), inverse = turn;
  double log_det = 0;
  for (std::size_t i = 0; i < k; ++i) {
    log_det -= std::log(l(i, i));
    inverse(i, k) = energy.yy(i, k) / energy.rows;
    for (std::size_t j = 0; j < k; ++j) {
      turn(i, j) = r(i, j);
      turn(i, k) -= r(i, j) * energy.yy(j, k) / energy.rows;
      inverse(i, j) = r_inverse(i, j);
    }
  }
  const Square identity = Square::identity(dim());
  const double now = energy(identity, identity, 0.0);
  if (!(energy(turn, inverse, log_det) < now - 1e-12 * std::abs(now))) return;
  turn_ = turn.cells();
  log_det_turn_ = log_det;
  ++rotations_;
  loadings_.transform(turn.transposed().cells());
  ExactMover exact;
  step_precisions(statistics, exact);
}

std::span<double> FactorModel::natural(std::size_t block) {
  switch (block) {
    case kLoadings: return loadings_.natural();
    case kPrecisions: return precisions_.natural();
    case kNoise: return noise_.natural();
    default: return block < own_blocks() ? extra_natural(block) : std::span<double>{};
  }
}

std::vector<double> FactorModel::mean_parameters(std::size_t block) const {
  switch (block) {
    case kLoadings: return loadings_.mean_parameters();
    case kPrecisions: return precisions_.mean_parameters();
    case kNoise: return noise_.mean_parameters();
    default: return block < own_blocks() ? extra_mean_parameters(block) : std::vector<double>{};
  }
}

// ---- The bound.

double FactorModel::minus_divergence_of_loadings() const {
  const MeanPrior mean = mean_prior();
  double sum = 0;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    if (adopted_) {
      sum -= loadings_.divergence(loadings_prior_, d);
      continue;
    }
    double own = loadings_.log_det(d) + static_cast<double>(dim());
    for (std::size_t k = 0; k < sizes_.factors; ++k) {
      own += precisions_.mean_log(k) - precisions_.mean(k) * loadings_.second(d, k, k);
    }
    const double away = loadings_.mean(d).back() - mean.centre;
    const double expected = away * away + loadings_.variance(d, sizes_.factors) + mean.centre_variance;
    sum += 0.5 * (own + mean.log_precision - mean.precision * expected);
  }
  return sum;
}

Terms FactorModel::elbo(const Statistics& statistics) const {
  double likelihood = 0, noise = 0, precisions = 0;
  Column column;
  for (std::size_t d = 0; d < sizes_.columns; ++d) {
    read(statistics, d, column);
    likelihood += column.count * (0.5 * (noise_log_precision(d) - kLogTwoPi) - std::log(scale_[d])) -
                  0.5 * noise_precision(d) * misfit(column, d);
  }
  const std::vector<double> yy = all_yy(statistics);
  double scores = statistics.local - 0.5 * static_cast<double>(sizes_.factors) * kLogTwoPi * statistics.units;
  for (std::size_t k = 0; k < sizes_.factors; ++k) scores -= 0.5 * yy[packed_at(k, k)];
  if (stale(statistics)) scores += statistics.units * log_det_turn_;
  for (std::size_t k = 0; k < precisions_.count(); ++k)
    precisions -= precisions_.divergence(precisions_prior_, k);
  for (std::size_t i = 0; known_noise_ == 0 && i < noise_.count(); ++i) {
    noise -= noise_.divergence(noise_prior_, i);
  }
  Terms terms = {{"log likelihood", likelihood},
                 {"scores", scores},
                 {"loadings and means", minus_divergence_of_loadings()},
                 {"precisions of factors", precisions},
                 {"noise", noise}};
  extra_terms(statistics, terms);
  return terms;
}

void FactorModel::adopt_posterior_as_prior() {
  loadings_prior_ = loadings_;
  precisions_prior_ = precisions_;
  noise_prior_ = noise_;
  adopted_ = true;
  adopt_extra();
}

// ---- State.

std::vector<double> FactorModel::state() const {
  std::vector<double> state = offset_;
  append(state, scale_);
  append(state, loadings_.natural());
  append(state, precisions_.natural());
  append(state, noise_.natural());
  append(state, loadings_prior_.natural());
  append(state, precisions_prior_.natural());
  append(state, noise_prior_.natural());
  append(state, turn_);
  append(state, std::vector<double>{adopted_ ? 1.0 : 0.0, static_cast<double>(rotations_), log_det_turn_});
  extra_state(state);
  return state;
}

void FactorModel::set_state(std::span<const double> state) {
  take(state, offset_);
  take(state, scale_);
  take(state, loadings_.natural());
  take(state, precisions_.natural());
  take(state, noise_.natural());
  take(state, loadings_prior_.natural());
  take(state, precisions_prior_.natural());
  take(state, noise_prior_.natural());
  take(state, turn_);
  double rest[3];
  take(state, rest);
  adopted_ = rest[0] != 0;
  rotations_ = static_cast<std::size_t>(rest[1]);
  log_det_turn_ = rest[2];
  if (adopted_) loadings_prior_.refresh();
  precisions_prior_.refresh();
  noise_prior_.refresh();
  refresh();
  set_extra_state(state);
}

}  // namespace kullback::conjugate
