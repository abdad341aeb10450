#include "deep/bnn/bayes_net.hpp"

#include <utility>

namespace kullback::deep {

BayesNet::BayesNet(const BuildNet& build, std::unique_ptr<Likelihood> likelihood,
                   std::unique_ptr<Prior> prior)
    : likelihood_(std::move(likelihood)), prior_(std::move(prior)) {
  net_ = build(layout_, likelihood_->outputs());
  likelihood_->add_slots(layout_);
  prior_->add_slots(layout_);
}

torch::Tensor BayesNet::log_likelihood(const Parameters& parameters, const torch::Tensor& x,
                                       const torch::Tensor& y, AffineRule& rule) const {
  return likelihood_->log_density(parameters, net_.forward(parameters, x, rule), y);
}

Predictive BayesNet::predict(const Parameters& parameters, const torch::Tensor& x, AffineRule& rule) const {
  return likelihood_->predict(parameters, net_.forward(parameters, x, rule));
}

}  // namespace kullback::deep
