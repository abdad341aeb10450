// y ~ Categorical(softmax(outputs)), one output for each class. The Hessian of -log p to the outputs is
// diag(p) - p p', whatever y is.
#include "deep/bnn/likelihood.hpp"

namespace kullback::deep {

namespace {

class Categorical final : public Likelihood {
 public:
  explicit Categorical(std::int64_t classes) : classes_(classes) {}

  std::int64_t outputs() const override { return classes_; }

  torch::Tensor log_density(const Parameters&, const torch::Tensor& outputs,
                            const torch::Tensor& target) const override {
    const torch::Tensor index = target.unsqueeze(2).expand({outputs.size(0), outputs.size(1), 1});
    return at::log_softmax(outputs, 2).gather(2, index).squeeze(2);
  }

  Predictive predict(const Parameters&, const torch::Tensor& outputs) const override {
    return {.log_probs = at::log_softmax(outputs, 2)};
  }

  torch::Tensor output_hessian(const Parameters&, const torch::Tensor& outputs) const override {
    const torch::Tensor probs = at::softmax(outputs, 2);
    return at::diag_embed(probs) - probs.unsqueeze(3) * probs.unsqueeze(2);
  }

 private:
  std::int64_t classes_;
};

}  // namespace

extern const LikelihoodRecord kCategoricalLikelihood;
const LikelihoodRecord kCategoricalLikelihood{
    .name = "categorical",
    .summary = "one of two or more classes",
    .is_classification = true,
    .make = [](const LikelihoodSpec& spec) -> std::unique_ptr<Likelihood> {
      return std::make_unique<Categorical>(spec.classes);
    }};

}  // namespace kullback::deep
