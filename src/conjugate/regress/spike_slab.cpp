// Spike and slab with q(w, s, tau, pi, lambda) = q(w_0) prod_j q(w_j, s_j) q(tau) q(pi) q(lambda) (Titsias
// and Lazaro-Gredilla 2011; Carbonetto and Stephens 2012):
//   s_j ~ Bernoulli(pi),  w_j = 0 where s_j = 0,  w_j | s_j = 1, tau ~ N(0, 1 / (tau lambda)).
// q(w_j, s_j) is the exponential family of the statistics (s, s w, s w^2), with natural parameters e,
//   precision L = -2 e_3, mean mu = e_2 / L of the slab, log odds rho = e_1 + (log 2 pi - log L + L mu^2) /
//   2,
// log-partition log(1 + exp(rho)) and mean parameters (p, p mu, p (mu^2 + 1 / L)), p = sigma(rho). The update
//   e_1 = E log(pi / (1 - pi)) + (E log lambda + E log tau - log 2 pi) / 2,
//   e_2 = E tau (r_j - sum_{k != j} G_jk E w_k),  e_3 = -E tau (G_jj + E lambda) / 2
// is exact for its coordinate, so each is a block; where columns are orthogonal and tau, pi, lambda known the
// product of them is the posterior. A sweep costs P^2. When q becomes the prior, it does so as it is: a
// product, in which pi and lambda say nothing more of w.
#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "conjugate/regress/pieces.hpp"

namespace kullback::conjugate::regress {

namespace {

constexpr std::size_t kIntercept = 0;
constexpr std::size_t kSlab = 3;  // natural parameters of (w_j, s_j); all others have 2

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

struct SlabMoments {
  double precision, slab_mean, log_odds, inclusion;
  double mean() const { return inclusion * slab_mean; }
  double second() const { return inclusion * (slab_mean * slab_mean + 1 / precision); }
  double entropy() const {
    return softplus(log_odds) - inclusion * log_odds + 0.5 * inclusion * (1 + kLog2Pi - std::log(precision));
  }
};

SlabMoments slab_moments(std::span<const double> natural) {
  const double precision = -2 * natural[2];
  const double mean = natural[1] / precision;
  const double log_odds = natural[0] + 0.5 * (kLog2Pi - std::log(precision) + natural[1] * mean);
  return {precision, mean, log_odds, 1 / (1 + std::exp(-log_odds))};
}

// KL from the exponential family's q to p.
double slab_divergence(std::span<const double> q, std::span<const double> p) {
  const SlabMoments at = slab_moments(q);
  return (q[0] - p[0]) * at.inclusion + (q[1] - p[1]) * at.mean() + (q[2] - p[2]) * at.second() -
         softplus(at.log_odds) + softplus(slab_moments(p).log_odds);
}

class SpikeSlab final : public Posterior {
 public:
  explicit SpikeSlab(const PriorChoice& choice) : choice_(choice), size_(choice.size) {
    const auto add_block = [&](std::size_t numbers) {
      offsets_.push_back(offsets_.back() + numbers);
      return offsets_.size() - 2;
    };
    add_block(2);
    for (std::size_t j = 1; j < size_; ++j) add_block(kSlab);
    const std::size_t none = std::numeric_limits<std::size_t>::max();
    tau_block_ = choice.knows_noise ? none : add_block(2);
    inclusion_block_ = choice.inclusion > 0 ? none : add_block(2);
    precision_block_ = choice.precision > 0 ? none : add_block(2);
    natural_.resize(offsets_.back());
    prior_.resize(offsets_.back());
  }

  void begin(double tau, double rows, Random& random) override {
    tau_ = tau;
    is_adopted_ = false;
    std::fill(prior_.begin(), prior_.end(), 0.0);
    const auto set = [&](std::size_t block, std::initializer_list<double> values) {
      if (block < blocks()) std::copy(values.begin(), values.end(), at(block).begin());
    };
    set(kIntercept, {0.0, -0.5 * (choice_.intercept_precision + rows)});
    // Small means that differ between starts: columns that can stand for each other are tried in many ways.
    const double sd = 0.3 / std::sqrt(static_cast<double>(size_));
    for (std::size_t j = 1; j < size_; ++j) {
      const double precision = 1 + rows;
      const double mean = sd * random.normal();
      const double even_odds = -0.5 * (kLog2Pi - std::log(precision) + precision * mean * mean);
      set(j, {even_odds, precision * mean, -0.5 * precision});
    }
    set(tau_block_, {choice_.noise.rate, -1 - choice_.noise.rate});
    set(inclusion_block_, {0, 0});
    const double shape = choice_.precisions.shape + 0.5;
    set(precision_block_, {shape - 1, -shape});
  }

