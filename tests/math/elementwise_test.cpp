// One engine over all elementwise functions: values and partials against rows computed with 50 digits, edges,
// finite differences, and batched calls against scalar ones for every kind of operand, several numbers of
// lanes and every instruction set of this machine.
#include "math/elementwise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "math/instruction_set.hpp"

namespace kullback::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

struct Row {
  std::string name;
  double value_tolerance;
  double partial_tolerance;
  std::vector<double> x;
  double value;
  std::vector<double> partials;
};

const std::vector<Row>& rows() {
#define UNWRAP(...) __VA_ARGS__
#define REFERENCE(name, value_tolerance, partial_tolerance, x, value, partials) \
  {#name, value_tolerance, partial_tolerance, {UNWRAP x}, value, {UNWRAP partials}},
  static const std::vector<Row> all = {
#include "tests/math/data/elementwise.inc"
  };
#undef REFERENCE
#undef UNWRAP
  return all;
}

std::string describe(const std::string& name, const std::vector<double>& x) {
  std::string text = name + "(";
  for (std::size_t j = 0; j < x.size(); ++j) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.17g", j == 0 ? "" : ", ", x[j]);
    text += number;
  }
  return text + ")";
}

bool is_close(double got, double wanted, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted) || std::isinf(got)) return got == wanted;
  return std::fabs(got - wanted) <= tolerance * std::fabs(wanted) + 2.0 * kSmallest;
}

struct Point {
  double value;
  std::vector<double> partials;
};
Point evaluate(const Elementwise& function, const std::vector<double>& x) {
  Point point{function.value(x.data()), std::vector<double>(x.size(), -99.0)};
  function.partials(x.data(), point.value, point.partials.data());
  return point;
}

TEST(Elementwise, table_is_complete_and_sorted) {
  std::map<std::string, int> points;
  for (const Row& row : rows()) ++points[row.name];
  for (const Elementwise& function : all_elementwise()) {
    EXPECT_EQ(find_elementwise(function.name), &function);
    EXPECT_GE(points[std::string(function.name)], 6) << function.name << " has too few reference rows";
  }
  for (const auto& [name, count] : points) EXPECT_NE(find_elementwise(name), nullptr) << name;
  EXPECT_EQ(find_elementwise("no_such_function"), nullptr);
  EXPECT_EQ(find_elementwise(""), nullptr);
}

