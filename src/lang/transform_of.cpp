#include "lang/transform_of.hpp"

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace kullback::lang {

namespace {

std::string_view transform_name(const SizedType& type) {
  switch (type.constraint) {
    case Constraint::none: return "identity";
    case Constraint::bounds:
      if (type.lower == nullptr) return type.upper == nullptr ? "identity" : "upper";
      return type.upper == nullptr ? "lower" : "lower_upper";
    case Constraint::offset_multiplier: return "offset_multiplier";
    case Constraint::ordered: return "ordered";
    case Constraint::positive_ordered: return "positive_ordered";
    case Constraint::simplex: return "simplex";
    case Constraint::unit_vector: return "unit_vector";
    case Constraint::sum_to_zero:
      return type.type->kind == math::Kind::matrix ? "sum_to_zero_matrix" : "sum_to_zero_vector";
    case Constraint::cholesky_factor_corr: return "cholesky_factor_corr";
    case Constraint::cholesky_factor_cov: return "cholesky_factor_cov";
    case Constraint::corr_matrix: return "corr_matrix";
    case Constraint::cov_matrix: return "cov_matrix";
    case Constraint::column_stochastic: return "column_stochastic_matrix";
    case Constraint::row_stochastic: return "row_stochastic_matrix";
  }
  return {};
}

}  // namespace

const math::TransformDef& transform_of(const SizedType& type) {
  const math::TransformDef* transform = math::find_transform(transform_name(type));
  if (transform == nullptr) throw Error(ErrorKind::internal, "a constraint has no transform");
  return *transform;
}

std::vector<const Expr*> transform_bounds(const SizedType& type) {
  if (type.constraint == Constraint::offset_multiplier) return {type.offset, type.multiplier};
  std::vector<const Expr*> bounds;
  if (type.constraint != Constraint::bounds) return bounds;
  if (type.lower != nullptr) bounds.push_back(type.lower);
  if (type.upper != nullptr) bounds.push_back(type.upper);
  return bounds;
}

}  // namespace kullback::lang
