// Matrices in compressed rows: w the nonzero numbers, v their columns, u where each row starts (counted from
// 1, with one past the end).
//   csr_matrix_times_vector(m, n, w, v, u, b): y_i = sum_k w_k b_v(k):  w_k_ += y_i_ b_v(k),  b_v(k)_ += y_i_
//   w_k csr_to_dense_matrix(m, n, w, v, u) csr_extract_w, _v, _u: the three parts of a dense matrix of data
//   (whose zeros decide the sizes)
#include <stdexcept>

#include "math/array_ops/array_support.hpp"

namespace kullback::math {
namespace {

using namespace array_support;

enum Position : std::size_t { kM, kN, kW, kV, kU, kB };

std::size_t count_at(Arguments arguments, std::size_t j, std::size_t i = 0) {
  return static_cast<std::size_t>(arguments[j].data[i]);
}

[[noreturn]] void refuse(std::string_view function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

void check_csr(std::string_view function, Arguments arguments) {
  for (const std::size_t j : {kM, kN}) {
    if (!(arguments[j].data[0] > 0)) {
      refuse(function, (j == kM ? "m is " : "n is ") + density::number(arguments[j].data[0]) +
                           ", but must be positive");
    }
  }
  const std::size_t m = count_at(arguments, kM);
  const std::size_t n = count_at(arguments, kN);
  const std::size_t nonzero = arguments[kV].shape.size();
  check_size_match(function, "w", arguments[kW].shape.size(), "v", nonzero);
  check_size_match(function, "m", m + 1, "u", arguments[kU].shape.size());
  const double* u = arguments[kU].data;
  for (std::size_t i = 0; i < m; ++i) {
    if (!(u[i] >= 1) || u[i] > u[i + 1]) {
      refuse(function, "u[" + std::to_string(i + 1) + "] is " + density::number(u[i]) +
                           ", but must be positive and not above the next");
    }
  }
  check_size_match(function, "u/z", static_cast<std::size_t>(u[m]) - 1, "v", nonzero);
  for (std::size_t k = 0; k < nonzero; ++k) {
    const double column = arguments[kV].data[k];
    if (!(column >= 1) || column > static_cast<double>(n)) {
      refuse(function, "v[" + std::to_string(k + 1) + "] is " + density::number(column) +
                           ", but must be between 1 and " + std::to_string(n));
    }
  }
}

Shape times_shape(Arguments arguments) {
  check_csr("csr_matrix_times_vector", arguments);
  check_size_match("csr_matrix_times_vector", "n", count_at(arguments, kN), "b", arguments[kB].shape.size());
  return {count_at(arguments, kM), 1, 1};
}

// Calls visit(row, column, k) for the k-th nonzero number.
template <class Visit>
void for_each_nonzero(Arguments arguments, Visit visit) {
  const std::size_t m = count_at(arguments, kM);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t end = count_at(arguments, kU, i + 1) - 1;
    for (std::size_t k = count_at(arguments, kU, i) - 1; k < end; ++k) {
      visit(i, count_at(arguments, kV, k) - 1, k);
    }
  }
}

void times_forward(const ArrayCall& call) {
  std::fill_n(call.result, count_at(call.arguments, kM), 0.0);
  for_each_nonzero(call.arguments, [&](std::size_t i, std::size_t j, std::size_t k) {
    call.result[i] += data(call, kW)[k] * data(call, kB)[j];
  });
}

void times_backward(const ArrayCall& call) {
  if (varies(call, kW)) {
    for_each_nonzero(call.arguments, [&](std::size_t i, std::size_t j, std::size_t k) {
      adjoint(call, kW)[k] += call.result_adjoint[i] * data(call, kB)[j];
    });
  }
  if (varies(call, kB)) {
    for_each_nonzero(call.arguments, [&](std::size_t i, std::size_t j, std::size_t k) {
      adjoint(call, kB)[j] += call.result_adjoint[i] * data(call, kW)[k];
    });
  }
}

Shape dense_shape(Arguments arguments) {
  check_csr("csr_to_dense_matrix", arguments);
  return {count_at(arguments, kM), count_at(arguments, kN), 1};
}

void dense_forward(const ArrayCall& call) {
  const std::size_t m = count_at(call.arguments, kM);
  std::fill_n(call.result, m * count_at(call.arguments, kN), 0.0);
  for_each_nonzero(call.arguments, [&](std::size_t i, std::size_t j, std::size_t k) {
    call.result[i + j * m] = data(call, kW)[k];
  });
}

std::size_t dense_scratch(Arguments arguments) { return count_at(arguments, kN); }

// Where a row names a column twice the last number stands, and it alone has an adjoint.
void dense_backward(const ArrayCall& call) {
  const std::size_t m = count_at(call.arguments, kM);
  double* taken = call.scratch;  // for each column, one more than the last row that has it
  std::fill_n(taken, count_at(call.arguments, kN), 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t start = count_at(call.arguments, kU, i) - 1;
    for (std::size_t k = count_at(call.arguments, kU, i + 1) - 1; k-- > start;) {
      const std::size_t j = count_at(call.arguments, kV, k) - 1;
      if (taken[j] != static_cast<double>(i + 1)) {
        adjoint(call, kW)[k] += call.result_adjoint[i + j * m];
        taken[j] = static_cast<double>(i + 1);
      }
    }
  }
}

std::size_t nonzeros(Arguments arguments) {
  const DenseArgument& a = arguments[0];
  if (a.varies) {
    throw std::invalid_argument(
        "csr_extract: the matrix must be data, for its zeros decide the size of the result");
  }
  return a.shape.size() - static_cast<std::size_t>(std::count(a.data, a.data + a.shape.size(), 0.0));
}

Shape w_shape(Arguments arguments) { return {nonzeros(arguments), 1, 1}; }
Shape v_shape(Arguments arguments) { return {1, 1, nonzeros(arguments)}; }
Shape u_shape(Arguments arguments) { return {1, 1, arguments[0].shape.rows + 1}; }

enum class Part { numbers, columns, starts };

template <Part part>
void extract(const ArrayCall& call) {
  const std::size_t m = rows(call, 0);
  std::size_t k = 0;
  for (std::size_t i = 0; i < m; ++i) {
    if constexpr (part == Part::starts) {
      call.result[i] = static_cast<double>(k + 1);
    }
    for (std::size_t j = 0; j < cols(call, 0); ++j) {
      const double x = data(call, 0)[i + j * m];
      if (x != 0) {
        if constexpr (part != Part::starts) {
          call.result[k] = part == Part::numbers ? x : static_cast<double>(j + 1);
        }
        ++k;
      }
    }
  }
  if constexpr (part == Part::starts) {
    call.result[m] = static_cast<double>(k + 1);
  }
}

}  // namespace

void append_sparse_ops(std::vector<ArrayOp>& ops) {
  const Type ints = array_of(kInt);
  append(ops, "csr_matrix_times_vector", {{kInt, kInt, kVector, ints, ints, kVector}},
         {times_shape, nullptr, times_forward, times_backward});
  append(ops, "csr_to_dense_matrix", {{kInt, kInt, kVector, ints, ints}},
         {dense_shape, dense_scratch, dense_forward, dense_backward});
  append(ops, "csr_extract_w", {{kMatrix}}, {w_shape, nullptr, extract<Part::numbers>, nullptr});
  append(ops, "csr_extract_v", {{kMatrix}}, {v_shape, nullptr, extract<Part::columns>, nullptr});
  append(ops, "csr_extract_u", {{kMatrix}}, {u_shape, nullptr, extract<Part::starts>, nullptr});
}

}  // namespace kullback::math
