// If particles are like draws from the density, so are they after any number of transitions of Hamiltonian
// Monte Carlo from each of them: means and variances do not change but by chance. Where they do, the
// particles were off, whatever the shape of the density; where they do not, the transitions may have been too
// few. (Wang, Kasprzak and Huggins 2023 check variational fits so.) 25 transitions of 1 to 8 leapfrog steps
// in the coordinates of the particles, the last 20 of which count. With m_k the mean over these of particle
// k, the mean over particles has the standard error sd(m_k) / sqrt(n). What is compared are constrained
// values.
#include "infer/particles/invariance_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "infer/coordinate_name.hpp"
#include "infer/mcmc/archive_fixed.hpp"
#include "infer/particles/mirror.hpp"

namespace kullback::infer {

namespace {

constexpr std::uint64_t kTransitions = 25;
constexpr std::uint64_t kSkipped = 5;
constexpr std::size_t kMostLeapfrogs = 8;
constexpr double kFirstStepSize = 0.5;
constexpr double kTargetAccept = 0.8;
constexpr double kLargestShift = 0.2;  // in standard deviations
constexpr double kErrors = 3.5;
constexpr double kLargestFactor = 1.33;  // between standard deviations

// Of one coordinate.
struct Change {
  double shift = 0;   // of the mean, in standard deviations after the transitions
  double errors = 0;  // the same in standard errors
  double growth = 1;  // of the standard deviation

  double factor() const { return std::max(growth, 1 / growth); }
  bool counts() const {
    return (std::abs(shift) > kLargestShift && std::abs(errors) > kErrors) || factor() > kLargestFactor;
  }
  double size() const { return std::max(std::abs(shift) / kLargestShift, factor() / kLargestFactor); }
};

// Constrained values, where each depends on its own coordinate.
std::vector<double> visible(const density::LogDensity& density, const std::vector<double>& theta,
                            std::size_t count) {
  if (density.supports().size() != density.dim()) return theta;
  return mirror_values(density.supports(), theta, count).values;
}

std::string visible_name(const density::LogDensity& density, std::size_t coordinate) {
  using Kind = density::Support::Kind;
  std::string name = coordinate_name(density, coordinate);
  if (density.supports().size() != density.dim() || density.supports()[coordinate].kind == Kind::other)
    return name;
  return name.substr(0, name.rfind(" ("));
}

double mean_of(const double* x, std::size_t count) {
  return std::accumulate(x, x + count, 0.0) / static_cast<double>(count);
}

double variance_of(const double* x, std::size_t count) {
  const double mean = mean_of(x, count);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += (x[k] - mean) * (x[k] - mean);
  return sum / static_cast<double>(count - 1);
}

}  // namespace

// The density of z.
class InvarianceCheck::Whitened final : public density::LogDensity {
 public:
  Whitened(density::LogDensity& density, const ParticleCoordinates& coordinates)
      : density_(density), coordinates_(coordinates) {}

  std::size_t dim() const override { return density_.dim(); }
  void evaluate(const density::Batch& batch) override {
    const std::size_t size = dim() * batch.lanes;
    const std::vector<double> theta = to_theta({batch.theta, batch.theta + size}, batch.lanes);
    std::vector<double> gradient(size);
    density_.evaluate({batch.lanes, theta.data(), batch.log_density, gradient.data(), batch.status});
    if (batch.gradient == nullptr) return;
    const std::vector<double> score = coordinates_.scores_to_z(gradient, batch.lanes);
    std::copy(score.begin(), score.end(), batch.gradient);
  }
  std::vector<double> to_theta(const std::vector<double>& z, std::size_t lanes) const {
    std::vector<double> theta(z.size(), 0.0);
    coordinates_.add_move(z, lanes, theta);
    return theta;
  }

