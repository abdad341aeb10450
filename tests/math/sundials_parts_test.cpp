// Our vectors and dense solver against SUNDIALS' own, bit for bit; CVODES with one vector for all
// sensitivities against CVODES told of each.
#include <cvodes/cvodes.h>
#include <gtest/gtest.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "math/solvers/cvodes_support.hpp"
#include "math/solvers/ode.hpp"

namespace kullback::math {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count);
  for (double& x : numbers) x = normal(generator);
  return numbers;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// The same numbers in vectors of both kinds.
class Both final {
 public:
  Both(std::size_t size, std::size_t count, const sundials::Context& context) {
    for (std::size_t k = 0; k < count; ++k) {
      numbers_.push_back(random_numbers(size, static_cast<unsigned>(10 * size + k)));
      copies_.push_back(numbers_.back());
    }
    for (std::size_t k = 0; k < count; ++k) {
      ours.push_back(sundials::make_block_vector({numbers_[k].data(), size, size}, context));
      theirs.push_back(N_VMake_Serial(static_cast<sunindextype>(size), copies_[k].data(), context));
    }
  }
  ~Both() {
    for (N_Vector v : ours) N_VDestroy(v);
    for (N_Vector v : theirs) N_VDestroy(v);
  }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  void expect_same(const char* what) const {
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      for (std::size_t i = 0; i < numbers_[k].size(); ++i)
        EXPECT_EQ(bits(numbers_[k][i]), bits(copies_[k][i]))
            << what << ", vector " << k << ", element " << i << " of " << numbers_[k].size() << ": "
            << numbers_[k][i] << " and " << copies_[k][i];
    }
  }

  std::vector<N_Vector> ours;
  std::vector<N_Vector> theirs;

 private:
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<double>> copies_;
};

struct Operation {
  const char* name;
  std::function<double(const std::vector<N_Vector>& v)> run;  // a result, or 0 where vectors are results
};

template <class F>
Operation changes(const char* name, const F& run) {
  return {name, [run](const std::vector<N_Vector>& v) {
            run(v);
            return 0.0;
          }};
}

std::vector<Operation> operations() {
  using Vs = const std::vector<N_Vector>&;
  return {
      changes("linear sum", [](Vs v) { N_VLinearSum(0.3, v[0], -1.7, v[1], v[2]); }),
      changes("a = b", [](Vs v) { N_VLinearSum(0.3, v[0], 0.3, v[1], v[2]); }),
      changes("a = -b", [](Vs v) { N_VLinearSum(0.3, v[0], -0.3, v[1], v[2]); }),
      changes("x + y into x", [](Vs v) { N_VLinearSum(1, v[0], 1, v[1], v[0]); }),
      changes("x - y into y", [](Vs v) { N_VLinearSum(1, v[0], -1, v[1], v[1]); }),
      changes("a x + y into y", [](Vs v) { N_VLinearSum(0.3, v[0], 1, v[1], v[1]); }),
      changes("constant", [](Vs v) { N_VConst(0.3, v[1]); }),
      changes("product", [](Vs v) { N_VProd(v[0], v[1], v[2]); }),
      changes("quotient", [](Vs v) { N_VDiv(v[0], v[1], v[1]); }),
      changes("scale", [](Vs v) { N_VScale(0.3, v[0], v[1]); }),
      changes("copy", [](Vs v) { N_VScale(1, v[0], v[1]); }),
      changes("negative in place", [](Vs v) { N_VScale(-1, v[0], v[0]); }),
      changes("absolute", [](Vs v) { N_VAbs(v[0], v[1]); }),
      changes("inverse", [](Vs v) { N_VInv(v[0], v[0]); }),
      changes("add constant", [](Vs v) { N_VAddConst(v[0], 0.3, v[1]); }),
      {"dot product", [](Vs v) { return N_VDotProd(v[0], v[1]); }},
      {"largest absolute", [](Vs v) { return N_VMaxNorm(v[0]); }},
      {"smallest", [](Vs v) { return N_VMin(v[0]); }},
      {"weighted mean norm", [](Vs v) { return N_VWrmsNorm(v[0], v[1]); }},
      {"weighted norm", [](Vs v) { return N_VWL2Norm(v[0], v[1]); }},
      {"sum of absolutes", [](Vs v) { return N_VL1Norm(v[0]); }},
      {"length", [](Vs v) { return static_cast<double>(N_VGetLength(v[0])); }},
      changes("linear combination",
              [](Vs v) {
                double c[] = {1, -0.3, 2.5};
                N_Vector x[] = {v[0], v[1], v[2]};
                N_VLinearCombination(3, c, x, v[3]);
                N_VLinearCombination(3, c, x, v[0]);
              }),
      changes("scale and add to each",
              [](Vs v) {
                double a[] = {0.3, -2};
                N_Vector y[] = {v[1], v[2]};
                N_Vector z[] = {v[3], v[2]};
                N_VScaleAddMulti(2, a, v[0], y, z);
              }),
  };
}

