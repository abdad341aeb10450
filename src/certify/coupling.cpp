// With T iterations, t0 = T / 2 and lag L the bound on W_n of a coordinate's marginals is
//   (mean over t0 < t <= T of E |X_t - Y_t|^n)^(1/n) + sum over j >= 0 of (E |X_(t0 + jL + L) - X'_(t0 +
//   jL)|^n)^(1/n).
// The first term is at least W_n between q and the mean over t of X_t's distributions; these are, by the
// triangle inequality along t0, t0 + L, t0 + 2L, ... to p, no farther from p than the second (it falls with
// t0). The sum ends at T, where the last term stands twice, for those after it: it must then be below half of
// the one before, and below a hundredth of a standard deviation, else nothing is claimed.
//
// The kernel is Hamiltonian Monte Carlo with paths of about 1.4 in the coordinates in which q is standard
// normal: two such chains with the same momenta come together by a factor of about cos(1.4) an iteration
// where p is about q, and a shift of q against p is the distance that remains, so that the bound is nearly
// tight. A pilot run, which is thrown away, finds the step size: a chain that adapts is not the chain that
// the lag assumes.
#include "certify/coupling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "certify/coupled_chains.hpp"
#include "certify/whitening.hpp"
#include "run/json_text.hpp"
#include "stats/chains.hpp"
#include "stats/sums.hpp"
#include "stats/t_quantile.hpp"

namespace kullback::certify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPath = 1.4;
constexpr double kTargetAcceptance = 0.99;  // chains part where one accepts and the other does not
constexpr std::size_t kPilotIterations = 15;
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kFewestPairs = 4;
constexpr double kTogether = 0.01;     // standard deviations
constexpr double kRoundingOff = 1e-8;  // distances below it no longer need to fall

constexpr std::uint32_t kLeadIndex = 1U << 16;  // of the random streams: after the pilot's
constexpr std::uint32_t kCoupledIndex = 2U << 16;

// |x - y|^n, n = 1, 2, of each coordinate and pair ([i * pairs + k]), summed over times.
struct Distances {
  std::vector<double> first;
  std::vector<double> second;
  std::size_t times = 0;
};

struct Estimate {
  double value = 0;
  double upper = 0;
};

Estimate mean_of(std::span<const double> of_pairs, double level) {
  const double mean = stats::mean(of_pairs);
  const double error = stats::sd(of_pairs) / std::sqrt(static_cast<double>(of_pairs.size()));
  return {mean, mean + stats::t_quantile(level, of_pairs.size() - 1) * error};
}

Estimate root(const Estimate& square) { return {std::sqrt(square.value), std::sqrt(square.upper)}; }

void add(Estimate& to, const Estimate& part) {
  to.value += part.value;
  to.upper += part.upper;
}

class Coupling final {
 public:
  Coupling(density::LogDensity& p, density::LogDensity& q, std::span<const double> draws,
           const CouplingOptions& options)
      : p_(p),
        q_(q),
        draws_(draws),
        options_(options),
        dim_(p.dim()),
        pairs_(std::min(options.pairs, draws.size() / dim_ / 2)),
        whitening_(draws, dim_),
        noise_(dim_, pairs_),
        posteriors_(p, whitening_, 2 * pairs_),
        approximations_(q, whitening_, pairs_),
        sum_(dim_, 0.0),
        squares_(dim_, 0.0) {}

  CouplingBound run() {
    bound_.coordinates.assign(dim_, {kInfinity, kInfinity, kInfinity, kInfinity});
    bound_.joint_w2 = bound_.joint_w2_upper = bound_.convergence = kInfinity;
    if (!find_path() || !start()) return finished();
    const std::size_t lags = std::max<std::size_t>(options_.iterations / 2 / options_.lag, 1);
    const std::size_t burn_in = options_.iterations - std::min(options_.iterations, lags * options_.lag);
    const std::size_t total = burn_in + lags * options_.lag;
    for (std::size_t t = 0; t < total; ++t) {
      if (t >= burn_in && (t - burn_in) % options_.lag == 0) note_lag();
      noise_.draw(options_.seed, kCoupledIndex + static_cast<std::uint32_t>(t));
      bound_.acceptance_p += posteriors_.step(noise_, path_) / static_cast<double>(total);
      bound_.acceptance_q += approximations_.step(noise_, path_) / static_cast<double>(total);
      if (t >= burn_in) note_pairs();
    }
    note_lag();
    sum_up();
    return finished();
  }