TEST(Elementwise, arity_in_the_list_is_the_functors) {
#define KULLBACK_ELEMENTWISE(name, Functor, expected) \
  EXPECT_EQ(find_elementwise(#name)->arity, expected) << #name;
#include "math/functions/elementwise.def"
#undef KULLBACK_ELEMENTWISE
}

TEST(Elementwise, values_and_partials_are_the_references) {
  for (const Row& row : rows()) {
    const Elementwise* function = find_elementwise(row.name);
    ASSERT_NE(function, nullptr) << row.name;
    ASSERT_EQ(static_cast<std::size_t>(function->arity), row.x.size()) << row.name;
    const Point point = evaluate(*function, row.x);
    EXPECT_TRUE(is_close(point.value, row.value, row.value_tolerance))
        << describe(row.name, row.x) << " is " << point.value << ", reference " << row.value
        << ", relative error " << point.value / row.value - 1.0;
    for (std::size_t j = 0; j < row.x.size(); ++j) {
      EXPECT_TRUE(is_close(point.partials[j], row.partials[j], row.partial_tolerance))
          << describe(row.name, row.x) << " partial " << j << " is " << point.partials[j] << ", reference "
          << row.partials[j] << ", relative error " << point.partials[j] / row.partials[j] - 1.0;
    }
  }
}

TEST(Elementwise, edges) {
  struct Edge {
    const char* name;
    std::vector<double> x;
    double value;
  };
  const double pi = std::acos(-1.0);
  const Edge edges[] = {
      {"log", {0.0}, -kInf},
      {"log", {-1.0}, kNaN},
      {"log", {kInf}, kInf},
      {"log1p", {-1.0}, -kInf},
      {"log1p", {-1.5}, kNaN},
      {"log1m", {1.0}, -kInf},
      {"log1m", {1.5}, kNaN},
      {"log1m_exp", {0.0}, -kInf},
      {"log1m_exp", {1.0}, kNaN},
      {"log1m_exp", {-kInf}, 0.0},
      {"exp", {-kInf}, 0.0},
      {"exp", {kInf}, kInf},
      {"exp", {710.0}, kInf},
      {"exp", {-746.0}, 0.0},
      {"expm1", {-kInf}, -1.0},
      {"expm1", {kInf}, kInf},
      {"sqrt", {0.0}, 0.0},
      {"sqrt", {-1.0}, kNaN},
      {"sqrt", {kInf}, kInf},
      {"inv", {0.0}, kInf},
      {"inv_sqrt", {0.0}, kInf},
      {"inv_logit", {-kInf}, 0.0},
      {"inv_logit", {kInf}, 1.0},
      {"logit", {0.0}, -kInf},
      {"logit", {1.0}, kInf},
      {"logit", {0.5}, 0.0},
      {"logit", {-0.1}, kNaN},
      {"logit", {1.1}, kNaN},
      {"log1p_exp", {-kInf}, 0.0},
      {"log1p_exp", {kInf}, kInf},
      {"log1p_exp", {1e10}, 1e10},
      {"log_inv_logit", {-kInf}, -kInf},
      {"log_inv_logit", {kInf}, 0.0},
      {"tanh", {kInf}, 1.0},
      {"tanh", {-kInf}, -1.0},
      {"inv_cloglog", {kInf}, 1.0},
      {"inv_cloglog", {-kInf}, 0.0},
      {"Phi", {-kInf}, 0.0},
      {"Phi", {kInf}, 1.0},
      {"Phi_approx", {-kInf}, 0.0},
      {"Phi_approx", {kInf}, 1.0},
      {"inv_Phi", {0.0}, -kInf},
      {"inv_Phi", {1.0}, kInf},
      {"inv_Phi", {0.5}, 0.0},
      {"inv_Phi", {1.5}, kNaN},
      {"inv_Phi", {-0.5}, kNaN},
      {"std_normal_log_qf", {0.0}, kInf},
      {"std_normal_log_qf", {-kInf}, -kInf},
      {"std_normal_log_qf", {0.1}, kNaN},
      {"inv_erfc", {0.0}, kInf},
      {"inv_erfc", {2.0}, -kInf},
      {"inv_erfc", {-1.0}, kNaN},
      {"lgamma", {0.0}, kInf},
      {"lgamma", {-1.0}, kInf},
      {"lgamma", {kInf}, kInf},
      {"lgamma", {1.0}, 0.0},
      {"lgamma", {2.0}, 0.0},
      {"digamma", {0.0}, kNaN},
      {"digamma", {-3.0}, kNaN},
      {"digamma", {kInf}, kInf},
      {"trigamma", {0.0}, kInf},
      {"trigamma", {-2.0}, kInf},
      {"trigamma", {kInf}, 0.0},
      {"tgamma", {0.0}, kNaN},
      {"tgamma", {-1.0}, kNaN},
      {"tgamma", {172.0}, kInf},
      {"acos", {1.5}, kNaN},
      {"acosh", {0.5}, kNaN},
      {"atanh", {1.0}, kInf},
      {"atanh", {1.5}, kNaN},
      {"lambert_w0", {0.0}, 0.0},
      {"lambert_w0", {-1.0}, kNaN},
      {"lambert_wm1", {0.0}, -kInf},
      {"lambert_wm1", {1.0}, kNaN},
      {"fmax", {kNaN, 1.0}, 1.0},
      {"fmax", {1.0, kNaN}, 1.0},
      {"fmin", {kNaN, 1.0}, 1.0},
      {"fmin", {1.0, kNaN}, 1.0},
      {"fmax", {-kInf, 2.0}, 2.0},
      {"fdim", {1.0, kNaN}, kNaN},
      {"fdim", {kInf, 1.0}, kInf},
      {"fmod", {1.0, 0.0}, kNaN},
      {"atan2", {0.0, -1.0}, pi},
      {"pow", {0.0, 0.0}, 1.0},
      {"pow", {0.0, 2.0}, 0.0},
      {"pow", {0.0, -1.0}, kInf},
      {"pow", {-8.0, 1.0 / 3.0}, kNaN},
      {"pow", {2.0, kInf}, kInf},
      {"lmultiply", {0.0, 0.0}, 0.0},
      {"lmultiply", {1.0, 0.0}, -kInf},
      {"log_sum_exp", {-kInf, -kInf}, -kInf},
      {"log_sum_exp", {-kInf, 3.0}, 3.0},
      {"log_sum_exp", {3.0, -kInf}, 3.0},
      {"log_sum_exp", {kInf, 3.0}, kInf},
      {"log_sum_exp", {kInf, kInf}, kInf},
      {"log_sum_exp", {1e308, -1e308}, 1e308},
      {"log_diff_exp", {1.0, 1.0}, -kInf},
      {"log_diff_exp", {1.0, 2.0}, kNaN},
      {"log_diff_exp", {3.0, -kInf}, 3.0},
      {"log_diff_exp", {kInf, 3.0}, kInf},
      {"log_diff_exp", {kInf, kInf}, kNaN},
      {"log_diff_exp", {-kInf, -kInf}, -kInf},
      {"log_mix", {0.0, kInf, 2.0}, 2.0},
      {"log_mix", {1.0, 2.0, -kInf}, 2.0},
      {"log_mix", {0.5, -kInf, -kInf}, -kInf},
      {"log_mix", {1.5, 1.0, 2.0}, kNaN},
      {"log_inv_logit_diff", {kInf, -kInf}, 0.0},
      {"lbeta", {0.0, 1.0}, kInf},
      {"lbeta", {-1.0, 1.0}, kNaN},
      {"lchoose", {5.0, 0.0}, 0.0},
      {"lchoose", {5.0, 5.0}, 0.0},
      {"lchoose", {5.0, 7.0}, kNaN},
      {"choose", {3.0, 5.0}, 0.0},
      {"gamma_p", {2.0, 0.0}, 0.0},
      {"gamma_p", {2.0, kInf}, 1.0},
      {"gamma_q", {2.0, 0.0}, 1.0},
      {"gamma_q", {2.0, kInf}, 0.0},
      {"gamma_p", {-1.0, 2.0}, kNaN},
      {"gamma_p", {1.0, -2.0}, kNaN},
      {"inc_beta", {2.0, 3.0, 0.0}, 0.0},
      {"inc_beta", {2.0, 3.0, 1.0}, 1.0},
      {"inc_beta", {2.0, 3.0, 1.5}, kNaN},
      {"inv_inc_beta", {2.0, 3.0, 0.0}, 0.0},
      {"inv_inc_beta", {2.0, 3.0, 1.0}, 1.0},
      {"bessel_first_kind", {0.0, 0.0}, 1.0},
      {"bessel_second_kind", {1.0, 0.0}, -kInf},
      {"modified_bessel_second_kind", {1.0, 0.0}, kInf},
      {"log_modified_bessel_first_kind", {0.0, 0.0}, 0.0},
      {"log_modified_bessel_first_kind", {2.0, 0.0}, -kInf},
      {"log_modified_bessel_first_kind", {2.0, -1.0}, kNaN},
      {"owens_t", {0.0, 1.0}, 0.125},
      {"step", {0.0}, 1.0},
      {"int_step", {0.0}, 0.0},
      {"is_nan", {kNaN}, 1.0},
      {"is_inf", {-kInf}, 1.0},
      {"logical_eq", {kNaN, kNaN}, 0.0},
      {"logical_neq", {kNaN, kNaN}, 1.0},
  };
  for (const Edge& edge : edges) {
    const Elementwise* function = find_elementwise(edge.name);
    ASSERT_NE(function, nullptr) << edge.name;
    const double got = function->value(edge.x.data());
    EXPECT_TRUE(is_close(got, edge.value, 1e-15))
        << describe(edge.name, edge.x) << " is " << got << " instead of " << edge.value;
  }
}

TEST(Elementwise, partials_at_kinks_are_stans) {
  struct Kink {
    const char* name;
    std::vector<double> x;
    std::vector<double> partials;
  };
  const Kink kinks[] = {
      {"abs", {0.0}, {0.0}},
      {"sqrt", {0.0}, {0.0}},
      {"fmax", {1.0, 1.0}, {0.0, 1.0}},
      {"fmin", {1.0, 1.0}, {0.0, 1.0}},
      {"fmax", {kNaN, 1.0}, {0.0, 1.0}},
      {"fmax", {1.0, kNaN}, {1.0, 0.0}},
      {"fdim", {1.0, 1.0}, {0.0, 0.0}},
      {"pow", {0.0, 3.0}, {0.0, 0.0}},
      {"pow", {0.0, 1.0}, {1.0, 0.0}},
      {"log_sum_exp", {-kInf, 3.0}, {0.0, 1.0}},
      {"log_sum_exp", {-kInf, -kInf}, {0.5, 0.5}},
      {"log_diff_exp", {3.0, -kInf}, {1.0, 0.0}},
      {"inv_logit", {-kInf}, {0.0}},
      {"inv_logit", {kInf}, {0.0}},
      {"inv_cloglog", {kInf}, {0.0}},
      {"inv_cloglog", {-kInf}, {0.0}},
      {"Phi_approx", {kInf}, {0.0}},
      {"tanh", {kInf}, {0.0}},
      {"log1p_exp", {kInf}, {1.0}},
      {"log1p_exp", {-kInf}, {0.0}},
      {"gamma_p", {2.0, 0.0}, {0.0, 0.0}},
      {"inc_beta", {2.0, 3.0, 0.0}, {0.0, 0.0, 0.0}},
  };
  for (const Kink& kink : kinks) {
    const Point point = evaluate(*find_elementwise(kink.name), kink.x);
    for (std::size_t j = 0; j < kink.x.size(); ++j) {
      EXPECT_TRUE(is_close(point.partials[j], kink.partials[j], 1e-15))
          << describe(kink.name, kink.x) << " partial " << j << " is " << point.partials[j];
    }
  }
}

TEST(Elementwise, nan_in_nan_out) {
  for (const Elementwise& function : all_elementwise()) {
    const std::string name(function.name);
    if (name == "fmax" || name == "fmin" || name == "step" || name == "int_step" || name.starts_with("is_") ||
        name.starts_with("logical_") || name == "binary_log_loss") {
      continue;
    }
    const Row& row =
        *std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return r.name == name; });
    for (std::size_t j = 0; j < row.x.size(); ++j) {
      if (row.partials[j] == 0.0 &&
          (name.find("bessel") != name.npos || name == "ldexp" || name == "lmgamma")) {
        continue;  // an int
      }
      std::vector<double> x = row.x;
      x[j] = kNaN;
      EXPECT_TRUE(std::isnan(function.value(x.data()))) << describe(name, x);
    }
  }
}

