// Instructions over many rows become instructions of one row each:
//   elementwise functions and densities     element by element (a density is then the sum of its elements)
//   a product of matrices                   dot products
//   dot_product, dot_self, mean             sums
//   GLM densities                           eta_n = x_n . beta + alpha_n, then the density of each y_n
//   densities of arrays of vectors          item by item
//   constraints of arrays                   item by item
// What belongs to no row itself but is read by one row only goes with it.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "math/distribution.hpp"
#include "tape/passes/passes.hpp"
#include "tape/rows/rows.hpp"

namespace kullback::tape {

namespace {

using Labels = std::vector<RowTag>;

bool differ(const Labels& labels) {
  return std::any_of(labels.begin(), labels.end(), [&](RowTag tag) { return !(tag == labels.front()); });
}

std::string_view array_name(const RawInstruction& r) {
  return r.kind == OpKind::array ? static_cast<const math::ArrayOp*>(r.definition)->name : std::string_view();
}

const math::Elementwise& function(std::string_view name) { return *math::find_elementwise(name); }

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

class RowSplitter final {
 public:
  explicit RowSplitter(const RowTrace& in) : in_(in), out_(in) {
    out_.trace.instructions.clear();
    to_.resize(in.trace.slot_count);
    for (std::uint32_t s = 0; s < in.trace.slot_count; ++s) to_[s] = s;
    tags_ = in.pinned;
  }

  RowTrace run() {
    find_demand();
    for (RawInstruction r : in_.trace.instructions) {
      rename_operands(r);
      split(r);
    }
    for (Guard& guard : out_.trace.guards) {
      guard.left = renamed(guard.left);
      guard.right = renamed(guard.right);
    }
    for (TargetTerm& term : trace().target) term.id = renamed(term.id);
    return std::move(out_);
  }

 private:
  const RowTrace& in_;
  RowTrace out_;
  std::vector<Id> to_;
  std::vector<RowTag> tags_;    // of the slots written
  std::vector<RowTag> demand_;  // of the slots read: the rows that need them

  Trace& trace() { return out_.trace; }
  Id renamed(Id id) const { return is_constant(id) ? id : to_[id]; }
  RowTag tag(Id id) const { return is_constant(id) ? out_.constants[id & ~kConstantBit] : tags_[id]; }
  RowTag tag(std::span<const Id> ids) const {
    RowTag all;
    for (const Id id : ids) all = join(all, tag(id));
    return all;
  }

  // ---- who needs a slot ----

  void find_demand() {
    const RowTag everything{0, static_cast<std::uint32_t>(std::max<std::size_t>(in_.row_count, 2) - 1)};
    const std::vector<RowTag> known = find_tags(in_);
    demand_.assign(in_.trace.slot_count, {});
    const auto need = [&](Id id, RowTag by) {
      if (!is_constant(id)) demand_[id] = join(demand_[id], by.none() ? everything : by);
    };
    const auto known_tag = [&](Id id) {
      return is_constant(id) ? in_.constants[id & ~kConstantBit] : known[id];
    };
    for (const TargetTerm& term : in_.trace.target) need(term.id, known_tag(term.id));
    for (const Guard& guard : in_.trace.guards) {
      const RowTag both = join(known_tag(guard.left), known_tag(guard.right));
      need(guard.left, both);
      need(guard.right, both);
    }
    for (auto r = in_.trace.instructions.rbegin(); r != in_.trace.instructions.rend(); ++r) {
      const bool elements = r->kind == OpKind::elementwise || r->kind == OpKind::density;
      const auto by = [&](std::uint32_t k) {
        const Id result = r->result + k;
        return known[result].none() ? demand_[result] : known[result];
      };
      RowTag all;
      for (std::uint32_t k = 0; k < r->result_size; ++k) all = join(all, by(k));
      for (std::uint32_t j = 0; j < r->operand_count; ++j) {
        const std::span<const Id> ids = in_.trace.operand(*r, j);
        for (std::size_t e = 0; e < ids.size(); ++e) {
          RowTag row = all;
          if (elements && ids.size() == r->count && r->count > 1) {
            row = r->kind == OpKind::elementwise ? by(static_cast<std::uint32_t>(e))
                                                 : element_tag(*r, e, known);
            if (row.none()) row = all;
          }
          need(ids[e], row);
        }
      }
    }
  }

