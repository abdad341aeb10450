#include "deep/bnn/posteriors/mean_field.hpp"

#include <cmath>

#include "deep/bnn/posteriors/row_noise.hpp"
#include "deep/train/options.hpp"

namespace kullback::deep {

MeanField::MeanField(const BayesNet& net, const torch::TensorOptions& tensors) : net_(net) {
  drawn_of_flipout_ = torch::ones({net.layout().size()}, torch::kFloat64);
  drawn_of_local_ = drawn_of_flipout_.clone();
  for (const Affine* affine : net.net().affines()) {
    const Slot& weight = net.layout().slots()[affine->weight];
    const Slot& bias = net.layout().slots()[affine->bias];
    drawn_of_flipout_.narrow(0, weight.first, weight.size).zero_();
    drawn_of_local_.narrow(0, weight.first, weight.size).zero_();
    if (affine->kind == Affine::Kind::linear) drawn_of_local_.narrow(0, bias.first, bias.size).zero_();
  }
  drawn_of_flipout_ = drawn_of_flipout_.to(tensors);
  drawn_of_local_ = drawn_of_local_.to(tensors);
}

torch::Tensor MeanField::start(const torch::Tensor& fresh, double sd, std::uint64_t, std::int64_t) const {
  return at::cat({fresh, torch::full_like(fresh, std::log(sd))}, 1);
}

torch::Tensor MeanField::mean(const torch::Tensor& lambda) const {
  return lambda.narrow(1, 0, net_.layout().size());
}

torch::Tensor MeanField::log_sd(const torch::Tensor& lambda) const {
  return lambda.narrow(1, net_.layout().size(), net_.layout().size());
}

torch::Tensor MeanField::second_moments(const torch::Tensor& lambda) const {
  return mean(lambda).square() + at::exp(2 * log_sd(lambda));
}

torch::Tensor MeanField::entropy(const torch::Tensor& lambda) const {
  return log_sd(lambda).sum(1) + 0.5 * static_cast<double>(net_.layout().size()) * (1 + kLogTwoPi);
}

WeightDraws MeanField::draw(const torch::Tensor& lambda, std::int64_t draws, const Noise& noise,
                            Density density) const {
  const std::int64_t n = net_.layout().size();
  const torch::Tensor log_sd = this->log_sd(lambda);
  const torch::Tensor z = noise.normal({lambda.size(0), draws, n}, lambda.options(), -1);
  WeightDraws result{at::addcmul(mean(lambda).unsqueeze(1), at::exp(log_sd).unsqueeze(1), z)};
  if (density == Density::wanted)
    result.log_density =
        -0.5 * (z.square().sum(2) + static_cast<double>(n) * kLogTwoPi) - log_sd.sum(1, true);
  return result;
}

NoisyNet MeanField::noisy_net(const torch::Tensor& lambda, std::int64_t draws, RowNoise kind,
                              const Noise& noise) const {
  if (kind == RowNoise::weights) return GaussianFamily::noisy_net(lambda, draws, kind, noise);
  const torch::Tensor mean = for_draws(this->mean(lambda), draws),
                      log_sd = for_draws(this->log_sd(lambda), draws);
  const torch::Tensor deviation = at::exp(log_sd) * noise.normal(mean.sizes(), lambda.options(), -1);
  if (kind == RowNoise::flipout)
    return {mean + deviation * drawn_of_flipout_,
            std::make_unique<FlipoutRule>(net_.split(deviation), noise)};
  return {mean + deviation * drawn_of_local_,
          std::make_unique<LocalRule>(net_.split(at::exp(2 * log_sd)), net_.split(deviation), noise)};
}

namespace {

constexpr const OptionRecord* kOptions[] = {&kVariationalRate, &kFallingRate, &kKlWarmup,         &kInitialSd,
                                            &kBoundDraws,      &kAlpha,       &kGradientOrFlipout};

}  // namespace

extern const PosteriorRecord kMeanField;
const PosteriorRecord kMeanField{
    .name = "mean-field",
    .summary = "an independent Gaussian for each parameter, by the evidence lower bound or alpha divergences",
    .use_when =
        "You want a cheap posterior over all weights; it is too sure of itself where weights depend on each "
        "other.",
    .citation =
        "Blundell et al. 2015, Weight uncertainty in neural networks; Kingma, Salimans, Welling 2015, "
        "Variational dropout and the local reparameterization trick; Wen et al. 2018, Flipout; "
        "Hernandez-Lobato et al. 2016, Black-box alpha divergence minimization",
    .options = kOptions,
    .make = [](const BayesNet& net, const OptionValues& values,
               const PosteriorStart& start) -> std::unique_ptr<Posterior> {
      return std::make_unique<VariationalPosterior>(net, std::make_unique<MeanField>(net, start.options),
                                                    values, start, bound_options(values, kGradientOrFlipout));
    }};

}  // namespace kullback::deep
