// q = N(m, D (I + U U') D) with D = diag(d) and U [n, rank] (Ong, Nott, Smith 2018, with U in units of d):
//   w = m + d (z + U v) for standard normal z and v;
//   log det = 2 sum log d + log det C, C = I + U'U = L L';
//   with r = (w - m) / d: r' (I + U U')^-1 r = r'r - |L^-1 U'r|^2.
// lambda holds m, log d and U. U starts at small random numbers: at 0 its gradient is 0.
#include <cmath>
#include <tuple>

#include "base/random.hpp"
#include "deep/bnn/posteriors/variational.hpp"
#include "deep/counts.hpp"
#include "deep/purpose.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRank = CountOption("rank", 5, "Directions besides the diagonal").from(1).to(1000);
constexpr const OptionRecord* kOptions[] = {&kVariationalRate, &kFallingRate, &kKlWarmup, &kInitialSd,
                                            &kBoundDraws,      &kAlpha,       &kRank};

constexpr double kFreshFactor = 0.1;

class LowRank final : public GaussianFamily {
 public:
  LowRank(std::int64_t n, std::int64_t rank) : n_(n), rank_(rank) {}

  std::int64_t size() const override { return n_ * (2 + rank_); }

  torch::Tensor start(const torch::Tensor& fresh, double sd, std::uint64_t seed,
                      std::int64_t first_net) const override {
    torch::Tensor factors = torch::empty({fresh.size(0), n_ * rank_}, torch::kFloat64);
    auto* numbers = factors.data_ptr<double>();
    for (std::int64_t net = 0; net < fresh.size(0); ++net) {
      Random random(seed, static_cast<std::uint32_t>(first_net + net),
                    static_cast<std::uint32_t>(Purpose::fresh_covariance));
      for (std::int64_t i = 0; i < n_ * rank_; ++i) *numbers++ = kFreshFactor * random.normal();
    }
    return at::cat({fresh, torch::full_like(fresh, std::log(sd)), factors.to(fresh.options())}, 1);
  }

  torch::Tensor mean(const torch::Tensor& lambda) const override { return lambda.narrow(1, 0, n_); }

  torch::Tensor second_moments(const torch::Tensor& lambda) const override {
    return mean(lambda).square() + at::exp(2 * log_scale(lambda)) * (1 + factor(lambda).square().sum(2));
  }

  torch::Tensor entropy(const torch::Tensor& lambda) const override {
    return half_log_det(lambda, cholesky(factor(lambda))) + 0.5 * static_cast<double>(n_) * (1 + kLogTwoPi);
  }

  WeightDraws draw(const torch::Tensor& lambda, std::int64_t draws, const Noise& noise,
                   Density density) const override {
    const std::int64_t nets = lambda.size(0);
    const torch::Tensor own = noise.normal({nets, draws, n_}, lambda.options(), -1);
    const torch::Tensor shared = noise.normal({nets, draws, rank_}, lambda.options(), -1);
    const torch::Tensor factor = this->factor(lambda);
    const torch::Tensor scaled = at::baddbmm(own, shared, factor.transpose(1, 2));
    WeightDraws result{
        at::addcmul(mean(lambda).unsqueeze(1), at::exp(log_scale(lambda)).unsqueeze(1), scaled)};
    if (density == Density::wanted) {
      const torch::Tensor root = cholesky(factor);
      const torch::Tensor inner =
          at::linalg_solve_triangular(root, at::bmm(scaled, factor).transpose(1, 2), false);
      const torch::Tensor distance = scaled.square().sum(2) - inner.square().sum(1);
      result.log_density =
          -0.5 * (distance + static_cast<double>(n_) * kLogTwoPi) - half_log_det(lambda, root).unsqueeze(1);
    }
    return result;
  }

  bool is_capturable() const override {
    return false;
  }  // factorisations of libraries may wait for the device

 private:
  torch::Tensor log_scale(const torch::Tensor& lambda) const { return lambda.narrow(1, n_, n_); }

  torch::Tensor factor(const torch::Tensor& lambda) const {
    return lambda.narrow(1, 2 * n_, n_ * rank_).reshape({lambda.size(0), n_, rank_});
  }

  // Of C, whose eigenvalues are at least 1: it does not fail, so its success is not asked for.
  torch::Tensor cholesky(const torch::Tensor& factor) const {
    const torch::Tensor c =
        at::bmm(factor.transpose(1, 2), factor) + torch::eye(rank_, factor.options().requires_grad(false));
    return std::get<0>(at::linalg_cholesky_ex(c, false, false));
  }

  torch::Tensor half_log_det(const torch::Tensor& lambda, const torch::Tensor& root) const {
    return log_scale(lambda).sum(1) + root.diagonal(0, 1, 2).log().sum(1);
  }

  std::int64_t n_, rank_;
};

}  // namespace

std::unique_ptr<GaussianFamily> make_low_rank(const BayesNet& net, std::int64_t rank) {
  return std::make_unique<LowRank>(net.layout().size(), rank);
}

extern const PosteriorRecord kLowRank;
const PosteriorRecord kLowRank{
    .name = "low-rank",
    .summary = "a Gaussian whose covariance is diagonal plus a few directions, by the evidence lower bound",
    .use_when =
        "You want the strongest dependences between weights of all layers at little more than mean field's "
        "cost.",
    .citation =
        "Ong, Nott, Smith 2018, Gaussian variational approximation with a factor covariance structure; "
        "Mishkin et al. 2018, SLANG",
    .options = kOptions,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return std::make_unique<VariationalPosterior>(net, make_low_rank(net, count_of(values, kRank)), values,
                                                    start, bound_options(values));
    }};

}  // namespace kullback::deep
