// The no-U-turn sampler with multinomial sampling (Betancourt 2017), the algorithm of Stan.
//
// A trajectory is doubled, forwards or backwards in time by chance, until it turns back on itself or
// diverges. A tree of 2^d states is two trees of 2^(d-1), one after the other in the direction of growth,
// merged:
//   sum of momenta rho = rho_init + rho_final, weight = weight_init + weight_final (weights exp(H0 - H)), and
//   a proposal, chosen within a new tree with the probability of its weight; between the old trajectory and
//   the new tree with min(1, weight_new / weight_old), which favours the far end.
// With v = M^-1 p, a tree goes on while v . rho > 0 at both ends (the generalised criterion), and while the
// same holds for the first half with the first state of the second, and for the second half with the last
// state of the first: without these checks across the halves, trajectories of half a period's step go round.
//
// States live in a pool and are referred to by number: a tree holds its first, last and proposed state, so
// that merging copies nothing. Weights are kept on the linear scale, with a common factor that is hardly ever
// needed: one exponential for each leapfrog step, no logarithm.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "infer/mcmc/hamiltonian_chain.hpp"
#include "infer/mcmc/options.hpp"
#include "infer/mcmc/turning.hpp"

namespace kullback::infer {

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kWarmup,       &option::kDraws,         &option::kThin,
                                            &option::kTargetAccept, &option::kMaxDepth,      &option::kMetric,
                                            &option::kStepSize,     &option::kStepSizeJitter};
constexpr std::array<std::string_view, 6> kStats{"accept_stat__", "stepsize__",  "treedepth__",
                                                 "n_leapfrog__",  "divergent__", "energy__"};

// exp(log_scale) * scaled.
struct Weight {
  double scaled = 0;
  double log_scale = 0;

  static Weight of_log(double log_weight) {
    constexpr double kLargest = 500;  // its exponential, summed over any trajectory, is finite
    return log_weight > kLargest ? Weight{1, log_weight} : Weight{std::exp(log_weight), 0};
  }

  double over(const Weight& other) const {
    return scaled / other.scaled * (log_scale == other.log_scale ? 1 : std::exp(log_scale - other.log_scale));
  }

  friend Weight operator+(const Weight& a, const Weight& b) {
    if (a.log_scale == b.log_scale) return {a.scaled + b.scaled, a.log_scale};
    if (a.log_scale < b.log_scale) return b + a;
    return {a.scaled + b.scaled * std::exp(b.log_scale - a.log_scale), a.log_scale};
  }
};

// Points that are free again when nobody refers to them. There are as many as were ever in use at once, at
// most three for each level of a tree and for the trajectory.
class PointPool final {
 public:
  explicit PointPool(std::size_t dim) : points_(0, dim) {}

  void clear() {
    free_.clear();
    for (std::uint32_t i = 0; i < points_.count(); ++i) free_.push_back(i);
  }
  // References to other points end.
  std::uint32_t take(std::uint32_t users) {
    if (free_.empty()) add();
    const std::uint32_t taken = free_.back();
    free_.pop_back();
    users_[taken] = users;
    return taken;
  }
  void release(std::uint32_t point) {
    if (--users_[point] == 0) free_.push_back(point);
  }
  PhasePoint& operator[](std::uint32_t point) { return points_[point]; }

 private:
  void add() {
    free_.push_back(static_cast<std::uint32_t>(points_.count()));
    points_.add();
    users_.push_back(0);
  }

  PhasePoints points_;
  std::vector<std::uint32_t> users_;
  std::vector<std::uint32_t> free_;
};

// In the direction of growth.
struct Tree {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t proposal = 0;
  const double* rho = nullptr;
  Weight weight;
};

class Nuts final : public HamiltonianChain {
 public:
  Nuts(density::LogDensity& density, const Options& options, Start start)
      : HamiltonianChain(density, options, std::move(start), {options[option::kTargetAccept]}),
        dim_(density.dim()),
        max_depth_(options[option::kMaxDepth]),
        pool_(density.dim()),
        sums_((2 * options[option::kMaxDepth] + 1) * density.dim()) {}

 private:
  Outcome transition(Random& random, double step_size, PhasePoint& current) override;
  void append_stats(const Outcome& outcome, double step_size, Draws& draws) const override;

  bool grow(Random& random, std::size_t depth, std::uint32_t from, double* rho, Tree& tree);
  bool add_leaf(std::uint32_t from, Tree& tree);
  bool goes_on(const Tree& init, const Tree& final, double* rho);
  void join(const Tree& init, const Tree& final, bool takes_final, Tree& tree);
  double* sum_of_half(std::size_t depth, std::size_t half) {
    return sums_.data() + (2 * depth + half + 1) * dim_;
  }

  std::size_t dim_;
  std::size_t max_depth_;
  PointPool pool_;
  std::vector<double> sums_;  // of momenta: the trajectory's, and those of both halves at each depth

