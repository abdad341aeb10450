// eigenvalues_sym(A) and eigenvectors_sym(A) of the same matrix become one decomposition, whose results are
// the values and then the vectors.
//   A_ += V (diag(w_) + F .* K) V', K = (V'V_ - V_'V) / 2, F_ij = 1 / (w_j - w_i), 0 on the diagonal
// (see math/array_ops/eigen_sym.cpp).
#include <Eigen/Core>
#include <algorithm>
#include <map>
#include <vector>

#include "tape/passes/passes.hpp"

namespace kullback::tape {

namespace {

using Map = Eigen::Map<Eigen::MatrixXd>;
using ConstMap = Eigen::Map<const Eigen::MatrixXd>;

math::Shape both_shape(std::span<const math::DenseArgument> arguments) {
  const std::size_t n = arguments[0].shape.rows;
  return {n + n * n, 1, 1};
}

// eigenvalues_sym checks the matrix and leaves the vectors in its scratch: here right after the values.
void both_forward(const math::ArrayCall& call) {
  static const math::ArrayOp& values =
      *math::find_array_op("eigenvalues_sym", std::vector<math::Type>{math::Type{math::Kind::matrix}});
  const auto n = static_cast<Eigen::Index>(call.arguments[0].shape.rows);
  math::ArrayCall decompose = call;
  decompose.scratch = call.result + n;
  values.forward(decompose);
}

void both_backward(const math::ArrayCall& call) {
  const auto n = static_cast<Eigen::Index>(call.arguments[0].shape.rows);
  const double* w = call.result;
  const ConstMap v(call.result + n, n, n);
  const Eigen::MatrixXd product = v.transpose() * ConstMap(call.result_adjoint + n, n, n);
  Eigen::MatrixXd inner = 0.5 * (product - product.transpose());
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) inner(i, j) *= w[i] == w[j] ? 0 : 1 / (w[j] - w[i]);
    inner(j, j) = call.result_adjoint[j];
  }
  Map(call.adjoints[0], n, n).noalias() += (v * inner).eval() * v.transpose();
}

const math::ArrayOp& values_and_vectors() {
  static const math::ArrayOp op{"eigendecompose_sym", {math::Type{math::Kind::matrix}},
                                both_shape,           nullptr,
                                both_forward,         both_backward};
  return op;
}

// The name of a function of one real matrix.
std::string_view matrix_function(const RawInstruction& r) {
  if (r.kind != OpKind::array) return {};
  const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
  const bool real = f.parameter_types.size() == 1 && f.parameter_types[0] == math::Type{math::Kind::matrix};
  return real ? f.name : std::string_view();
}

}  // namespace

void share_eigendecompositions(Trace& trace) {
  constexpr std::string_view kValues = "eigenvalues_sym";
  constexpr std::string_view kVectors = "eigenvectors_sym";
  // By their matrix: values and vectors, in whichever order.
  std::map<Ids, std::pair<std::size_t, std::size_t>> pairs;
  const std::size_t none = trace.instructions.size();
  for (std::size_t i = 0; i < trace.instructions.size(); ++i) {
    const std::string_view name = matrix_function(trace.instructions[i]);
    if (name != kValues && name != kVectors) continue;
    const std::span<const Id> matrix = trace.operand(trace.instructions[i], 0);
    auto& [values, vectors] = pairs.try_emplace(Ids(matrix.begin(), matrix.end()), none, none).first->second;
    (name == kValues ? values : vectors) = i;
  }
  std::vector<Id> to(trace.slot_count);
  for (Id s = 0; s < to.size(); ++s) to[s] = s;
  bool changed = false;
  std::vector<bool> dropped(none, false);
  for (const auto& [matrix, pair] : pairs) {
    const auto [values, vectors] = pair;
    if (values == none || vectors == none) continue;
    RawInstruction& both = trace.instructions[std::min(values, vectors)];
    const RawInstruction old_values = trace.instructions[values];
    const RawInstruction old_vectors = trace.instructions[vectors];
    both.definition = &values_and_vectors();
    both.result_size = old_values.result_size + old_vectors.result_size;
    both.result = trace.new_slots(both.result_size);
    for (std::uint32_t k = 0; k < old_values.result_size; ++k) to[old_values.result + k] = both.result + k;
    for (std::uint32_t k = 0; k < old_vectors.result_size; ++k)
      to[old_vectors.result + k] = both.result + old_values.result_size + k;
    dropped[std::max(values, vectors)] = true;
    changed = true;
  }
  if (!changed) return;
  const auto rename = [&](Id& id) {
    if (!is_constant(id) && id < to.size()) id = to[id];
  };
  for (Id& id : trace.pool) rename(id);
  for_each_root(trace, rename);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < none; ++i) {
    if (!dropped[i]) trace.instructions[kept++] = trace.instructions[i];
  }
  trace.instructions.resize(kept);
}

}  // namespace kullback::tape
