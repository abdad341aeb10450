// Stochastic gradient Hamiltonian dynamics (Chen, Fox, Guestrin 2014) with the scales of coordinates adapted
// while a phase says so (Springenberg, Klein, Falkner, Hutter 2016):
//   v <- (1 - friction) v - h g + N(0, 2 friction h T),  x <- x + v,
//   h = rate * friction / sqrt(S),  S the second moment of the gradients g.
// The stationary variance of v is h T, so that v / h is a momentum with mass 1 / h. Where gradients agree x
// moves by `rate` a step, as with Adam.
#pragma once

#include "deep/bnn/posteriors/stochastic_gradient.hpp"

namespace kullback::deep {

class AdaptedMomentum final {
 public:
  // One number each, of the parameters' type.
  struct Phase {
    torch::Tensor scale;        // of the rate
    torch::Tensor temperature;  // of the noise: 0 for none
    torch::Tensor adapts;       // 1: scales follow the gradients; 0: they stay
    torch::Tensor capped;       // 1: see step_sizes()
  };

  AdaptedMomentum(const BayesNet& net, const torch::Tensor& flat, StepRule rule);

  void move(torch::Tensor& flat, const Slope& slope, const Phase& phase);
  void visit(const VisitTensor& visit);

 private:
  void adapt(const torch::Tensor& gradient, const torch::Tensor& adapts);

  StepRule rule_;
  GradientSquares squares_;
  torch::Tensor mean_, window_, velocity_;
};

}  // namespace kullback::deep
