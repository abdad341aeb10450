// A network with a likelihood and a prior: the log joint density of flat parameters and data, for many nets
// at once.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>

#include "deep/bnn/likelihood.hpp"
#include "deep/bnn/prior.hpp"
#include "deep/net/layout.hpp"
#include "deep/net/net.hpp"

namespace kullback::deep {

class BayesNet final {
 public:
  // `build` adds the network with that many outputs to the layout.
  using BuildNet = std::function<Net(Layout& layout, std::int64_t outputs)>;
  BayesNet(const BuildNet& build, std::unique_ptr<Likelihood> likelihood, std::unique_ptr<Prior> prior);

  const Layout& layout() const { return layout_; }
  const Net& net() const { return net_; }
  const Likelihood& likelihood() const { return *likelihood_; }
  const Prior& prior() const { return *prior_; }
  Parameters split(const torch::Tensor& flat) const { return Parameters(layout_, flat); }

  // x [nets or 1, rows, ...], y [nets or 1, rows]: log p(y | x, parameters), [nets, rows].
  torch::Tensor log_likelihood(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& y,
                               AffineRule& rule) const;
  torch::Tensor log_prior(const Parameters& parameters) const {
    return prior_->log_density(layout_, parameters);
  }
  Predictive predict(const Parameters& parameters, const torch::Tensor& x, AffineRule& rule) const;

 private:
  Layout layout_;
  std::unique_ptr<Likelihood> likelihood_;
  std::unique_ptr<Prior> prior_;
  Net net_;
};

}  // namespace kullback::deep
