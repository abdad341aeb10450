// Conditional densities that are conjugate in each of their arguments: with the statistics t of x and u_i of
// parent i
//   log p(x | parents) = <eta(u), t(x)> - A(u) + log h(x),
// linear in t and in each u_i, so that expectations under independent factors need only expected statistics,
// and what x says of parent i is a vector of natural parameters of its family (Winn and Bishop 2005).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conjugate/families/family.hpp"

namespace kullback::conjugate {

struct Factor;  // of a graph

class Conditional {
 public:
  virtual ~Conditional() = default;

  // What x may depend on: a family whose statistics appear, at `copies` points one after another.
  struct Slot {
    std::string name;
    FamilyPtr family;
    std::size_t copies = 1;
  };
  virtual const FamilyPtr& child() const = 0;
  virtual const std::vector<Slot>& slots() const = 0;

  // ---- Of one x. Expected statistics of x and of each slot in order.
  using Parents = std::span<const double* const>;
  // natural += weight * E eta.
  virtual void add_natural(Parents parents, double weight, double* natural) const = 0;
  virtual double expected_log_partition(Parents parents) const = 0;
  // <E eta, E t> - E A: the expected log density but for log h.
  virtual double expected(const double* x, Parents parents) const = 0;
  // message += weight * (natural parameters of the slot's family).
  virtual void add_message(std::size_t slot, const double* x, Parents parents, double weight,
                           double* message) const = 0;

  // ---- Of all elements of a node of a graph.
  virtual void add_naturals(const Factor& factor, std::span<double> natural) const = 0;
  virtual void add_messages(const Factor& factor, std::size_t slot, std::size_t use,
                            std::span<double> natural) const = 0;
  virtual void add_selector_messages(const Factor& factor, std::span<double> natural) const = 0;
  virtual double total_expected(const Factor& factor) const = 0;
};

using ConditionalPtr = std::shared_ptr<const Conditional>;

ConditionalPtr gaussian_conditional();                                     // mean: gaussian; precision: gamma
ConditionalPtr gaussian_joint_conditional();                               // mean and precision: normal-gamma
ConditionalPtr multivariate_gaussian_conditional(std::size_t d);           // multivariate gaussian, wishart
ConditionalPtr multivariate_gaussian_diagonal_conditional(std::size_t d);  // multivariate gaussian, d gammas
ConditionalPtr multivariate_gaussian_joint_conditional(std::size_t d);     // normal-wishart
ConditionalPtr gamma_conditional(double shape);                            // rate: gamma
ConditionalPtr bernoulli_conditional();                                    // probability: beta
ConditionalPtr categorical_conditional(std::size_t k);                     // probabilities: dirichlet
// The same, but x is the number of its category instead of k statistics.
ConditionalPtr observed_categorical_conditional(std::size_t k);
ConditionalPtr multinomial_conditional(std::size_t k);        // probabilities: dirichlet
ConditionalPtr poisson_conditional();                         // rate: gamma
ConditionalPtr von_mises_conditional(double kappa);           // direction: von mises
ConditionalPtr fixed_conditional(const Distribution& prior);  // no parents

// The posterior of the only parent given independent x, all observed.
Distribution conjugate_posterior(const Distribution& prior, const Conditional& likelihood,
                                 std::span<const double> x);

}  // namespace kullback::conjugate
