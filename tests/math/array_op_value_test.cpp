// Values of array ops against the plainest formula in extended precision, or against what defines them (L L'
// = A).
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <set>

#include "array_op_cases.hpp"
#include "reference_matrix.hpp"

namespace kullback::math::array_op_testing {
namespace {

using Values = std::vector<Value>;

// The residual of an equation that the result must satisfy: zero, as a matrix.
using Check = std::function<Matrix(const Values&, const Matrix&)>;

Check equals(std::function<Matrix(const Values&)> formula) {
  return [formula](const Values& v, const Matrix& result) { return difference(result, formula(v)); };
}

Check reduces(std::function<Real(const std::vector<double>&)> formula) {
  return equals([formula](const Values& v) { return scalar(formula(v[0].data)); });
}

Real sum(const std::vector<double>& x) {
  Real total = 0;
  for (const double a : x) {
    total += a;
  }
  return total;
}

Real variance(const std::vector<double>& x) {
  const auto n = static_cast<Real>(x.size());
  const Real mean = sum(x) / n;
  Real total = 0;
  for (const double a : x) {
    total += (a - mean) * (a - mean);
  }
  return n == 1 ? 0 : total / (n - 1);
}

Real log_sum_exp(const std::vector<double>& x) {
  Real total = 0;
  for (const double a : x) {
    total += std::exp(static_cast<Real>(a));
  }
  return std::log(total);
}

Real squared_distance(const Value& a, std::size_t i, const Value& b, std::size_t j,
                      const Value* lengths = nullptr) {
  const std::size_t d = a.shape.rows;
  Real total = 0;
  for (std::size_t c = 0; c < d; ++c) {
    Real z = static_cast<Real>(a.data[i * d + c]) - b.data[j * d + c];
    z /= lengths == nullptr ? 1 : lengths->data[lengths->size() == 1 ? 0 : c];
    total += z * z;
  }
  return total;
}

// k(x, y) from the squared scaled distance, for all pairs.
Check covariance(std::function<Real(Real)> correlation) {
  return equals([correlation](const Values& v) {
    const Value& x = v[0];
    const Value& y = v[v.size() - 3];
    const Real magnitude = v[v.size() - 2].data[0];
    Matrix result(x.shape.count, y.shape.count);
    for (std::size_t i = 0; i < result.rows; ++i) {
      for (std::size_t j = 0; j < result.cols; ++j) {
        result(i, j) = magnitude * magnitude * correlation(squared_distance(x, i, y, j, &v.back()));
      }
    }
    return result;
  });
}

// All paths of a hidden Markov model: the marginal density, and the probability of each state at each time.
Matrix enumerate_paths(const Values& v, bool marginal) {
  const Value& omega = v[0];
  const std::size_t states = omega.shape.rows;
  const std::size_t steps = omega.shape.cols;
  Matrix visits(states, steps);
  Real total = 0;
  std::vector<std::size_t> path(steps, 0);
  for (bool more = true; more;) {
    Real p = v[2].data[path[0]];
    for (std::size_t n = 0; n < steps; ++n) {
      p *= std::exp(static_cast<Real>(omega.at(path[n], n))) * (n == 0 ? 1 : v[1].at(path[n - 1], path[n]));
    }
    total += p;
    for (std::size_t n = 0; n < steps; ++n) {
      visits(path[n], n) += p;
    }
    std::size_t n = 0;
    while (n < steps && ++path[n] == states) {
      path[n++] = 0;
    }
    more = n < steps;
  }
  for (Real& x : visits.data) {
    x /= total;
  }
  return marginal ? scalar(std::log(total)) : visits;
}

Matrix softmax(const Values& v, bool logs) {
  const std::size_t n = v[0].shape.rows * v[0].shape.cols;
  Matrix result(n, v[0].shape.count);
  for (std::size_t k = 0; k < result.cols; ++k) {
    const auto from = v[0].data.begin() + static_cast<std::ptrdiff_t>(k * n);
    const Real total = log_sum_exp({from, from + static_cast<std::ptrdiff_t>(n)});
    for (std::size_t i = 0; i < n; ++i) {
      const Real value = v[0].data[k * n + i] - total;
      result(i, k) = logs ? value : std::exp(value);
    }
  }
  return result;
}

Matrix log_mix(const Values& v) {
  const std::size_t n = v[0].size();
  Real total = 0;
  for (std::size_t from = 0; from < v[1].size(); from += n) {
    Real mixture = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mixture += v[0].data[i] * std::exp(static_cast<Real>(v[1].data[from + i]));
    }
    total += std::log(mixture);
  }
  return scalar(total);
}

Matrix quantile(const Values& v) {
  std::vector<double> x = v[0].data;
  std::sort(x.begin(), x.end());
  Matrix result(v[1].size(), 1);
  for (std::size_t i = 0; i < v[1].size(); ++i) {
    const double h = static_cast<double>(x.size() - 1) * v[1].data[i];
    const auto low = static_cast<std::size_t>(h);
    const std::size_t high = std::min(low + 1, x.size() - 1);
    result(i, 0) = x[low] + (static_cast<Real>(h) - static_cast<Real>(low)) * (x[high] - x[low]);
  }
  return result;
}

Matrix from_rows(const Values& v) {  // csr
  const auto m = static_cast<std::size_t>(v[0].data[0]);
  Matrix result(m, static_cast<std::size_t>(v[1].data[0]));
  for (std::size_t i = 0; i < m; ++i) {
    for (auto k = static_cast<std::size_t>(v[4].data[i]); k < static_cast<std::size_t>(v[4].data[i + 1]);
         ++k) {
      result(i, static_cast<std::size_t>(v[3].data[k - 1]) - 1) += v[2].data[k - 1];
    }
  }
  return result;
}

bool repeats(const Values& v) {  // a row names a column twice
  for (std::size_t i = 0; i + 1 < v[4].size(); ++i) {
    std::set<double> seen;
    for (auto k = static_cast<std::size_t>(v[4].data[i]); k < static_cast<std::size_t>(v[4].data[i + 1]);
         ++k) {
      if (!seen.insert(v[3].data[k - 1]).second) {
        return true;
      }
    }
  }
  return false;
}

Matrix hypergeometric(const Values& v) {
  Real term = 1;
  Real total = 1;
  for (int k = 0; k < 3000; ++k) {
    for (const double a : v[0].data) {
      term *= a + k;
    }
    for (const double b : v[1].data) {
      term /= b + k;
    }
    term *= static_cast<Real>(v[2].data[0]) / (k + 1);
    total += term;
  }
  return scalar(total);
}

// Q'Q = I and Q Q'A = A; further rows of the residual: the upper triangle of Q'A is all there is, its
// diagonal >= 0.
Matrix check_q(const Values& v, const Matrix& q) {
  const Matrix a(v[0]);
  const Matrix r = t(q) * a;
  Matrix residual = difference(q * r, a);
  for (const Real x : difference(t(q) * q, identity(q.cols)).data) {
    residual.data.push_back(x);
  }
  for (std::size_t i = 0; i < r.rows; ++i) {
    for (std::size_t j = 0; j < std::min(i, r.cols); ++j) {
      residual.data.push_back(r(i, j));
    }
    residual.data.push_back(i < r.cols ? std::min<Real>(r(i, i), 0) : 0);
  }
  return residual;
}

// R'R = A'A, upper triangular with a diagonal >= 0.
Matrix check_r(const Values& v, const Matrix& r) {
  const Matrix a(v[0]);
  Matrix residual = difference(t(r) * r, t(a) * a);
  for (std::size_t i = 0; i < r.rows; ++i) {
    for (std::size_t j = 0; j < std::min(i, r.cols); ++j) {
      residual.data.push_back(r(i, j));
    }
    residual.data.push_back(i < r.cols ? std::min<Real>(r(i, i), 0) : 0);
  }
  return residual;
}

// Orthonormal columns that diagonalise S, with what is left on the diagonal in ascending or descending order.
Matrix check_vectors(const Matrix& s, const Matrix& vectors, bool ascending) {
  const Matrix d = t(vectors) * s * vectors;
  Matrix residual = difference(t(vectors) * vectors, identity(vectors.cols));
  for (std::size_t i = 0; i < d.rows; ++i) {
    for (std::size_t j = 0; j < d.cols; ++j) {
      residual.data.push_back(i == j ? 0 : d(i, j));
    }
    const Real step = i == 0 ? 0 : d(i, i) - d(i - 1, i - 1);
    residual.data.push_back(std::min<Real>(ascending ? step : -step, 0));
  }
  return residual;
}

// Power sums of eigenvalues are traces of powers.
Matrix check_spectrum(const Matrix& s, const std::vector<Real>& values) {
  Matrix residual(0, 0);
  for (int p = 1; p <= static_cast<int>(values.size()); ++p) {
    Real total = 0;
    for (const Real x : values) {
      total += std::pow(x, static_cast<Real>(p));
    }
    const Real expected = trace(power(s, p));
    residual.data.push_back((total - expected) / (1 + std::fabs(expected)));
  }
  return residual;
}

const std::map<std::string_view, Check>& checks() {
  static const auto matrix = [](const Value& value) { return Matrix(value); };
  static const std::map<std::string_view, Check> table = {
      {"sum", reduces(sum)},
      {"prod",
       reduces([](const auto& x) {
         Real p = 1;
         for (const double a : x) p *= a;
         return p;
       })},
      {"mean", reduces([](const auto& x) { return sum(x) / static_cast<Real>(x.size()); })},
      {"variance", reduces(variance)},
      {"sd", reduces([](const auto& x) { return std::sqrt(variance(x)); })},
      {"min", equals([](const Values& v) {
         return scalar(v.size() == 2 ? std::min(v[0].data[0], v[1].data[0])
                                     : *std::min_element(v[0].data.begin(), v[0].data.end()));
       })},
      {"max", equals([](const Values& v) {
         return scalar(v.size() == 2 ? std::max(v[0].data[0], v[1].data[0])
                                     : *std::max_element(v[0].data.begin(), v[0].data.end()));
       })},
      {"log_sum_exp", reduces(log_sum_exp)},
      {"cumulative_sum", equals([](const Values& v) {
         Matrix result(v[0].size(), 1);
         for (std::size_t i = 0; i < result.rows; ++i) {
           result(i, 0) = sum({v[0].data.begin(), v[0].data.begin() + static_cast<std::ptrdiff_t>(i) + 1});
         }
         return result;
       })},
      {"softmax", equals([](const Values& v) { return softmax(v, false); })},
      {"log_softmax", equals([](const Values& v) { return softmax(v, true); })},
      {"log_mix", equals(log_mix)},
      {"quantile", equals(quantile)},
      {"dot_product", equals([](const Values& v) { return t(column(v[0])) * column(v[1]); })},
      {"dot_self", equals([](const Values& v) { return t(column(v[0])) * column(v[0]); })},
      {"columns_dot_product", equals([](const Values& v) {
         const Matrix all = t(matrix(v[0])) * matrix(v[1]);
         Matrix result(1, all.rows);
         for (std::size_t i = 0; i < all.rows; ++i) result(0, i) = all(i, i);
         return result;
       })},
      {"rows_dot_product", equals([](const Values& v) {
         const Matrix all = matrix(v[0]) * t(matrix(v[1]));
         Matrix result(all.rows, 1);
         for (std::size_t i = 0; i < all.rows; ++i) result(i, 0) = all(i, i);
         return result;
       })},
      {"columns_dot_self", [](const Values& v, const Matrix& r) { return checks().at("columns_dot_product")({v[0], v[0]}, r); }},
      {"rows_dot_self", [](const Values& v, const Matrix& r) { return checks().at("rows_dot_product")({v[0], v[0]}, r); }},
      {"norm1", reduces([](const auto& x) {
         Real total = 0;
         for (const double a : x) total += std::fabs(a);
         return total;
       })},
      {"norm2", equals([](const Values& v) { return scalar(std::sqrt((t(column(v[0])) * column(v[0]))(0, 0))); })},
      {"squared_distance", equals([](const Values& v) {
         const Matrix d = difference(column(v[0]), column(v[1]));
         return t(d) * d;
       })},
      {"distance", equals([](const Values& v) {
         const Matrix d = difference(column(v[0]), column(v[1]));
         return scalar(std::sqrt((t(d) * d)(0, 0)));
       })},
      {"multiply", equals([](const Values& v) { return matrix(v[0]) * matrix(v[1]); })},
      {"crossprod", equals([](const Values& v) { return t(matrix(v[0])) * matrix(v[0]); })},
      {"tcrossprod", equals([](const Values& v) { return matrix(v[0]) * t(matrix(v[0])); })},
      {"multiply_lower_tri_self_transpose",
       equals([](const Values& v) { return lower(matrix(v[0])) * t(lower(matrix(v[0]))); })},
      {"trace", equals([](const Values& v) { return scalar(trace(matrix(v[0]))); })},
      {"trace_dot", equals([](const Values& v) { return scalar(trace(matrix(v[0]) * matrix(v[1]))); })},
      {"diag_pre_multiply", equals([](const Values& v) { return diagonal(v[0]) * matrix(v[1]); })},
      {"diag_post_multiply", equals([](const Values& v) { return matrix(v[0]) * diagonal(v[1]); })},
      {"quad_form_diag", equals([](const Values& v) { return diagonal(v[1]) * matrix(v[0]) * diagonal(v[1]); })},
      {"add_diag", equals([](const Values& v) {
         Matrix result(v[0]);
         for (std::size_t i = 0; i < result.rows; ++i) result(i, i) += v[1].data[v[1].size() == 1 ? 0 : i];
         return result;
       })},
      {"quad_form", equals([](const Values& v) { return t(matrix(v[1])) * matrix(v[0]) * matrix(v[1]); })},
      {"quad_form_sym", equals([](const Values& v) { return half_sum(t(matrix(v[1])) * matrix(v[0]) * matrix(v[1])); })},
      {"trace_quad_form",
       equals([](const Values& v) { return scalar(trace(t(matrix(v[1])) * matrix(v[0]) * matrix(v[1]))); })},
      {"trace_gen_quad_form",
       equals([](const Values& v) { return scalar(trace(matrix(v[0]) * t(matrix(v[2])) * matrix(v[1]) * matrix(v[2]))); })},
      {"csr_matrix_times_vector", equals([](const Values& v) { return from_rows(v) * column(v[5]); })},
      {"csr_to_dense_matrix",
       [](const Values& v, const Matrix& r) { return repeats(v) ? Matrix(0, 0) : difference(r, from_rows(v)); }},
      {"csr_extract_w", equals([](const Values& v) { return t(matrix(v[0])); })},  // no zeros here
      {"csr_extract_v", equals([](const Values& v) {
         Matrix result(v[0].shape.cols, v[0].shape.rows);
         for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = static_cast<Real>(i % result.rows + 1);
         return result;
       })},
      {"csr_extract_u", equals([](const Values& v) {
         Matrix result(v[0].shape.rows + 1, 1);
         for (std::size_t i = 0; i < result.rows; ++i) result(i, 0) = static_cast<Real>(i * v[0].shape.cols + 1);
         return result;
       })},
      {"matrix_power", equals([](const Values& v) { return power(matrix(v[0]), static_cast<int>(v[1].data[0])); })},
      {"matrix_exp", equals([](const Values& v) { return exponential(matrix(v[0])); })},
      {"matrix_exp_multiply", equals([](const Values& v) { return exponential(matrix(v[0])) * matrix(v[1]); })},
      {"scale_matrix_exp_multiply", equals([](const Values& v) {
         Matrix scaled(v[1]);
         for (Real& x : scaled.data) x *= v[0].data[0];
         return exponential(scaled) * matrix(v[2]);
       })},
      {"mdivide_left", [](const Values& v, const Matrix& x) { return difference(matrix(v[0]) * x, matrix(v[1])); }},
      {"mdivide_left_tri_low", [](const Values& v, const Matrix& x) { return difference(matrix(v[0]) * x, matrix(v[1])); }},
      {"mdivide_left_spd", [](const Values& v, const Matrix& x) { return difference(matrix(v[0]) * x, matrix(v[1])); }},
      {"mdivide_right", [](const Values& v, const Matrix& x) { return difference(x * matrix(v[1]), matrix(v[0])); }},
      {"mdivide_right_tri_low", [](const Values& v, const Matrix& x) { return difference(x * matrix(v[1]), matrix(v[0])); }},
      {"mdivide_right_spd", [](const Values& v, const Matrix& x) { return difference(x * matrix(v[1]), matrix(v[0])); }},
      {"inverse", [](const Values& v, const Matrix& x) { return difference(matrix(v[0]) * x, identity(x.rows)); }},
      {"inverse_spd", [](const Values& v, const Matrix& x) { return difference(matrix(v[0]) * x, identity(x.rows)); }},
      {"chol2inv",
       [](const Values& v, const Matrix& x) { return difference(matrix(v[0]) * t(matrix(v[0])) * x, identity(x.rows)); }},
      {"determinant", equals([](const Values& v) { return scalar(determinant(matrix(v[0]))); })},
      {"log_determinant", equals([](const Values& v) { return scalar(std::log(std::fabs(determinant(matrix(v[0]))))); })},
      {"log_determinant_spd", equals([](const Values& v) { return scalar(std::log(determinant(matrix(v[0])))); })},
      {"cholesky_decompose",
       [](const Values& v, const Matrix& l) { return difference(lower(l) * t(l), matrix(v[0])); }},
      {"generalized_inverse",
       [](const Values& v, const Matrix& p) {
         const Matrix a(v[0]);
         Matrix residual = difference(a * p * a, a);
         for (const Matrix& other : {difference(p * a * p, p), difference(a * p, t(a * p)), difference(p * a, t(p * a))}) {
           residual.data.insert(residual.data.end(), other.data.begin(), other.data.end());
         }
         return residual;
       }},
      {"eigenvalues_sym", [](const Values& v, const Matrix& w) { return check_spectrum(matrix(v[0]), w.data); }},
      {"eigenvectors_sym", [](const Values& v, const Matrix& w) { return check_vectors(matrix(v[0]), w, true); }},
      {"singular_values",
       [](const Values& v, const Matrix& s) {
         const Matrix a(v[0]);
         std::vector<Real> squares = s.data;
         for (Real& x : squares) x *= x;
         return check_spectrum(t(a) * a, squares);
       }},
      {"svd_U", [](const Values& v, const Matrix& u) { return check_vectors(matrix(v[0]) * t(matrix(v[0])), u, false); }},
      {"svd_V", [](const Values& v, const Matrix& u) { return check_vectors(t(matrix(v[0])) * matrix(v[0]), u, false); }},
      {"qr_Q", check_q},
      {"qr_thin_Q", check_q},
      {"qr_R", check_r},
      {"qr_thin_R", check_r},
      {"gp_exp_quad_cov", covariance([](Real s) { return std::exp(-s / 2); })},
      {"gp_matern32_cov", covariance([](Real s) {
         const Real q = std::sqrt(3 * s);
         return (1 + q) * std::exp(-q);
       })},
      {"gp_matern52_cov", covariance([](Real s) {
         const Real q = std::sqrt(5 * s);
         return (1 + q + 5 * s / 3) * std::exp(-q);
       })},
      {"gp_exponential_cov", covariance([](Real s) { return std::exp(-std::sqrt(s)); })},
      {"gp_dot_prod_cov", equals([](const Values& v) {
         const Value& y = v[v.size() - 2];
         const std::size_t d = v[0].shape.rows;
         Matrix result(v[0].shape.count, y.shape.count);
         for (std::size_t i = 0; i < result.rows; ++i) {
           for (std::size_t j = 0; j < result.cols; ++j) {
             result(i, j) = static_cast<Real>(v.back().data[0]) * v.back().data[0];
             for (std::size_t c = 0; c < d; ++c) {
               result(i, j) += static_cast<Real>(v[0].data[i * d + c]) * y.data[j * d + c];
             }
           }
         }
         return result;
       })},
      {"gp_periodic_cov", equals([](const Values& v) {
         const Value& y = v[v.size() - 4];
         const Real a = v[v.size() - 3].data[0];
         const Real l = v[v.size() - 2].data[0];
         Matrix result(v[0].shape.count, y.shape.count);
         for (std::size_t i = 0; i < result.rows; ++i) {
           for (std::size_t j = 0; j < result.cols; ++j) {
             const Real r = std::sqrt(squared_distance(v[0], i, y, j));
             const Real sine = std::sin(std::numbers::pi_v<Real> * r / v.back().data[0]);
             result(i, j) = a * a * std::exp(-2 * sine * sine / (l * l));
           }
         }
         return result;
       })},
      {"hmm_marginal", equals([](const Values& v) { return enumerate_paths(v, true); })},
      {"hmm_hidden_state_prob", equals([](const Values& v) { return enumerate_paths(v, false); })},
      {"hypergeometric_pFq", equals(hypergeometric)},
      {"hypergeometric_3F2", equals(hypergeometric)},
  };
  return table;
}

TEST(ArrayOpValue, AgreesWithItsDefinition) {
  Generator generator(11);
  const std::vector<Sizes> all_sizes = {{.n = 3, .k = 2, .m = 4, .d = 2},
                                        {.n = 2, .k = 5, .m = 3, .d = 1},
                                        {.n = 5, .k = 4, .m = 2, .d = 3},
                                        {1, 1, 1, 1}};
  for (const ArrayOp* op : tested_ops()) {
    if (is_about_complex(*op)) continue;
    const auto check = checks().find(op->name);
    if (check == checks().end()) {
      ADD_FAILURE() << op->name << " has no check of its values";
      continue;
    }
    for (const Sizes& sizes : all_sizes) {
      if (op->name == "hypergeometric_pFq" && sizes.k > sizes.n + 1) {
        continue;  // does not converge
      }
      const Values values = generator.arguments(*op, sizes);
      Runner runner(*op);
      const std::vector<double>& found = runner.forward(values);
      Matrix result(runner.shape().rows, runner.shape().cols * runner.shape().count);
      Real scale = 1;
      for (std::size_t i = 0; i < found.size(); ++i) {
        result.data[i] = found[i];
        scale = std::max<Real>(scale, std::fabs(found[i]));
      }
      for (const Real x : check->second(values, result).data) {
        EXPECT_LT(std::fabs(x), 2e-12L * scale) << title(*op) << " n = " << sizes.n << " k = " << sizes.k;
      }
    }
  }
}

// Algorithms change with size; the definition does not.
TEST(ArrayOpValue, AgreesWithItsDefinitionWhereBlocked) {
  Generator generator(12);
  for (const std::string_view name :
       {"multiply", "crossprod", "cholesky_decompose", "mdivide_left", "mdivide_right",
        "mdivide_left_tri_low", "mdivide_right_tri_low", "mdivide_left_spd", "mdivide_right_spd", "inverse",
        "inverse_spd", "qr_Q", "qr_R"}) {
    for (const ArrayOp* op : tested_ops()) {
      if (op->name == name) {
        const Values values = generator.arguments(*op, {.n = 131, .k = 70, .m = 90});
        Runner runner(*op);
        const std::vector<double>& found = runner.forward(values);
        Matrix result(runner.shape().rows, runner.shape().cols);
        std::copy(found.begin(), found.end(), result.data.begin());
        for (const Real x : checks().at(name)(values, result).data) {
          ASSERT_LT(std::fabs(x), 1e-9L) << title(*op);
        }
      }
    }
  }
}

// Large and small numbers, and the edges of a few functions.
TEST(ArrayOpValue, Edges) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Type> vector = {{Kind::vector}};
  const auto value = [&](std::string_view name, std::vector<double> x) {
    Runner runner(*find_array_op(name, vector));
    return runner.forward({{{x.size(), 1, 1}, x}})[0];
  };
  EXPECT_DOUBLE_EQ(value("log_sum_exp", {1000, 1000}), 1000 + std::log(2.0));
  EXPECT_EQ(value("log_sum_exp", {-infinity, -infinity}), -infinity);
  EXPECT_EQ(value("log_sum_exp", {infinity, 1}), infinity);
  EXPECT_TRUE(std::isnan(value("log_sum_exp", {1, std::nan("")})));
  EXPECT_DOUBLE_EQ(value("softmax", {-1000, 1000}), 0);
  EXPECT_EQ(value("sd", {3}), 0);

  // prod has exact derivatives at zeros.
  Runner product(*find_array_op("prod", vector));
  product.forward({{{3, 1, 1}, {2, 0, 5}}});
  EXPECT_EQ(product.backward({1})[0], (std::vector<double>{0, 10, 0}));

  // A chain of two thousand observations neither over- nor underflows.
  const std::size_t steps = 2000;
  Generator generator(13);
  const ArrayOp& hmm =
      *find_array_op("hmm_marginal", std::vector<Type>{{Kind::matrix}, {Kind::matrix}, {Kind::vector}});
  Values values = generator.arguments(hmm, {.n = 3, .m = steps});
  Runner runner(hmm);
  const double plain = runner.forward(values)[0];
  for (double& x : values[0].data) {
    x -= 800;
  }
  EXPECT_NEAR(runner.forward(values)[0], plain - 800.0 * steps, 1e-8 * 800.0 * steps);
}

}  // namespace
}  // namespace kullback::math::array_op_testing
