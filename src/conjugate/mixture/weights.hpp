// The weights of a mixture: pi ~ Dirichlet(alpha, ..., alpha), or the sticks of a Dirichlet process,
// pi_k = v_k prod_{j < k} (1 - v_j), v_k ~ Beta(1, alpha), with q(z_n) on the first K components only; the
// sticks beyond keep their prior.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kullback::conjugate::mixture {

class Weights final {
 public:
  Weights(std::size_t components, bool is_process, double concentration);

  bool is_process() const { return is_process_; }
  // Dirichlet: its K parameters; process: (a_k, b_k) of the K Beta distributions.
  std::span<double> natural() { return natural_; }
  std::vector<double> target(std::span<const double> counts) const;
  std::vector<double> mean_parameters() const;
  bool is_inside(std::span<const double> natural) const;
  void set_to(std::span<const double> natural) { natural_.assign(natural.begin(), natural.end()); }
  void adopt_posterior_as_prior() { prior_ = natural_; }

  std::vector<double> expected_logs() const;  // E log pi_k
  std::vector<double> expected() const;       // E pi_k
  double remainder() const;                   // expected weight of the components beyond; 0 for a Dirichlet
  double kl() const;                          // of q(pi) from the prior
  double log_partition(std::span<const double> natural) const;

  void append_state(std::vector<double>& state) const;
  // Takes its numbers from the front.
  void take_state(std::span<const double>& state);

 private:
  std::size_t components_;
  bool is_process_;
  std::vector<double> prior_;
  std::vector<double> natural_;
};

// The first numbers of `state`, as many as `into` holds; throws Error internal where there are fewer.
void take(std::span<const double>& state, std::span<double> into);

}  // namespace kullback::conjugate::mixture
