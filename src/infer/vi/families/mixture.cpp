// A mixture sum_c w_c N(m_c, L_c L_c') with w = softmax of the logits.
// A draw that chose a component would jump where the weights move. Instead coordinate i is the quantile of
// Phi(z_i) in its distribution given the coordinates before (Rosenblatt 1952), which is a mixture on the
// line,
//   F_i(theta_i) = sum_c r_ci Phi(y_ci) = Phi(z_i),  y_c = L_c^-1 (theta - m_c),
//   r_ci proportional to w_c prod_(j < i) phi(y_cj) / L_c,jj,
// so that draws are smooth in lambda at fixed noise and gradients through them are exact: implicit
// reparameterisation (Figurnov, Mohamed and Mnih 2018) with components of any covariance. It costs a root on
// the line for each coordinate; dim numbers of noise make a draw, and Sobol points keep their worth.
// Going back, from the last coordinate to the first, with a the adjoint of theta, b_c that of log r_c.,
//   e_ci = -b_c y_ci - sum_(j > i) L_c,ji s_cj,  v_i = (a_i + sum_c e_ci / L_c,ii) / f_i,  f_i =
//   dF_i/dtheta_i s_ci = (e_ci - v_i r_ci phi(y_ci)) / L_c,ii,  then b_c -= v_i r_ci (Phi(y_ci) - F_i);
// the adjoints are -s_c of m_c, -s_c y_c' of L_c less b_c (before the update) of log L_c,ii, b_c of log w_c.
#include "infer/vi/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kComponents = CountOption("components", 0, "Components of a mixture").automatic();
}  // namespace option

namespace {

const double kLogTwoPi = std::log(2 * std::numbers::pi);
constexpr std::size_t kMostDense = 100;
constexpr std::size_t kDefaultComponents = 3;
constexpr double kSpread = 1;    // of the first means, in standard deviations of the guess
constexpr double kShrink = 0.8;  // of the first covariances' factors
constexpr int kMostIterations = 200;

double below(double y) { return 0.5 * std::erfc(-y / std::numbers::sqrt2); }
double density(double y) { return std::exp(-0.5 * (y * y + kLogTwoPi)); }

// A mixture on the line, seen from the tail in which its quantile lies: with sign -1 the line is turned
// round.
struct LineMixture {
  std::size_t components = 0;
  const double* shares = nullptr;
  const double* means = nullptr;
  const double* sds = nullptr;
};

// theta with F(theta) = Phi(z): the quantiles of the components bracket it; steps of Newton in log F, which
// is nearly linear far out, halving where they leave the bracket. z <= 0.
double lower_quantile(const LineMixture& mixture, double z, double sign) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double theta = 0;
  for (std::size_t c = 0; c < mixture.components; ++c) {
    if (mixture.shares[c] == 0) continue;
    const double own = sign * mixture.means[c] + mixture.sds[c] * z;
    low = std::min(low, own);
    high = std::max(high, own);
    theta += mixture.shares[c] * own;
  }
  const double log_target = std::log(below(z));
  const double width = high - low;
  for (int n = 0; n < kMostIterations && low < high; ++n) {
    if (!(theta > low && theta < high)) theta = 0.5 * (low + high);
    double value = 0;
    double slope = 0;
    for (std::size_t c = 0; c < mixture.components; ++c) {
      const double y = (theta - sign * mixture.means[c]) / mixture.sds[c];
      value += mixture.shares[c] * below(y);
      slope += mixture.shares[c] * density(y) / mixture.sds[c];
    }
    const double gap = log_target - std::log(value);
    (gap > 0 ? low : high) = theta;
    const double next = theta + gap * value / slope;
    const double tolerance = 2 * std::numeric_limits<double>::epsilon() * (std::abs(theta) + width);
    if (std::abs(next - theta) <= tolerance) return next;
    theta = next;
  }
  return std::isfinite(width) ? theta : std::numeric_limits<double>::quiet_NaN();
}

