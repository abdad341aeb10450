// Small networks and steps for tests of variational posteriors.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ranks.hpp"
#include "deep/bnn/posterior.hpp"
#include "tests/deep/linear_model.hpp"

namespace kullback::deep {

inline std::unique_ptr<Prior> scaled_prior(const std::string& scale = "1") {
  const PriorRecord& record = *priors().front();
  return record.make(
      read_options(record.options, {{"prior_scale", scale}, {"prior_bias_scale", "2"}}, "a part"));
}

inline BayesNet::BuildNet perceptron(std::int64_t inputs, std::vector<std::int64_t> hidden) {
  return [=](Layout& layout, std::int64_t outputs) {
    return mlp(layout, "net",
               {.inputs = inputs, .hidden = hidden, .outputs = outputs, .activation = Activation::tanh});
  };
}

// A prior that does not say that it is Gaussian.
class UnknownPrior final : public Prior {
 public:
  explicit UnknownPrior(std::unique_ptr<Prior> prior) : prior_(std::move(prior)) {}
  torch::Tensor log_density(const Layout& layout, const Parameters& parameters) const override {
    return prior_->log_density(layout, parameters);
  }

 private:
  std::unique_ptr<Prior> prior_;
};

// The softmax of as many outputs as classes.
class Classes final : public Likelihood {
 public:
  explicit Classes(std::int64_t classes) : classes_(classes) {}
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

// A step on one process that has all rows.
class ToyStep final {
 public:
  ToyStep(NetRows rows, std::int64_t all_rows) : sum_(ranks_) {
    context_.batch = rows.x.size(1);
    context_.count = torch::ones({}, torch::kFloat64);
    context_.progress = torch::ones({}, torch::kFloat64);
    context_.sum = &sum_;
    rows_ = std::move(rows);
    all_rows_ = all_rows;
  }
  ToyStep(const ToyStep&) = delete;
  ToyStep& operator=(const ToyStep&) = delete;

  Minibatch minibatch() const { return {.rows = rows_, .all_rows = all_rows_, .step = context_}; }

 private:
  Ranks ranks_;
  SumOverRanks sum_;
  StepContext context_;
  NetRows rows_;
  std::int64_t all_rows_ = 0;
};

// The largest |mean| / standard error over all columns of [draws, columns].
inline double largest_z(const torch::Tensor& differences) {
  const torch::Tensor error = differences.std(0) / std::sqrt(static_cast<double>(differences.size(0)));
  return (differences.mean(0) / error).abs().max().item<double>();
}

}  // namespace kullback::deep