  void prepare() override {
    mean_.resize(size_);
    second_.resize(size_);
    inclusion_.resize(size_);
    spread_.is_diagonal = true;
    spread_.factor.resize(size_);
    for (std::size_t j = 0; j < size_; ++j) refresh(j);
  }

  std::size_t blocks() const override { return offsets_.size() - 1; }
  std::span<double> natural(std::size_t block) override { return at(block); }

  void update(std::size_t block, const Likelihood& data, Mover& mover) override {
    std::vector<double> target = target_of(block, data);
    const bool is_slab = block > kIntercept && block < size_;
    mover.move(block, at(block), target, [&](std::span<const double> x) {
      if (block == kIntercept) return x[1] < 0;
      if (is_slab) return x[2] < 0;
      return block == inclusion_block_ ? x[0] > -1 && x[1] > -1 : is_gamma(x);
    });
    if (block < size_) refresh(block);
  }

  std::vector<double> mean_parameters(std::size_t block) const override {
    if (block == kIntercept) return {mean_[0], second_[0]};
    if (block < size_) return {inclusion_[block], mean_[block], second_[block]};
    if (block == inclusion_block_) return {log_inclusion(0), log_inclusion(1)};
    const Gamma q = gamma_of(at(block));
    return {expected_log(q), expectation(q)};
  }

  Terms bound(const Likelihood& data) const override {
    Terms terms = {
        {"log likelihood", 0.5 * (data.rows * expected_log_tau() - expected_tau() * expected_squares(data))}};
    terms.emplace_back("KL of coefficients", -divergence_of_coefficients());
    if (tau_block_ < blocks()) terms.emplace_back("KL of noise", -divergence(noise(), prior_of_tau()));
    if (inclusion_block_ < blocks()) terms.emplace_back("KL of inclusion", -divergence_of_inclusion());
    if (precision_block_ < blocks()) {
      terms.emplace_back("KL of precisions", -divergence(slab_precision(), prior_of_precision()));
    }
    return terms;
  }

  void adopt_as_prior() override {
    prior_ = natural_;
    is_adopted_ = true;
  }

  void add_state(std::vector<double>& state) const override {
    state.push_back(tau_);
    state.push_back(is_adopted_ ? 1 : 0);
    state.insert(state.end(), natural_.begin(), natural_.end());
    state.insert(state.end(), prior_.begin(), prior_.end());
  }
  void take_state(std::span<const double>& state) override {
    tau_ = state[0];
    is_adopted_ = state[1] != 0;
    const std::size_t numbers = natural_.size();
    std::copy_n(state.begin() + 2, numbers, natural_.begin());
    std::copy_n(state.begin() + 2 + static_cast<std::ptrdiff_t>(numbers), numbers, prior_.begin());
    state = state.subspan(2 + 2 * numbers);
    prepare();
  }

  std::span<const double> mean() const override { return mean_; }
  const Spread& spread() const override { return spread_; }
  // q(w) does not depend on tau.
  double degrees() const override { return std::numeric_limits<double>::infinity(); }
  double quantile(std::size_t j, double probability) const override {
    if (j == kIntercept) return mean_[0] + spread_.factor[0] * normal_quantile(probability);
    const SlabMoments q = slab_moments(at(j));
    const double sd = 1 / std::sqrt(q.precision);
    const double below_zero = q.inclusion * 0.5 * std::erfc(q.slab_mean / sd / std::numbers::sqrt2);
    if (probability < below_zero) return q.slab_mean + sd * normal_quantile(probability / q.inclusion);
    const double rest = probability - (1 - q.inclusion);
    if (rest <= below_zero) return 0;
    return q.slab_mean + sd * normal_quantile(rest / q.inclusion);
  }
  Gamma noise() const override {
    return tau_block_ < blocks() ? gamma_of(at(tau_block_)) : Gamma{1, 1 / tau_};
  }
  double expected_tau() const override { return tau_block_ < blocks() ? expectation(noise()) : tau_; }
  std::vector<double> determined() const override { return inclusion_; }
  std::vector<double> expected_precisions() const override {
    if (precision_block_ >= blocks()) return {};
    return {expectation(slab_precision())};
  }

