#include "tape/terms/elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "math/distribution.hpp"

namespace kullback::tape {

namespace {

struct GlmForm {
  std::string_view name;
  std::string_view family;
  std::uint32_t design;  // operand of x; alpha and beta follow, then a scale
};
constexpr GlmForm kGlms[] = {
    {"bernoulli_logit_glm_lpmf", "bernoulli_logit", 1},
    {"binomial_logit_glm_lpmf", "binomial_logit", 2},
    {"poisson_log_glm_lpmf", "poisson_log", 1},
    {"neg_binomial_2_log_glm_lpmf", "neg_binomial_2_log", 1},
    {"normal_id_glm_lpdf", "normal", 1},
};
constexpr std::string_view kItemwise[] = {
    "multi_normal_lpdf",    "multi_normal_cholesky_lpdf",    "multi_normal_prec_lpdf",
    "multi_student_t_lpdf", "multi_student_t_cholesky_lpdf", "dirichlet_lpdf",
    "categorical_lpmf",     "categorical_logit_lpmf",        "ordered_logistic_lpmf",
    "ordered_probit_lpmf",
};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

Ids ElementSplitter::ids_of(const RawInstruction& r, std::uint32_t j) const {
  const std::span<const Id> ids = trace_.operand(r, j);
  return {ids.begin(), ids.end()};
}

void ElementSplitter::set_operands(RawInstruction& r, std::span<const Ids> operands) {
  r.first_operand = static_cast<std::uint32_t>(trace_.operands.size());
  r.operand_count = static_cast<std::uint32_t>(operands.size());
  for (const Ids& ids : operands) {
    trace_.operands.push_back(
        {static_cast<std::uint32_t>(trace_.pool.size()), static_cast<std::uint32_t>(ids.size())});
    trace_.pool.insert(trace_.pool.end(), ids.begin(), ids.end());
  }
}

Ids ElementSplitter::elementwise(const RawInstruction& like, std::string_view name,
                                 std::span<const Ids> operands, std::size_t count) {
  RawInstruction r;
  r.kind = OpKind::elementwise;
  r.definition = math::find_elementwise(name);
  r.span = like.span;
  r.count = r.result_size = static_cast<std::uint32_t>(count);
  r.result = trace_.new_slots(count);
  set_operands(r, operands);
  trace_.instructions.push_back(r);
  Ids ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = r.result + static_cast<Id>(i);
  return ids;
}

bool ElementSplitter::split(const RawInstruction& r, const TargetTerm& whole,
                            std::vector<TargetTerm>& parts) {
  if (r.kind == OpKind::density) return split_density(r, whole.weight, parts);
  if (r.kind == OpKind::transform) return split_jacobian(r, whole, parts);
  if (r.kind != OpKind::array) return false;
  const std::string_view name = static_cast<const math::ArrayOp*>(r.definition)->name;
  if (name == "dot_product" || name == "dot_self" || name == "squared_distance")
    return split_dot(r, whole.weight, parts);
  if (contains(kItemwise, name)) return split_items(r, whole.weight, parts);
  return split_glm(r, whole.weight, parts);
}

bool ElementSplitter::split_density(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts) {
  if (r.count < 2) return false;
  std::vector<Ids> operands;
  for (std::uint32_t j = 0; j < r.operand_count; ++j) operands.push_back(ids_of(r, j));
  for (std::uint32_t e = 0; e < r.count; ++e) {
    RawInstruction one = r;
    one.count = 1;
    one.result = trace_.new_slots(1);
    std::vector<Ids> own;
    for (const Ids& ids : operands) own.push_back({ids[ids.size() == 1 ? 0 : e]});
    set_operands(one, own);
    trace_.instructions.push_back(one);
    parts.push_back({one.result, weight});
  }
  return true;
}

bool ElementSplitter::split_dot(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts) {
  std::array<Ids, 2> operands{ids_of(r, 0), ids_of(r, r.operand_count - 1)};
  const std::size_t count = operands[0].size();
  if (count < 2) return false;
  if (static_cast<const math::ArrayOp*>(r.definition)->name == "squared_distance") {
    operands[0] = elementwise(r, "subtract", operands, count);
    operands[1] = operands[0];
  }
  for (const Id id : elementwise(r, "multiply", operands, count)) parts.push_back({id, weight});
  return true;
}

// eta = x beta + alpha, then the density of each y given its eta.
bool ElementSplitter::split_glm(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts) {
  const auto* form = std::find_if(std::begin(kGlms), std::end(kGlms), [&](const GlmForm& each) {
    return each.name == static_cast<const math::ArrayOp*>(r.definition)->name;
  });
  if (form == std::end(kGlms)) return false;
  const math::Shape design = trace_.shapes[r.first_shape + form->design];
  const std::size_t count = std::max(design.rows, trace_.operand(r, 0).size());
  const Ids beta = ids_of(r, form->design + 2);
  if (count < 2 || beta.empty()) return false;
  static const math::ArrayOp* multiply = math::find_array_op(
      "multiply", std::array<math::Type, 2>{math::Type{math::Kind::matrix}, math::Type{math::Kind::vector}});
  RawInstruction product;
  product.kind = OpKind::array;
  product.definition = multiply;
  product.span = r.span;
  product.result_size = static_cast<std::uint32_t>(design.rows);
  product.result = trace_.new_slots(design.rows);
  product.first_shape = static_cast<std::uint32_t>(trace_.shapes.size());
  const std::array<Ids, 2> factors{ids_of(r, form->design), beta};
  product.terms.varying = (all_constant(factors[0]) ? 0U : 1U) | (all_constant(factors[1]) ? 0U : 2U);
  set_operands(product, factors);
  trace_.shapes.push_back(design);
  trace_.shapes.push_back({beta.size(), 1, 1});
  trace_.instructions.push_back(product);
  Ids products(design.rows);
  for (std::size_t i = 0; i < design.rows; ++i) products[i] = product.result + static_cast<Id>(i);
  const std::array<Ids, 2> summands{products, ids_of(r, form->design + 1)};
  std::vector<Ids> operands;
  for (std::uint32_t j = 0; j < form->design; ++j) operands.push_back(ids_of(r, j));
  operands.push_back(elementwise(r, "add", summands, std::max(products.size(), summands[1].size())));
  for (std::uint32_t j = form->design + 3; j < r.operand_count; ++j) operands.push_back(ids_of(r, j));
  RawInstruction density = r;
  density.kind = OpKind::density;
  density.definition = &math::find_distribution(form->family)->log_density;
  density.terms = terms_of_family(r.terms, form->design);
  density.count = static_cast<std::uint32_t>(count);
  set_operands(density, operands);
  // This GLM drops log y! where the family's own mass keeps it with the scale.
  if (form->family == "neg_binomial_2_log" && !r.terms.normalized) {
    for (const Id y : operands[0])
      parts.push_back({trace_.new_constant(std::lgamma(trace_.constant(y) + 1)), weight});
  }
  return split_density(density, weight, parts);
}

bool ElementSplitter::split_items(const RawInstruction& r, double weight, std::vector<TargetTerm>& parts) {
  const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
  const bool ordered = f.name.starts_with("ordered_");
  std::size_t count = 1;
  std::vector<bool> is_items(r.operand_count);
  std::vector<math::Type> types = f.parameter_types;
  std::vector<math::Shape> shapes;
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    math::Shape shape = trace_.shapes[r.first_shape + j];
    if (types[j].array_rank > 0) {
      is_items[j] = true;
      --types[j].array_rank;
      count = std::max(count, shape.count);
      shape.count = 1;
    } else if (ordered && j == 1 && types[j].kind == math::Kind::vector) {
      is_items[j] = true;
      types[j].kind = math::Kind::real;
      count = std::max(count, shape.rows);
      shape = {};
    }
    shapes.push_back(shape);
  }
  const math::ArrayOp* item = math::find_array_op(f.name, types);
  if (item == nullptr || count < 2) return false;
  std::vector<Ids> all;
  for (std::uint32_t j = 0; j < r.operand_count; ++j) {
    all.push_back(ids_of(r, j));
    if (is_items[j] && all.back().size() != count * shapes[j].size()) return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    RawInstruction one = r;
    one.definition = item;
    one.first_shape = static_cast<std::uint32_t>(trace_.shapes.size());
    one.result = trace_.new_slots(1);
    trace_.shapes.insert(trace_.shapes.end(), shapes.begin(), shapes.end());
    std::vector<Ids> operands;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const auto size = static_cast<long>(shapes[j].size());
      const auto begin = all[j].begin() + (is_items[j] ? static_cast<long>(i) * size : 0);
      operands.emplace_back(begin, begin + size);
    }
    set_operands(one, operands);
    trace_.instructions.push_back(one);
    parts.push_back({one.result, weight});
  }
  return true;
}