 private:
  density::LogDensity& density_;
  const ParticleCoordinates& coordinates_;
};

InvarianceCheck::InvarianceCheck(density::LogDensity& density, const ParticleCoordinates& coordinates,
                                 std::size_t count)
    : density_(density),
      coordinates_(coordinates),
      count_(count),
      whitened_(std::make_unique<Whitened>(density, coordinates)),
      lanes_(*whitened_, count),
      step_size_(kFirstStepSize),
      sums_(density.dim() * count),
      squares_(density.dim() * count),
      origin_(density.dim() * count) {}

InvarianceCheck::~InvarianceCheck() = default;

void InvarianceCheck::begin(const std::vector<double>& theta) {
  origin_ = visible(density_, theta, count_);
  const std::vector<double> z = coordinates_.to_z(theta, count_);
  std::vector<double> point(density_.dim());
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t a = 0; a < point.size(); ++a) point[a] = z[a * count_ + k];
    lanes_.set_point(k, point);
  }
  std::fill(lanes_.beta.begin(), lanes_.beta.end(), 1.0);
  lanes_.evaluate();
}

bool InvarianceCheck::step(Random random) {
  if (transitions_ == kTransitions) return false;
  std::vector<double> acceptance(count_);
  std::fill(lanes_.step_size.begin(), lanes_.step_size.end(), step_size_);
  lanes_.move(random, 1 + random.below(kMostLeapfrogs), acceptance);
  step_size_ *= std::exp(mean_of(acceptance.data(), count_) - kTargetAccept);
  if (++transitions_ <= kSkipped) return true;
  std::vector<double> z(sums_.size());
  for (std::size_t at = 0; at < z.size(); ++at) z[at] = lanes_.theta(at / count_, at % count_);
  const std::vector<double> now = visible(density_, whitened_->to_theta(z, count_), count_);
  for (std::size_t at = 0; at < z.size(); ++at) {
    const double moved = now[at] - origin_[at];
    sums_[at] += moved;
    squares_[at] += moved * moved;
  }
  return true;
}

std::optional<Finding> InvarianceCheck::finding() const {
  if (transitions_ < kTransitions) return std::nullopt;
  constexpr auto kCounted = static_cast<double>(kTransitions - kSkipped);
  Change worst;
  std::size_t where = 0;
  bool is_found = false;
  std::vector<double> means(count_);
  for (std::size_t i = 0; i < density_.dim(); ++i) {
    const double* x = origin_.data() + i * count_;
    double square = 0;  // mean squared deviation of all counted places from the particles' mean
    const double center = mean_of(x, count_);
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t at = i * count_ + k;
      const double start = x[k] - center;
      means[k] = start + sums_[at] / kCounted;
      square +=
          (start * start + (2 * start * sums_[at] + squares_[at]) / kCounted) / static_cast<double>(count_);
    }
    const double shift = mean_of(means.data(), count_);
    const double sd = std::sqrt(std::max(square - shift * shift, 0.0));
    const double error = std::sqrt(variance_of(means.data(), count_) / static_cast<double>(count_));
    if (!(sd > 0) || !(error > 0)) continue;
    const Change change{shift / sd, shift / error, sd / std::sqrt(variance_of(x, count_))};
    if (!change.counts() || (is_found && change.size() < worst.size())) continue;
    worst = change;
    where = i;
    is_found = true;
  }
  if (!is_found) return std::nullopt;
  return Finding{
      "moves-on",
      "Hamiltonian moves lead the particles away from where they are: they do not stand for the posterior.",
      fmt::format("after {} transitions the mean of {} is {:.2f} standard deviations away ({:.1f} standard "
                  "errors), its standard deviation {:.2f} times as large",
                  transitions_, visible_name(density_, where), worst.shift, worst.errors, worst.growth),
      "Use nuts; or raise --svgd-particles, lower --svgd-tol, reparametrise."};
}

void InvarianceCheck::archive(Archive& archive) {
  lanes_.archive(archive);
  archive.value(step_size_);
  archive.value(transitions_);
  for (auto* numbers : {&sums_, &squares_, &origin_}) archive_fixed(archive, *numbers);
}

}  // namespace kullback::infer
