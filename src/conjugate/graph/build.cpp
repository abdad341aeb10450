// Nodes as the user writes them: arguments are checked against the slots of the conditional, wired, and
// refused with a sentence where they are not conjugate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "conjugate/graph/state.hpp"

namespace kullback::conjugate {
namespace {

constexpr std::size_t kNone = Argument::kNone;

std::string kind_of(const NodeData& node) {
  return node.family ? fmt::format("a {} node", node.family->name()) : std::string("a constant");
}

[[noreturn]] void refuse(const std::string& node, const std::string& what, const std::string& hint) {
  throw Error(ErrorKind::bad_input, fmt::format("node '{}': {}", node, what), hint);
}

// Wires the arguments of one new node.
class Builder {
 public:
  Builder(Graph::State& state, Factor& factor) : state_(state), factor_(factor), child_(*factor.child) {}

  SlotWiring slot(const Conditional::Slot& slot, const Argument& argument) {
    slot_ = &slot;
    if (slot.copies > 1) return stack(argument);
    if (argument.is_numbers()) return numbers(argument.numbers());
    const auto& products = argument.products();
    const bool is_plain = products.size() == 1 && products[0].b.node == kNone && products[0].scale == 1 &&
                          products[0].a.node != kNone;
    return is_plain ? plain(products[0].a) : sum(products);
  }

  // Expectations of products of dependent factors are not products.
  void demand_distinct() const {
    std::vector<std::size_t> sorted = used_;
    if (factor_.selector) sorted.push_back(factor_.selector->id);
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return;
    refuse(
        child_.name,
        fmt::format("it uses '{}' twice, which is not linear in its statistics", state_.nodes[*twice]->name),
        "write 2 * a instead of a + a; a square or a product with itself is not conjugate");
  }

 private:
  const NodeData& node(std::size_t id) const { return *state_.nodes[id]; }

  [[noreturn]] void refuse_family(const std::string& found) const {
    std::string hint = fmt::format("give it a {} prior, or a constant", slot_->family->name());
    if (slot_->family->name() == "gaussian")
      hint += "; sums and products of gaussian nodes and constants also work";
    refuse(child_.name,
           fmt::format("its {} is {}; conjugate there is a {} node, a constant or a number", slot_->name,
                       found, slot_->family->name()),
           hint);
  }

  Wire wire(const Argument::Use& use) {
    if (use.node >= state_.nodes.size())
      refuse(child_.name, "it uses a node of another graph", "make all nodes by one Graph");
    const std::size_t categories = select(use.selector);
    if (node(use.node).family) used_.push_back(use.node);
    return state_.wire(child_, use.node, node(use.node).plates, categories);
  }

  // The number of categories of a selector, 0 for none; the first one becomes that of the factor.
  std::size_t select(std::size_t selector) {
    if (selector == kNone) return 0;
    const NodeData& by = node(selector);
    if (!by.family || !by.family->name().starts_with("categorical"))
      refuse(child_.name, fmt::format("'{}', {}, selects one of its arguments", by.name, kind_of(by)),
             "only categorical nodes select");
    if (factor_.selector && factor_.selector->id != selector) {
      refuse(child_.name,
             fmt::format("both '{}' and '{}' select its arguments", node(factor_.selector->id).name, by.name),
             "one categorical node with all combinations as categories can");
    }
    factor_.components = by.family->dim();
    if (!factor_.selector) factor_.selector = state_.wire(child_, selector, by.plates, 0);
    return factor_.components;
  }

  // A constant as statistics of a family.
  const NodeData& as_statistics(const Family& family, const FamilyPtr& pointer, const NodeData& constant) {
    auto made = std::make_unique<NodeData>();
    *made = {.name = constant.name,
             .family = pointer,
             .plates = constant.plates,
             .elements = constant.elements,
             .stride = family.dim(),
             .is_latent = false};
    if (constant.stride != family.width())
      refuse_family(fmt::format("'{}', with {} numbers per element instead of {}", constant.name,
                                constant.stride, family.width()));
    const std::string fault = family.value_fault(constant.moments);
    if (!fault.empty())
      refuse(child_.name, fmt::format("its {}: {}", slot_->name, fault), "give a number in the domain");
    made->moments.resize(made->elements * made->stride);
    family.statistics(constant.moments, made->moments);
    state_.numbers.push_back(std::move(made));
    return *state_.numbers.back();
  }

  SlotWiring numbers(const std::vector<double>& values) {
    const NodeData constant{
        .name = "numbers", .stride = values.size(), .moments = values, .is_latent = false};
    SlotWiring wiring;
    wiring.wire = {
        .node = &as_statistics(*slot_->family, slot_->family, constant), .id = kNone, .is_single = true};
    return wiring;
  }

  SlotWiring plain(const Argument::Use& use) {
    SlotWiring wiring;
    wiring.wire = wire(use);
    const NodeData& parent = *wiring.wire.node;
    if (!parent.family) {
      wiring.wire.node = &as_statistics(*slot_->family, slot_->family, parent);
      wiring.wire.id = kNone;
    } else if (parent.family->name() != slot_->family->name()) {
      refuse_family(fmt::format("'{}', {}", parent.name, kind_of(parent)));
    }
    return wiring;
  }

