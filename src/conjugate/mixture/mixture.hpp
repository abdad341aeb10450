// z_n ~ Categorical(pi), x_n | z_n = k ~ component k. q(pi) q(components) prod_n q(z_n); q(z_n) is exact
// given the rest. Statistics: the K expected numbers of units, then those of the components. Blocks: 0 the
// weights, 1 the components.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "conjugate/mixture/components.hpp"
#include "conjugate/mixture/weights.hpp"

namespace kullback::conjugate::mixture {

enum class WeightsPrior : unsigned char { dirichlet, dp };
enum class FirstAssignments : unsigned char { kmeans, random };

// Options of all kinds.
namespace option {
inline constexpr auto kComponents =
    CountOption("components", 10, "Number of components; with --weights dp the most there can be")
        .from(1)
        .to(100'000);
inline constexpr auto kWeights =
    ChoiceOption<WeightsPrior>("weights", WeightsPrior::dirichlet, "dirichlet|dp",
                               "Prior of the weights: finite, or a Dirichlet process (stick breaking)");
inline constexpr auto kConcentration =
    NumberOption("concentration", "Concentration of the weights' prior (default: 1 / components)")
        .above(0)
        .hinted("Leave it out to take 1 / components.");
inline constexpr auto kStart =
    ChoiceOption<FirstAssignments>("start", FirstAssignments::kmeans, "kmeans|random", "First assignments");
inline constexpr auto kJoin =
    FlagOption("join", true, "Whether two components become one where that raises the bound");
}  // namespace option

inline constexpr const OptionRecord* kSharedOptions[] = {
    &option::kComponents, &option::kWeights, &option::kConcentration, &option::kStart, &option::kJoin};

class Mixture final : public Model {
 public:
  Mixture(std::unique_ptr<Components> components, const OptionValues& values, const Shape& shape);

  std::size_t statistics_size() const override;
  std::size_t chunk() const override { return components_->chunk(); }
  void begin(const Batch& sample, Random& random) override;
  void prepare() override;
  void local_step(const Batch& units, std::span<double> local, Statistics& statistics) const override;
  std::size_t blocks() const override { return 2; }
  void global_step(std::size_t block, const Statistics& statistics, Mover& mover) override;
  std::span<double> natural(std::size_t block) override;
  std::vector<double> mean_parameters(std::size_t block) const override;
  Terms elbo(const Statistics& statistics) const override;
  bool propose(const Statistics& statistics, std::size_t refused) override;
  void adopt_posterior_as_prior() override;
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;
  std::vector<ResultTable> tables(const Shape& shape) const override;
  Figures figures() const override;
  Findings findings(const Statistics& statistics) const override;
  std::string unit_table() const override { return "responsibilities"; }
  std::vector<std::string> unit_columns(const Shape& shape) const override;
  void unit_lines(const Batch& units, std::vector<double>& cells) const override;
  Score score(const Batch& units) const override;

  // Statistics of units with given responsibilities, K numbers for each unit.
  Statistics statistics_of(const Batch& units, std::span<const double> responsibilities) const;
  // q(theta) as it is given these, both blocks.
  void set_from(const Statistics& statistics);

  // Component `from` becomes a part of `into`; the bound gains between `sure` and `hoped`.
  struct Join {
    std::size_t from, into;
    double sure, hoped;
  };
  // Those that may gain, by what they gain at least.
  std::vector<Join> joins(const Statistics& statistics) const;

 private:
  std::size_t count() const { return components_->count(); }
  void fill_log_shares(const Batch& units, struct Scratch& scratch) const;
  // Of at most chunk() units, from shares in the scratch.
  void add(const Batch& units, struct Scratch& scratch, Statistics& statistics) const;
  void fill_predictive(const Batch& units, struct Scratch& scratch) const;
  void check_sample(const Batch& sample) const;
  void apply(const Join& join, std::span<double> statistics) const;
  std::vector<Join> choose(const std::vector<Join>& candidates, std::size_t trial) const;
  double gain_of_sorting(std::span<const double> statistics) const;
  void sort_by_size(std::span<double> statistics) const;
  double weights_partition(std::vector<double> counts, bool sorted) const;

  std::unique_ptr<Components> components_;
  Weights weights_;
  bool starts_random_;
  bool joins_;
  bool adopted_ = false;  // the components' priors differ
  double all_units_;
  std::vector<double> expected_log_weights_;
};

}  // namespace kullback::conjugate::mixture