 private:
  // Draws [first, first + pairs) as points z, lanes innermost.
  std::vector<double> points(std::size_t first) const {
    std::vector<double> theta(dim_ * pairs_), z(dim_ * pairs_);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < pairs_; ++k) theta[i * pairs_ + k] = draws_[(first + k) * dim_ + i];
    }
    whitening_.to_z(pairs_, theta.data(), z.data());
    return z;
  }

  void set_step_size(double step_size) {
    path_.step_size = step_size;
    path_.steps =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(kPath / step_size)), 1, kMostSteps);
  }

  bool find_path() {
    CoupledChains pilot(p_, whitening_, pairs_);
    double log_step = -0.25 * std::log(static_cast<double>(dim_));
    set_step_size(std::exp(log_step));
    if (!pilot.place(points(0))) return false;
    for (std::size_t t = 0; t < kPilotIterations; ++t) {
      noise_.draw(options_.seed, static_cast<std::uint32_t>(t));
      const double acceptance = pilot.step(noise_, path_);
      log_step += (acceptance - kTargetAcceptance) * 4 / std::sqrt(static_cast<double>(t + 4));
      log_step = std::min(log_step, std::log(kPath / 2));
      set_step_size(std::exp(log_step));
    }
    bound_.gradients += pilot.evaluations();
    return true;
  }

  // X and Y at the first draws; the chain that is ahead of X by the lag started at the others.
  bool start() {
    CoupledChains lead(p_, whitening_, pairs_);
    if (!lead.place(points(pairs_))) return false;
    for (std::size_t t = 0; t < options_.lag; ++t) {
      noise_.draw(options_.seed, kLeadIndex + static_cast<std::uint32_t>(t));
      lead.step(noise_, path_);
    }
    bound_.gradients += lead.evaluations();
    const std::vector<double> z = points(0);
    std::vector<double> both(2 * dim_ * pairs_);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t k = 0; k < pairs_; ++k) {
        both[2 * i * pairs_ + k] = z[i * pairs_ + k];
        both[(2 * i + 1) * pairs_ + k] = lead.z()[i * pairs_ + k];
      }
    }
    return posteriors_.place(both) && approximations_.place(z);
  }

  // theta of X and of the chain ahead of it: [(2 i) * pairs + k] and [(2 i + 1) * pairs + k].
  std::vector<double> posterior_states() const {
    std::vector<double> theta(2 * dim_ * pairs_);
    whitening_.to_theta(2 * pairs_, posteriors_.z().data(), theta.data());
    return theta;
  }

  void note_lag() {
    const std::vector<double> theta = posterior_states();
    Distances& lagged = lags_.emplace_back(empty());
    for (std::size_t i = 0; i < dim_; ++i)
      add_distances(&theta[2 * i * pairs_], &theta[(2 * i + 1) * pairs_], i, lagged);
    lagged.times = 1;
  }

  void note_pairs() {
    const std::vector<double> theta = posterior_states();
    std::vector<double> other(dim_ * pairs_);
    whitening_.to_theta(pairs_, approximations_.z().data(), other.data());
    for (std::size_t i = 0; i < dim_; ++i) {
      const double* x = &theta[2 * i * pairs_];
      add_distances(x, &other[i * pairs_], i, apart_);
      for (std::size_t k = 0; k < pairs_; ++k) {
        const double deviation = x[k] - draws_[i];  // from the first draw: no loss of digits far from 0
        sum_[i] += deviation;
        squares_[i] += deviation * deviation;
      }
    }
    ++apart_.times;
  }

  Distances empty() const {
    return {std::vector<double>(dim_ * pairs_, 0.0), std::vector<double>(dim_ * pairs_, 0.0), 0};
  }

  void add_distances(const double* x, const double* y, std::size_t i, Distances& to) const {
    for (std::size_t k = 0; k < pairs_; ++k) {
      const double d = std::abs(x[k] - y[k]);
      to.first[i * pairs_ + k] += d;
      to.second[i * pairs_ + k] += d * d;
    }
  }

  double sd_of(std::size_t i) const {
    const auto count = static_cast<double>(pairs_ * apart_.times);
    const double mean = sum_[i] / count;
    return std::sqrt(std::max(squares_[i] / count - mean * mean, 0.0) * count / (count - 1));
  }

  // Of coordinate i in units of `unit`, pair after pair.
  std::vector<double> of_pairs(const std::vector<double>& sums, std::size_t times, std::size_t i,
                               double unit) const {
    std::vector<double> values(pairs_);
    for (std::size_t k = 0; k < pairs_; ++k)
      values[k] = sums[i * pairs_ + k] / (static_cast<double>(times) * unit);
    return values;
  }

  bool came_together(std::size_t i, double sd) const {
    const double last = stats::mean(of_pairs(lags_.back().first, 1, i, sd));
    const double before = stats::mean(of_pairs(lags_[lags_.size() - 2].first, 1, i, sd));
    return last <= kTogether && (last <= 0.5 * before || last <= kRoundingOff);
  }

  double times_counted(std::size_t j) const { return j + 1 == lags_.size() ? 2 : 1; }

  CoupledDistance distance_of(std::size_t i, double sd, double& convergence) const {
    std::vector<double> sums = of_pairs(apart_.first, apart_.times, i, sd);
    const double apart = stats::mean(sums);
    Estimate second = root(mean_of(of_pairs(apart_.second, apart_.times, i, sd * sd), options_.level));
    for (std::size_t j = 0; j < lags_.size(); ++j) {
      const double counted = times_counted(j);
      for (std::size_t k = 0; k < pairs_; ++k) sums[k] += counted * lags_[j].first[i * pairs_ + k] / sd;
      const Estimate part = root(mean_of(of_pairs(lags_[j].second, 1, i, sd * sd), options_.level));
      add(second, {counted * part.value, counted * part.upper});
    }
    const Estimate first = mean_of(sums, options_.level);
    convergence = std::max(convergence, first.value - apart);
    return {first.value, second.value, first.upper, second.upper};
  }

  // Root of the mean of |x - y|^2 summed over coordinates in their units.
  Estimate joint_of(const Distances& distances, const std::vector<double>& sds) const {
    std::vector<double> sums(pairs_, 0.0);
    for (std::size_t i = 0; i < dim_; ++i) {
      const std::vector<double> values = of_pairs(distances.second, distances.times, i, sds[i] * sds[i]);
      for (std::size_t k = 0; k < pairs_; ++k) sums[k] += values[k];
    }
    return root(mean_of(sums, options_.level));
  }

  void sum_up() {
    std::vector<double> sds(dim_);
    bound_.has_converged = true;
    for (std::size_t i = 0; i < dim_; ++i) {
      sds[i] = sd_of(i);
      bound_.has_converged = bound_.has_converged && sds[i] > 0 && came_together(i, sds[i]);
    }
    if (!bound_.has_converged) return;
    bound_.convergence = 0;
    for (std::size_t i = 0; i < dim_; ++i) bound_.coordinates[i] = distance_of(i, sds[i], bound_.convergence);
    Estimate joint = joint_of(apart_, sds);
    for (std::size_t j = 0; j < lags_.size(); ++j) {
      const Estimate part = joint_of(lags_[j], sds);
      add(joint, {times_counted(j) * part.value, times_counted(j) * part.upper});
    }
    bound_.joint_w2 = joint.value;
    bound_.joint_w2_upper = joint.upper;
  }

  CouplingBound finished() {
    bound_.step_size = path_.step_size;
    bound_.leapfrog_steps = path_.steps;
    bound_.gradients += posteriors_.evaluations();
    return std::move(bound_);
  }

  density::LogDensity& p_;
  density::LogDensity& q_;
  std::span<const double> draws_;
  CouplingOptions options_;
  std::size_t dim_;
  std::size_t pairs_;
  Whitening whitening_;
  ChainNoise noise_;
  CoupledChains posteriors_;  // X in the first lanes, the chain ahead of it in the others
  CoupledChains approximations_;
  PathLength path_;
  Distances apart_ = empty();
  std::vector<Distances> lags_;
  std::vector<double> sum_, squares_;  // of X
  CouplingBound bound_;
};

}  // namespace

