// The vector functions against long double (64 bits, of glibc), in units in the last place, over the whole
// range and on every instruction set of this machine; what is not finite must agree exactly.
#include "math/vector_math.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kullback::math {
namespace {

using Exact = long double (*)(long double);

struct Call {
  const double* x;
  double* y;
  std::size_t n;
};

template <double (*kFunction)(double)>
struct Loop {
  KULLBACK_INLINE static void run(const Call& call) {
    for (std::size_t i = 0; i < call.n; ++i) call.y[i] = kFunction(call.x[i]);
  }
};

long double inv_logit(long double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
long double log1p_exp(long double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))); }
long double log1m_exp(long double x) {
  if (x > 0) return std::numeric_limits<long double>::quiet_NaN();
  return x > -0.5L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

double units_in_last_place(double got, long double wanted) {
  const auto rounded = static_cast<double>(wanted);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0.0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0.0 : HUGE_VAL;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs(static_cast<long double>(got) - wanted) / unit);
}

std::vector<double> arguments() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kMin = std::numeric_limits<double>::min();
  std::vector<double> x = {0.0,
                           -0.0,
                           kInf,
                           -kInf,
                           std::nan(""),
                           1.0,
                           -1.0,
                           5e-324,
                           -5e-324,
                           kMin,
                           -kMin,
                           kMax,
                           -kMax,
                           709.782712893384,
                           709.7827128933841,
                           -745.1332191019411,
                           -745.13321910194122,
                           -746.0,
                           710.0,
                           0x1p54,
                           0x1p60,
                           0x1p61};
  std::uint64_t state = 1;
  const auto next = [&] {  // splitmix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  };
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  };
  for (int i = 0; i < 50000; ++i) {
    x.push_back(uniform(-1.0, 1.0));
    x.push_back(uniform(-3.0, 3.0));
    x.push_back(uniform(-50.0, 50.0));
    x.push_back(uniform(-750.0, 750.0));
    x.push_back(uniform(0.999, 1.001));
    x.push_back(std::ldexp(uniform(1.0, 2.0), static_cast<int>(next() % 2098) - 1074));
    x.push_back(std::bit_cast<double>(next()));
  }
  return x;
}

template <double (*kFunction)(double)>
void check(const char* name, Exact exact, double limit) {
  static const std::vector<double> x = arguments();
  std::vector<double> y(x.size());
  const InstructionSet before = instruction_set();
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!fix_instruction_set(set)) continue;
    dispatch<Loop<kFunction>, Call>({x.data(), y.data(), x.size()});
    double worst = 0.0;
    double worst_at = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = units_in_last_place(y[i], exact(x[i]));
      if (error > worst) {
        worst = error;
        worst_at = x[i];
      }
    }
    EXPECT_LE(worst, limit) << name << " at " << worst_at << ", instruction set " << static_cast<int>(set);
    testing::Test::RecordProperty(std::string(name) + std::to_string(static_cast<int>(set)),
                                  std::to_string(worst));
  }
  fix_instruction_set(before);
}

TEST(VectorMath, is_within_a_few_units_in_the_last_place) {
  check<fast::exp>(
      "exp", [](long double x) { return std::exp(x); }, 1.0);
  check<fast::log>(
      "log", [](long double x) { return std::log(x); }, 1.0);
  check<fast::log1p>(
      "log1p", [](long double x) { return std::log1p(x); }, 1.0);
  check<fast::expm1>(
      "expm1", [](long double x) { return std::expm1(x); }, 2.0);
  check<fast::inv_logit>("inv_logit", inv_logit, 2.5);
  check<fast::log1p_exp>("log1p_exp", log1p_exp, 2.5);
  check<fast::log1m_exp>("log1m_exp", log1m_exp, 3.0);
  check<fast::tanh>(
      "tanh", [](long double x) { return std::tanh(x); }, 2.5);
}

TEST(VectorMath, bounded_exp) {
  for (double x = -708.0; x <= 709.0; x += 0.37) {
    EXPECT_LE(units_in_last_place(fast::exp_bounded(x), std::exp(static_cast<long double>(x))), 1.0) << x;
  }
}

TEST(VectorMath, signs_of_zero) {
  EXPECT_TRUE(std::signbit(fast::expm1(-0.0)));
  EXPECT_TRUE(std::signbit(fast::tanh(-0.0)));
  EXPECT_EQ(fast::log(-0.0), -std::numeric_limits<double>::infinity());
}

TEST(InstructionSet, is_that_of_the_machine_or_less) {
  const InstructionSet best = instruction_set();
  EXPECT_TRUE(fix_instruction_set(InstructionSet::baseline));
  EXPECT_EQ(instruction_set(), InstructionSet::baseline);
  EXPECT_TRUE(fix_instruction_set(best));
  EXPECT_EQ(instruction_set(), best);
}

}  // namespace
}  // namespace kullback::math