  SlotWiring stack(const Argument& argument) {
    if (argument.products().size() != 1 || argument.products()[0].a.node >= state_.nodes.size())
      refuse_family("not a node");
    const std::size_t id = argument.products()[0].a.node;
    const NodeData& parent = node(id);
    if (!parent.family || parent.family->name() != slot_->family->name())
      refuse_family(fmt::format("'{}', {}", parent.name, kind_of(parent)));
    if (parent.plates.empty() || state_.plates[parent.plates.back()].size != slot_->copies) {
      refuse(child_.name,
             fmt::format("its {} are '{}' in {}; a last plate of {} elements is needed", slot_->name,
                         parent.name, state_.plate_names(parent.plates), slot_->copies),
             "put one element for each coordinate in the last plate");
    }
    // The other plates lead to the first of the elements side by side.
    const std::vector<std::size_t> others(parent.plates.begin(), parent.plates.end() - 1);
    SlotWiring wiring{.kind = SlotWiring::Kind::stack, .copies = slot_->copies, .copy_stride = 1};
    wiring.wire = state_.wire(child_, id, others, 0);
    if (wiring.wire.table.empty() && !wiring.wire.is_single) {
      wiring.wire.table.resize(child_.elements);
      for (std::size_t c = 0; c < child_.elements; ++c) wiring.wire.table[c] = static_cast<std::uint32_t>(c);
    }
    for (std::uint32_t& at : wiring.wire.table) at *= static_cast<std::uint32_t>(slot_->copies);
    used_.push_back(id);
    return wiring;
  }

  SlotWiring sum(const std::vector<Argument::Product>& products) {
    if (slot_->family->name() != "gaussian") refuse_family("a sum or product of nodes");
    SlotWiring wiring{.kind = SlotWiring::Kind::sum};
    for (const Argument::Product& product : products) {
      if (product.a.node == kNone) {
        wiring.offset += product.scale;
      } else {
        wiring.terms.push_back(term(product));
      }
    }
    return wiring;
  }

  Term term(const Argument::Product& product) {
    Term term{.scale = product.scale, .a = wire(product.a)};
    if (product.b.node == kNone) {
      demand_scalar(term.a);
      if (!term.a.node->family) {
        term.a.node = &as_statistics(*slot_->family, slot_->family, *term.a.node);
        term.a.id = kNone;
      }
      return term;
    }
    term.b = wire(product.b);
    if (!term.a.node->family) std::swap(term.a, *term.b);
    if (!term.a.node->family)
      refuse(child_.name,
             fmt::format("its {} has the product of two constants, '{}' and '{}'", slot_->name,
                         term.a.node->name, term.b->node->name),
             "make the product a constant of its own");
    if (!product.is_dot) {
      demand_scalar(term.a);
      demand_scalar(*term.b);
      return term;
    }
    term.d = demand_vector(term.a);
    const std::size_t other = demand_vector(*term.b);
    if (other != term.d)
      refuse(child_.name,
             fmt::format("the inner product of '{}' with {} elements and '{}' with {}", term.a.node->name,
                         term.d, term.b->node->name, other),
             "both must have the same number of elements");
    return term;
  }

  void demand_scalar(const Wire& wire) const {
    const NodeData& parent = *wire.node;
    if (parent.family ? parent.family->name() == "gaussian" : parent.stride == 1) return;
    if (!parent.family || parent.family->name().starts_with("multivariate gaussian"))
      refuse(child_.name,
             fmt::format("its {} has '{}', a vector, where a number is needed", slot_->name, parent.name),
             "the inner product of vectors is dot(a, b)");
    refuse_family(fmt::format("a sum with '{}', {}", parent.name, kind_of(parent)));
  }
  std::size_t demand_vector(const Wire& wire) const {
    const NodeData& parent = *wire.node;
    if (!parent.family) return parent.stride;
    if (!parent.family->name().starts_with("multivariate gaussian"))
      refuse(
          child_.name,
          fmt::format("its {} has an inner product with '{}', {}", slot_->name, parent.name, kind_of(parent)),
          "dot(a, b) takes multivariate gaussian nodes and constants");
    return parent.family->width();
  }