double quantile(const LineMixture& mixture, double z) {
  return z <= 0 ? lower_quantile(mixture, z, 1) : -lower_quantile(mixture, -z, -1);
}

}  // namespace

Mixture::Mixture(std::size_t dim, std::size_t components)
    : dim_(dim),
      factors_(components, LowerFactor(dim, dim <= kMostDense ? Shape::triangle : Shape::diagonal)),
      log_weights_(components) {}

void Mixture::set_component(std::size_t component, const GaussianGuess& gaussian,
                            std::span<double> lambda) const {
  std::copy(gaussian.mean.begin(), gaussian.mean.end(),
            lambda.begin() + static_cast<std::ptrdiff_t>(component_place(component)));
  factors_[component].pack(gaussian.lower, gaussian.sd, packed(component, lambda));
}

// Means are spread over the guess, around its mean.
void Mixture::begin(const GaussianGuess& guess, std::uint64_t seed, std::span<double> lambda) const {
  const std::size_t count = components();
  std::fill(lambda.begin(), lambda.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
  std::vector<double> noise(dim_ * count);
  Random random(seed, 0, 0, 1);
  for (double& value : noise) value = random.normal();
  LowerFactor factor = factors_.front();
  std::vector<double> own(factor.parameters());
  factor.pack(guess.lower, guess.sd, own);
  factor.set(own);
  if (count > 1) factor.scale_by(kShrink, own);
  std::vector<double> spread(dim_ * count);
  for (std::size_t i = 0; i < dim_; ++i) {
    double mean = 0;
    for (std::size_t c = 0; c < count; ++c) mean += noise[i * count + c] / static_cast<double>(count);
    for (std::size_t c = 0; c < count; ++c) noise[i * count + c] -= mean;
  }
  factor.times(count, noise.data(), spread.data());
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = 0; i < dim_; ++i)
      lambda[component_place(c) + i] = guess.mean[i] + kSpread * spread[i * count + c];
    std::copy(own.begin(), own.end(), packed(c, lambda).begin());
  }
}

void Mixture::units(std::span<const double> lambda, std::span<double> result) const {
  std::fill(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(components()), 1.0);
  for (std::size_t c = 0; c < components(); ++c) {
    LowerFactor factor = factors_[c];
    factor.set(packed(c, lambda));
    factor.units(result.subspan(component_place(c), dim_), packed(c, result));
  }
}

void Mixture::set(std::span<const double> lambda) {
  const std::size_t count = components();
  const double largest =
      *std::max_element(lambda.begin(), lambda.begin() + static_cast<std::ptrdiff_t>(count));
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) sum += std::exp(lambda[c] - largest);
  for (std::size_t c = 0; c < count; ++c) {
    log_weights_[c] = lambda[c] - largest - std::log(sum);
    factors_[c].set(packed(c, lambda));
  }
}

void Mixture::draw(std::span<const double> lambda, const DrawBatch& batch) {
  const std::size_t lanes = batch.lanes;
  const std::size_t count = components();
  set(lambda);
  noise_.assign(batch.noise, batch.noise + dim_ * lanes);
  drawn_.lanes = lanes;
  drawn_.y.resize(count * dim_ * lanes);
  conditional_.resize(dim_ * count * lanes);
  log_weighted_.resize(count * lanes);
  for (std::size_t n = 0; n < count * lanes; ++n) log_weighted_[n] = log_weights_[n / lanes];
  for (std::size_t i = 0; i < dim_; ++i) draw_coordinate(lambda, batch, i);
  finish(log_weighted_, drawn_);
  if (batch.log_q != nullptr) std::copy(drawn_.log_q.begin(), drawn_.log_q.end(), batch.log_q);
}

