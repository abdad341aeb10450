// An update: natural = E eta(parents) + sum of the messages of children. The bound by node:
//   latent    <E eta - natural, E t> - E A(parents) + A(natural)     (log h cancels)
//   observed  <E eta, t> - E A(parents) + log h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "conjugate/graph/state.hpp"

namespace kullback::conjugate {

std::vector<double> Graph::State::optimum(std::size_t id) const {
  const NodeData& node = *nodes[id];
  std::vector<double> natural(node.natural.size(), 0.0);
  factors[id]->conditional->add_naturals(*factors[id], natural);
  for (const Link& link : links[id]) {
    const Conditional& conditional = *link.factor->conditional;
    if (link.is_selector) {
      conditional.add_selector_messages(*link.factor, natural);
    } else {
      conditional.add_messages(*link.factor, link.slot, link.use, natural);
    }
  }
  return natural;
}

void Graph::State::set_natural(std::size_t id, std::vector<double> natural) {
  NodeData& node = *nodes[id];
  node.natural = std::move(natural);
  if (node.observed.empty()) return node.family->mean(node.natural, node.moments);
  const std::size_t dim = node.stride;
  for (std::size_t c = 0; c < node.elements; ++c) {
    if (!node.latent(c)) continue;
    node.family->mean(std::span(node.natural).subspan(c * dim, dim),
                      std::span(node.moments).subspan(c * dim, dim));
  }
}

double Graph::State::term(std::size_t id) const {
  const NodeData& node = *nodes[id];
  if (!node.family) return 0;
  double sum = factors[id]->conditional->total_expected(*factors[id]) + node.observed_log_base;
  if (!node.is_latent) return sum;
  const std::size_t dim = node.stride;
  if (node.observed.empty() && node.relevance.empty()) {
    sum += node.family->log_partition(node.natural);
    for (std::size_t i = 0; i < node.natural.size(); ++i) sum -= node.natural[i] * node.moments[i];
    return sum;
  }
  for (std::size_t c = 0; c < node.elements; ++c) {
    if (!node.latent(c) || !node.relevant(c)) continue;
    sum += node.family->log_partition(std::span(node.natural).subspan(c * dim, dim));
    for (std::size_t i = c * dim; i < (c + 1) * dim; ++i) sum -= node.natural[i] * node.moments[i];
  }
  return sum;
}

bool Graph::State::is_sought(std::size_t id) const {
  const NodeData& node = *nodes[id];
  if (!node.family || !node.is_latent) return false;
  for (std::size_t c = 0; c < node.elements; ++c)
    if (node.latent(c) && node.relevant(c)) return true;
  return false;
}

// Children come after their parents: from the last node to the first, what is observed or relevant makes its
// parents relevant.
void Graph::State::find_relevance() {
  if (knows_relevance) return;
  for (const auto& node : nodes) {
    if (!node->family) continue;
    node->relevance.assign(node->elements, node->is_latent ? 0 : 1);
    if (!node->observed.empty()) node->relevance = node->observed;
  }
  const auto mark = [&](const Wire& wire, std::size_t c, std::size_t k, std::size_t copies) {
    if (wire.id == Argument::kNone || !nodes[wire.id]->family) return;
    for (std::size_t i = 0; i < copies; ++i) nodes[wire.id]->relevance[wire.at(c, k) + i] = 1;
  };
  for (std::size_t id = nodes.size(); id-- > 0;) {
    if (!nodes[id]->family) continue;
    const Factor& factor = *factors[id];
    for (std::size_t c = 0; c < nodes[id]->elements; ++c) {
      if (!nodes[id]->relevance[c]) continue;
      if (factor.selector) mark(*factor.selector, c, 0, 1);
      for (std::size_t k = 0; k < factor.components; ++k) {
        for (const SlotWiring& slot : factor.slots) {
          if (slot.kind != SlotWiring::Kind::sum) mark(slot.wire, c, k, slot.copies);
          for (const Term& term : slot.terms) {
            mark(term.a, c, k, 1);
            if (term.b) mark(*term.b, c, k, 1);
          }
        }
      }
    }
  }
  for (const auto& node : nodes)
    if (std::count(node->relevance.begin(), node->relevance.end(), 0) == 0) node->relevance.clear();
  knows_relevance = true;
}

double Graph::State::elbo() const {
  double sum = 0;
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    const double part = term(id);
    if (!std::isfinite(part)) {
      throw Error(
          ErrorKind::bad_input, fmt::format("node '{}': its part of the bound is {}", nodes[id]->name, part),
          "numbers so large or small that they overflow: rescale the data, or give it a tighter prior");
    }
    sum += part;
  }
  return sum;
}

void Graph::State::demand_observed() const {
  for (const auto& node : nodes) {
    if (node->family && node->is_latent && node->family->name().starts_with("multinomial"))
      throw Error(ErrorKind::bad_input,
                  fmt::format("node '{}': a multinomial whose counts are not observed", node->name),
                  "call observe() on it; latent counts need their number of trials");
  }
}

}  // namespace kullback::conjugate
