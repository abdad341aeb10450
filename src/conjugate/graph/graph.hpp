// Variational message passing (Winn and Bishop 2005): a conjugate model as a page. Nodes live in plates; each
// is a constant, is observed or latent, and says how it depends on others:
//
//   Graph graph;
//   const Plate points = graph.plate("points", x.size()), parts = graph.plate("parts", 2);
//   const Node weight = graph.dirichlet("weight", {1, 1});
//   const Node mean = graph.gaussian("mean", 0, 0.01, {parts});
//   const Node precision = graph.gamma("precision", 1, 1, {parts});
//   const Node part = graph.categorical("part", weight, {points});
//   const Node datum = graph.gaussian("x", mean[part], precision[part], {points});
//   graph.observe(datum, x);
//   const GraphFit fit = graph.fit({.starts = 5});
//   graph.posterior(mean).parameters();
//
// q is a product over the latent nodes and the elements of each. An update sets the natural parameters of a
// node to what its parents and children say, which is its optimum given the others: the bound never falls.
// What is not conjugate is refused when it is written, with a sentence. docs/message_passing.md has examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conjugate/families/family.hpp"

namespace kullback::conjugate {

struct Plate {
  std::size_t id;
};
using Plates = std::vector<Plate>;

struct Selected;

struct Node {
  std::size_t id;
  // The element that a categorical node says, along the plate that has its number of categories and that the
  // user of the result is not in.
  Selected operator[](Node by) const;
};

struct Selected {
  Node node;
  Node by;
};

// What a node depends on: numbers, a node, node[selector], or a sum of products of Gaussians and constants
// such as 2 * a + slope * x + dot(weights, features[part]) + 1.
class Argument {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Use {
    std::size_t node = kNone;
    std::size_t selector = kNone;
  };
  struct Product {
    double scale = 1;
    Use a = {};  // none: the number `scale`
    Use b = {};
    bool is_dot = false;
  };

  Argument(double number) : numbers_{number}, products_{{number}} {}       // NOLINT: meant to convert
  Argument(std::vector<double> numbers) : numbers_(std::move(numbers)) {}  // NOLINT
  Argument(std::initializer_list<double> numbers) : numbers_(numbers) {}
  Argument(Node node) : products_{{1, {node.id}}} {}                                   // NOLINT
  Argument(Selected selected) : products_{{1, {selected.node.id, selected.by.id}}} {}  // NOLINT
  explicit Argument(std::vector<Product> products) : products_(std::move(products)) {}

  const std::vector<double>& numbers() const { return numbers_; }
  const std::vector<Product>& products() const { return products_; }
  bool is_numbers() const { return !numbers_.empty(); }

 private:
  std::vector<double> numbers_;
  std::vector<Product> products_;
};

Argument operator+(const Argument& a, const Argument& b);
Argument operator-(const Argument& a, const Argument& b);
Argument operator*(const Argument& a, const Argument& b);
// The inner product of vectors.
Argument dot(const Argument& a, const Argument& b);

enum class Schedule { in_order, reverse, random };
enum class GraphStart {
  seeds,   // one random element of each category decides its first parameters
  random,  // random probabilities of categories
};

struct GraphOptions {
  std::size_t max_sweeps = 1000;
  double tol = 1e-9;  // stops when a sweep adds less than this part of the bound (plus one)
  std::size_t starts = 1;
  std::uint64_t seed = 1;
  Schedule schedule = Schedule::in_order;
  std::vector<Node> order = {};  // instead of a schedule: what a sweep updates, one after another
  GraphStart start = GraphStart::seeds;
};

struct GraphFit {
  double elbo = 0;
  bool converged = false;
  std::size_t sweeps = 0;
  std::size_t start = 0;           // the best one
  std::vector<double> trace = {};  // its bound before the first sweep and after each
  std::vector<double> start_elbos = {};
};

class Graph final {
 public:
  struct State;

  Graph();
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  // ---- The model. Names of nodes and plates are for messages and tables.
  Plate plate(std::string name, std::size_t size);
  // A plate inside another: its element i belongs to element of[i] of `outer`, and can use nodes that are in
  // `outer`.
  Plate plate(std::string name, Plate outer, std::vector<std::size_t> of);
  // Numbers, element after element (the last plate fastest), the same number for each.
  Node constant(std::string name, std::vector<double> values, Plates plates = {});

  Node gaussian(std::string name, Argument mean, Argument precision, Plates plates = {});
  Node gaussian_joint(std::string name, Argument mean_and_precision,
                      Plates plates = {});  // a normal-gamma node
  Node multivariate_gaussian(std::string name, Argument mean, Argument precision, Plates plates = {});
  // Independent coordinates; `precisions` is a gamma node whose last plate has one element for each.
  Node multivariate_gaussian_diagonal(std::string name, Argument mean, Node precisions, Plates plates = {});
  Node multivariate_gaussian_joint(std::string name, Argument mean_and_precision, Plates plates = {});
  Node gamma(std::string name, Argument shape, Argument rate, Plates plates = {});
  Node beta(std::string name, Argument a, Argument b, Plates plates = {});
  Node dirichlet(std::string name, Argument alpha, Plates plates = {});
  Node bernoulli(std::string name, Argument probability, Plates plates = {});
  Node categorical(std::string name, Argument probabilities, Plates plates = {});
  Node multinomial(std::string name, Argument probabilities, Plates plates = {});  // observed counts
  Node poisson(std::string name, Argument rate, Plates plates = {});
  Node von_mises(std::string name, Argument direction, Argument concentration, Plates plates = {});
  // A prior of any family with fixed parameters: wishart, normal-gamma, normal-wishart, ...
  Node prior(std::string name, const Distribution& distribution, Plates plates = {});

  // All elements in order; NaN is a missing one, which stays latent (of a vector: all of its numbers).
  void observe(Node node, std::span<const double> values);

  // ---- Inference.
  GraphFit fit(const GraphOptions& options = {});
  // Steps of it, for schedules of one's own.
  void initialize(std::uint64_t seed, std::uint32_t start = 0, GraphStart how = GraphStart::seeds);
  void update(Node node);
  // Part rho of the way to the coordinate optimum: a natural-gradient step (all of it for elements that are
  // integrated out).
  void step(Node node, double rho);
  // The nodes that fit() updates, in order of declaration: those with latent elements that observations
  // depend on. Others are integrated out exactly: they are in no message and not in the bound, and fit() sets
  // their q at the end.
  std::vector<Node> latent_nodes() const;
  double elbo() const;
  // The bound by node: E log p(node | parents), plus the entropy of q where it is latent.
  std::vector<std::pair<std::string, double>> elbo_terms() const;

  // ---- Answers.
  Distribution posterior(Node node) const;     // q of a latent node, one point for each element
  std::vector<double> means(Node node) const;  // expected statistics of any node, observed or not
  std::vector<double> natural(Node node) const;
  std::vector<double> optimum(Node node) const;  // the natural parameters that `update` would set
  void set_natural(Node node, std::span<const double> natural);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace kullback::conjugate