  Graph::State& state_;
  Factor& factor_;
  const NodeData& child_;
  const Conditional::Slot* slot_ = nullptr;
  std::vector<std::size_t> used_;  // nodes with a family
};

}  // namespace

Node Graph::State::add_node(std::string name, FamilyPtr family, const Plates& in) {
  auto node = std::make_unique<NodeData>();
  node->name = std::move(name);
  for (const Plate plate : in) {
    if (plate.id >= plates.size())
      refuse(node->name, "it is in a plate of another graph", "make plates by the same Graph");
    if (std::find(node->plates.begin(), node->plates.end(), plate.id) != node->plates.end())
      refuse(node->name, fmt::format("it is in plate '{}' twice", plates[plate.id].name),
             "name each plate once");
    node->plates.push_back(plate.id);
    node->elements *= plates[plate.id].size;
  }
  if (node->elements > std::numeric_limits<std::uint32_t>::max())
    refuse(node->name, fmt::format("it has {} elements", node->elements), "4294967295 are the most");
  node->is_latent = family != nullptr;
  node->family = std::move(family);
  node->stride = node->family ? node->family->dim() : 1;
  nodes.push_back(std::move(node));
  factors.push_back(nullptr);
  links.emplace_back();
  return {nodes.size() - 1};
}

Node Graph::State::add(std::string name, ConditionalPtr conditional, const std::vector<Argument>& arguments,
                       const Plates& in) {
  const Node added = add_node(std::move(name), conditional->child(), in);
  NodeData& child = *nodes[added.id];
  auto factor = std::make_unique<Factor>(Factor{.child = &child, .conditional = conditional});
  try {
    Builder builder(*this, *factor);
    for (std::size_t s = 0; s < arguments.size(); ++s)
      factor->slots.push_back(builder.slot(conditional->slots()[s], arguments[s]));
    builder.demand_distinct();
  } catch (...) {  // the refused node is not part of the graph
    nodes.pop_back();
    factors.pop_back();
    links.pop_back();
    throw;
  }
  const auto link = [&](const Wire& wire, Link place) {
    if (wire.id == kNone || !nodes[wire.id]->family) return;
    place.factor = factor.get();
    links[wire.id].push_back(place);
    nodes[wire.id]->has_children = true;
    make_dense(wire.id);
  };
  for (std::size_t s = 0; s < factor->slots.size(); ++s) {
    const SlotWiring& slot = factor->slots[s];
    if (slot.kind != SlotWiring::Kind::sum) {
      link(slot.wire, {.slot = s});
      continue;
    }
    for (std::size_t t = 0; t < slot.terms.size(); ++t) {
      link(slot.terms[t].a, {.slot = s, .use = 2 * t});
      if (slot.terms[t].b) link(*slot.terms[t].b, {.slot = s, .use = 2 * t + 1});
    }
  }
  if (factor->selector) link(*factor->selector, {.is_selector = true});
  child.natural.assign(child.elements * child.stride, 0.0);
  child.moments.assign(child.elements * child.stride, 0.0);
  factors[added.id] = std::move(factor);
  knows_relevance = false;
  start_at_prior(added.id);
  return added;
}

void Graph::State::make_compact(std::size_t id) {
  NodeData& node = *nodes[id];
  std::vector<double> categories(node.elements, 0.0);
  for (std::size_t c = 0; c < node.elements; ++c)
    for (std::size_t i = 0; i < node.stride; ++i)
      if (node.moments[c * node.stride + i] == 1) categories[c] = static_cast<double>(i);
  factors[id]->conditional = observed_categorical_conditional(node.stride);
  node.moments = std::move(categories);
  node.stride = 1;
}

void Graph::State::make_dense(std::size_t id) {
  NodeData& node = *nodes[id];
  const std::size_t dim = node.family->dim();
  if (node.stride == dim) return;
  std::vector<double> dense(node.elements * dim);
  node.family->statistics(node.moments, dense);
  node.moments = std::move(dense);
  node.stride = dim;
  factors[id]->conditional = categorical_conditional(dim);
}

std::size_t Graph::State::width_of(const std::string& name, const char* what,
                                   const Argument& argument) const {
  if (argument.is_numbers()) return argument.numbers().size();
  const auto& products = argument.products();
  if (products.size() != 1 || products[0].b.node != kNone || products[0].a.node >= nodes.size())
    refuse(name, fmt::format("its {} is a sum or product", what), "give one node or numbers here");
  const NodeData& node = *nodes[products[0].a.node];
  return node.family ? node.family->width() : node.stride;
}

std::vector<double> Graph::State::numbers_of(const std::string& name, const char* what,
                                             const Argument& argument) const {
  if (argument.is_numbers()) return argument.numbers();
  const auto& products = argument.products();
  const std::size_t id = products.size() == 1 ? products[0].a.node : kNone;
  if (id < nodes.size() && !nodes[id]->family && nodes[id]->elements == 1) return nodes[id]->moments;
  const std::string found =
      id < nodes.size() ? fmt::format("'{}', {}", nodes[id]->name, kind_of(*nodes[id])) : "an expression";
  refuse(name, fmt::format("its {} is {}; numbers are needed: no prior here is conjugate to it", what, found),
         "fix it, and compare the bounds of several values");
}

double Graph::State::number_of(const std::string& name, const char* what, const Argument& argument) const {
  const std::vector<double> found = numbers_of(name, what, argument);
  if (found.size() != 1)
    refuse(name, fmt::format("its {} is {} numbers; one is needed", what, found.size()),
           "all elements share it");
  return found[0];
}

}  // namespace kullback::conjugate