void Mixture::draw_coordinate(std::span<const double> lambda, const DrawBatch& batch, std::size_t i) {
  const std::size_t lanes = batch.lanes;
  const std::size_t count = components();
  Standardised given{lanes, {}, {}, {}};
  finish(log_weighted_, given);
  std::copy(given.shares.begin(), given.shares.end(),
            conditional_.begin() + static_cast<std::ptrdiff_t>(i * count * lanes));
  std::vector<double> means(count * lanes);
  for (std::size_t c = 0; c < count; ++c) {
    double* mean = means.data() + c * lanes;
    std::fill(mean, mean + lanes, lambda[component_place(c) + i]);
    for (std::size_t j = 0; j < i && !factors_[c].is_diagonal(); ++j) {
      const double element = factors_[c].at(i, j);
      const double* y = drawn_.y.data() + (c * dim_ + j) * lanes;
      for (std::size_t k = 0; k < lanes; ++k) mean[k] += element * y[k];
    }
  }
  std::vector<double> shares_here(count);
  std::vector<double> means_here(count);
  std::vector<double> sds(count);
  for (std::size_t c = 0; c < count; ++c) sds[c] = factors_[c].at(i, i);
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t c = 0; c < count; ++c) {
      shares_here[c] = given.shares[c * lanes + k];
      means_here[c] = means[c * lanes + k];
    }
    const LineMixture line{count, shares_here.data(), means_here.data(), sds.data()};
    const double theta = quantile(line, batch.noise[i * lanes + k]);
    batch.theta[i * lanes + k] = theta;
    for (std::size_t c = 0; c < count; ++c) {
      const double y = (theta - means_here[c]) / sds[c];
      drawn_.y[(c * dim_ + i) * lanes + k] = y;
      log_weighted_[c * lanes + k] -= std::log(sds[c]) + 0.5 * (y * y + kLogTwoPi);
    }
  }
}

// log q and shares from log w_c + log N_c.
void Mixture::finish(const std::vector<double>& log_weighted, Standardised& at) const {
  const std::size_t lanes = at.lanes;
  const std::size_t count = components();
  at.log_q.resize(lanes);
  at.shares.resize(count * lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    double largest = log_weighted[k];
    for (std::size_t c = 1; c < count; ++c) largest = std::max(largest, log_weighted[c * lanes + k]);
    double sum = 0;
    for (std::size_t c = 0; c < count; ++c) {
      at.shares[c * lanes + k] = std::exp(log_weighted[c * lanes + k] - largest);
      sum += at.shares[c * lanes + k];
    }
    for (std::size_t c = 0; c < count; ++c) at.shares[c * lanes + k] /= sum;
    at.log_q[k] = largest + std::log(sum);
  }
}

void Mixture::pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                        std::span<double> lambda_adjoint) {
  const std::size_t lanes = adjoint.lanes;
  set(lambda);
  std::vector<double> total(adjoint.theta, adjoint.theta + dim_ * lanes);
  if (adjoint.log_q != nullptr) {
    std::vector<double> slopes(dim_ * lanes);
    write_slopes(drawn_, slopes.data());
    for (std::size_t n = 0; n < total.size(); ++n) total[n] += adjoint.log_q[n % lanes] * slopes[n];
    add_score(drawn_, adjoint.log_q, lambda_adjoint);
  }
  add_through_draws(total, lambda_adjoint);
}

void Mixture::add_through_draws(const std::vector<double>& adjoint, std::span<double> lambda_adjoint) {
  const std::size_t lanes = drawn_.lanes;
  const std::size_t count = components();
  Backward back{adjoint, std::vector<double>(count * lanes), std::vector<double>(count * dim_ * lanes)};
  for (std::size_t i = dim_; i-- > 0;) {
    for (std::size_t c = 0; c < count; ++c) gather_later(i, c, back, lambda_adjoint);
    for (std::size_t k = 0; k < lanes; ++k) pass_quantile(i, k, back);
  }
  const double of_all = std::accumulate(back.of_shares.begin(), back.of_shares.end(), 0.0);
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t k = 0; k < lanes; ++k) lambda_adjoint[c] += back.of_shares[c * lanes + k];
    lambda_adjoint[c] -= std::exp(log_weights_[c]) * of_all;
    const double* minus_s = back.pushed.data() + c * dim_ * lanes;
    for (std::size_t n = 0; n < dim_ * lanes; ++n)
      lambda_adjoint[component_place(c) + n / lanes] += minus_s[n];
    factors_[c].add_outer(lanes, minus_s, drawn_.y.data() + c * dim_ * lanes, packed(c, lambda_adjoint));
  }
}