  // Of the transition under way.
  double signed_step_ = 0;
  double energy_before_ = 0;
  double sum_acceptance_ = 0;
  std::uint64_t leapfrogs_ = 0;
  std::size_t depth_ = 0;
  bool is_divergent_ = false;
  double energy_ = 0;
};

HamiltonianChain::Outcome Nuts::transition(Random& random, double step_size, PhasePoint& current) {
  pool_.clear();
  const std::uint32_t root = pool_.take(3);
  hamiltonian().copy_position(current, pool_[root]);
  hamiltonian().draw_momentum(random, pool_[root]);
  energy_before_ = pool_[root].energy();
  sum_acceptance_ = 0;
  leapfrogs_ = 0;
  is_divergent_ = false;
  double* rho = sums_.data();
  std::copy_n(pool_[root].p, dim_, rho);
  Tree trajectory{root, root, root, rho, {1, 0}};
  bool is_forward = true;
  for (depth_ = 0; depth_ < max_depth_;) {
    const bool goes_forward = random.uniform() > 0.5;
    if (goes_forward != is_forward) std::swap(trajectory.first, trajectory.last);
    is_forward = goes_forward;
    signed_step_ = is_forward ? step_size : -step_size;
    Tree tree;
    if (!grow(random, depth_, trajectory.last, sum_of_half(depth_, 1), tree)) break;
    ++depth_;
    const bool takes_new = random.uniform() < tree.weight.over(trajectory.weight);
    const bool persists = goes_on(trajectory, tree, rho);
    join(trajectory, tree, takes_new, trajectory);
    trajectory.rho = rho;
    if (!persists) break;
  }
  const PhasePoint& chosen = pool_[trajectory.proposal];
  energy_ = chosen.energy();
  hamiltonian().copy_position(chosen, current);
  return {sum_acceptance_ / static_cast<double>(leapfrogs_), is_divergent_};
}

// A tree of 2^depth states after `from`; false where it diverges or turns.
bool Nuts::grow(Random& random, std::size_t depth, std::uint32_t from, double* rho, Tree& tree) {
  if (depth == 0) return add_leaf(from, tree);
  Tree init;
  Tree final;
  if (!grow(random, depth - 1, from, sum_of_half(depth - 1, 0), init)) return false;
  if (!grow(random, depth - 1, init.last, sum_of_half(depth - 1, 1), final)) return false;
  if (!goes_on(init, final, rho)) return false;
  const bool takes_final = random.uniform() < final.weight.over(init.weight + final.weight);
  join(init, final, takes_final, tree);
  tree.rho = rho;
  return true;
}

bool Nuts::add_leaf(std::uint32_t from, Tree& tree) {
  const std::uint32_t leaf = pool_.take(3);
  PhasePoint& point = pool_[leaf];
  hamiltonian().leapfrog(pool_[from], signed_step_, point);
  ++leapfrogs_;
  const double gain = energy_before_ - point.energy();
  if (-gain > kDivergence) is_divergent_ = true;
  tree = {leaf, leaf, leaf, point.p, Weight::of_log(gain)};
  sum_acceptance_ += gain > 0 ? 1.0 : tree.weight.scaled;
  return !is_divergent_;
}

bool Nuts::goes_on(const Tree& init, const Tree& final, double* rho) {
  const PhasePoint& first = pool_[init.first];
  const PhasePoint& last = pool_[final.last];
  if (init.first == init.last && final.first == final.last)
    return goes_on_between(first, last, {init.rho, final.rho, dim_}, rho);
  return goes_on_across(first, pool_[init.last], pool_[final.first], last, {init.rho, final.rho, dim_}, rho);
}

void Nuts::join(const Tree& init, const Tree& final, bool takes_final, Tree& tree) {
  pool_.release(init.last);
  pool_.release(final.first);
  pool_.release(takes_final ? init.proposal : final.proposal);
  tree = {init.first, final.last, takes_final ? final.proposal : init.proposal, nullptr,
          init.weight + final.weight};
}

void Nuts::append_stats(const Outcome& outcome, double step_size, Draws& draws) const {
  for (const double number : {outcome.acceptance, step_size, static_cast<double>(depth_),
                              static_cast<double>(leapfrogs_), outcome.is_divergent ? 1.0 : 0.0, energy_})
    draws.stats.push_back(number);
}

std::unique_ptr<Algorithm> make_nuts(density::LogDensity& density, const Options& options, Start start) {
  return std::make_unique<Nuts>(density, options, std::move(start));
}

}  // namespace

const Method& nuts_method() {
  static const Method method{
      .name = "nuts",
      .summary = "No-U-turn sampler: Hamiltonian Monte Carlo that chooses how far to go",
      .use_when =
          "A continuous posterior whose gradient is affordable some ten thousand times: the answer "
          "that others are compared with.",
      .citation =
          "Hoffman and Gelman (2014), The No-U-Turn Sampler; Betancourt (2017), A Conceptual "
          "Introduction to Hamiltonian Monte Carlo",
      .options = kOptions,
      .stats = kStats,
      .make = make_nuts,
  };
  return method;
}

}  // namespace kullback::infer
