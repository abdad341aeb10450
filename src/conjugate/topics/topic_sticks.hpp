// Stick-breaking proportions of a truncated Dirichlet process: sigma_k = v_k prod_{l<k} (1 - v_l), v_k ~
// Beta(a, b) for all but the last, which takes what is left.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "conjugate/model.hpp"

namespace kullback::conjugate {

class Sticks final {
 public:
  // Prior Beta(1, concentration), and q = prior.
  Sticks(std::size_t size, double concentration);

  // All first parameters of the q(v_k), then all second ones; less 1 they are the natural parameters.
  std::span<double> parameters() { return parameters_; }
  std::span<const double> parameters() const { return parameters_; }
  // To prior + statistics, given how often each piece was taken.
  void update(std::span<const double> uses);
  void step(std::size_t block, const double* uses, Mover& mover);
  std::vector<double> mean_parameters() const;
  void adopt_posterior_as_prior() { prior_ = parameters_; }

  std::vector<double> expected_logs() const;  // E log sigma
  std::vector<double> means() const;          // E sigma
  double minus_divergence() const;            // E log p(v) - E log q(v)

  void save(std::vector<double>& state) const;
  // Takes its numbers off the front.
  void load(std::span<const double>& state);

 private:
  std::vector<double> target(std::span<const double> uses) const;

  std::size_t breaks_;
  std::vector<double> prior_, parameters_;
};

}  // namespace kullback::conjugate
