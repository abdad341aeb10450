// Arguments for tests of array ops: one row per function says what its arguments must be; sizes are letters,
// so that one row serves all sizes and all overloads.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "math/array_op.hpp"

namespace kullback::math::array_op_testing {

// What an argument is made of, and in which directions it may be moved.
enum class Nature {
  any,
  positive,
  spd,
  lower,
  simplex,
  stochastic,
  probability,
  power,
  rows,
  columns,
  starts
};

struct ArgumentSpec {
  Nature nature = Nature::any;
  std::string letters;  // rows, columns, count: a vector takes rows, a row vector columns, an array of reals
                        // rows, an array of vectors columns (the length of each) and count
};

struct Sizes {
  std::size_t n = 3;
  std::size_t k = 2;
  std::size_t m = 4;
  std::size_t d = 2;

  std::size_t of(char letter) const {
    switch (letter) {
      case 'n': return n;
      case 'k': return k;
      case 'm': return m;
      case 'd': return d;
      default: return static_cast<std::size_t>(letter - '0');
    }
  }
};

struct Value {
  Shape shape;
  std::vector<double> data;
  Nature nature = Nature::any;
  bool varies = true;

  double at(std::size_t i, std::size_t j) const { return data[i + j * shape.rows]; }
  std::size_t size() const { return data.size(); }
};

struct Dimension {
  std::size_t* size;
  char letter;
};

// "any nk": a nature and up to three letters; rows separated by commas.
inline std::vector<ArgumentSpec> parse(std::string_view text) {
  static const std::map<std::string_view, Nature> natures = {
      {"any", Nature::any},         {"positive", Nature::positive},
      {"spd", Nature::spd},         {"lower", Nature::lower},
      {"simplex", Nature::simplex}, {"stochastic", Nature::stochastic},
      {"power", Nature::power},     {"probability", Nature::probability},
      {"rows", Nature::rows},       {"columns", Nature::columns},
      {"starts", Nature::starts}};
  std::vector<ArgumentSpec> result;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t space = item.find(' ');
    std::string letters(space == std::string_view::npos ? "" : item.substr(space + 1));
    letters.append(3 - letters.size(), '1');
    result.push_back({natures.at(item.substr(0, space)), letters});
  }
  return result;
}