// Central differences with two steps of Richardson's extrapolation. A row serves where the extrapolation
// converges, which fails next to jumps, kinks and ends of domains; at least a third of the rows with a
// nonzero derivative must serve.
TEST(Elementwise, partials_are_finite_differences) {
  std::map<std::string, std::pair<int, int>> served;  // of
  for (const Row& row : rows()) {
    const Elementwise& function = *find_elementwise(row.name);
    const Point point = evaluate(function, row.x);
    for (std::size_t j = 0; j < row.x.size(); ++j) {
      if (row.partials[j] == 0.0) continue;
      const double h0 = std::fabs(row.x[j]) * 0x1p-8;
      double table[3];
      double scale = 0.0;
      for (int k = 0; k < 3; ++k) {
        std::vector<double> up = row.x, down = row.x;
        up[j] += std::ldexp(h0, -k);
        down[j] -= std::ldexp(h0, -k);
        const double f_up = function.value(up.data()), f_down = function.value(down.data());
        table[k] = (f_up - f_down) / (up[j] - down[j]);
        scale = std::max({scale, std::fabs(f_up), std::fabs(f_down)});
      }
      const double first[2] = {(4.0 * table[1] - table[0]) / 3.0, (4.0 * table[2] - table[1]) / 3.0};
      const double best = (16.0 * first[1] - first[0]) / 15.0;
      auto& [good, all] = served[row.name];
      ++all;
      const double rounding = 100.0 * std::max(kEpsilon, row.value_tolerance) * scale / h0;
      if (!(std::fabs(first[1] - first[0]) < 1e-4 * std::fabs(best)) || !(rounding < 1e-3 * std::fabs(best)))
        continue;
      ++good;
      EXPECT_NEAR(point.partials[j], best, 1e-6 * std::fabs(best) + rounding)
          << describe(row.name, row.x) << " partial " << j;
    }
  }
  for (const auto& [name, count] : served) {
    EXPECT_GE(3 * count.first, count.second) << name << ": " << count.first << " of " << count.second;
  }
}

