// Gaussian approximations q of the posterior that are found along the gradient of a bound. A family says what
// q is: `lambda`, [nets, size()], holds its numbers. The bound is the same for all families.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/option.hpp"
#include "deep/bnn/posterior.hpp"
#include "deep/bnn/posteriors/options.hpp"
#include "deep/train/adam.hpp"

namespace kullback::deep {

inline constexpr double kLogTwoPi = 1.8378770664093453;

// Rows of each net for each of its draws: [nets * draws, ...].
inline torch::Tensor for_draws(const torch::Tensor& rows, std::int64_t draws) {
  return draws == 1 ? rows : rows.repeat_interleave(draws, 0);
}

// How rows of a minibatch see q: all of them one draw of the weights; each its own draw of what the layers
// give (local reparameterisation); each its own random signs of one draw (flipout).
enum class RowNoise { weights, local, flipout };

// Draws w of q, [nets, draws, n], with log q(w), [nets, draws], where that was asked for.
struct WeightDraws {
  torch::Tensor flat;
  torch::Tensor log_density = {};
};

// Flat parameters [nets * draws, n] and the rule to apply affine layers with, which together are `draws`
// draws of each net for each row.
struct NoisyNet {
  torch::Tensor flat;
  std::unique_ptr<AffineRule> rule;
};

class GaussianFamily {
 public:
  virtual ~GaussianFamily() = default;

  virtual std::int64_t size() const = 0;
  // Means at `fresh`, [nets, n], and sds of about `sd`; first_net: the number of the first net.
  virtual torch::Tensor start(const torch::Tensor& fresh, double sd, std::uint64_t seed,
                              std::int64_t first_net = 0) const = 0;
  virtual torch::Tensor mean(const torch::Tensor& lambda) const = 0;            // [nets, n]
  virtual torch::Tensor second_moments(const torch::Tensor& lambda) const = 0;  // E w_i^2, [nets, n]
  virtual torch::Tensor entropy(const torch::Tensor& lambda) const = 0;         // [nets]
  enum class Density { wanted, unwanted };
  virtual WeightDraws draw(const torch::Tensor& lambda, std::int64_t draws, const Noise& noise,
                           Density density) const = 0;
  // Row noise other than one draw of the weights, where the family has it. `noise` lives as long as the rule.
  virtual NoisyNet noisy_net(const torch::Tensor& lambda, std::int64_t draws, RowNoise kind,
                             const Noise& noise) const;
  // Whether all of it can be captured on a GPU.
  virtual bool is_capturable() const { return true; }
};

std::unique_ptr<GaussianFamily> make_low_rank(const BayesNet& net, std::int64_t rank);
std::unique_ptr<GaussianFamily> make_matrix_normal(const BayesNet& net);

struct BoundOptions {
  RowNoise row_noise = RowNoise::weights;
  std::int64_t draws = 1;
  double alpha = 0;
  double warm_up = 0;  // part of the training in which the weight of the KL term rises from 0 to 1
};

// The loss that makes q a posterior: -(evidence lower bound) / all rows, or for alpha > 0 the black-box alpha
// energy / all rows.
class VariationalBound final {
 public:
  VariationalBound(const BayesNet& net, const GaussianFamily& family, const BoundOptions& options,
                   const torch::TensorOptions& tensors);

  // [nets], this rank's part of it, with a graph to lambda.
  torch::Tensor loss(const torch::Tensor& lambda, const Minibatch& batch) const;
  // KL(q || prior), [nets]: exact for an independent Gaussian prior, else with draws of q in its place.
  torch::Tensor kl(const torch::Tensor& lambda, const torch::Tensor& draws) const;

 private:
  torch::Tensor evidence_loss(const torch::Tensor& lambda, const Minibatch& batch) const;
  torch::Tensor alpha_loss(const torch::Tensor& lambda, const Minibatch& batch) const;
  // log p(y | x, w), [nets, draws, rows].
  torch::Tensor log_likelihood(const torch::Tensor& flat, AffineRule& rule, const Minibatch& batch) const;
  torch::Tensor log_prior(const torch::Tensor& draws) const;  // [nets, draws]
  torch::Tensor kl_weight(const Minibatch& batch) const;      // one number

  const BayesNet& net_;
  const GaussianFamily& family_;
  BoundOptions options_;
  torch::Tensor precisions_;  // of the prior; undefined where it is not Gaussian
  double log_precisions_ = 0;
};

inline constexpr auto kVariationalRate = NumberOption("rate", 0.01, "Rate of Adam").above(0);
inline constexpr auto kKlWarmup =
    NumberOption("kl_warmup", 0.2,
                 "Part of the training in which the weight of the KL term rises from 0 to 1")
        .from(0)
        .to(1)
        .hinted("It is a part of the training; 0 is none.");
inline constexpr auto kBoundDraws =
    CountOption("step_draws", 0, "Draws of the parameters in each step; auto: 1, with --alpha 10")
        .from(1)
        .to(10'000)
        .automatic();
inline constexpr auto kAlpha =
    NumberOption("alpha", 0,
                 "0: the evidence lower bound; above 0, as 0.5 or 1: black-box alpha divergence, which "
                 "covers more of the posterior the larger it is")
        .from(0)
        .hinted("0 is the evidence lower bound; 0.5 and 1 are usual choices.");

// How rows see q, as an option: RowNoise, and automatic: local, with --alpha weights.
enum class GradientNoise { automatic, weights, local, flipout };
inline constexpr auto kGradient =
    ChoiceOption("gradient", GradientNoise::automatic, "auto|weights|local",
                 "Noise of the rows of a minibatch: weights (all the same draw), local (each its own, in "
                 "what linear layers give); auto: local, with --alpha weights");
inline constexpr auto kGradientOrFlipout =
    ChoiceOption("gradient", GradientNoise::automatic, "auto|weights|local|flipout",
                 "Noise of the rows of a minibatch: weights (all the same draw), local (each its own, in "
                 "what layers give), flipout (random signs of one draw); auto: local, with --alpha weights");

// The bound by --alpha, --kl-warmup, --step-draws and, of families that have it, --gradient. Throws Error
// usage for alpha with row noise that has no draws of the weights.
BoundOptions bound_options(const OptionValues& values);
BoundOptions bound_options(const OptionValues& values, const ChoiceOption<GradientNoise>& gradient);

// Lambda by Adam.
class VariationalPosterior final : public Posterior {
 public:
  VariationalPosterior(const BayesNet& net, std::unique_ptr<GaussianFamily> family,
                       const OptionValues& values, const PosteriorStart& start, const BoundOptions& options);

  torch::Tensor step(const Minibatch& batch) override;
  Predictive predict(const torch::Tensor& x, std::int64_t draws) override;
  torch::Tensor draw_parameters(std::int64_t draws) override;
  torch::Tensor center() override;
  void visit(const VisitTensor& visit) override;
  bool is_capturable() const override { return family_->is_capturable(); }

 private:
  const BayesNet& net_;
  std::unique_ptr<GaussianFamily> family_;
  VariationalBound bound_;
  Schedule schedule_;
  Noise noise_;  // of predictions
  torch::Tensor lambda_;
  Adam adam_;
};

}  // namespace kullback::deep
