// Semi-implicit families (Yin and Zhou 2018): theta = m + L x with x given eps normal about a net's output,
//   x = psi(eps) + sigma zeta,  eps and zeta standard normal.
// q(theta) is the integral over eps and has no closed form. With K further eps, log q of a draw is reported
// as
//   log qK = log[1 / (K + 1) sum_{j = 0 .. K} N(x; psi(eps_j), sigma^2)] - log|L|,  eps_0 that of the draw,
// a surrogate that depends on the noise of the draw alone. As x is as likely to come from any of the K + 1,
// E[f / qK] = integral of f for every f: ratios p / qK are proper importance weights, bounds of the evidence
// made of them are bounds, and E[log p - log qK] rises to the ELBO with K. Gradients are unbiased for this
// finite K.
//
// With r_j the responsibility of eps_j and z_ij = (x_i - psi_i(eps_j)) / sigma_i:
//   d log qK / d x_i = -sum_j r_j z_ij / sigma_i,  / d psi_ij = r_j z_ij / sigma_i,
//   / d log sigma_i = sum_j r_j z_ij^2 - 1.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "infer/algorithm.hpp"
#include "infer/vi/flows/affine.hpp"
#include "infer/vi/flows/flow.hpp"
#include "infer/vi/flows/kernels.hpp"
#include "infer/vi/flows/net.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace option {
constexpr auto kAuxDraws =
    CountOption("aux_draws", 0,
                "Further draws of the mixing noise behind each log q of a semi-implicit family")
        .automatic();
}  // namespace option

namespace {

constexpr const OptionRecord* kOptions[] = {&option::kHidden, &option::kAuxDraws};
constexpr std::size_t kAuxDraws = 16;
constexpr std::size_t kMostMixing = 10;
constexpr double kFirstOutput = 0.6;  // sd of psi; sigma begins at 0.8: x has variance 1
constexpr double kUnit = 1;
constexpr double kNetUnits = 4;  // of those of nets in flows: this one makes all of the shape by itself

struct Shape {
  std::size_t dim = 0;
  std::size_t mixing = 0;  // numbers in eps
  std::size_t hidden = 0;
  std::size_t components = 0;  // K + 1
};

// Parameters: the net, log sigma, the affine map. Noise of a draw: the components' eps, its own first; zeta.
class SemiImplicit final : public Family {
 public:
  explicit SemiImplicit(const Shape& shape)
      : shape_(shape), net_({shape.mixing, shape.hidden, shape.dim}), affine_(shape.dim) {}

  std::size_t dim() const override { return shape_.dim; }
  std::size_t parameters() const override { return affine_at() + affine_.parameters(); }
  std::size_t noise() const override { return shape_.components * shape_.mixing + shape_.dim; }
  Abilities abilities() const override {
    return {.log_q_is_surrogate = true, .log_q_at = false, .slopes = false, .is_identified = false};
  }

