// Bayesian hidden Markov models with any emissions:
//   pi ~ Dirichlet(a),  rows A_i ~ Dirichlet(a + s e_i),  z_1 ~ pi,  z_t ~ A_{z_{t-1}},  x_t ~
//   emissions(z_t).
// q(pi) q(A) q(emissions) prod q(z of a sequence); the latter is exact given the others, a Markov chain.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/option.hpp"
#include "conjugate/hmm/hmm_emissions.hpp"
#include "conjugate/model.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate::hmm {

// Options of all kinds.
namespace option {
inline constexpr auto kStates = CountOption("states", 3, "Number of hidden states").from(1).to(1000);
inline constexpr auto kConcentration =
    NumberOption(
        "concentration",
        "Concentration of the Dirichlet priors of initial probabilities and transitions (default: 1 / "
        "states)")
        .from(kLeastConcentration)  // with less, expected probabilities leave the range of numbers
        .hinted("Use 0.01: states that are not needed are hardly visited with that.");
inline constexpr auto kSticky =
    NumberOption("sticky", 0, "Added to the prior of staying in a state: as if so many stays had been seen")
        .from(0)
        .hinted("It counts as so many rows in which a state stayed; 0 for none.");
inline constexpr auto kSubchain =
    CountOption("subchain", 1000, "Rows of a part of a sequence in a minibatch").from(1).to(1e12);
inline constexpr auto kBuffer =
    CountOption("buffer", 50, "Rows at either end of a part that give context and do not count")
        .from(1)
        .to(1e12);
}  // namespace option

inline constexpr const OptionRecord* kSharedOptions[] = {
    &option::kStates, &option::kConcentration, &option::kSticky, &option::kSubchain, &option::kBuffer};

class Hmm final : public Model {
 public:
  Hmm(const OptionValues& values, const Shape& shape, std::unique_ptr<Emissions> emissions);
  ~Hmm() override;

  std::size_t statistics_size() const override;
  std::size_t chunk() const override { return chunk_; }
  void begin(const Batch& sample, Random& random) override;
  void prepare() override;
  void local_step(const Batch& units, std::span<double> local, Statistics& statistics) const override;
  std::size_t blocks() const override { return 3; }
  void global_step(std::size_t block, const Statistics& statistics, Mover& mover) override;
  std::span<double> natural(std::size_t block) override;
  std::vector<double> mean_parameters(std::size_t block) const override;
  Terms elbo(const Statistics& statistics) const override;
  void adopt_posterior_as_prior() override;
  void sample_minibatch(const Batch& shard, std::uint64_t total, std::size_t size, Random& random,
                        Buffer& into) const override;
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;
  std::vector<ResultTable> tables(const Shape& shape) const override;
  Figures figures() const override;
  Findings findings(const Statistics& statistics) const override;
  std::string unit_table() const override { return "states"; }
  std::vector<std::string> unit_columns(const Shape& shape) const override;
  void unit_lines(const Batch& units, std::vector<double>& cells) const override;
  Score score(const Batch& units) const override;

  // Rows whose forward vectors are kept; those before them in a longer sequence are gone over twice.
  void set_kept_rows(std::size_t rows) { kept_rows_ = rows; }

 private:
  // One value of (pi, A): vectors over states padded to the stride.
  struct Chain {
    std::vector<double> initial, matrix, transposed;
    std::vector<double> log_initial, log_matrix;
  };
  struct Work;
  struct Parts;

  Transitions transitions(const Chain& chain) const;
  const Chain& chain(Plug plug) const { return plug == Plug::means ? means_ : expected_; }
  Parts parts(std::vector<double>& statistics) const;
  void fill_chain(Chain& chain) const;
  void likelihoods(const double* cells, std::size_t rows, std::size_t at, Work& work) const;
  void short_units(const Batch& units, std::size_t begin, std::size_t end, Work& work) const;
  void unit_in_rows(const Batch& units, std::size_t unit, std::size_t row, Work& work) const;
  void long_unit(const Batch& units, std::size_t unit, Work& work) const;
  std::unique_ptr<Work> take_work() const;
  void give_back(std::unique_ptr<Work> work) const;
  double expected_log(std::span<const double> statistics) const;
  double expected_log_of_states(std::span<const double> statistics) const;
  double visits(std::size_t state) const;
  std::vector<double> mean_transitions_of(std::size_t state) const;

  std::size_t states_;
  std::size_t stride_;
  std::size_t columns_;
  std::size_t chunk_;
  std::size_t kept_rows_;
  std::size_t subchain_;
  std::size_t buffer_;
  double concentration_;
  double sticky_;
  std::unique_ptr<Emissions> emissions_;
  std::vector<double> initial_, initial_prior_;          // concentrations
  std::vector<double> transitions_, transitions_prior_;  // states x states
  Chain expected_;                                       // exp E log
  Chain means_;
  std::vector<double> stationary_;  // of means_, where a part of a sequence begins
  // Memory that local steps used, for the next: getting it anew costs more than the rest.
  mutable std::mutex work_mutex_;
  mutable std::vector<std::unique_ptr<Work>> spare_work_;
};

}  // namespace kullback::conjugate::hmm