// --- batched calls ---

enum class Kind { contiguous, broadcast, gathered, contiguous_data, broadcast_data, gathered_data };
constexpr int kKinds = 6;
bool varies(Kind kind) { return kind < Kind::contiguous_data; }

// Values for each argument such that all combinations are well inside the domain.
std::vector<std::vector<double>> grid(const Elementwise& function) {
  const auto arity = static_cast<std::size_t>(function.arity);
  std::vector<std::vector<double>> candidates(arity);
  const auto is_good = [&](const std::vector<std::vector<double>>& sets) {
    std::size_t combinations = 1;
    for (const auto& set : sets) combinations *= set.size();
    for (std::size_t c = 0; c < combinations; ++c) {
      std::vector<double> x;
      std::size_t rest = c;
      for (const auto& set : sets) {
        x.push_back(set[rest % set.size()]);
        rest /= set.size();
      }
      const Point point = evaluate(function, x);
      if (!(std::fabs(point.value) < 1e20)) return false;
      for (const double d : point.partials) {
        if (!(std::fabs(d) < 1e20)) return false;
      }
    }
    return true;
  };
  for (const Row& row : rows()) {
    if (row.name != function.name || candidates[0].size() >= 4) continue;
    auto extended = candidates;
    for (std::size_t j = 0; j < arity; ++j) extended[j].push_back(row.x[j]);
    if (is_good(extended)) candidates = extended;
  }
  return candidates;
}