std::vector<Operation> operations_on_arrays() {
  using Vs = const std::vector<N_Vector>&;
  return {
      changes("linear sums",
              [](Vs v) {
                N_Vector x[] = {v[0], v[1]};
                N_Vector y[] = {v[2], v[3]};
                N_VLinearSumVectorArray(2, 0.3, x, -1.2, y, y);
              }),
      changes("scale all",
              [](Vs v) {
                double c[] = {0.3, -1};
                N_Vector x[] = {v[0], v[1]};
                N_Vector z[] = {v[0], v[2]};
                N_VScaleVectorArray(2, c, x, z);
              }),
      changes("constants",
              [](Vs v) {
                N_Vector z[] = {v[0], v[2]};
                N_VConstVectorArray(2, 0.3, z);
              }),
      {"weighted mean norms",
       [](Vs v) {
         double norms[2];
         N_Vector x[] = {v[0], v[1]};
         N_Vector w[] = {v[2], v[3]};
         N_VWrmsNormVectorArray(2, x, w, norms);
         return norms[0] + 1e5 * norms[1];
       }},
      changes("scale and add to each of all",
              [](Vs v) {
                double a[] = {0.3, -2};
                N_Vector x[] = {v[0], v[1]};
                N_Vector y0[] = {v[2], v[3]};
                N_Vector y1[] = {v[4], v[5]};
                N_Vector* y[] = {y0, y1};
                N_VScaleAddMultiVectorArray(2, 2, a, x, y, y);
              }),
      changes("linear combinations",
              [](Vs v) {
                double c[] = {0.3, 1, -2};
                N_Vector x0[] = {v[0], v[1]};
                N_Vector x1[] = {v[2], v[3]};
                N_Vector x2[] = {v[3], v[2]};
                N_Vector z[] = {v[4], v[5]};
                N_Vector* x[] = {x0, x1, x2};
                N_VLinearCombinationVectorArray(2, 3, c, x, z);
              }),
  };
}

TEST(BlockVector, OperationsGiveTheBitsOfSerialVectors) {
  const sundials::Context context;
  std::vector<Operation> all = operations();
  for (Operation& operation : operations_on_arrays()) all.push_back(std::move(operation));
  for (const std::size_t size : {1, 2, 3, 7, 64}) {
    for (const Operation& operation : all) {
      const Both both(size, 6, context);
      const double ours = operation.run(both.ours);
      EXPECT_EQ(bits(ours), bits(operation.run(both.theirs))) << operation.name << " of " << size;
      both.expect_same(operation.name);
    }
  }
}

TEST(BlockVector, ACloneHasZerosOfItsOwn) {
  const sundials::Context context;
  double numbers[] = {1, 2, 3, 4};
  const sundials::Vector v({numbers, 4, 2}, context);
  N_Vector clone = N_VClone(v);
  EXPECT_EQ(N_VMaxNorm(clone), 0.0);
  EXPECT_EQ(sundials::block_vector(clone).block, 2U);
  N_VConst(5, clone);
  EXPECT_EQ(numbers[0], 1.0);
  EXPECT_EQ(N_VGetLength(clone), 4);
  N_VDestroy(clone);
}

TEST(BlockVector, TheMeanNormIsTheLargestOverTheBlocks) {
  const sundials::Context context;
  double weights[] = {1, 1, 1, 1, 1, 1};
  const sundials::Vector w({weights, 6, 2}, context);
  const auto norm = [&](std::vector<double> numbers) {
    const sundials::Vector v({numbers.data(), 6, 2}, context);
    return N_VWrmsNorm(v, w);
  };
  EXPECT_EQ(norm({0, 0, 3, -4, 1, 1}), std::sqrt(12.5));
  EXPECT_EQ(norm({3, 4, 0, 0, 0, 0}), std::sqrt(12.5));
  EXPECT_EQ(norm({0, 0, 0, 0, -1, 7}), 5.0);
  EXPECT_TRUE(std::isnan(norm({kNan, 0, 1, 1, 1, 1})));
  EXPECT_EQ(norm({0, 0, kNan, 0, 1, 7}), 5.0);
}