  RowTag element_tag(const RawInstruction& r, std::size_t e, const std::vector<RowTag>& known) const {
    RowTag all;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const std::span<const Id> ids = in_.trace.operand(r, j);
      const Id id = ids[ids.size() == 1 ? 0 : e];
      all = join(all, is_constant(id) ? in_.constants[id & ~kConstantBit] : known[id]);
    }
    return all;
  }

  // ---- writing ----

  void rename_operands(const RawInstruction& r) {
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const RawOperand& o = trace().operands[r.first_operand + j];
      if (IdPool::is_shared(o.first)) continue;
      for (std::uint32_t k = 0; k < o.size; ++k)
        trace().pool[o.first + k] = renamed(trace().pool[o.first + k]);
    }
  }

  Id new_slots(std::size_t count) {
    const Id first = trace().new_slots(count);
    out_.pinned.resize(trace().slot_count);
    tags_.resize(trace().slot_count);
    return first;
  }

  void add_operand(std::span<const Id> ids) {
    trace().operands.push_back(
        {static_cast<std::uint32_t>(trace().pool.size()), static_cast<std::uint32_t>(ids.size())});
    // The ids may lie in the pool itself.
    const Ids copy(ids.begin(), ids.end());
    trace().pool.insert(trace().pool.end(), copy.begin(), copy.end());
  }

  void emit(const RawInstruction& r) {
    RowTag all;
    if (r.kind != OpKind::elementwise) {
      for (std::uint32_t j = 0; j < r.operand_count; ++j) all = join(all, tag(trace().operand(r, j)));
    }
    for (std::uint32_t k = 0; k < r.result_size; ++k) {
      RowTag own = r.kind == OpKind::elementwise ? label(r, k) : all;
      tags_[r.result + k] = join(out_.pinned[r.result + k], own);
    }
    trace().instructions.push_back(r);
  }

