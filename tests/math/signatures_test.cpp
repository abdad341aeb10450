#include "math/signatures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "math/higher_order.hpp"
#include "math/signatures/expand.hpp"

namespace kullback::math {
namespace {

using Outcome = Resolution::Outcome;

Signature read(std::string_view line) { return pattern::expand(line).front(); }
std::vector<Argument> arguments(std::string_view line) { return read(line).arguments; }

std::string show(const Resolution& r) {
  switch (r.outcome) {
    case Outcome::unique: return to_string(r.signature);
    case Outcome::ambiguous: return "ambiguous " + std::to_string(r.candidates.size());
    case Outcome::mismatch:
      return "mismatch at " + std::to_string(r.bad_argument) + (r.needs_data ? ", needs data" : "");
    case Outcome::unknown_name: return "unknown";
  }
  return "?";
}

std::string chosen(std::string_view name, std::string_view types) {
  return show(resolve(name, arguments(types)));
}
std::string operated(std::string_view op, std::string_view types) {
  return show(resolve_operator(op, arguments(types)));
}

// ---- resolution without expansion is resolution over the expansion ----

class ResolveProperty : public testing::Test {
 protected:
  void check(std::string_view name, const std::vector<Signature>& all, const std::vector<Argument>& given) {
    const Resolution quick = resolve(name, given);
    const Resolution slow = resolve_among(all, given);
    ++checked_;
    if (slow.outcome == Outcome::unique) ++unique_;
    bool same = quick.outcome == slow.outcome;
    if (same && slow.outcome == Outcome::unique) same = quick.signature == slow.signature;
    if (same && slow.outcome == Outcome::ambiguous) {
      same = std::is_permutation(quick.candidates.begin(), quick.candidates.end(), slow.candidates.begin(),
                                 slow.candidates.end());
    }
    if (same && slow.outcome == Outcome::mismatch) {
      same = quick.candidates == slow.candidates && quick.bad_argument == slow.bad_argument;
    }
    ASSERT_TRUE(same) << name << to_string(Signature{{}, given}) << ": " << show(quick)
                      << " but over the expansion " << show(slow);
  }