// Blocks of right-hand sides, one of them zero.
TEST(DenseSolver, GivesTheBitsOfSundials) {
  const sundials::Context context;
  for (const std::size_t n : {1, 2, 3, 4, 6, 11}) {
    const auto size = static_cast<sunindextype>(n);
    const std::vector<double> matrix = random_numbers(n * n, static_cast<unsigned>(n));
    std::vector<double> right = random_numbers(3 * n, static_cast<unsigned>(100 + n));
    std::fill_n(right.begin() + static_cast<long>(n), n, 0.0);
    sundials::DenseSolver ours(n, context);
    std::copy(matrix.begin(), matrix.end(), SM_DATA_D(ours.matrix()));
    std::vector<double> solution(3 * n, kNan);
    const sundials::Vector b({right.data(), 3 * n, n}, context);
    const sundials::Vector x({solution.data(), 3 * n, n}, context);
    ASSERT_EQ(SUNLinSolSetup(ours.solver(), ours.matrix()), SUNLS_SUCCESS);
    ASSERT_EQ(SUNLinSolSolve(ours.solver(), ours.matrix(), x, b, 0), SUNLS_SUCCESS);

    SUNMatrix a = SUNDenseMatrix(size, size, context);
    std::copy(matrix.begin(), matrix.end(), SM_DATA_D(a));
    N_Vector v = N_VNew_Serial(size, context);
    SUNLinearSolver theirs = SUNLinSol_Dense(v, a, context);
    ASSERT_EQ(SUNLinSolSetup(theirs, a), SUNLS_SUCCESS);
    for (std::size_t block = 0; block < 3; ++block) {
      std::copy_n(right.begin() + static_cast<long>(block * n), n, NV_DATA_S(v));
      ASSERT_EQ(SUNLinSolSolve(theirs, a, v, v, 0), SUNLS_SUCCESS);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(solution[block * n + i], NV_DATA_S(v)[i]) << n;
    }
    SUNLinSolFree(theirs);
    N_VDestroy(v);
    SUNMatDestroy(a);
  }
}

TEST(DenseSolver, SaysThatAMatrixIsSingular) {
  const sundials::Context context;
  sundials::DenseSolver solver(2, context);
  const double rank_one[] = {1, 2, 2, 4};
  std::copy_n(rank_one, 4, SM_DATA_D(solver.matrix()));
  EXPECT_EQ(SUNLinSolSetup(solver.solver(), solver.matrix()), SUNLS_LUFACT_FAIL);
}

// ---- CVODES by the book ----

// A predator and its prey, stiffened: y1' = a y1 - b y1 y2, y2' = -c y2 + d y1 y2 with a fast third state
// that follows the first. Steps fail now and then.
class Chase final : public VectorFunction {
 public:
  std::size_t input_count() const override { return 1 + 3 + 4; }
  std::size_t output_count() const override { return 3; }
  void value(const double* x, double* f) override {
    f[0] = x[4] * x[1] - x[5] * x[1] * x[2];
    f[1] = -x[6] * x[2] + x[7] * x[1] * x[2];
    f[2] = 200 * (std::sin(x[1]) - x[3]);
  }
  void jacobian(const double* x, double* f, double* j) override {
    value(x, f);
    const double columns[] = {0,
                              0,
                              0,
                              x[4] - x[5] * x[2],
                              x[7] * x[2],
                              200 * std::cos(x[1]),
                              -x[5] * x[1],
                              -x[6] + x[7] * x[1],
                              0,
                              0,
                              0,
                              -200,
                              x[1],
                              0,
                              0,
                              -x[1] * x[2],
                              0,
                              0,
                              0,
                              -x[2],
                              0,
                              0,
                              x[1] * x[2],
                              0};
    std::copy(std::begin(columns), std::end(columns), j);
  }
  void pull_back(const double*, const double*, double*) override { FAIL() << "not needed"; }
};

struct Reference {
  const OdeProblem& problem;
  CoupledOde coupled;
  std::vector<double> s;
  std::vector<double> ds;
  std::vector<double> rate;
};

int reference_rate(realtype t, N_Vector y, N_Vector dy, void* data) {
  static_cast<Reference*>(data)->coupled.plain_rate(t, NV_DATA_S(y), NV_DATA_S(dy));
  return 0;
}

int reference_jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector,
                       N_Vector) {
  auto& own = *static_cast<Reference*>(data);
  const std::size_t n = own.problem.states();
  std::copy_n(own.coupled.jacobian(t, NV_DATA_S(y), own.rate.data()) + n, n * n, SM_DATA_D(j));
  return 0;
}

