// d/do sum (x o - softplus(o)) = x - sigmoid(o).
// KL = sum (mean^2 + sd^2 - 1) / 2 - log sd; d/dmean = mean, d/dlog sd = sd^2 - 1.
#include "deep/vae/fused.hpp"

#include <torch/csrc/autograd/custom_function.h>

namespace kullback::deep {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class LogBernoulli final : public torch::autograd::Function<LogBernoulli> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& outputs,
                               const torch::Tensor& x) {
    context->save_for_backward({outputs, x});
    return at::addcmul(at::softplus(outputs), outputs, x, -1).sum(2).neg_();
  }

  static variable_list backward(AutogradContext* context, const variable_list& slope) {
    const variable_list saved = context->get_saved_variables();
    return {slope[0].unsqueeze(2) * (saved[1] - at::sigmoid(saved[0])), torch::Tensor()};
  }
};

class KlToStandardNormal final : public torch::autograd::Function<KlToStandardNormal> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& mean,
                               const torch::Tensor& log_sd, const torch::Tensor& sd) {
    context->save_for_backward({mean, sd});
    const torch::Tensor squares = at::addcmul(at::addcmul(log_sd * -2, sd, sd), mean, mean);
    return at::sub(squares.sum(-1), static_cast<double>(mean.size(-1))).mul_(0.5);
  }

  static variable_list backward(AutogradContext* context, const variable_list& slope) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor each = slope[0].unsqueeze(-1);
    return {each * saved[0], each * (saved[1].square() - 1), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor log_bernoulli(const torch::Tensor& outputs, const torch::Tensor& x) {
  return LogBernoulli::apply(outputs, x);
}

torch::Tensor kl_to_standard_normal(const torch::Tensor& mean, const torch::Tensor& log_sd,
                                    const torch::Tensor& sd) {
  return KlToStandardNormal::apply(mean, log_sd, sd);
}

}  // namespace kullback::deep