  int checked_ = 0;
  int unique_ = 0;
};

std::vector<Type> pool() {
  std::vector<Type> types;
  for (int kind = static_cast<int>(Kind::int_); kind <= static_cast<int>(Kind::complex_matrix); ++kind) {
    for (int rank = 0; rank <= 2; ++rank) types.push_back(array_of(Type{static_cast<Kind>(kind)}, rank));
  }
  types.push_back(tuple_of({Type{Kind::int_}, Type{Kind::real}}));
  return types;
}

TEST_F(ResolveProperty, EveryPairOfTypes) {
  const std::vector<Type> types = pool();
  for (std::string_view name : builtin_names()) {
    const std::vector<Signature> all = signatures(name);
    std::set<std::size_t> counts;
    for (const Signature& s : all) counts.insert(s.arguments.size());
    if (counts.count(0)) check(name, all, {});
    if (counts.count(1)) {
      for (const Type& a : types) check(name, all, {{a, true}});
    }
    if (!counts.count(2)) continue;
    for (const Type& a : types) {
      for (const Type& b : types) check(name, all, {{a, true}, {b, true}});
    }
  }
  EXPECT_GT(unique_, 3000);
}

Type demoted(Type type) {
  switch (type.kind) {
    case Kind::real: type.kind = Kind::int_; break;
    case Kind::complex: type.kind = Kind::real; break;
    case Kind::complex_vector: type.kind = Kind::vector; break;
    case Kind::complex_row_vector: type.kind = Kind::row_vector; break;
    case Kind::complex_matrix: type.kind = Kind::matrix; break;
    default: break;
  }
  return type;
}

TEST_F(ResolveProperty, AroundEverySignature) {
  const std::vector<Type> types = pool();
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::string_view name : builtin_names()) {
    const std::vector<Signature> all = signatures(name);
    if (all.empty()) continue;
    for (int repeat = 0; repeat < 60; ++repeat) {
      std::vector<Argument> given = all[below(all.size())].arguments;
      const bool stray = below(8) == 0 && !given.empty();
      for (Argument& argument : given) {
        for (std::size_t steps = below(3); steps > 0; --steps) argument.type = demoted(argument.type);
        argument.data_only = argument.data_only ? below(8) != 0 : below(2) == 0;
      }
      if (stray) given[below(given.size())].type = types[below(types.size())];
      check(name, all, given);
    }
  }
  EXPECT_GT(unique_, checked_ / 2);
}

TEST(Signatures, NoneTwice) {
  for (std::string_view name : builtin_names()) {
    std::set<std::string> seen;
    for (const Signature& s : signatures(name)) {
      EXPECT_TRUE(seen.insert(to_string(Signature{{}, s.arguments})).second) << name << to_string(s);
    }
  }
}

// ---- rows ----

TEST(Resolve, Densities) {
  EXPECT_EQ(chosen("normal_lpdf", "vector, real, row_vector"), "(vector, real, row_vector) => real");
  EXPECT_EQ(chosen("normal_lpdf", "int, int, int"), "(real, real, real) => real");
  EXPECT_EQ(chosen("normal_lpdf", "array[] int, real, vector"), "(array[] real, real, vector) => real");
  EXPECT_EQ(chosen("normal_lpdf", "matrix, real, real"), "mismatch at 0");
  EXPECT_EQ(chosen("normal_lpdf", "vector, real"), "mismatch at -1");
  EXPECT_EQ(chosen("poisson_lpmf", "array[] int, vector"), "(array[] int, vector) => real");
  EXPECT_EQ(chosen("poisson_lpmf", "real, vector"), "mismatch at 0");
  EXPECT_EQ(chosen("multi_normal_lpdf", "array[] vector, row_vector, matrix"),
            "(array[] vector, row_vector, matrix) => real");
  EXPECT_EQ(chosen("wiener_lpdf", "6*real, data real"),
            "(real, real, real, real, real, real, data real) => real");
  EXPECT_EQ(chosen("beta_proportion_cdf", "3*real"), "unknown");
}

TEST(Resolve, Rngs) {
  EXPECT_EQ(chosen("normal_rng", "int, real"), "(int, real) => real");
  EXPECT_EQ(chosen("normal_rng", "vector, real"), "(vector, real) => array[] real");
  EXPECT_EQ(chosen("poisson_rng", "row_vector"), "(row_vector) => array[] int");
  EXPECT_EQ(chosen("std_normal_rng", ""), "() => real");
  EXPECT_EQ(chosen("binomial_rng", "array[] int, real"), "(array[] int, real) => array[] int");
  EXPECT_EQ(chosen("multi_normal_rng", "array[] row_vector, matrix"),
            "(array[] row_vector, matrix) => array[] vector");
}

TEST(Resolve, Elementwise) {
  EXPECT_EQ(chosen("add", "matrix, real"), "(matrix, real) => matrix");
  EXPECT_EQ(chosen("add", "matrix, int"), "(matrix, real) => matrix");
  EXPECT_EQ(chosen("add", "int, int"), "(int, int) => int");
  EXPECT_EQ(chosen("add", "int, complex"), "(complex, complex) => complex");
  EXPECT_EQ(chosen("add", "vector, complex"), "(complex_vector, complex) => complex_vector");
  EXPECT_EQ(chosen("add", "vector, row_vector"), "mismatch at 1");
  EXPECT_EQ(chosen("pow", "vector, int"), "(vector, int) => vector");
  EXPECT_EQ(chosen("pow", "int, int"), "(int, int) => real");
  EXPECT_EQ(chosen("pow", "array[] int, array[] real"), "(array[] real, array[] real) => array[] real");
  EXPECT_EQ(chosen("pow", "complex, real"), "(complex, complex) => complex");
  EXPECT_EQ(chosen("Phi", "array[,] int"), "(array[,] int) => array[,] real");
  EXPECT_EQ(chosen("abs", "complex_matrix"), "(complex_matrix) => matrix");
  EXPECT_EQ(chosen("bessel_first_kind", "array[,] int, matrix"), "(array[,] int, matrix) => matrix");
  EXPECT_EQ(chosen("student_t_qf", "real, vector, real, real"), "(real, vector, real, real) => vector");
  EXPECT_EQ(chosen("svd", "matrix"), "(matrix) => tuple(matrix, vector, matrix)");
  EXPECT_EQ(chosen("rep_array", "array[] vector, int, int"),
            "(array[] vector, int, int) => array[,,] vector");
}

TEST(Resolve, DataOnly) {
  EXPECT_EQ(chosen("to_int", "data real"), "(data real) => int");
  EXPECT_EQ(chosen("to_int", "real"), "mismatch at 0, needs data");
  EXPECT_EQ(chosen("linspaced_vector", "data int, real, data real"), "mismatch at 1, needs data");
}

TEST(Resolve, MismatchNamesTheNearest) {
  const Resolution r = resolve("normal_lpdf", arguments("vector, real, matrix"));
  EXPECT_EQ(r.outcome, Outcome::mismatch);
  EXPECT_EQ(r.bad_argument, 2);
  ASSERT_EQ(r.candidates.size(), 5u);  // four that fail at the third argument, one at the second
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(to_string(r.candidates[i]).substr(0, 13), "(vector, real");
}

TEST(Resolve, Operators) {
  EXPECT_EQ(operated("+", "vector, vector"), "(vector, vector) => vector");
  EXPECT_EQ(operated("+", "array[] real, array[] real"), "mismatch at 0");
  EXPECT_EQ(operated("-", "array[] int"), "(array[] int) => array[] int");
  EXPECT_EQ(operated("+", "array[] int"), "mismatch at 0");
  EXPECT_EQ(operated("/", "int, int"), "(int, int) => int");
  EXPECT_EQ(operated("/", "matrix, matrix"), "(matrix, matrix) => matrix");
  EXPECT_EQ(resolve_operator("/", arguments("matrix, matrix")).function, "mdivide_right");
  EXPECT_EQ(resolve_operator("/", arguments("matrix, real")).function, "divide");
  EXPECT_EQ(operated("%/%", "int, int"), "(int, int) => int");
  EXPECT_EQ(operated("%/%", "real, int"), "mismatch at 0");
  EXPECT_EQ(operated("*", "row_vector, vector"), "(row_vector, vector) => real");
  EXPECT_EQ(operated("'", "vector"), "(vector) => row_vector");
  EXPECT_EQ(operated("^", "real, int"), "(real, int) => real");
  EXPECT_EQ(operated("==", "int, real"), "(int, real) => int");
  EXPECT_EQ(operated("!", "int"), "(int) => int");
  EXPECT_EQ(operated("!", "real"), "mismatch at 0");
  EXPECT_EQ(operated("?", "int"), "unknown");
}

TEST(Resolve, AssignmentOperators) {
  const auto assigned = [](std::string_view op, std::string_view types) {
    const auto a = arguments(types);
    return show(resolve_assignment(op, a[0], a[1]));
  };
  EXPECT_EQ(assigned("+", "vector, real"), "(vector, real) => vector");
  EXPECT_EQ(assigned("+", "real, vector"), "mismatch at 1");
  EXPECT_EQ(assigned("+", "int, real"), "mismatch at 1");
  EXPECT_EQ(assigned("/", "matrix, matrix"), "mismatch at 1");
  EXPECT_EQ(assigned("*", "matrix, matrix"), "(matrix, matrix) => matrix");
  EXPECT_EQ(assigned(".*", "real, real"), "mismatch at 0");
  EXPECT_EQ(assigned(".*", "vector, vector"), "(vector, vector) => vector");
  EXPECT_EQ(assigned("^", "real, real"), "unknown");
}

// ---- user overloads ----

TEST(ResolveAmong, Ambiguous) {
  const std::vector<Signature> f = {read("int, real -> real"), read("real, int -> real")};
  EXPECT_EQ(show(resolve_among(f, arguments("int, int"))), "ambiguous 2");
  EXPECT_EQ(show(resolve_among(f, arguments("int, real"))), "(int, real) => real");
  EXPECT_EQ(resolve_among(f, arguments("real, int")).overload, 1);
}

TEST(ResolveAmong, CostsAreSummed) {
  // int -> complex costs as much as int -> real twice.
  const std::vector<Signature> f = {read("complex, int -> real"), read("real, real -> int")};
  EXPECT_EQ(show(resolve_among(f, arguments("int, int"))), "ambiguous 2");
  EXPECT_EQ(show(resolve_among(f, arguments("real, int"))), "ambiguous 2");
  const std::vector<Signature> g = {read("complex -> real"), read("real -> int")};
  EXPECT_EQ(show(resolve_among(g, arguments("int"))), "(real) => int");
}

TEST(ResolveAmong, TuplesAndData) {
  const Type from = tuple_of({Type{Kind::int_}, Type{Kind::vector}});
  const Type to = tuple_of({Type{Kind::real}, Type{Kind::vector}});
  const std::vector<Signature> f = {{Type{Kind::real}, {{to, true}}}};
  EXPECT_EQ(show(resolve_among(f, std::vector<Argument>{{from, true}})),
            "(data tuple(real, vector)) => real");
  EXPECT_EQ(show(resolve_among(f, std::vector<Argument>{{from, false}})), "mismatch at 0, needs data");
  EXPECT_EQ(show(resolve_among({}, {})), "mismatch at -1");
}

TEST(ResolveOverloaded, UserAndBuiltInTogether) {
  const std::vector<Signature> mine = {read("array[] int, int -> int")};
  const Resolution own = resolve_overloaded("add", mine, arguments("array[] int, int"));
  EXPECT_EQ(own.overload, 0);
  EXPECT_TRUE(own.function.empty());
  const Resolution theirs = resolve_overloaded("add", mine, arguments("vector, int"));
  EXPECT_EQ(theirs.overload, -1);
  EXPECT_EQ(theirs.function, "add");
  EXPECT_EQ(show(resolve_overloaded("mine_only", mine, arguments("array[] int, int"))),
            "(array[] int, int) => int");
  const std::vector<Signature> twin = {read("int, real -> real")};
  EXPECT_EQ(show(resolve_overloaded("add", twin, arguments("int, real"))), "(int, real) => real");
}

// ---- names and families ----

TEST(Names, BuiltIn) {
  for (const char* name : {"normal_lpdf", "Phi", "ode_rk45", "reduce_sum", "laplace_marginal_tol", "map_rect",
                           "simplex_jacobian", "hmm_latent_rng", "wiener_lcdf_unnorm"}) {
    EXPECT_TRUE(is_builtin(name)) << name;
  }
  for (const char* name : {"normal", "normal_lupdf", "", "phi", "loglogistic_lcdf"})
    EXPECT_FALSE(is_builtin(name)) << name;
  const auto names = builtin_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (std::string_view name : names) EXPECT_TRUE(is_builtin(name)) << name;
}

TEST(Families, Found) {
  const Family* normal = find_family("normal");
  ASSERT_NE(normal, nullptr);
  EXPECT_TRUE(!normal->discrete && normal->has_cdf && normal->has_lcdf && normal->has_lccdf &&
              normal->has_rng);
  EXPECT_TRUE(find_family("poisson")->discrete);
  EXPECT_FALSE(find_family("beta_proportion")->has_cdf);
  EXPECT_TRUE(find_family("beta_proportion")->has_lcdf);
  EXPECT_FALSE(find_family("loglogistic")->has_lccdf);
  EXPECT_FALSE(find_family("hmm_latent")->has_density);
  EXPECT_FALSE(find_family("wiener")->has_rng);
  EXPECT_EQ(find_family("normal_lpdf"), nullptr);
  for (const Family& family : families()) {
    const std::string name(family.name);
    EXPECT_EQ(is_builtin(name + (family.discrete ? "_lpmf" : "_lpdf")), family.has_density) << name;
    EXPECT_EQ(is_builtin(name + "_cdf"), family.has_cdf) << name;
    EXPECT_EQ(is_builtin(name + "_lcdf"), family.has_lcdf) << name;
    EXPECT_EQ(is_builtin(name + "_lccdf"), family.has_lccdf) << name;
    EXPECT_EQ(is_builtin(name + "_rng"), family.has_rng) << name;
  }
}

// ---- functions that take functions ----

TEST(HigherOrder, Solvers) {
  const auto ode = find_higher_order("ode_bdf_tol");
  ASSERT_TRUE(ode);
  EXPECT_EQ(ode->form, HigherOrder::Form::variadic);
  EXPECT_EQ(to_string(ode->callback), "(real, vector) => vector");
  ASSERT_EQ(ode->calls.size(), 1u);
  EXPECT_EQ(to_string(ode->calls[0]),
            "(vector, real, array[] real, data real, data real, data int) => array[] vector");
  EXPECT_EQ(find_higher_order("ode_adjoint_tol_ctl")->calls[0].arguments.size(), 14u);
  const auto old = find_higher_order("integrate_1d");
  EXPECT_EQ(old->form, HigherOrder::Form::fixed);
  ASSERT_EQ(old->calls.size(), 2u);
  EXPECT_EQ(to_string(old->callback),
            "(real, real, array[] real, data array[] real, data array[] int) => real");
  EXPECT_EQ(to_string(old->calls[1]),
            "(real, real, array[] real, data array[] real, data array[] int, data real) => real");
  EXPECT_FALSE(find_higher_order("normal_lpdf"));
  EXPECT_EQ(show(resolve("ode_rk45", {})), "unknown");
}

TEST(HigherOrder, ReduceSum) {
  const HigherOrder record = reduce_sum_record("reduce_sum_static", {array_of(Type{Kind::int_}, 2), true});
  EXPECT_EQ(record.name, "reduce_sum_static");
  EXPECT_TRUE(record.takes_density);
  EXPECT_EQ(to_string(record.callback), "(data array[,] int, data int, data int) => real");
  EXPECT_EQ(to_string(record.calls[0]), "(data array[,] int, int) => real");
  EXPECT_EQ(reduce_sum_slice_kinds().size(), 5u);
}

TEST(HigherOrder, LaplaceFamily) {
  const auto marginal = find_laplace("laplace_marginal_tol");
  ASSERT_TRUE(marginal);
  EXPECT_EQ(to_string(*marginal->likelihood), "(vector) => real");
  EXPECT_EQ(to_string(marginal->covariance), "() => matrix");
  EXPECT_EQ(marginal->controls.size(), 6u);
  EXPECT_FALSE(marginal->controls[0].data_only);
  const auto helper = find_laplace("laplace_latent_tol_neg_binomial_2_log_rng");
  ASSERT_TRUE(helper);
  EXPECT_FALSE(helper->likelihood);
  EXPECT_EQ(helper->likelihood_arguments.size(), 4u);
  EXPECT_EQ(to_string(helper->result), "vector");
  const auto solve = find_laplace("laplace_latent_solve");
  EXPECT_EQ(to_string(solve->result), "tuple(vector, matrix)");
  EXPECT_TRUE(solve->forwards_data_only);
  EXPECT_TRUE(solve->controls.empty());
  int count = 0;
  for (std::string_view name : higher_order_names()) count += find_laplace(name) ? 1 : 0;
  EXPECT_EQ(count, 18);
}

TEST(HigherOrder, SecondDerivatives) {
  for (const char* name :
       {"algebra_solver", "map_rect", "hmm_marginal", "ode_rk45", "reduce_sum", "laplace_marginal"}) {
    EXPECT_TRUE(lacks_second_derivatives(name)) << name;
  }
  EXPECT_FALSE(lacks_second_derivatives("normal_lpdf"));
  EXPECT_FALSE(lacks_second_derivatives("hmm_latent_rng"));
}

}  // namespace
}  // namespace kullback::math