int reference_sensitivities(int count, realtype t, N_Vector y, N_Vector, N_Vector* s, N_Vector* ds,
                            void* data, N_Vector, N_Vector) {
  auto& own = *static_cast<Reference*>(data);
  const std::size_t n = own.problem.states();
  const auto columns = static_cast<std::size_t>(count);
  for (std::size_t k = 0; k < columns; ++k) std::copy_n(NV_DATA_S(s[k]), n, own.s.data() + k * n);
  own.coupled.sensitivity_rates(own.coupled.jacobian(t, NV_DATA_S(y), own.rate.data()), own.s.data(),
                                own.ds.data());
  for (std::size_t k = 0; k < columns; ++k) std::copy_n(own.ds.data() + k * n, n, NV_DATA_S(ds[k]));
  return 0;
}

// Serial vectors, SUNDIALS' dense solver, a vector for each sensitivity: Stan's calls.
std::vector<double> solve_by_the_book(const OdeProblem& problem, int multistep, long* failed_steps) {
  const sundials::Context context;
  const std::size_t n = problem.states();
  const std::size_t count = problem.sensitivities();
  const auto size = static_cast<sunindextype>(n);
  Reference own{problem, CoupledOde(problem), std::vector<double>(n * count), std::vector<double>(n * count),
                std::vector<double>(n)};
  std::vector<double> z = own.coupled.initial_state();
  N_Vector y = N_VMake_Serial(size, z.data(), context);
  N_Vector* s = N_VCloneEmptyVectorArray(static_cast<int>(count), y);
  for (std::size_t k = 0; k < count; ++k) NV_DATA_S(s[k]) = z.data() + (1 + k) * n;
  SUNMatrix matrix = SUNDenseMatrix(size, size, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  std::vector<double> result;
  {
    sundials::Cvodes cvodes(multistep, context, "reference");
    const auto require = [](int flag) { ASSERT_GE(flag, 0); };
    require(CVodeInit(cvodes, reference_rate, problem.initial_time, y));
    cvodes.set_options(problem.control.max_num_steps, &own);
    require(
        CVodeSStolerances(cvodes, problem.control.relative_tolerance, problem.control.absolute_tolerance));
    require(CVodeSetLinearSolver(cvodes, linear, matrix));
    require(CVodeSetJacFn(cvodes, reference_jacobian));
    require(CVodeSensInit(cvodes, static_cast<int>(count), CV_STAGGERED, reference_sensitivities, s));
    require(CVodeSetSensErrCon(cvodes, SUNTRUE));
    require(CVodeSensEEtolerances(cvodes));
    double reached = problem.initial_time;
    for (const double time : problem.times) {
      require(CVode(cvodes, time, y, &reached, CV_NORMAL));
      require(CVodeGetSens(cvodes, &reached, s));
      result.insert(result.end(), z.begin(), z.end());
    }
    long of_states = 0;
    long of_sensitivities = 0;
    require(CVodeGetNumErrTestFails(cvodes, &of_states));
    require(CVodeGetSensNumErrTestFails(cvodes, &of_sensitivities));
    *failed_steps = of_states + of_sensitivities;
  }
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroyVectorArray(s, static_cast<int>(count));
  N_VDestroy(y);
  return result;
}

TEST(OneVectorForAllSensitivities, GivesTheBitsOfCvodesWithOneForEach) {
  const double initial[] = {1.5, 0.7, 0};
  const double parameters[] = {1.1, 0.6, 0.9, 0.8};
  const double times[] = {0.5, 2, 7, 20};
  Chase f;
  long failed = 0;
  for (const bool initial_varies : {true, false}) {
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      OdeProblem problem;
      problem.function = "ode";
      problem.rhs = &f;
      problem.initial = initial;
      problem.times = times;
      problem.parameters = parameters;
      problem.initial_varies = initial_varies;
      problem.control = {tolerance, tolerance, 1'000'000};
      for (const int multistep : {CV_BDF, CV_ADAMS}) {
        std::vector<double> solution(std::size(times) * problem.coupled_size());
        (multistep == CV_BDF ? solve_ode_bdf : solve_ode_adams)(problem, solution.data());
        long failed_here = 0;
        const std::vector<double> expected = solve_by_the_book(problem, multistep, &failed_here);
        failed += failed_here;
        ASSERT_EQ(solution.size(), expected.size());
        for (std::size_t i = 0; i < solution.size(); ++i)
          EXPECT_EQ(solution[i], expected[i]) << "tolerance " << tolerance << ", method " << multistep;
      }
    }
  }
  EXPECT_GT(failed, 20) << "steps that fail are part of what is compared";
}

}  // namespace
}  // namespace kullback::math
