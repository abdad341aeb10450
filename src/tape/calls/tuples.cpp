// Functions that return tuples: each slot is a function of its own, with its own adjoint, and the gradient of
// an expression of several slots is the sum. A factorisation is so computed once for each slot that is used.
#include <array>
#include <unordered_map>
#include <vector>

#include "tape/calls/complex.hpp"
#include "tape/calls/special_calls.hpp"

namespace kullback::tape {

using math::Type;

namespace {

using Slots = std::vector<std::string_view>;

const std::unordered_map<std::string_view, Slots>& tuple_functions() {
  static const std::unordered_map<std::string_view, Slots> kFunctions = {
      {"csr_extract", {"csr_extract_w", "csr_extract_v", "csr_extract_u"}},
      {"eigendecompose", {"eigenvectors", "eigenvalues"}},
      {"eigendecompose_sym", {"eigenvectors_sym", "eigenvalues_sym"}},
      {"complex_schur_decompose", {"complex_schur_decompose_u", "complex_schur_decompose_t"}},
      {"qr", {"qr_Q", "qr_R"}},
      {"qr_thin", {"qr_thin_Q", "qr_thin_R"}},
      {"svd", {"svd_U", "singular_values", "svd_V"}},
  };
  return kFunctions;
}

bool call_slot(Tracer& t, std::string_view name, std::span<const Value> a, const Type& type, Value& result) {
  if (involves_complex(a, type)) return call_complex(t, name, a, type, result);
  if (call_int_function(t, name, a, type, result)) return true;
  const std::array<Type, 1> types{a[0].type};
  const math::ArrayOp* f = math::find_array_op(name, types);
  if (f != nullptr) result = t.apply(*f, a, type);
  return f != nullptr;
}

}  // namespace

bool is_tuple_function(std::string_view name) { return tuple_functions().contains(name); }

bool call_tuple_function(Tracer& t, std::string_view name, std::span<const Value> a, const Type& type,
                         Value& result) {
  const auto found = tuple_functions().find(name);
  if (found == tuple_functions().end()) return false;
  Value tuple;
  tuple.type = type;
  for (std::size_t i = 0; i < found->second.size(); ++i) {
    Value slot;
    if (!call_slot(t, found->second[i], a, (*type.elements)[i], slot)) return false;
    change_parts(tuple).push_back(std::move(slot));
  }
  result = std::move(tuple);
  return true;
}

}  // namespace kullback::tape