struct Batch {
  std::vector<double> values;
  std::vector<double> adjoints;
  std::vector<std::uint32_t> index;
  Operand operand;

  Batch(Kind kind, const std::vector<double>& candidates, std::size_t count, std::size_t lanes,
        std::size_t salt) {
    const bool is_broadcast = kind == Kind::broadcast || kind == Kind::broadcast_data;
    const bool is_gathered = kind == Kind::gathered || kind == Kind::gathered_data;
    const std::size_t elements = is_broadcast ? 1 : (is_gathered ? 7 : count);
    const std::size_t size = elements * (varies(kind) ? lanes : 1);
    for (std::size_t p = 0; p < size; ++p)
      values.push_back(candidates[(p * 7 + p / 5 + salt) % candidates.size()]);
    adjoints.assign(size, 0.25);
    if (is_gathered) {
      for (std::size_t i = 0; i < count; ++i)
        index.push_back(static_cast<std::uint32_t>((i * 5 + salt) % elements));
    }
    operand.value = values.data();
    operand.adjoint = varies(kind) ? adjoints.data() : nullptr;
    operand.index = is_gathered ? index.data() : nullptr;
    operand.step = is_broadcast ? 0 : 1;
  }
  std::size_t position(std::size_t i, std::size_t k, std::size_t lanes) const {
    return operand.adjoint != nullptr ? operand.at(i) * lanes + k : operand.at(i);
  }
};

void check_batch(const Elementwise& function, const std::vector<std::vector<double>>& candidates,
                 const std::vector<Kind>& kinds, std::size_t count, std::size_t lanes, double tolerance) {
  const std::size_t arity = kinds.size();
  std::vector<Batch> batches;
  batches.reserve(arity);
  for (std::size_t j = 0; j < arity; ++j) batches.emplace_back(kinds[j], candidates[j], count, lanes, j);
  std::vector<Operand> operands;
  for (const Batch& batch : batches) operands.push_back(batch.operand);
  std::vector<double> result(count * lanes, -99.0), result_adjoint;
  for (std::size_t p = 0; p < count * lanes; ++p) result_adjoint.push_back(1.0 + static_cast<double>(p % 11));

  const ElementwiseCall call{count, lanes, operands.data(), result.data(), result_adjoint.data()};
  function.forward(call);
  std::vector<std::vector<double>> expected, magnitude;
  for (const Batch& batch : batches) {
    expected.push_back(batch.adjoints);
    magnitude.push_back(batch.adjoints);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < lanes; ++k) {
      std::vector<double> x;
      for (const Batch& batch : batches) x.push_back(batch.values[batch.position(i, k, lanes)]);
      const Point point = evaluate(function, x);
      const std::size_t p = i * lanes + k;
      ASSERT_TRUE(is_close(result[p], point.value, tolerance))
          << describe(std::string(function.name), x) << " is " << result[p] << ", scalar " << point.value;
      for (std::size_t j = 0; j < arity; ++j) {
        if (!varies(kinds[j])) continue;
        const double product = result_adjoint[p] * point.partials[j];
        const std::size_t at = batches[j].position(i, k, lanes);
        expected[j][at] += product;
        magnitude[j][at] += std::fabs(product);
      }
    }
  }
  function.backward(call);
  for (std::size_t j = 0; j < arity; ++j) {
    for (std::size_t at = 0; at < expected[j].size(); ++at) {
      ASSERT_NEAR(batches[j].adjoints[at], expected[j][at], tolerance * magnitude[j][at])
          << function.name << " adjoint of argument " << j << " at " << at;
    }
  }
}