  void begin(const GaussianGuess& guess, std::uint64_t seed, std::span<double> lambda) const override {
    Random random(seed, 0, static_cast<std::uint32_t>(Purpose::family_start));
    net_.begin(random, kFirstOutput, lambda.first(net_.parameters()));
    std::fill_n(lambda.begin() + static_cast<std::ptrdiff_t>(scale_at()), shape_.dim,
                0.5 * std::log(1 - kFirstOutput * kFirstOutput));
    affine_.begin_at(guess, lambda.subspan(affine_at()));
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    net_.units(result.first(net_.parameters()));
    for (double& unit : result.first(net_.parameters())) unit *= kNetUnits;
    std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(scale_at()), shape_.dim, kUnit);
    affine_.units(lambda.subspan(affine_at()), result.subspan(affine_at()));
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    set_lanes(batch.lanes);
    gather(batch.noise);
    net_.forward(lambda, wide_, eps_.data(), psi_.data());
    for (std::size_t i = 0; i < shape_.dim; ++i) {
      const double sigma = std::exp(lambda[scale_at() + i]);
      for (std::size_t k = 0; k < padded_; ++k)
        x_[i * padded_ + k] = psi_[i * wide_ + k] + sigma * zeta_[i * padded_ + k];
    }
    std::fill(log_det_.begin(), log_det_.end(), 0.0);
    affine_.forward(lambda.subspan(affine_at()), {padded_, x_.data(), theta_.data(), log_det_.data()});
    for (std::size_t i = 0; i < shape_.dim; ++i)
      std::copy_n(&theta_[i * padded_], lanes_, batch.theta + i * lanes_);
    mix(lambda);
    for (std::size_t k = 0; batch.log_q != nullptr && k < lanes_; ++k) batch.log_q[k] = log_q_[k];
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    std::vector<double> of_theta(shape_.dim * padded_);
    std::vector<double> of_log_q(padded_);
    std::vector<double> of_log_det(padded_);
    for (std::size_t i = 0; i < shape_.dim; ++i)
      std::copy_n(adjoint.theta + i * lanes_, lanes_, &of_theta[i * padded_]);
    for (std::size_t k = 0; adjoint.log_q != nullptr && k < lanes_; ++k) {
      of_log_q[k] = adjoint.log_q[k];
      of_log_det[k] = -adjoint.log_q[k];
    }
    std::vector<double> of_x(of_theta.size());
    affine_.backward(lambda.subspan(affine_at()),
                     {padded_, x_.data(), of_theta.data(), of_log_det.data(), of_x.data()},
                     lambda_adjoint.subspan(affine_at()));
    const std::vector<double> of_psi = components_back(lambda, of_log_q, of_x, lambda_adjoint);
    net_.backward(lambda.first(net_.parameters()), {wide_, eps_.data(), of_psi.data(), nullptr},
                  lambda_adjoint.first(net_.parameters()));
  }

  void slopes_of_draws(std::span<const double>, double*) override { lacks("slopes of log q"); }
  void evaluate(std::span<const double>, const PointBatch&) override { lacks("log q at a point"); }
  void score(std::span<const double>, const PointBatch&, const double*, std::span<double>) override {
    lacks("log q at a point");
  }

 private:
  [[noreturn]] static void lacks(const char* what) {
    throw Error(ErrorKind::internal, std::string("a semi-implicit family has no ") + what + ".");
  }

  std::size_t scale_at() const { return net_.parameters(); }
  std::size_t affine_at() const { return scale_at() + shape_.dim; }

  void set_lanes(std::size_t lanes) {
    lanes_ = lanes;
    padded_ = (lanes + flows::kLaneBlock - 1) / flows::kLaneBlock * flows::kLaneBlock;
    wide_ = shape_.components * padded_;
    eps_.resize(shape_.mixing * wide_);
    psi_.resize(shape_.dim * wide_);
    share_.resize(wide_);
    zeta_.resize(shape_.dim * padded_);
    x_.resize(shape_.dim * padded_);
    theta_.resize(shape_.dim * padded_);
    log_det_.resize(padded_);
    log_q_.resize(padded_);
  }

  // Lane k of component j is at j * padded + k; lanes beyond the last are copies of the first.
  void gather(const double* noise) {
    const auto copy = [&](const double* from, double* to) {
      std::copy_n(from, lanes_, to);
      std::fill(to + lanes_, to + padded_, from[0]);
    };
    for (std::size_t j = 0; j < shape_.components; ++j) {
      for (std::size_t e = 0; e < shape_.mixing; ++e)
        copy(noise + (j * shape_.mixing + e) * lanes_, &eps_[e * wide_ + j * padded_]);
    }
    const double* zeta = noise + shape_.components * shape_.mixing * lanes_;
    for (std::size_t i = 0; i < shape_.dim; ++i) copy(zeta + i * lanes_, &zeta_[i * padded_]);
  }

