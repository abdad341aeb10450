// Forward, backward and the best path against the enumeration of all paths.
#include "conjugate/hmm/hmm_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "math/instruction_set.hpp"

namespace kullback::conjugate::hmm {
namespace {

struct Problem {
  std::size_t states, rows, stride;
  std::vector<double> enter, matrix, transposed, logs;

  Transitions transitions() const { return {states, matrix.data(), transposed.data()}; }
};

// Neither rows of the matrix nor anything else adds up to 1.
Problem make_problem(std::size_t states, std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  const std::size_t stride = stride_of(states);
  Problem result{states,
                 rows,
                 stride,
                 std::vector<double>(stride),
                 std::vector<double>(states * stride),
                 std::vector<double>(states * stride),
                 std::vector<double>(rows * stride)};
  for (std::size_t i = 0; i < states; ++i) {
    result.enter[i] = random.uniform();
    for (std::size_t j = 0; j < states; ++j) {
      result.matrix[i * stride + j] = result.transposed[j * stride + i] = random.uniform() * random.uniform();
    }
    for (std::size_t t = 0; t < rows; ++t) result.logs[t * stride + i] = -700 + 3 * random.normal();
  }
  return result;
}

struct Sums {
  double normalizer = 0;  // e^700 times for each row
  std::vector<double> marginals, pairs;
  std::vector<std::size_t> best;
  double best_weight = 0;
};

Sums enumerate(const Problem& problem, double weight, double pair_from) {
  Sums sums;
  sums.marginals.assign(problem.rows * problem.states, 0.0);
  sums.pairs.assign(problem.states * problem.states, 0.0);
  std::vector<std::size_t> path(problem.rows, 0);
  for (;;) {
    double value = problem.enter[path[0]];
    for (std::size_t t = 0; t < problem.rows; ++t) {
      value *= std::exp(problem.logs[t * problem.stride + path[t]] + 700);
      if (t > 0) value *= problem.matrix[path[t - 1] * problem.stride + path[t]];
    }
    sums.normalizer += value;
    if (value > sums.best_weight) {
      sums.best_weight = value;
      sums.best = path;
    }
    for (std::size_t t = 0; t < problem.rows; ++t) {
      sums.marginals[t * problem.states + path[t]] += weight * value;
      if (t > 0 && static_cast<double>(t) >= pair_from) {
        sums.pairs[path[t - 1] * problem.states + path[t]] += weight * value;
      }
    }
    std::size_t at = 0;
    while (at < problem.rows && ++path[at] == problem.states) path[at++] = 0;
    if (at == problem.rows) break;
  }
  for (double& x : sums.marginals) x /= sums.normalizer;
  for (double& x : sums.pairs) x /= sums.normalizer;
  return sums;
}

void expect_as_enumerated(std::size_t states, std::size_t rows, std::size_t cut) {
  const Problem problem = make_problem(states, rows, 7 * states + rows);
  const Sums expected = enumerate(problem, 2.5, 0);
  std::vector<double> likelihoods = problem.logs, shifts(rows), sums(rows), alphas(rows * problem.stride);
  to_likelihoods(likelihoods.data(), rows, states, shifts.data());
  forward(
      {problem.transitions(), rows, problem.enter.data(), likelihoods.data(), alphas.data(), sums.data()});
  double log_z = 0;
  for (std::size_t t = 0; t < rows; ++t) log_z += std::log(sums[t]) + shifts[t] + 700;
  EXPECT_NEAR(log_z, std::log(expected.normalizer),
              1e-12 * (1 + std::abs(log_z)) * static_cast<double>(rows));

  std::vector<double> pairs(states * problem.stride);
  Backward backward(problem.transitions());
  backward.run(rows - cut, likelihoods.data() + cut * problem.stride, alphas.data() + cut * problem.stride,
               2.5, pairs.data());
  backward.run(cut, likelihoods.data(), alphas.data(), 2.5, pairs.data());
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t k = 0; k < problem.stride; ++k) {
      const double known = k < states ? expected.marginals[t * states + k] : 0.0;
      EXPECT_NEAR(alphas[t * problem.stride + k], known, 1e-12);
    }
  }
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t j = 0; j < states; ++j) {
      const double found = pairs[i * problem.stride + j] * problem.matrix[i * problem.stride + j];
      EXPECT_NEAR(found, expected.pairs[i * states + j], 1e-12);
    }
  }

  std::vector<double> log_enter(problem.stride), log_matrix(states * problem.stride);
  for (std::size_t i = 0; i < states; ++i) log_enter[i] = std::log(problem.enter[i]);
  for (std::size_t i = 0; i < states; ++i) {
    for (std::size_t j = 0; j < states; ++j) {
      log_matrix[i * problem.stride + j] = std::log(problem.matrix[i * problem.stride + j]);
    }
  }
  const auto path = viterbi({states, rows, log_enter.data(), log_matrix.data(), problem.logs.data()});
  EXPECT_EQ(std::vector<std::size_t>(path.begin(), path.end()), expected.best);
}

TEST(HmmKernels, AllPathsEnumerated) {
  using math::InstructionSet;
  const InstructionSet best = math::instruction_set();
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!math::fix_instruction_set(set)) continue;
    expect_as_enumerated(1, 5, 2);
    expect_as_enumerated(2, 10, 0);
    expect_as_enumerated(3, 7, 6);
    expect_as_enumerated(5, 5, 3);
    expect_as_enumerated(10, 4, 1);
    expect_as_enumerated(14, 3, 2);
    expect_as_enumerated(18, 3, 1);
    expect_as_enumerated(37, 2, 1);
  }
  math::fix_instruction_set(best);
}

TEST(HmmKernels, ProductsAndLookups) {
  Random random(3);
  for (const std::size_t states : {1, 4, 7, 11, 23}) {
    const std::size_t stride = stride_of(states), rows = 9, inner = 6;
    std::vector<double> a(rows * inner), b(inner * stride), c(rows * stride, 1.0);
    for (double& x : a) x = random.normal();
    for (double& x : b) x = random.normal();
    add_product({a.data(), inner, 1, rows, inner, b.data(), c.data(), stride});
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < stride; ++k) {
        double known = 1;
        for (std::size_t l = 0; l < inner; ++l) known += a[i * inner + l] * b[l * stride + k];
        EXPECT_NEAR(c[i * stride + k], known, 1e-14 * 20);
      }
    }
    const std::vector<std::uint32_t> indices = {2, kNoRow, 5, 2};
    const Lookup lookup{indices.data(), 2, 2, stride};
    std::vector<double> out(2 * stride);
    add_looked_up(lookup, b.data(), out.data());
    EXPECT_EQ(out[0], b[2 * stride]);
    EXPECT_EQ(out[stride], b[5 * stride] + b[2 * stride]);
    std::vector<double> table(inner * stride);
    add_to_looked_up(lookup, c.data(), table.data());
    EXPECT_EQ(table[2 * stride], c[0] + c[stride]);
  }
}

}  // namespace
}  // namespace kullback::conjugate::hmm
