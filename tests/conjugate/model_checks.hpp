// Properties that every conjugate model has, checked by its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "conjugate/model.hpp"

namespace kullback::conjugate {

// What the driver does on one thread, without any of its cleverness.
class PlainFit {
 public:
  PlainFit(Model& model, const Batch& data, std::uint64_t seed) : model_(model), data_(data) {
    Random random(seed);
    model_.begin(data, random);
    model_.prepare();
    local_.assign(data.units * model_.local_size(), 0.0);
    local_step();
  }

  void local_step() {
    statistics = {};
    statistics.values.assign(model_.statistics_size(), 0.0);
    model_.local_step(data_, local_, statistics);
  }
  double elbo() const { return total(model_.elbo(statistics)); }
  void global_step(std::size_t block, Mover& mover) {
    model_.global_step(block, statistics, mover);
    model_.prepare();
  }

  Statistics statistics;

 private:
  Model& model_;
  Batch data_;
  std::vector<double> local_;
};

// With exact updates the bound never falls: after each block and after each local step, to rounding.
inline void expect_bound_never_falls(Model& model, const Batch& data, std::uint64_t seed, int passes) {
  PlainFit fit(model, data, seed);
  ExactMover mover;
  double bound = fit.elbo();
  ASSERT_TRUE(std::isfinite(bound));
  const auto expect_not_below = [&](const char* what, int pass, std::size_t block) {
    const double now = fit.elbo();
    ASSERT_TRUE(std::isfinite(now));
    ASSERT_GE(now, bound - 1e-10 * (std::abs(bound) + 1)) << what << ", pass " << pass << ", block " << block;
    bound = now;
  };
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t block = 0; block < model.blocks(); ++block) {
      fit.global_step(block, mover);
      expect_not_below("global step", pass, block);
    }
    fit.local_step();
    expect_not_below("local step", pass, 0);
  }
}

// Records where a block would go, and leaves it.
class Spy final : public Mover {
 public:
  void move(std::size_t, std::span<double>, std::span<const double> where, const Inside&) override {
    target.assign(where.begin(), where.end());
  }
  std::vector<double> target;
};

// The natural gradient, target - natural, is the gradient of the bound in the mean parameters: with eta the
// natural parameters and m(eta) the mean ones, dL/deta_i = sum_j dm_j/deta_i (target - natural)_j, both sides
// by central differences along coordinate i. `step` is relative to the coordinate (absolute below 1).
inline void expect_natural_gradient(Model& model, const Batch& data, std::uint64_t seed, int passes,
                                    double step = 1e-5, double tolerance = 1e-5) {
  PlainFit fit(model, data, seed);
  ExactMover mover;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t block = 0; block < model.blocks(); ++block) fit.global_step(block, mover);
    if (pass + 1 < passes) fit.local_step();
  }
  // The statistics are those of the q(theta) before the last step, so that no block is at its optimum.
  fit.local_step();
  for (std::size_t block = 0; block < model.blocks(); ++block) {
    Spy spy;
    model.global_step(block, fit.statistics, spy);
    const std::span<double> natural = model.natural(block);
    ASSERT_EQ(spy.target.size(), natural.size());
    std::vector<double> gradient(natural.size());
    double scale = 0;
    for (std::size_t i = 0; i < natural.size(); ++i) {
      gradient[i] = spy.target[i] - natural[i];
    }
    const std::size_t stride = std::max<std::size_t>(1, natural.size() / 40);
    for (std::size_t i = 0; i < natural.size(); i += stride) {
      const double at = natural[i];
      const double h = step * std::max(1.0, std::abs(at));
      const auto value_at = [&](double x, std::vector<double>& means) {
        natural[i] = x;
        model.prepare();
        means = model.mean_parameters(block);
        return fit.elbo();
      };
      std::vector<double> above, below;
      const double upper = value_at(at + h, above);
      const double lower = value_at(at - h, below);
      std::vector<double> kept;
      value_at(at, kept);
      double expected = 0, size = 0;
      for (std::size_t j = 0; j < gradient.size(); ++j) {
        const double part = (above[j] - below[j]) / (2 * h) * gradient[j];
        expected += part;
        size += std::abs(part);
      }
      const double found = (upper - lower) / (2 * h);
      // Rounding of the bound limits what differences can show.
      const double noise = 1e-14 * std::abs(upper) / h;
      scale = std::max(scale, size);
      EXPECT_NEAR(found, expected, tolerance * (size + scale) + noise + 1e-9)
          << "block " << block << ", coordinate " << i;
    }
  }
}

// A saved and loaded model is the same to the last bit.
inline void expect_same_after_state(const Model& model, Model& other, const Batch& data) {
  other.set_state(model.state());
  other.prepare();
  EXPECT_EQ(model.state(), other.state());
  std::vector<double> cells, again;
  model.unit_lines(data, cells);
  other.unit_lines(data, again);
  EXPECT_EQ(cells, again);
}

}  // namespace kullback::conjugate