// A constraint of many items has one log-Jacobian, behind its values; each item has its own.
bool ElementSplitter::split_jacobian(const RawInstruction& r, const TargetTerm& whole,
                                     std::vector<TargetTerm>& parts) {
  const auto& f = *static_cast<const math::TransformDef*>(r.definition);
  const math::Shape shape = trace_.shapes[r.first_shape];
  const std::size_t count = f.elementwise ? shape.size() : shape.count;
  const math::Shape item = f.elementwise ? math::Shape{} : math::Shape{shape.rows, shape.cols, 1};
  const Ids free = ids_of(r, 0);
  if (count < 2 || free.size() % count != 0 || whole.id != r.result + shape.size()) return false;
  const std::size_t width = free.size() / count;
  std::vector<Ids> all;
  for (std::uint32_t j = 0; j < r.operand_count; ++j) all.push_back(ids_of(r, j));
  for (std::size_t i = 0; i < count; ++i) {
    RawInstruction one = r;
    one.first_shape = static_cast<std::uint32_t>(trace_.shapes.size());
    one.result_size = static_cast<std::uint32_t>(item.size() + 1);
    one.result = trace_.new_slots(one.result_size);
    trace_.shapes.push_back(item);
    const auto first = static_cast<long>(i * width);
    std::vector<Ids> operands{Ids(free.begin() + first, free.begin() + first + static_cast<long>(width))};
    for (std::uint32_t j = 1; j < r.operand_count; ++j) {
      const auto size = static_cast<long>(std::min(all[j].size(), item.size()));
      const auto begin = all[j].begin() + (all[j].size() == shape.size() ? static_cast<long>(i) * size : 0);
      operands.emplace_back(begin, begin + size);
    }
    set_operands(one, operands);
    trace_.instructions.push_back(one);
    parts.push_back({one.result + static_cast<Id>(item.size()), whole.weight});
  }
  return true;
}

}  // namespace kullback::tape