// e_ci, and what log L_c,ii has from the shares of later coordinates.
void Mixture::gather_later(std::size_t i, std::size_t c, Backward& back,
                           std::span<double> lambda_adjoint) const {
  const std::size_t lanes = drawn_.lanes;
  double* e = back.pushed.data() + (c * dim_ + i) * lanes;
  const double* y = drawn_.y.data() + (c * dim_ + i) * lanes;
  const double* of_share = back.of_shares.data() + c * lanes;
  double sum = 0;
  for (std::size_t k = 0; k < lanes; ++k) {
    e[k] = -of_share[k] * y[k];
    sum += of_share[k];
  }
  packed(c, lambda_adjoint)[factors_[c].place(i, i)] -= sum;
  for (std::size_t j = i + 1; j < dim_ && !factors_[c].is_diagonal(); ++j) {
    const double element = factors_[c].at(j, i);
    const double* minus_s = back.pushed.data() + (c * dim_ + j) * lanes;
    for (std::size_t k = 0; k < lanes; ++k) e[k] += element * minus_s[k];
  }
}

// -s_ci from e_ci, and the update of b_c; differences of distribution functions in the nearer tail.
void Mixture::pass_quantile(std::size_t i, std::size_t k, Backward& back) const {
  const std::size_t lanes = drawn_.lanes;
  const double* shares = conditional_.data() + i * components() * lanes;
  const double side = noise_[i * lanes + k] <= 0 ? 1 : -1;
  const double whole = below(side * noise_[i * lanes + k]);
  double slope = 0;
  double total = back.adjoint[i * lanes + k];
  for (std::size_t c = 0; c < components(); ++c) {
    const double scale = factors_[c].at(i, i);
    slope += shares[c * lanes + k] * density(drawn_.y[(c * dim_ + i) * lanes + k]) / scale;
    total += back.pushed[(c * dim_ + i) * lanes + k] / scale;
  }
  const double v = total / slope;
  for (std::size_t c = 0; c < components(); ++c) {
    const double y = drawn_.y[(c * dim_ + i) * lanes + k];
    const double weighted = v * shares[c * lanes + k];
    double& here = back.pushed[(c * dim_ + i) * lanes + k];
    here = (weighted * density(y) - here) / factors_[c].at(i, i);
    back.of_shares[c * lanes + k] -= weighted * side * (below(side * y) - whole);
  }
}

void Mixture::slopes_of_draws(std::span<const double> lambda, double* slopes) {
  set(lambda);
  write_slopes(drawn_, slopes);
}

void Mixture::evaluate(std::span<const double> lambda, const PointBatch& batch) {
  standardise(lambda, batch, point_);
  std::copy(point_.log_q.begin(), point_.log_q.end(), batch.log_q);
  if (batch.slopes != nullptr) write_slopes(point_, batch.slopes);
}

void Mixture::score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
                    std::span<double> lambda_adjoint) {
  standardise(lambda, batch, point_);
  add_score(point_, weights, lambda_adjoint);
}

