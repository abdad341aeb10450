// Linear forward SDEs dz = F(t) z dt + G(t) dw, which turn data into noise as t goes from 0 to 1. A state z
// has `blocks` numbers for each coordinate of the data: the coordinate itself and, of critically damped
// Langevin dynamics, a velocity. Blocks lie one after the other: [rows, blocks * dims].
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/net/layout.hpp"

namespace kullback::deep::diffusion {

// At n times: matrices [n, blocks, blocks] in double precision, the same for every coordinate.
struct Coefficients {
  torch::Tensor drift;      // F
  torch::Tensor diffusion;  // G G^T
  torch::Tensor mean;       // of z_t given z_0 = (x, v): mean z_0
  torch::Tensor variance;   // of z_t given x: a velocity begins as noise, and that counts
};

class Sde {
 public:
  virtual ~Sde() = default;

  virtual std::int64_t blocks() const { return 1; }
  // t: double [n], on the device of what it is for.
  virtual Coefficients at(const torch::Tensor& t) const = 0;
  // Where a reverse process begins, and where one with a learned score ends: closer to 0 the noise is too
  // small to be told from rounding.
  virtual double t_max() const { return 1; }
  virtual double t_min() const { return 1e-3; }
  // Variances of the blocks at t_max, for data with the variance 1: the reverse process begins there.
  virtual std::vector<double> prior_variance() const { return {1}; }

  // Times to train at, from uniform numbers in [0, 1): SDEs in discrete time have only some.
  virtual torch::Tensor training_time(const torch::Tensor& uniform) const;

  // A schedule that is learned has parameters beside the network's: with() is the SDE that has them, null
  // where there are none; start() writes their first values.
  virtual void add_parameters(Layout&) {}
  virtual std::unique_ptr<Sde> with(const Parameters&) const { return nullptr; }
  virtual void start(const Parameters&) const {}
  // Slots whose gradient is that of the loss's variance and not of its mean (Kingma et al. 2021).
  virtual std::vector<std::size_t> variance_slots() const { return {}; }
};

// One block: z_t given x is normal with mean alpha x and sd sigma. [n] each.
struct Level {
  torch::Tensor alpha, sigma;
};
// Throws Error internal where there is a velocity.
Level level(const Sde& sde, const torch::Tensor& t);
// The first or only time at which sigma / alpha is `ratio`, clamped to [0, t_max].
double time_of_ratio(const Sde& sde, double ratio);

// matrix [n, blocks, blocks] (n: 1 or rows) times each coordinate of a state [rows, blocks * dims].
torch::Tensor apply(const torch::Tensor& matrix, const torch::Tensor& state);
// Lower L with L L^T = matrix, for 1 or 2 blocks; variances of 0 stay 0.
torch::Tensor root(const torch::Tensor& matrix);
// A draw of z_t given x [rows, dims] from standard normal numbers [rows, blocks * dims].
torch::Tensor perturb(const Coefficients& at, const torch::Tensor& x, const torch::Tensor& normal);
// [1], double, on the device of `like`.
torch::Tensor time_of(double t, const torch::Tensor& like);

// Where the reverse process begins. Draws from LibTorch's generator.
torch::Tensor draw_prior(const Sde& sde, std::int64_t rows, std::int64_t dims,
                         const torch::TensorOptions& options);
// [rows]
torch::Tensor prior_log_density(const Sde& sde, const torch::Tensor& state);

struct SdeRecord {
  std::string_view name;
  std::string_view summary;
  OptionTable options;
  std::unique_ptr<Sde> (*make)(const OptionValues& values);
};
std::span<const SdeRecord* const> sdes();
// Throws Error usage that lists the names.
const SdeRecord& sde_named(const std::string& name);
std::unique_ptr<Sde> make_sde(const std::string& name, const OptionValues& values = {});

}  // namespace kullback::deep::diffusion
