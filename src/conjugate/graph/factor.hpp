// The inside of a graph: nodes as arrays over their plates, and how the elements of a child find those of its
// parents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conjugate/graph/conditional.hpp"

namespace kullback::conjugate {

// Element after element, the last plate fastest: `moments` are expected statistics (of a constant: the
// numbers themselves), `natural` the parameters of q where some elements are latent.
struct NodeData {
  std::string name;
  FamilyPtr family = {};  // null: a constant
  std::vector<std::size_t> plates = {};
  std::size_t elements = 1;
  std::size_t stride = 0;  // numbers per element in `moments`
  std::vector<double> natural = {};
  std::vector<double> moments = {};
  bool is_latent = true;            // some elements are
  std::vector<char> observed = {};  // by element, where only some are; empty: all or none
  double observed_log_base = 0;
  bool has_children = false;
  // By element: whether it is observed or something observed depends on it; empty: all are. The others are
  // integrated out exactly by leaving them out of messages and of the bound.
  std::vector<char> relevance = {};

  bool latent(std::size_t element) const { return is_latent && (observed.empty() || !observed[element]); }
  bool relevant(std::size_t element) const { return relevance.empty() || relevance[element]; }
};

// The element of `node` that element c of the child uses, for component k of its selector.
struct Wire {
  const NodeData* node = nullptr;
  std::size_t id = 0;
  bool is_single = false;                 // all use element 0 (and its components)
  std::vector<std::uint32_t> table = {};  // empty and not single: c uses c
  std::size_t component_stride = 0;

  std::size_t at(std::size_t c, std::size_t k) const {
    return (is_single ? 0 : table.empty() ? c : table[c]) + k * component_stride;
  }
  const double* moments(std::size_t c, std::size_t k) const {
    return &node->moments[at(c, k) * node->stride];
  }
};

// scale * a, or scale * a * b; vectors (d > 0) by their inner product. b may be a constant.
struct Term {
  double scale = 1;
  Wire a;
  std::optional<Wire> b = {};
  std::size_t d = 0;
};

// One argument of a conditional: a node, a plate of nodes side by side, or a sum of terms plus an offset.
struct SlotWiring {
  enum class Kind { node, stack, sum } kind = Kind::node;
  Wire wire = {};
  std::size_t copies = 1;
  std::size_t copy_stride = 0;
  std::vector<Term> terms = {};
  double offset = 0;
};

struct Factor {
  const NodeData* child = nullptr;
  ConditionalPtr conditional;
  std::vector<SlotWiring> slots = {};
  std::optional<Wire> selector = {};
  std::size_t components = 1;
};

// A place where a node is used. In sums, `use` is 2 * term, plus 1 where it is the term's b.
struct Link {
  const Factor* factor = nullptr;
  bool is_selector = false;
  std::size_t slot = 0;
  std::size_t use = 0;
};

// Expected statistics of an argument, in `scratch` where they are not those of one node.
const double* gather(const SlotWiring& slot, std::size_t c, std::size_t k, double* scratch);
std::size_t scratch_size(const SlotWiring& slot);
// Natural parameters from a message to the sum (g[0] s + g[1] s^2) to one of the nodes in it.
void scatter_to_term(const SlotWiring& slot, std::size_t use, std::size_t c, std::size_t k, const double* g,
                     std::span<double> natural);

}  // namespace kullback::conjugate