void Mixture::standardise(std::span<const double> lambda, const PointBatch& batch, Standardised& at) {
  const std::size_t lanes = at.lanes = batch.lanes;
  set(lambda);
  at.y.resize(components() * dim_ * lanes);
  std::vector<double> log_weighted(components() * lanes);
  for (std::size_t c = 0; c < components(); ++c) {
    double* y = at.y.data() + c * dim_ * lanes;
    for (std::size_t n = 0; n < dim_ * lanes; ++n)
      y[n] = batch.theta[n] - lambda[component_place(c) + n / lanes];
    factors_[c].solve(lanes, y);
    double* own = log_weighted.data() + c * lanes;
    std::fill(own, own + lanes,
              log_weights_[c] - factors_[c].log_det() - 0.5 * static_cast<double>(dim_) * kLogTwoPi);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < lanes; ++k) own[k] -= 0.5 * y[i * lanes + k] * y[i * lanes + k];
    }
  }
  finish(log_weighted, at);
}

void Mixture::write_slopes(const Standardised& at, double* slopes) const {
  const std::size_t lanes = at.lanes;
  std::fill(slopes, slopes + dim_ * lanes, 0.0);
  std::vector<double> own(dim_ * lanes);
  for (std::size_t c = 0; c < components(); ++c) {
    for (std::size_t n = 0; n < own.size(); ++n)
      own[n] = at.y[c * dim_ * lanes + n] * at.shares[c * lanes + n % lanes];
    factors_[c].solve_transposed(lanes, own.data());
    for (std::size_t n = 0; n < own.size(); ++n) slopes[n] -= own[n];
  }
}

// Each component has its own score times its share; the logits of the weights (share - weight).
void Mixture::add_score(const Standardised& at, const double* weights, std::span<double> lambda_adjoint) {
  const std::size_t lanes = at.lanes;
  std::vector<double> own(dim_ * lanes);
  for (std::size_t c = 0; c < components(); ++c) {
    const double* y = at.y.data() + c * dim_ * lanes;
    double sum = 0;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double weighted = weights[k] * at.shares[c * lanes + k];
      sum += weighted;
      lambda_adjoint[c] += weighted - weights[k] * std::exp(log_weights_[c]);
    }
    for (std::size_t n = 0; n < own.size(); ++n)
      own[n] = y[n] * weights[n % lanes] * at.shares[c * lanes + n % lanes];
    factors_[c].solve_transposed(lanes, own.data());
    for (std::size_t n = 0; n < own.size(); ++n) lambda_adjoint[component_place(c) + n / lanes] += own[n];
    factors_[c].add_outer(lanes, own.data(), y, packed(c, lambda_adjoint));
    factors_[c].add_log_det(-sum, packed(c, lambda_adjoint));
  }
}

void Mixture::moments(std::span<const double> lambda, std::span<double> mean, std::span<double> sd) const {
  Mixture other(dim_, components());
  other.set(lambda);
  for (std::size_t i = 0; i < dim_; ++i) {
    mean[i] = 0;
    for (std::size_t c = 0; c < components(); ++c)
      mean[i] += std::exp(other.log_weights_[c]) * lambda[component_place(c) + i];
    double variance = 0;
    for (std::size_t c = 0; c < components(); ++c) {
      const double gap = lambda[component_place(c) + i] - mean[i];
      const double own = other.factors_[c].row_norm(i);
      variance += std::exp(other.log_weights_[c]) * (own * own + gap * gap);
    }
    sd[i] = std::sqrt(variance);
  }
}

namespace {

std::unique_ptr<Family> make(const FamilySetting& setting) {
  const std::size_t given = setting.options == nullptr ? 0 : (*setting.options)[option::kComponents];
  return std::make_unique<Mixture>(setting.dim, given > 0 ? given : kDefaultComponents);
}

constexpr const OptionRecord* kOptions[] = {&option::kComponents};

}  // namespace

const FamilyRecord& mixture_family() {
  static const FamilyRecord record{
      .name = "mixture",
      .summary = "several normals with weights (--components); --optimizer boosting adds one at a time",
      .citation =
          "Gershman, Hoffman and Blei (2012), Nonparametric variational inference, ICML; Figurnov, Mohamed "
          "and "
          "Mnih (2018), Implicit reparameterization gradients, NeurIPS.",
      .options = kOptions,
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