  // Responsibilities into share_, and log qK.
  void mix(std::span<const double> lambda) {
    std::fill(share_.begin(), share_.end(), 0.0);
    double log_sigmas = 0;
    for (std::size_t i = 0; i < shape_.dim; ++i) {
      log_sigmas += lambda[scale_at() + i];
      const double precision = std::exp(-2 * lambda[scale_at() + i]);
      for (std::size_t j = 0; j < shape_.components; ++j) {
        for (std::size_t k = 0; k < padded_; ++k) {
          const double gap = x_[i * padded_ + k] - psi_[i * wide_ + j * padded_ + k];
          share_[j * padded_ + k] -= 0.5 * precision * gap * gap;
        }
      }
    }
    const double constant = -std::log(static_cast<double>(shape_.components)) - log_sigmas -
                            0.5 * static_cast<double>(shape_.dim) * std::log(2 * std::numbers::pi);
    std::vector<double> most(share_.begin(), share_.begin() + static_cast<std::ptrdiff_t>(padded_));
    for (std::size_t at = 0; at < wide_; ++at) most[at % padded_] = std::max(most[at % padded_], share_[at]);
    for (std::size_t at = 0; at < wide_; ++at) share_[at] -= most[at % padded_];
    flows::exp_all(share_.data(), wide_, share_.data());
    std::vector<double> sum(padded_);
    for (std::size_t at = 0; at < wide_; ++at) sum[at % padded_] += share_[at];
    for (std::size_t at = 0; at < wide_; ++at) share_[at] /= sum[at % padded_];
    for (std::size_t k = 0; k < padded_; ++k) log_q_[k] = constant + most[k] + std::log(sum[k]) - log_det_[k];
  }

  // Adjoints of psi; adds that of log sigma.
  std::vector<double> components_back(std::span<const double> lambda, const std::vector<double>& of_log_q,
                                      const std::vector<double>& of_x,
                                      std::span<double> lambda_adjoint) const {
    std::vector<double> of_psi(psi_.size());
    std::vector<double> through(padded_);
    double total = 0;
    for (const double value : of_log_q) total += value;
    for (std::size_t i = 0; i < shape_.dim; ++i) {
      const double sigma = std::exp(lambda[scale_at() + i]);
      double of_scale = -total;
      std::copy_n(&of_x[i * padded_], padded_, through.data());
      for (std::size_t j = 0; j < shape_.components; ++j) {
        double* row = &of_psi[i * wide_ + j * padded_];
        for (std::size_t k = 0; k < padded_; ++k) {
          const double z = (x_[i * padded_ + k] - psi_[i * wide_ + j * padded_ + k]) / sigma;
          const double pulled = of_log_q[k] * share_[j * padded_ + k] * z;
          row[k] = pulled / sigma;
          through[k] -= row[k];
          of_scale += pulled * z;
        }
      }
      for (std::size_t k = 0; k < padded_; ++k) {
        of_psi[i * wide_ + k] += through[k];
        of_scale += through[k] * sigma * zeta_[i * padded_ + k];
      }
      lambda_adjoint[scale_at() + i] += of_scale;
    }
    return of_psi;
  }

  Shape shape_;
  flows::Net net_;
  flows::Affine affine_;
  std::size_t lanes_ = 0;
  std::size_t padded_ = 0;
  std::size_t wide_ = 0;  // components * padded
  std::vector<double> eps_;
  std::vector<double> psi_;
  std::vector<double> share_;
  std::vector<double> zeta_;
  std::vector<double> x_;
  std::vector<double> theta_;
  std::vector<double> log_det_;
  std::vector<double> log_q_;
};

std::unique_ptr<Family> make(const FamilySetting& setting) {
  return std::make_unique<SemiImplicit>(
      Shape{setting.dim, std::clamp<std::size_t>(setting.dim, 2, kMostMixing),
            flows::chosen((*setting.options)[option::kHidden], flows::fitting_hidden(setting.dim)),
            1 + flows::chosen((*setting.options)[option::kAuxDraws], kAuxDraws)});
}

}  // namespace

const FamilyRecord& semi_implicit_family() {
  static const FamilyRecord record{
      .name = "semi-implicit",
      .summary = "normals about the output of a net fed with noise; log q is a surrogate with --aux-draws",
      .citation = "Yin and Zhou (2018), Semi-implicit variational inference, ICML.",
      .options = kOptions,
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
