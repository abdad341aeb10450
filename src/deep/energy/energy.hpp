// Densities known up to a constant: p(x) = exp(-E(x)) / Z, E any network or a restricted Boltzmann machine.
// Nothing here owns parameters. Rows are chains or data: all of them are one tensor.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/net/layout.hpp"
#include "deep/train/noise.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep {

// Every energy lies at the end (b = 1) of a path of energies from a base (b = 0) whose constant is known and
// which can be drawn from: annealing walks along it.
class Energy {
 public:
  virtual ~Energy() = default;

  virtual std::int64_t dim() const = 0;
  virtual const Layout& layout() const = 0;
  // Whether x is numbers with a density and a gradient, or 0 and 1 with probabilities.
  virtual bool is_continuous() const = 0;

  // E_b(x) for x [rows, dim]: [rows], differentiable in x and parameters. b: one number from 0 to 1.
  virtual torch::Tensor at(const Parameters& parameters, const torch::Tensor& x, double b) const = 0;
  torch::Tensor operator()(const Parameters& parameters, const torch::Tensor& x) const {
    return at(parameters, x, 1);
  }

  virtual double base_log_partition() const = 0;
  virtual torch::Tensor base_draws(std::int64_t count, const Noise& noise) const = 0;  // [count, dim]

  // One sweep over all coordinates that leaves exp(-E_b) invariant and is reversible. Of energies of 0 and 1.
  virtual torch::Tensor gibbs(const Parameters& parameters, const torch::Tensor& x, double b,
                              const Noise& noise) const;

  // log Z itself, one number, differentiable; and how it is found, in words. Empty words: it is not to be
  // had.
  virtual std::string exact_partition_by() const { return {}; }
  virtual torch::Tensor log_partition(const Parameters& parameters) const;
  // Independent draws of the model itself, where they can be had.
  virtual bool has_exact_draws() const { return false; }
  virtual torch::Tensor exact_draws(const Parameters& parameters, std::int64_t count) const;

  // Learns the base from data [rows, dim]. Before anything else.
  virtual void fit_base(const torch::Tensor& /*data*/) {}
  // Tensors besides the parameters: the base.
  virtual void visit(const VisitTensor& /*visit*/) {}
  // The layer in which numbers cease to be finite, empty where all are.
  virtual std::string first_not_finite(const Parameters& /*parameters*/, const torch::Tensor& /*x*/) const {
    return {};
  }
};

// What the data and the options say of an energy.
struct EnergySpec {
  std::int64_t dim = 0;
  std::int64_t channels = 1, height = 0, width = 0;  // of images; height 0: rows are not images
  torch::TensorOptions options = {};

  bool is_image() const { return height > 0; }
};

struct EnergyRecord {
  std::string_view name;
  std::string_view summary;
  bool needs_bits = false;  // rows are 0 and 1
  OptionTable options;      // of the command line
  std::unique_ptr<Energy> (*make)(const OptionValues& values, const EnergySpec& spec);
};

// In the order of deep/energy/energies.def.
std::span<const EnergyRecord* const> energies();
// Null where there is none.
const EnergyRecord* find_energy(std::string_view name);

}  // namespace kullback::deep
