// log q(theta) = log N(z) - sum of the layers' log|det J|. With s the slopes of log q at a draw and D theta
// its derivative to lambda at fixed noise, the total derivative of log q of a draw is s D theta + score:
// the score at a point is therefore one pull-back of (-s, 1), and needs no code of its own.
//
// Lanes are padded to a multiple of kLaneBlock with copies of the first, whose adjoints are zero.
#include "infer/vi/flows/flow.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "infer/algorithm.hpp"
#include "infer/vi/flows/affine.hpp"
#include "infer/vi/flows/kernels.hpp"

namespace kullback::infer::flows {

void Layer::inverse(std::span<const double>, std::size_t, const double*, double*) {
  throw Error(ErrorKind::internal, "this layer of a flow has no inverse.");
}

namespace {

std::size_t padded_lanes(std::size_t lanes) { return (lanes + kLaneBlock - 1) / kLaneBlock * kLaneBlock; }

class Flow final : public Family {
 public:
  Flow(std::size_t dim, Layers layers) : dim_(dim), layers_(std::move(layers)) {
    auto affine = std::make_unique<Affine>(dim);
    affine_ = affine.get();
    layers_.push_back(std::move(affine));
    first_.push_back(0);
    for (const auto& layer : layers_) {
      first_.push_back(first_.back() + layer->parameters());
      has_inverse_ = has_inverse_ && layer->has_inverse();
    }
    states_.resize(layers_.size() + 1);
  }

  std::size_t dim() const override { return dim_; }
  std::size_t parameters() const override { return first_.back(); }
  std::size_t noise() const override { return dim_; }
  Abilities abilities() const override { return {.log_q_at = has_inverse_, .is_identified = false}; }

  void begin(const GaussianGuess& guess, std::uint64_t seed, std::span<double> lambda) const override {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      Random random(seed, 0, static_cast<std::uint32_t>(Purpose::family_start),
                    static_cast<std::uint32_t>(l));
      layers_[l]->begin(random, part(lambda, l));
    }
    affine_->begin_at(guess, part(lambda, layers_.size() - 1));
  }

  void units(std::span<const double> lambda, std::span<double> result) const override {
    for (std::size_t l = 0; l < layers_.size(); ++l) layers_[l]->units(part(lambda, l), part(result, l));
  }

  void draw(std::span<const double> lambda, const DrawBatch& batch) override {
    set_lanes(batch.lanes);
    pad(batch.noise, states_[0].data());
    forward(lambda);
    unpad(states_.back().data(), batch.theta);
    for (std::size_t k = 0; batch.log_q != nullptr && k < lanes_; ++k) batch.log_q[k] = log_q(k);
  }

  void pull_back(std::span<const double> lambda, const DrawAdjoint& adjoint,
                 std::span<double> lambda_adjoint) override {
    std::vector<double>& above = adjoints_[0];
    std::vector<double>& below = adjoints_[1];
    std::fill(above.begin(), above.end(), 0.0);
    for (std::size_t i = 0; i < dim_; ++i)
      std::copy_n(adjoint.theta + i * lanes_, lanes_, above.begin() + offset(i));
    std::vector<double> log_det(padded_);
    for (std::size_t k = 0; adjoint.log_q != nullptr && k < lanes_; ++k) log_det[k] = -adjoint.log_q[k];
    for (std::size_t l = layers_.size(); l-- > 0;) {
      layers_[l]->backward(part(lambda, l),
                           {padded_, states_[l].data(), above.data(), log_det.data(), below.data()},
                           part(lambda_adjoint, l));
      std::swap(above, below);
    }
  }

  void slopes_of_draws(std::span<const double> lambda, double* slopes) override {
    std::vector<double>& in = adjoints_[0];
    std::vector<double>& out = adjoints_[1];
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = -states_[0][i];
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      layers_[l]->push_slopes(part(lambda, l), {padded_, states_[l].data(), in.data(), out.data()});
      std::swap(in, out);
    }
    unpad(in.data(), slopes);
  }

  void evaluate(std::span<const double> lambda, const PointBatch& batch) override {
    draw_through(lambda, batch);
    for (std::size_t k = 0; k < lanes_; ++k) batch.log_q[k] = log_q(k);
    if (batch.slopes != nullptr) slopes_of_draws(lambda, batch.slopes);
  }

  void score(std::span<const double> lambda, const PointBatch& batch, const double* weights,
             std::span<double> lambda_adjoint) override {
    draw_through(lambda, batch);
    std::vector<double> slopes(dim_ * lanes_);
    slopes_of_draws(lambda, slopes.data());
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] *= -weights[i % lanes_];
    pull_back(lambda, {lanes_, slopes.data(), weights}, lambda_adjoint);
  }

 private:
  template <class Number>
  std::span<Number> part(std::span<Number> whole, std::size_t layer) const {
    return whole.subspan(first_[layer], first_[layer + 1] - first_[layer]);
  }

  std::ptrdiff_t offset(std::size_t i) const { return static_cast<std::ptrdiff_t>(i * padded_); }

  void set_lanes(std::size_t lanes) {
    lanes_ = lanes;
    padded_ = padded_lanes(lanes);
    for (auto& state : states_) state.resize(dim_ * padded_);
    for (auto& adjoint : adjoints_) adjoint.resize(dim_ * padded_);
    log_det_.resize(padded_);
  }

  void pad(const double* from, double* to) const {
    for (std::size_t i = 0; i < dim_; ++i) {
      std::copy_n(from + i * lanes_, lanes_, to + i * padded_);
      std::fill(to + i * padded_ + lanes_, to + (i + 1) * padded_, from[i * lanes_]);
    }
  }

  void unpad(const double* from, double* to) const {
    for (std::size_t i = 0; i < dim_; ++i) std::copy_n(from + i * padded_, lanes_, to + i * lanes_);
  }

  void forward(std::span<const double> lambda) {
    std::fill(log_det_.begin(), log_det_.end(), 0.0);
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      layers_[l]->forward(part(lambda, l),
                          {padded_, states_[l].data(), states_[l + 1].data(), log_det_.data()});
    }
  }

  // The draws that these points are.
  void draw_through(std::span<const double> lambda, const PointBatch& batch) {
    set_lanes(batch.lanes);
    pad(batch.theta, states_.back().data());
    for (std::size_t l = layers_.size(); l-- > 0;)
      layers_[l]->inverse(part(lambda, l), padded_, states_[l + 1].data(), states_[l].data());
    forward(lambda);
  }

  double log_q(std::size_t lane) const {
    double squares = 0;
    for (std::size_t i = 0; i < dim_; ++i) {
      const double z = states_[0][i * padded_ + lane];
      squares += z * z;
    }
    return -0.5 * (squares + static_cast<double>(dim_) * std::log(2 * std::numbers::pi)) - log_det_[lane];
  }

  std::size_t dim_;
  Layers layers_;
  const Affine* affine_ = nullptr;
  std::vector<std::size_t> first_;  // parameter of each layer
  bool has_inverse_ = true;
  std::size_t lanes_ = 0;
  std::size_t padded_ = 0;
  std::vector<std::vector<double>> states_;  // z, then the result of each layer
  std::vector<double> log_det_;
  std::vector<double> adjoints_[2];
};

}  // namespace

std::unique_ptr<Family> make_flow(std::size_t dim, Layers layers) {
  return std::make_unique<Flow>(dim, std::move(layers));
}

}  // namespace kullback::infer::flows
