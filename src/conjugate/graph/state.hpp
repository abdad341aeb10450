// What a Graph holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conjugate/graph/factor.hpp"
#include "conjugate/graph/graph.hpp"

namespace kullback {
class Random;
}

namespace kullback::conjugate {

struct PlateData {
  std::string name;
  std::size_t size = 0;
  std::size_t outer = Argument::kNone;
  std::vector<std::size_t> of = {};  // elements of `outer`
};

// Pointers to nodes and factors stay good: both are allocated one by one.
struct Graph::State {
  std::vector<PlateData> plates;
  std::vector<std::unique_ptr<NodeData>> nodes;
  std::vector<std::unique_ptr<Factor>> factors;    // of each node; null for constants
  std::vector<std::vector<Link>> links;            // where each node is used
  std::vector<std::unique_ptr<NodeData>> numbers;  // arguments that are no nodes, as statistics

  // ---- Building (build.cpp).
  Node add_node(std::string name, FamilyPtr family, const Plates& plates);
  Node add(std::string name, ConditionalPtr conditional, const std::vector<Argument>& arguments,
           const Plates& plates);
  std::size_t width_of(const std::string& name, const char* what, const Argument& argument) const;
  double number_of(const std::string& name, const char* what, const Argument& argument) const;
  std::vector<double> numbers_of(const std::string& name, const char* what, const Argument& argument) const;

  // An observed categorical node keeps one number per element; with children it has all its statistics.
  void make_compact(std::size_t id);
  void make_dense(std::size_t id);

  // ---- Wiring (wiring.cpp). `in` are the parent's plates, `categories` > 0 where a selector chooses along
  // one of them.
  Wire wire(const NodeData& child, std::size_t parent, const std::vector<std::size_t>& in,
            std::size_t categories) const;
  std::string plate_names(const std::vector<std::size_t>& ids) const;

  // ---- Inference (inference.cpp).
  std::vector<double> optimum(std::size_t id) const;
  void set_natural(std::size_t id, std::vector<double> natural);
  void update(std::size_t id) { set_natural(id, optimum(id)); }
  // Sets NodeData::relevance where the graph or what is observed has changed.
  void find_relevance();
  bool knows_relevance = false;
  bool is_sought(std::size_t id) const;  // some latent elements are relevant
  double term(std::size_t id) const;
  double elbo() const;
  void demand_observed() const;

  // ---- Starts (start.cpp).
  void start_at_prior(std::size_t id);
  void initialize(std::uint64_t seed, std::uint32_t start, GraphStart how);
  void randomize_probabilities(std::size_t id, Random& random);
  void seed_components(std::size_t selector, Random& random);
  void randomize_means(std::size_t id, Random& random);
};

}  // namespace kullback::conjugate