inline const std::map<std::string_view, std::vector<std::string_view>>& specs() {
  // Several rows where overloads differ in their number of arguments.
  static const std::map<std::string_view, std::vector<std::string_view>> table = {
      {"sum", {"any nk"}},
      {"prod", {"any nk"}},
      {"mean", {"any nk"}},
      {"variance", {"any nk"}},
      {"sd", {"any nk"}},
      {"min", {"any nk", "power,power"}},
      {"max", {"any nk", "power,power"}},
      {"log_sum_exp", {"any nk"}},
      {"cumulative_sum", {"any nn"}},
      {"softmax", {"any nnk"}},
      {"log_softmax", {"any nnk"}},
      {"log_mix", {"simplex nn,any nnk"}},
      {"quantile", {"any nn,probability k"}},
      {"dot_product", {"any nn,any nn"}},
      {"dot_self", {"any nn"}},
      {"columns_dot_product", {"any nk,any nk"}},
      {"rows_dot_product", {"any nk,any nk"}},
      {"columns_dot_self", {"any nk"}},
      {"rows_dot_self", {"any nk"}},
      {"norm1", {"any nn"}},
      {"norm2", {"any nn"}},
      {"distance", {"any nn,any nn"}},
      {"squared_distance", {"any nn,any nn"}},
      {"multiply", {"any nk,any km"}},
      {"crossprod", {"any nk"}},
      {"tcrossprod", {"any nk"}},
      {"multiply_lower_tri_self_transpose", {"any nk"}},
      {"trace", {"any nn"}},
      {"trace_dot", {"any nk,any kn"}},
      {"diag_pre_multiply", {"any nn,any nk"}},
      {"diag_post_multiply", {"any nk,any kk"}},
      {"quad_form_diag", {"any nn,any nn"}},
      {"add_diag", {"any nn,any nn"}},
      {"quad_form", {"any nn,any nk"}},
      {"quad_form_sym", {"spd nn,any nk"}},
      {"trace_quad_form", {"any nn,any nk"}},
      {"trace_gen_quad_form", {"any kk,any nn,any nk"}},
      {"csr_matrix_times_vector", {"rows,columns,any m,columns m,starts,any n", ""}},
      {"csr_to_dense_matrix", {"rows,columns,any m,columns m,starts", ""}},
      {"csr_extract_w", {"any nk"}},
      {"csr_extract_v", {"any nk"}},
      {"csr_extract_u", {"any nk"}},
      {"matrix_power", {"any nn,power"}},
      {"matrix_exp", {"any nn"}},
      {"matrix_exp_multiply", {"any nn,any nk"}},
      {"scale_matrix_exp_multiply", {"any,any nn,any nk"}},
      {"mdivide_left", {"any nn,any nk"}},
      {"mdivide_left_tri_low", {"lower nn,any nk"}},
      {"mdivide_left_spd", {"spd nn,any nk"}},
      {"mdivide_right", {"any kn,any nn"}},
      {"mdivide_right_tri_low", {"any kn,lower nn"}},
      {"mdivide_right_spd", {"any kn,spd nn"}},
      {"inverse", {"any nn"}},
      {"inverse_spd", {"spd nn"}},
      {"chol2inv", {"lower nn"}},
      {"determinant", {"any nn"}},
      {"log_determinant", {"any nn"}},
      {"log_determinant_spd", {"spd nn"}},
      {"cholesky_decompose", {"spd nn"}},
      {"generalized_inverse", {"any nk"}},
      {"eigenvalues_sym", {"spd nn"}},
      {"eigenvectors_sym", {"spd nn"}},
      {"eigenvalues", {"any nn"}},
      {"eigenvectors", {"any nn"}},
      {"complex_schur_decompose_t", {"any nn"}},
      {"complex_schur_decompose_u", {"any nn"}},
      {"fft", {"any n"}},
      {"inv_fft", {"any n"}},
      {"fft2", {"any nk"}},
      {"inv_fft2", {"any nk"}},
      {"singular_values", {"any nk"}},
      {"svd_U", {"any nk"}},
      {"svd_V", {"any nk"}},
      {"qr_Q", {"any nk"}},
      {"qr_R", {"any nk"}},
      {"qr_thin_Q", {"any nk"}},
      {"qr_thin_R", {"any nk"}},
      {"gp_exp_quad_cov", {"any ndn,positive,positive d", "any ndn,any mdm,positive,positive d"}},
      {"gp_matern32_cov", {"any ndn,positive,positive d", "any ndn,any mdm,positive,positive d"}},
      {"gp_matern52_cov", {"any ndn,positive,positive d", "any ndn,any mdm,positive,positive d"}},
      {"gp_exponential_cov", {"any ndn,positive,positive d", "any ndn,any mdm,positive,positive d"}},
      {"gp_dot_prod_cov", {"any ndn,positive", "any ndn,any mdm,positive"}},
      {"gp_periodic_cov",
       {"any ndn,positive,positive,positive", "any ndn,any mdm,positive,positive,positive"}},
      {"hmm_marginal", {"any nm,stochastic nn,simplex n"}},
      {"hmm_hidden_state_prob", {"any nm,stochastic nn,simplex n"}},
      {"hypergeometric_pFq", {"positive kk,positive nn,probability"}},
      {"hypergeometric_3F2", {"positive 33,positive 22,probability"}},
  };
  return table;
}

inline bool is_density(const ArrayOp& op) {
  return op.name.ends_with("_lpdf") || op.name.ends_with("_lpmf") || op.name.ends_with("_cdf") ||
         op.name.ends_with("_lcdf") || op.name.ends_with("_lccdf");
}

// Arguments or results are complex numbers, as pairs; their values are checked in complex_op_test.cpp.
inline bool is_about_complex(const ArrayOp& op) {
  return op.parameter_types[0].is_complex() || op.name == "eigenvalues" || op.name == "eigenvectors" ||
         op.name.starts_with("complex_schur_decompose");
}

inline std::vector<const ArrayOp*> tested_ops() {
  std::vector<const ArrayOp*> result;
  for (const ArrayOp* op : all_array_ops()) {
    const bool hermitian = op->name.ends_with("_sym") && op->parameter_types[0].is_complex();
    if (!is_density(*op) && !hermitian) {  // tests/model has programs with Hermitian matrices
      result.push_back(op);
    }
  }
  return result;
}

inline std::vector<ArgumentSpec> spec_of(const ArrayOp& op) {
  for (const std::string_view row : specs().at(op.name)) {
    if (std::vector<ArgumentSpec> spec = parse(row); spec.size() == op.parameter_types.size()) {
      return spec;
    }
  }
  throw std::logic_error("no row for " + std::string(op.name));
}