 private:
  std::span<double> at(std::size_t block) {
    return std::span(natural_).subspan(offsets_[block], offsets_[block + 1] - offsets_[block]);
  }
  std::span<const double> at(std::size_t block) const {
    return std::span(natural_).subspan(offsets_[block], offsets_[block + 1] - offsets_[block]);
  }
  std::span<const double> prior_at(std::size_t block) const {
    return std::span(prior_).subspan(offsets_[block], offsets_[block + 1] - offsets_[block]);
  }

  double expected_log_tau() const { return tau_block_ < blocks() ? expected_log(noise()) : std::log(tau_); }
  Gamma slab_precision() const { return gamma_of(at(precision_block_)); }
  double expected_precision() const {
    return precision_block_ < blocks() ? expectation(slab_precision()) : choice_.precision;
  }
  double expected_log_precision() const {
    return precision_block_ < blocks() ? expected_log(slab_precision()) : std::log(choice_.precision);
  }
  // E log pi (side 0), E log(1 - pi) (side 1).
  double log_inclusion(std::size_t side) const {
    if (inclusion_block_ >= blocks()) {
      return side == 0 ? std::log(choice_.inclusion) : std::log1p(-choice_.inclusion);
    }
    const std::span<const double> q = at(inclusion_block_);
    return math::digamma_positive(q[side] + 1) - math::digamma_positive(q[0] + q[1] + 2);
  }
  Gamma prior_of_tau() const { return is_adopted_ ? gamma_of(prior_at(tau_block_)) : choice_.noise; }
  Gamma prior_of_precision() const {
    return is_adopted_ ? gamma_of(prior_at(precision_block_)) : choice_.precisions;
  }

  void refresh(std::size_t block) {
    const std::span<const double> q = at(block);
    if (block == kIntercept) {
      const double variance = -0.5 / q[1];
      mean_[0] = q[0] * variance;
      second_[0] = mean_[0] * mean_[0] + variance;
      inclusion_[0] = 1;
      spread_.factor[0] = std::sqrt(variance);
      return;
    }
    const SlabMoments moments = slab_moments(q);
    mean_[block] = moments.mean();
    second_[block] = moments.second();
    inclusion_[block] = moments.inclusion;
    spread_.factor[block] = std::sqrt(variance(moments));
  }
  // Without the cancellation of E w^2 - (E w)^2.
  static double variance(const SlabMoments& q) {
    const double out = 1 / (1 + std::exp(q.log_odds));
    return q.inclusion * (1 / q.precision + out * q.slab_mean * q.slab_mean);
  }

  // sum over j > 0 of p_j and of E w_j^2.
  double included() const {
    double sum = 0;
    for (std::size_t j = 1; j < size_; ++j) sum += inclusion_[j];
    return sum;
  }
  double slab_squares() const {
    double sum = 0;
    for (std::size_t j = 1; j < size_; ++j) sum += second_[j];
    return sum;
  }

  double expected_squares(const Likelihood& data) const {
    double sum = residual_squares(data, mean_);
    for (std::size_t j = 0; j < size_; ++j) {
      sum += data.gram[packed_place(j, j)] * spread_.factor[j] * spread_.factor[j];
    }
    return sum;
  }

  // r_j - sum_{k != j} G_jk E w_k.
  double left_for(std::size_t j, const Likelihood& data) const {
    double left = data.moments[j];
    const double* row = data.gram.data() + packed_size(j);
    for (std::size_t k = 0; k < j; ++k) left -= row[k] * mean_[k];
    for (std::size_t k = j + 1; k < size_; ++k) left -= data.gram[packed_size(k) + j] * mean_[k];
    return left;
  }