  // The rows of the operands of element e.
  RowTag label(const RawInstruction& r, std::size_t e) {
    RowTag all;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const std::span<const Id> ids = trace().operand(r, j);
      all = join(all, tag(ids[ids.size() == 1 ? 0 : e]));
    }
    return all;
  }

  RowTag with_demand(RowTag own, Id result) const {
    if (!own.none() || result >= demand_.size()) return own;
    return demand_[result];
  }

  // f of element e of the operands, as an instruction of its own.
  RawInstruction element(const RawInstruction& r, std::size_t e, Id result) {
    RawInstruction one = r;
    one.first_operand = static_cast<std::uint32_t>(trace().operands.size());
    one.count = one.result_size = 1;
    one.result = result;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      const RawOperand o = trace().operands[r.first_operand + j];
      trace().operands.push_back({o.first + (o.size == 1 ? 0U : static_cast<std::uint32_t>(e)), 1});
    }
    return one;
  }

  Ids elementwise(const RawInstruction& like, const math::Elementwise& f, std::span<const Ids> operands,
                  std::size_t count, Id result) {
    RawInstruction r;
    r.kind = OpKind::elementwise;
    r.definition = &f;
    r.span = like.span;
    r.first_operand = static_cast<std::uint32_t>(trace().operands.size());
    r.operand_count = static_cast<std::uint32_t>(operands.size());
    r.count = r.result_size = static_cast<std::uint32_t>(count);
    r.result = result;
    for (const Ids& ids : operands) add_operand(ids);
    split(r);
    Ids ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = result + static_cast<Id>(i);
    return ids;
  }

  void array_op(const RawInstruction& like, const math::ArrayOp& f, std::span<const Ids> operands,
                std::span<const math::Shape> shapes, Id result) {
    RawInstruction r;
    r.kind = OpKind::array;
    r.definition = &f;
    r.span = like.span;
    r.terms = like.terms;
    r.terms.varying = 0;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      if (!all_constant(operands[j])) r.terms.varying |= 1U << j;
    }
    r.first_operand = static_cast<std::uint32_t>(trace().operands.size());
    r.operand_count = static_cast<std::uint32_t>(operands.size());
    r.first_shape = static_cast<std::uint32_t>(trace().shapes.size());
    r.result = result;
    for (const Ids& ids : operands) add_operand(ids);
    trace().shapes.insert(trace().shapes.end(), shapes.begin(), shapes.end());
    emit(r);
  }

  void sum(const RawInstruction& like, const Ids& parts, Id result) {
    static const math::ArrayOp* f =
        math::find_array_op("sum", std::array<math::Type, 1>{math::Type{math::Kind::vector}});
    const std::array<math::Shape, 1> shape{math::Shape{parts.size(), 1, 1}};
    array_op(like, *f, {&parts, 1}, shape, result);
  }

  void dot(const RawInstruction& like, Ids a, Ids b, Id result) {
    static const math::Type kVector{math::Kind::vector};
    static const math::ArrayOp* f =
        math::find_array_op("dot_product", std::array<math::Type, 2>{kVector, kVector});
    const std::array<math::Shape, 2> shapes{math::Shape{a.size(), 1, 1}, math::Shape{b.size(), 1, 1}};
    const std::array<Ids, 2> operands{std::move(a), std::move(b)};
    if (operands[0].size() == 1) {
      elementwise(like, function("multiply"), operands, 1, result);
    } else {
      array_op(like, *f, operands, shapes, result);
    }
  }

  // ---- splitting ----

  void split(const RawInstruction& r) {
    bool done = false;
    if (r.kind == OpKind::elementwise) done = split_elementwise(r);
    if (r.kind == OpKind::density) done = split_density(r);
    if (r.kind == OpKind::array) done = split_array(r);
    if (r.kind == OpKind::transform) done = split_transform(r);
    if (!done) emit(r);
  }

  bool split_elementwise(const RawInstruction& r) {
    if (r.count == 1) return false;
    Labels labels(r.count);
    for (std::uint32_t e = 0; e < r.count; ++e) {
      labels[e] = join(label(r, e), out_.pinned[r.result + e]);
      labels[e] = with_demand(labels[e], r.result + e);
    }
    if (!differ(labels)) return false;
    for (std::uint32_t e = 0; e < r.count; ++e) emit(element(r, e, r.result + e));
    return true;
  }

  bool split_density(const RawInstruction& r) {
    if (r.count == 1) return false;
    Labels labels(r.count);
    for (std::uint32_t e = 0; e < r.count; ++e) labels[e] = label(r, e);
    if (!differ(labels)) return false;
    const Id first = new_slots(r.count);
    Ids parts(r.count);
    for (std::uint32_t e = 0; e < r.count; ++e) {
      parts[e] = first + e;
      emit(element(r, e, first + e));
    }
    sum(r, parts, r.result);
    return true;
  }

  Ids ids_of(const RawInstruction& r, std::uint32_t j) {
    const std::span<const Id> ids = trace().operand(r, j);
    return {ids.begin(), ids.end()};
  }

  bool split_array(const RawInstruction& r) {
    const std::string_view name = array_name(r);
    if (name == "multiply") return split_product(r);
    if (name == "dot_product" || name == "dot_self" || name == "squared_distance") return split_dot(r, name);
    if (name == "mean") return split_mean(r);
    if (name == "rows_dot_product" || name == "rows_dot_self") return split_rows_dot(r);
    for (const GlmForm& form : kGlms) {
      if (form.name == name) return split_glm(r, form);
    }
    if (std::find(std::begin(kItemwise), std::end(kItemwise), name) != std::end(kItemwise))
      return split_items(r);
    return false;
  }

  bool split_product(const RawInstruction& r) {
    const math::Shape a_shape = trace().shapes[r.first_shape];
    const math::Shape b_shape = trace().shapes[r.first_shape + 1];
    const Ids a = ids_of(r, 0);
    const Ids b = ids_of(r, 1);
    if (r.result_size != a_shape.rows * b_shape.cols || r.result_size < 2) return false;
    const auto row = [&](std::size_t i) {
      Ids ids;
      for (std::size_t k = 0; k < a_shape.cols; ++k) ids.push_back(a[k * a_shape.rows + i]);
      return ids;
    };
    const auto column = [&](std::size_t j) {
      return Ids(b.begin() + static_cast<long>(j * b_shape.rows),
                 b.begin() + static_cast<long>((j + 1) * b_shape.rows));
    };
    Labels labels(r.result_size);
    for (std::size_t j = 0; j < b_shape.cols; ++j) {
      const RowTag column_tag = tag(column(j));
      for (std::size_t i = 0; i < a_shape.rows; ++i) {
        const std::size_t at = j * a_shape.rows + i;
        labels[at] = with_demand(join(tag(row(i)), column_tag), r.result + static_cast<Id>(at));
      }
    }
    if (!differ(labels)) return false;
    for (std::size_t j = 0; j < b_shape.cols; ++j) {
      for (std::size_t i = 0; i < a_shape.rows; ++i)
        dot(r, row(i), column(j), r.result + static_cast<Id>(j * a_shape.rows + i));
    }
    return true;
  }

  bool mixes(const RawInstruction& r) {
    RowTag all;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) all = join(all, tag(trace().operand(r, j)));
    return all.several();
  }

  bool split_dot(const RawInstruction& r, std::string_view name) {
    if (!mixes(r)) return false;
    std::array<Ids, 2> operands{ids_of(r, 0), ids_of(r, r.operand_count - 1)};
    const std::size_t count = operands[0].size();
    if (count < 2) return false;
    if (name == "squared_distance") {
      operands[0] = elementwise(r, function("subtract"), operands, count, new_slots(count));
      operands[1] = operands[0];
    }
    sum(r, elementwise(r, function("multiply"), operands, count, new_slots(count)), r.result);
    return true;
  }

  bool split_mean(const RawInstruction& r) {
    if (!mixes(r)) return false;
    const Ids ids = ids_of(r, 0);
    const Id total = new_slots(1);
    sum(r, ids, total);
    const std::array<Ids, 2> operands{Ids{total}, Ids{new_constant(1 / static_cast<double>(ids.size()))}};
    elementwise(r, function("multiply"), operands, 1, r.result);
    return true;
  }

  Id new_constant(double value) {
    out_.constants.emplace_back();
    return trace().new_constant(value);
  }

  bool split_rows_dot(const RawInstruction& r) {
    if (!mixes(r)) return false;
    const math::Shape shape = trace().shapes[r.first_shape];
    const Ids a = ids_of(r, 0);
    const Ids b = ids_of(r, r.operand_count - 1);
    if (r.result_size != shape.rows) return false;
    for (std::size_t i = 0; i < shape.rows; ++i) {
      Ids x;
      Ids y;
      for (std::size_t k = 0; k < shape.cols; ++k) {
        x.push_back(a[k * shape.rows + i]);
        y.push_back(b[k * shape.rows + i]);
      }
      dot(r, std::move(x), std::move(y), r.result + static_cast<Id>(i));
    }
    return true;
  }

  bool split_glm(const RawInstruction& r, const GlmForm& form) {
    const math::Shape design = trace().shapes[r.first_shape + form.design];
    const Ids x = ids_of(r, form.design);
    const Ids alpha = ids_of(r, form.design + 1);
    const Ids beta = ids_of(r, form.design + 2);
    const std::size_t count = std::max(design.rows, trace().operand(r, 0).size());
    if (!mixes(r) || count < 2 || beta.empty() || all_constant(beta)) return false;
    Ids eta(design.rows);
    const Id products = new_slots(design.rows);
    for (std::size_t i = 0; i < design.rows; ++i) {
      Ids row;
      for (std::size_t k = 0; k < design.cols; ++k) row.push_back(x[k * design.rows + i]);
      eta[i] = products + static_cast<Id>(i);
      dot(r, std::move(row), beta, eta[i]);
    }
    const std::size_t size = std::max(eta.size(), alpha.size());
    const std::array<Ids, 2> terms{eta, alpha};
    eta = elementwise(r, function("add"), terms, size, new_slots(size));
    RawInstruction density = r;
    density.kind = OpKind::density;
    density.definition = &math::find_distribution(form.family)->log_density;
    std::vector<Ids> operands;
    for (std::uint32_t j = 0; j < form.design; ++j) operands.push_back(ids_of(r, j));
    operands.push_back(eta);
    for (std::uint32_t j = form.design + 3; j < r.operand_count; ++j) operands.push_back(ids_of(r, j));
    density.terms = terms_of_family(r.terms, form.design);
    density.count = static_cast<std::uint32_t>(count);
    density.first_operand = static_cast<std::uint32_t>(trace().operands.size());
    density.operand_count = static_cast<std::uint32_t>(operands.size());
    for (const Ids& ids : operands) add_operand(ids);
    // This GLM drops log y! where the family's own mass keeps it with the scale.
    const bool drops_factorial = form.family == "neg_binomial_2_log" && !r.terms.normalized;
    if (drops_factorial) density.result = new_slots(1);
    split(density);
    if (drops_factorial) {
      Ids parts{density.result};
      for (const Id y : operands[0]) {
        const Id factorial = new_constant(std::lgamma(trace().constant(y) + 1));
        out_.constants.back() = tag(y);
        parts.push_back(factorial);
      }
      sum(r, parts, r.result);
    }
    return true;
  }

  bool split_items(const RawInstruction& r) {
    if (!mixes(r)) return false;
    const auto& f = *static_cast<const math::ArrayOp*>(r.definition);
    const bool ordered = f.name.starts_with("ordered_");
    std::size_t count = 1;
    std::vector<bool> is_items(r.operand_count);
    std::vector<math::Type> types = f.parameter_types;
    std::vector<math::Shape> shapes;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      math::Shape shape = trace().shapes[r.first_shape + j];
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
    const math::ArrayOp* one = math::find_array_op(f.name, types);
    if (one == nullptr || count < 2) return false;
    std::vector<Ids> all;
    for (std::uint32_t j = 0; j < r.operand_count; ++j) {
      all.push_back(ids_of(r, j));
      if (is_items[j] && all.back().size() != count * shapes[j].size()) return false;
    }
    const Id first = new_slots(count);
    Ids parts(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Ids> operands;
      for (std::uint32_t j = 0; j < r.operand_count; ++j) {
        const auto size = static_cast<long>(shapes[j].size());
        const auto begin = all[j].begin() + (is_items[j] ? static_cast<long>(i) * size : 0);
        operands.emplace_back(begin, begin + size);
      }
      parts[i] = first + static_cast<Id>(i);
      array_op(r, *one, operands, shapes, parts[i]);
    }
    // An item keeps the terms that the whole keeps.
    for (std::size_t i = 0; i < count; ++i)
      trace().instructions[trace().instructions.size() - 1 - i].terms = r.terms;
    sum(r, parts, r.result);
    return true;
  }

  bool split_transform(const RawInstruction& r) {
    const auto& f = *static_cast<const math::TransformDef*>(r.definition);
    const math::Shape shape = trace().shapes[r.first_shape];
    const std::size_t count = f.elementwise ? shape.size() : shape.count;
    const math::Shape item = f.elementwise ? math::Shape{} : math::Shape{shape.rows, shape.cols, 1};
    const Ids free = ids_of(r, 0);
    if (count < 2 || free.size() % count != 0 || !mixes(r)) return false;
    const std::size_t width = free.size() / count;
    Ids jacobians(count);
    for (std::size_t i = 0; i < count; ++i) {
      RawInstruction one = r;
      one.first_operand = static_cast<std::uint32_t>(trace().operands.size());
      one.first_shape = static_cast<std::uint32_t>(trace().shapes.size());
      one.result_size = static_cast<std::uint32_t>(item.size() + 1);
      one.result = new_slots(one.result_size);
      trace().shapes.push_back(item);
      add_operand(std::span<const Id>(free).subspan(i * width, width));
      for (std::uint32_t j = 1; j < r.operand_count; ++j) {
        const Ids bound = ids_of(r, j);
        const std::size_t size = std::min(bound.size(), item.size());
        const std::size_t begin = bound.size() == shape.size() ? i * size : 0;
        add_operand(std::span<const Id>(bound).subspan(begin, size));
      }
      emit(one);
      for (std::uint32_t k = 0; k < item.size(); ++k) to_[r.result + i * item.size() + k] = one.result + k;
      jacobians[i] = one.result + static_cast<Id>(item.size());
    }
    sum(r, jacobians, r.result + static_cast<Id>(shape.size()));
    return true;
  }
};

}  // namespace

RowTrace split_rows(const RowTrace& trace) {
  RowTrace split = RowSplitter(trace).run();
  split_row_target(split);
  drop_unused(split.trace);
  return split;
}

}  // namespace kullback::tape