inline std::string title(const ArrayOp& op) {
  std::string text(op.name);
  for (const Type& type : op.parameter_types) {
    text += (&type == op.parameter_types.data() ? "(" : ", ") + to_string(type);
  }
  return text + ")";
}

// The sizes an argument of this type has, with the letters they come from.
inline std::vector<Dimension> dimensions(const Type& type, const ArgumentSpec& spec, Shape& shape) {
  if (type.is_array()) {
    if (type.kind == Kind::real || type.kind == Kind::int_) {
      return {{&shape.count, spec.letters[0]}};
    }
    return {{type.kind == Kind::vector ? &shape.rows : &shape.cols, spec.letters[1]},
            {&shape.count, spec.letters[2]}};
  }
  switch (type.kind) {
    case Kind::vector:
    case Kind::complex_vector: return {{&shape.rows, spec.letters[0]}};
    case Kind::row_vector: return {{&shape.cols, spec.letters[1]}};
    case Kind::matrix:
    case Kind::complex_matrix: return {{&shape.rows, spec.letters[0]}, {&shape.cols, spec.letters[1]}};
    default: return {};
  }
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  double normal() { return std::normal_distribution<double>()(engine_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }

  std::vector<double> normals(std::size_t count) {
    std::vector<double> result(count);
    for (double& x : result) {
      x = normal();
    }
    return result;
  }

  std::vector<Value> arguments(const ArrayOp& op, const Sizes& sizes) {
    const std::vector<ArgumentSpec> spec = spec_of(op);
    std::vector<Value> result;
    for (std::size_t j = 0; j < spec.size(); ++j) {
      result.push_back(value(op.parameter_types[j], spec[j], sizes));
      result.back().varies = op.backward != nullptr && !op.parameter_types[j].is_int();
    }
    return result;
  }

  // A direction in which the value stays what it is.
  std::vector<double> direction(const Value& value) {
    std::vector<double> result = normals(value.size());
    const std::size_t n = value.shape.rows;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::size_t row = n == 0 ? 0 : i % n;
      const std::size_t col = n == 0 ? 0 : i / n;
      switch (value.nature) {
        case Nature::spd: result[i] = row < col ? result[col + row * n] : result[i]; break;
        case Nature::lower: result[i] = row < col ? 0 : result[i]; break;
        default: break;
      }
    }
    if (value.nature == Nature::spd) {
      for (std::size_t col = 0; col < n; ++col) {
        for (std::size_t row = 0; row < col; ++row) {
          result[row + col * n] = result[col + row * n];
        }
      }
    } else if (value.nature == Nature::simplex) {
      center(result, 0, 1);
    } else if (value.nature == Nature::stochastic) {
      for (std::size_t row = 0; row < n; ++row) {
        center(result, row, n);
      }
    }
    return result;
  }

 private:
  static void center(std::vector<double>& x, std::size_t from, std::size_t step) {
    double total = 0;
    double count = 0;
    for (std::size_t i = from; i < x.size(); i += step) {
      total += x[i];
      count += 1;
    }
    for (std::size_t i = from; i < x.size(); i += step) {
      x[i] -= total / count;
    }
  }

  Value value(const Type& type, const ArgumentSpec& spec, const Sizes& sizes) {
    Value result;
    result.nature = spec.nature;
    for (const Dimension& dimension : dimensions(type, spec, result.shape)) {
      *dimension.size = sizes.of(dimension.letter);
    }
    if (type.is_complex()) result.shape.rows *= 2;  // pairs
    result.data.resize(result.shape.size());
    fill(result, sizes);
    if (type.is_int() && spec.nature == Nature::any) {
      for (double& x : result.data) {
        x = std::floor(3 * x);
      }
    }
    return result;
  }

  void fill(Value& result, const Sizes& sizes) {
    const std::size_t n = result.shape.rows;
    for (double& x : result.data) {
      x = result.nature == Nature::any ? normal() : uniform(0.2, 0.9);
    }
    switch (result.nature) {
      case Nature::positive:
        for (double& x : result.data) {
          x += 0.5;
        }
        break;
      case Nature::spd: {
        const std::vector<double> root = normals(n * n);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            double total = i == j ? 0.5 : 0;
            for (std::size_t k = 0; k < n; ++k) {
              total += root[i + k * n] * root[j + k * n];
            }
            result.data[i + j * n] = total;
          }
        }
        break;
      }
      case Nature::lower:
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t i = 0; i < n; ++i) {
            const double low = 0.3 * normal();
            result.data[i + j * n] = i < j ? 0 : i == j ? 1 + uniform(0, 1) : low;
          }
        }
        break;
      case Nature::simplex: scale(result.data, 0, 1); break;
      case Nature::stochastic:
        for (std::size_t row = 0; row < n; ++row) {
          scale(result.data, row, n);
        }
        break;
      case Nature::power: result.data[0] = std::floor(uniform(0, 9)); break;
      case Nature::rows: result.data[0] = 2; break;
      case Nature::columns:
        for (double& x : result.data) {
          x = result.shape.count == 1 && result.data.size() == 1
                  ? static_cast<double>(sizes.n)
                  : 1 + std::floor(uniform(0, static_cast<double>(sizes.n)));
        }
        break;
      case Nature::starts:
        result.shape.count = 3;
        result.data = {1, 1 + std::floor(0.4 * static_cast<double>(sizes.m)),
                       1 + static_cast<double>(sizes.m)};
        break;
      default: break;
    }
  }

  static void scale(std::vector<double>& x, std::size_t from, std::size_t step) {
    double total = 0;
    for (std::size_t i = from; i < x.size(); i += step) {
      total += x[i];
    }
    for (std::size_t i = from; i < x.size(); i += step) {
      x[i] /= total;
    }
  }

  std::mt19937_64 engine_;
};