class Batched : public testing::TestWithParam<InstructionSet> {};

TEST_P(Batched, equals_scalar_calls) {
  const InstructionSet before = instruction_set();
  if (!fix_instruction_set(GetParam())) GTEST_SKIP() << "not on this machine";
  for (const Elementwise& function : all_elementwise()) {
    const auto candidates = grid(function);
    ASSERT_FALSE(candidates[0].empty()) << function.name;
    double tolerance = 1e-14;
    for (const Row& row : rows()) {
      if (row.name == function.name)
        tolerance = std::max({tolerance, row.value_tolerance, row.partial_tolerance});
    }
    int combinations = 1;
    for (int j = 0; j < function.arity; ++j) combinations *= kKinds;
    for (int c = 0; c < combinations; ++c) {
      std::vector<Kind> kinds;
      for (int j = 0, rest = c; j < function.arity; ++j, rest /= kKinds)
        kinds.push_back(static_cast<Kind>(rest % kKinds));
      for (const std::size_t lanes : {1U, 3U, 8U})
        check_batch(function, candidates, kinds, 13, lanes, tolerance);
      check_batch(function, candidates, kinds, 1, 1, tolerance);
      check_batch(function, candidates, kinds, 1, 5, tolerance);
    }
  }
  fix_instruction_set(before);
}

// Several chunks of the driver, and lanes that do not fit into one.
TEST_P(Batched, long_calls) {
  const InstructionSet before = instruction_set();
  if (!fix_instruction_set(GetParam())) GTEST_SKIP() << "not on this machine";
  for (const char* name : {"exp", "multiply", "log_sum_exp", "log_mix", "fma", "lgamma", "pow"}) {
    const Elementwise& function = *find_elementwise(name);
    const auto candidates = grid(function);
    int combinations = 1;
    for (int j = 0; j < function.arity; ++j) combinations *= kKinds;
    for (int c = 0; c < combinations; ++c) {
      std::vector<Kind> kinds;
      for (int j = 0, rest = c; j < function.arity; ++j, rest /= kKinds)
        kinds.push_back(static_cast<Kind>(rest % kKinds));
      check_batch(function, candidates, kinds, 700, 1, 1e-12);
      check_batch(function, candidates, kinds, 200, 5, 1e-12);
      check_batch(function, candidates, kinds, 3, 600, 1e-12);
    }
  }
  fix_instruction_set(before);
}

// The same slots as both arguments: x * x.
TEST_P(Batched, one_operand_twice) {
  const InstructionSet before = instruction_set();
  if (!fix_instruction_set(GetParam())) GTEST_SKIP() << "not on this machine";
  for (const char* name : {"multiply", "log_sum_exp", "hypot"}) {
    const Elementwise& function = *find_elementwise(name);
    std::vector<double> x(40), adjoint(40, 0.0), result(40), ones(40, 1.0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.1 + static_cast<double>(i);
    const Operand operand{x.data(), adjoint.data(), nullptr, 1};
    const Operand both[] = {operand, operand};
    const ElementwiseCall call{10, 4, both, result.data(), ones.data()};
    function.forward(call);
    function.backward(call);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Point point = evaluate(function, {x[i], x[i]});
      EXPECT_NEAR(adjoint[i], point.partials[0] + point.partials[1], 1e-14 * std::fabs(adjoint[i])) << name;
    }
  }
  fix_instruction_set(before);
}

std::string name_of(const testing::TestParamInfo<InstructionSet>& info) {
  const char* const names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<std::size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Elementwise, Batched,
                         testing::Values(InstructionSet::baseline, InstructionSet::avx2,
                                         InstructionSet::avx512),
                         name_of);

}  // namespace
}  // namespace kullback::math