  std::vector<double> target_of(std::size_t block, const Likelihood& data) const {
    const double tau = expected_tau();
    const std::span<const double> p = prior_at(block);
    if (block < size_) {
      const double pull = tau * left_for(block, data);
      const double curvature = tau * data.gram[packed_place(block, block)];
      if (block == kIntercept) {
        if (is_adopted_) return {p[0] + pull, p[1] - 0.5 * curvature};
        return {pull, -0.5 * (curvature + tau * choice_.intercept_precision)};
      }
      if (is_adopted_) return {p[0], p[1] + pull, p[2] - 0.5 * curvature};
      return {prior_log_weight(), pull, -0.5 * (curvature + tau * expected_precision())};
    }
    if (block == tau_block_) return target_of_tau(data);
    if (is_adopted_) return {p[0], p[1]};
    if (block == inclusion_block_) return {included(), static_cast<double>(size_ - 1) - included()};
    return {choice_.precisions.shape - 1 + 0.5 * included(),
            -choice_.precisions.rate - 0.5 * tau * slab_squares()};
  }

  std::vector<double> target_of_tau(const Likelihood& data) const {
    const Gamma prior = prior_of_tau();
    double shape = prior.shape + 0.5 * data.rows;
    double rate = prior.rate + 0.5 * expected_squares(data);
    if (!is_adopted_) {
      shape += 0.5 * (1 + included());
      rate += 0.5 * (choice_.intercept_precision * second_[0] + expected_precision() * slab_squares());
    }
    return {shape - 1, -rate};
  }

  double prior_log_weight() const {
    return log_inclusion(0) - log_inclusion(1) +
           0.5 * (expected_log_precision() + expected_log_tau() - kLog2Pi);
  }

  double divergence_of_coefficients() const {
    double sum = divergence_of_intercept();
    for (std::size_t j = 1; j < size_; ++j) {
      if (is_adopted_) {
        sum += slab_divergence(at(j), prior_at(j));
        continue;
      }
      sum -= inclusion_[j] * prior_log_weight() + log_inclusion(1) -
             0.5 * expected_tau() * expected_precision() * second_[j] + slab_moments(at(j)).entropy();
    }
    return sum;
  }
  double divergence_of_intercept() const {
    const double variance = spread_.factor[0] * spread_.factor[0];
    if (!is_adopted_) {
      const double expected_log_prior = 0.5 * (std::log(choice_.intercept_precision) + expected_log_tau() -
                                               expected_tau() * choice_.intercept_precision * second_[0]);
      return -expected_log_prior - 0.5 * (1 + std::log(variance));
    }
    const std::span<const double> p = prior_at(kIntercept);
    const double prior_variance = -0.5 / p[1];
    const double distance = mean_[0] - p[0] * prior_variance;
    return 0.5 *
           (std::log(prior_variance / variance) - 1 + (variance + distance * distance) / prior_variance);
  }
  double divergence_of_inclusion() const {
    const std::span<const double> q = at(inclusion_block_),
                                  p = prior_at(inclusion_block_);  // p: 0, 0 at first
    return (q[0] - p[0]) * log_inclusion(0) + (q[1] - p[1]) * log_inclusion(1) -
           math::log_beta(q[0] + 1, q[1] + 1) + math::log_beta(p[0] + 1, p[1] + 1);
  }

  PriorChoice choice_;
  std::size_t size_;
  std::vector<std::size_t> offsets_ = {0};  // of the blocks: w_0, (w_j, s_j), tau, pi, lambda
  std::size_t tau_block_ = 0;               // one that does not exist where it is known
  std::size_t inclusion_block_ = 0;
  std::size_t precision_block_ = 0;
  std::vector<double> natural_;
  std::vector<double> prior_;  // where is_adopted_
  double tau_ = 1;
  bool is_adopted_ = false;
  // Of natural_:
  std::vector<double> mean_;
  std::vector<double> second_;
  std::vector<double> inclusion_;  // 1 for the intercept
  Spread spread_;
};

}  // namespace

std::unique_ptr<Posterior> make_spike_slab(const PriorChoice& choice) {
  return std::make_unique<SpikeSlab>(choice);
}

}  // namespace kullback::conjugate::regress