// Runs an op with guarded memory: scratch starts as NaN, and writing past an end is an error.
class Runner {
 public:
  explicit Runner(const ArrayOp& op) : op_(op) {}

  const std::vector<double>& forward(const std::vector<Value>& values) {
    values_ = values;
    arguments_.clear();
    for (const Value& value : values_) {
      arguments_.push_back({value.data.data(), value.shape, value.varies});
    }
    shape_ = op_.result_shape(arguments_);
    result_.assign(shape_.size() + kGuard, kCanary);
    scratch_.assign((op_.scratch_size == nullptr ? 0 : op_.scratch_size(arguments_)) + kGuard,
                    std::numeric_limits<double>::quiet_NaN());
    std::fill(scratch_.end() - kGuard, scratch_.end(), kCanary);
    ArrayCall call;
    call.arguments = arguments_;
    call.result = result_.data();
    call.scratch = scratch_.data();
    op_.forward(call);
    check_guards();
    plain_result_.assign(result_.begin(), result_.end() - kGuard);
    return plain_result_;
  }

  // The adjoints of the arguments that vary, for an adjoint of the result, after forward.
  std::vector<std::vector<double>> backward(const std::vector<double>& result_adjoint) {
    constexpr double kStart = 0.25;  // adjoints are added to
    std::vector<std::vector<double>> adjoints;
    std::vector<double*> pointers;
    for (const DenseArgument& argument : arguments_) {
      adjoints.emplace_back(argument.shape.size() + kGuard, kStart);
    }
    for (std::size_t j = 0; j < adjoints.size(); ++j) {
      std::fill(adjoints[j].end() - kGuard, adjoints[j].end(), kCanary);
      pointers.push_back(arguments_[j].varies ? adjoints[j].data() : nullptr);
    }
    op_.backward({.arguments = arguments_,
                  .terms = {},
                  .result = result_.data(),
                  .scratch = scratch_.data(),
                  .result_adjoint = result_adjoint.data(),
                  .adjoints = pointers});
    check_guards();
    for (std::vector<double>& adjoint : adjoints) {
      for (std::size_t i = 0; i < kGuard; ++i) {
        if (adjoint[adjoint.size() - 1 - i] != kCanary) {
          throw std::logic_error("wrote past the end of an adjoint");
        }
      }
      adjoint.resize(adjoint.size() - kGuard);
      for (double& x : adjoint) {
        x -= kStart;
      }
    }
    return adjoints;
  }

  const Shape& shape() const { return shape_; }

 private:
  static constexpr std::size_t kGuard = 8;
  static constexpr double kCanary = 1234.5;

  void check_guards() const {
    for (const std::vector<double>* block : {&result_, &scratch_}) {
      for (std::size_t i = 0; i < kGuard; ++i) {
        if ((*block)[block->size() - 1 - i] != kCanary) {
          throw std::logic_error("wrote past the end of the result or of scratch");
        }
      }
    }
  }

  const ArrayOp& op_;
  std::vector<Value> values_;
  std::vector<DenseArgument> arguments_;
  Shape shape_;
  std::vector<double> result_;
  std::vector<double> plain_result_;
  std::vector<double> scratch_;
};

}  // namespace kullback::math::array_op_testing