CouplingBound bound_by_coupling(density::LogDensity& p, density::LogDensity& q, std::span<const double> draws,
                                const CouplingOptions& options) {
  const std::size_t dim = p.dim();
  if (dim == 0 || q.dim() != dim || draws.size() < 2 * kFewestPairs * dim || options.pairs < kFewestPairs ||
      options.lag == 0) {
    throw Error(ErrorKind::internal,
                fmt::format("coupling: dimensions {} and {}, {} numbers of draws, {} pairs, lag {}.", dim,
                            q.dim(), draws.size(), options.pairs, options.lag));
  }
  return Coupling(p, q, draws, options).run();
}

std::string to_json(const CouplingBound& bound, std::span<const std::string> names) {
  const auto number = [](double value) { return run::json_number(value); };
  std::string coordinates;
  for (std::size_t i = 0; i < bound.coordinates.size(); ++i) {
    const CoupledDistance& at = bound.coordinates[i];
    const std::string name = names.empty() ? "" : fmt::format("\"name\": {}, ", json_string(names[i]));
    coordinates += fmt::format("{}{{{}\"w1\": {}, \"w1_upper\": {}, \"w2\": {}, \"w2_upper\": {}}}",
                               coordinates.empty() ? "" : ",\n    ", name, number(at.w1), number(at.w1_upper),
                               number(at.w2), number(at.w2_upper));
  }
  return fmt::format(
      "{{\"has_converged\": {}, \"joint_w2\": {}, \"joint_w2_upper\": {}, \"convergence\": {},\n"
      "  \"acceptance_p\": {}, \"acceptance_q\": {}, \"step_size\": {}, \"leapfrog_steps\": {}, "
      "\"gradients\": {},\n"
      "  \"coordinates\": [{}]}}",
      bound.has_converged, number(bound.joint_w2), number(bound.joint_w2_upper), number(bound.convergence),
      number(bound.acceptance_p), number(bound.acceptance_q), number(bound.step_size), bound.leapfrog_steps,
      bound.gradients, coordinates);
}

}  // namespace kullback::certify
