#include "conjugate/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/graph/state.hpp"

namespace kullback::conjugate {
namespace {

constexpr double kRounding = 1e-9;             // the bound may fall by this part of itself
constexpr std::uint32_t kSchedulePurpose = 1;  // of random numbers; starts have 0

Distribution fixed_prior(const std::string& name, FamilyPtr family, std::span<const double> parameters) {
  try {
    return Distribution::of_parameters(std::move(family), parameters);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("node '{}': {}", name, error.message()), error.hint());
  }
}

const NodeData& latent(const Graph::State& state, Node node) {
  if (node.id >= state.nodes.size() || !state.nodes[node.id]->family || !state.nodes[node.id]->is_latent) {
    const std::string name = node.id < state.nodes.size() ? state.nodes[node.id]->name : "?";
    throw Error(ErrorKind::bad_input,
                fmt::format("node '{}' is not latent: it has no q to look at or to update", name),
                "means() gives the statistics of observed nodes");
  }
  return *state.nodes[node.id];
}

}  // namespace

Graph::Graph() : state_(std::make_unique<State>()) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

Plate Graph::plate(std::string name, std::size_t size) {
  if (size == 0)
    throw Error(ErrorKind::bad_input, fmt::format("plate '{}' has no elements", name),
                "at least 1 is needed");
  state_->plates.push_back({.name = std::move(name), .size = size});
  return {state_->plates.size() - 1};
}

Plate Graph::plate(std::string name, Plate outer, std::vector<std::size_t> of) {
  const PlateData& around = state_->plates.at(outer.id);
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (of[i] < around.size) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("plate '{}': element {} is in element {} of '{}', which has {}", name, i + 1,
                            of[i], around.name, around.size),
                "elements are counted from 0");
  }
  const Plate made = plate(std::move(name), of.size());
  state_->plates.back().outer = outer.id;
  state_->plates.back().of = std::move(of);
  return made;
}

Node Graph::constant(std::string name, std::vector<double> values, Plates plates) {
  const Node made = state_->add_node(std::move(name), nullptr, plates);
  NodeData& node = *state_->nodes[made.id];
  for (const double value : values)
    if (!std::isfinite(value))
      throw Error(ErrorKind::bad_input, fmt::format("node '{}': a constant is {}", node.name, value),
                  "missing numbers are observations of a latent node: gaussian(...) and observe(...)");
  if (values.empty() || values.size() % node.elements != 0)
    throw Error(ErrorKind::bad_input,
                fmt::format("node '{}': {} numbers for {} elements", node.name, values.size(), node.elements),
                "each element has the same number of them");
  node.stride = values.size() / node.elements;
  node.moments = std::move(values);
  return made;
}

Node Graph::gaussian(std::string name, Argument mean, Argument precision, Plates plates) {
  return state_->add(std::move(name), gaussian_conditional(), {mean, precision}, plates);
}
Node Graph::gaussian_joint(std::string name, Argument mean_and_precision, Plates plates) {
  return state_->add(std::move(name), gaussian_joint_conditional(), {mean_and_precision}, plates);
}
Node Graph::multivariate_gaussian(std::string name, Argument mean, Argument precision, Plates plates) {
  const std::size_t d = state_->width_of(name, "mean", mean);
  return state_->add(std::move(name), multivariate_gaussian_conditional(d), {mean, precision}, plates);
}
Node Graph::multivariate_gaussian_diagonal(std::string name, Argument mean, Node precisions, Plates plates) {
  const std::size_t d = state_->width_of(name, "mean", mean);
  return state_->add(std::move(name), multivariate_gaussian_diagonal_conditional(d), {mean, precisions},
                     plates);
}
Node Graph::multivariate_gaussian_joint(std::string name, Argument mean_and_precision, Plates plates) {
  const std::size_t width = state_->width_of(name, "mean and precision", mean_and_precision);
  std::size_t d = 1;
  while (d + d * d < width) ++d;
  return state_->add(std::move(name), multivariate_gaussian_joint_conditional(d), {mean_and_precision},
                     plates);
}
Node Graph::gamma(std::string name, Argument shape, Argument rate, Plates plates) {
  const double number = state_->number_of(name, "shape", shape);
  fixed_prior(name, gamma_family(), std::vector<double>{number, 1});
  return state_->add(std::move(name), gamma_conditional(number), {rate}, plates);
}
Node Graph::beta(std::string name, Argument a, Argument b, Plates plates) {
  const std::vector<double> numbers = {state_->number_of(name, "a", a), state_->number_of(name, "b", b)};
  return prior(name, fixed_prior(name, beta_family(), numbers), plates);
}
Node Graph::dirichlet(std::string name, Argument alpha, Plates plates) {
  const std::vector<double> numbers = state_->numbers_of(name, "alpha", alpha);
  return prior(name, fixed_prior(name, dirichlet_family(numbers.size()), numbers), plates);
}
Node Graph::bernoulli(std::string name, Argument probability, Plates plates) {
  return state_->add(std::move(name), bernoulli_conditional(), {probability}, plates);
}
Node Graph::categorical(std::string name, Argument probabilities, Plates plates) {
  const std::size_t k = state_->width_of(name, "probabilities", probabilities);
  return state_->add(std::move(name), categorical_conditional(k), {probabilities}, plates);
}
Node Graph::multinomial(std::string name, Argument probabilities, Plates plates) {
  const std::size_t k = state_->width_of(name, "probabilities", probabilities);
  return state_->add(std::move(name), multinomial_conditional(k), {probabilities}, plates);
}
Node Graph::poisson(std::string name, Argument rate, Plates plates) {
  return state_->add(std::move(name), poisson_conditional(), {rate}, plates);
}
Node Graph::von_mises(std::string name, Argument direction, Argument concentration, Plates plates) {
  const double kappa = state_->number_of(name, "concentration", concentration);
  fixed_prior(name, von_mises_family(), std::vector<double>{0, kappa});
  return state_->add(std::move(name), von_mises_conditional(kappa), {direction}, plates);
}
Node Graph::prior(std::string name, const Distribution& distribution, Plates plates) {
  return state_->add(std::move(name), fixed_conditional(distribution), {}, plates);
}

void Graph::observe(Node which, std::span<const double> values) {
  NodeData& node = *state_->nodes.at(which.id);
  if (!node.family)
    throw Error(ErrorKind::bad_input, fmt::format("node '{}' is a constant: it has its values", node.name),
                "observe random nodes");
  const std::size_t width = node.family->width();
  if (values.size() != node.elements * width)
    throw Error(ErrorKind::bad_input,
                fmt::format("node '{}': {} numbers are observed; it has {} elements of {}", node.name,
                            values.size(), node.elements, width));
  state_->make_dense(which.id);
  node.observed.assign(node.elements, 1);
  node.observed_log_base = 0;
  std::size_t missing = 0;
  for (std::size_t c = 0; c < node.elements; ++c) {
    const auto x = values.subspan(c * width, width);
    const auto gaps =
        static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](double v) { return std::isnan(v); }));
    if (gaps > 0) {
      if (gaps < width || node.family->name().starts_with("multinomial"))
        throw Error(
            ErrorKind::bad_input,
            fmt::format("node '{}': element {} misses {} of its {} numbers", node.name, c + 1, gaps, width),
            "leave out the whole element, or model each number as a node in a plate");
      node.observed[c] = 0;
      ++missing;
      continue;
    }
    const std::string fault = node.family->value_fault(x);
    if (!fault.empty())
      throw Error(ErrorKind::bad_input, fmt::format("node '{}', element {}: {}", node.name, c + 1, fault));
    node.family->statistics(x, std::span(node.moments).subspan(c * node.stride, node.stride));
    node.observed_log_base += node.family->log_base(x);
  }
  node.is_latent = missing > 0;
  state_->knows_relevance = false;
  if (missing > 0) return;
  node.observed.clear();
  if (node.family->name().starts_with("categorical") && !node.has_children) state_->make_compact(which.id);
}

void Graph::initialize(std::uint64_t seed, std::uint32_t start, GraphStart how) {
  state_->initialize(seed, start, how);
}

void Graph::update(Node node) {
  latent(*state_, node);
  state_->find_relevance();
  state_->update(node.id);
}

void Graph::step(Node node, double rho) {
  const NodeData& data = latent(*state_, node);
  state_->find_relevance();
  std::vector<double> natural = data.natural;
  const std::vector<double> target = state_->optimum(node.id);
  for (std::size_t i = 0; i < natural.size(); ++i)
    natural[i] += (data.relevant(i / data.stride) ? rho : 1) * (target[i] - natural[i]);
  state_->set_natural(node.id, std::move(natural));
}

std::vector<Node> Graph::latent_nodes() const {
  state_->find_relevance();
  std::vector<Node> found;
  for (std::size_t id = 0; id < state_->nodes.size(); ++id)
    if (state_->is_sought(id)) found.push_back({id});
  return found;
}

double Graph::elbo() const {
  state_->find_relevance();
  return state_->elbo();
}

std::vector<std::pair<std::string, double>> Graph::elbo_terms() const {
  state_->find_relevance();
  std::vector<std::pair<std::string, double>> terms;
  for (std::size_t id = 0; id < state_->nodes.size(); ++id)
    if (state_->nodes[id]->family) terms.emplace_back(state_->nodes[id]->name, state_->term(id));
  return terms;
}

Distribution Graph::posterior(Node node) const {
  const NodeData& data = latent(*state_, node);
  if (!data.observed.empty())
    throw Error(ErrorKind::bad_input, fmt::format("node '{}' is observed in part", data.name),
                "natural() has the parameters of its missing elements, means() the statistics of all");
  return {data.family, data.natural};
}

std::vector<double> Graph::means(Node node) const {
  const NodeData& data = *state_->nodes.at(node.id);
  if (!data.family || data.stride == data.family->dim()) return data.moments;
  std::vector<double> dense(data.elements * data.family->dim());
  data.family->statistics(data.moments, dense);
  return dense;
}

std::vector<double> Graph::natural(Node node) const { return latent(*state_, node).natural; }

std::vector<double> Graph::optimum(Node node) const {
  latent(*state_, node);
  state_->find_relevance();
  return state_->optimum(node.id);
}

void Graph::set_natural(Node node, std::span<const double> natural) {
  const NodeData& data = latent(*state_, node);
  if (natural.size() != data.natural.size())
    throw Error(ErrorKind::bad_input, fmt::format("node '{}': {} natural parameters; it has {}", data.name,
                                                  natural.size(), data.natural.size()));
  const std::string fault = data.observed.empty() ? data.family->fault(natural) : std::string();
  if (!fault.empty()) throw Error(ErrorKind::bad_input, fmt::format("node '{}': {}", data.name, fault));
  state_->set_natural(node.id, {natural.begin(), natural.end()});
}

namespace {

// One start: sweeps until the bound stands still.
class Run {
 public:
  Run(Graph& graph, const GraphOptions& options, std::uint32_t start)
      : graph_(graph),
        options_(options),
        random_(options.seed, start, kSchedulePurpose),
        order_(options.order) {
    if (order_.empty()) order_ = graph.latent_nodes();
    if (options.order.empty() && options.schedule == Schedule::reverse)
      std::reverse(order_.begin(), order_.end());
    graph.initialize(options.seed, start, options.start);
    fit_.start = start;
    fit_.elbo = graph.elbo();
    fit_.trace = {fit_.elbo};
  }

  GraphFit operator()() {
    while (!fit_.converged && fit_.sweeps < options_.max_sweeps) sweep();
    return fit_;
  }

 private:
  void sweep() {
    if (options_.order.empty() && options_.schedule == Schedule::random)
      for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_.below(i)]);
    for (const Node node : order_) graph_.update(node);
    const double before = fit_.elbo;
    fit_.elbo = graph_.elbo();
    fit_.trace.push_back(fit_.elbo);
    ++fit_.sweeps;
    const double scale = std::abs(before) + 1;
    if (fit_.elbo < before - kRounding * scale)
      throw Error(ErrorKind::internal,
                  fmt::format("the bound fell from {} to {} in sweep {}", before, fit_.elbo, fit_.sweeps));
    fit_.converged = fit_.elbo - before <= options_.tol * scale;
  }

  Graph& graph_;
  const GraphOptions& options_;
  Random random_;
  std::vector<Node> order_;
  GraphFit fit_;
};

}  // namespace

GraphFit Graph::fit(const GraphOptions& options) {
  if (options.starts == 0 || !(options.tol >= 0))
    throw Error(ErrorKind::bad_input,
                fmt::format("a fit of {} starts with tolerance {}", options.starts, options.tol),
                "at least one start and a tolerance of 0 or more are needed");
  const std::vector<Node> nodes = latent_nodes();
  GraphFit best;
  std::vector<std::vector<double>> kept(nodes.size());
  std::vector<double> elbos;
  for (std::uint32_t start = 0; start < options.starts; ++start) {
    GraphFit fit = Run(*this, options, start)();
    elbos.push_back(fit.elbo);
    // Where several find the same optimum the first stands, whatever the rounding.
    if (start > 0 && fit.elbo <= best.elbo + options.tol * (1 + std::abs(best.elbo))) continue;
    best = std::move(fit);
    for (std::size_t i = 0; i < nodes.size(); ++i) kept[i] = state_->nodes[nodes[i].id]->natural;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) state_->set_natural(nodes[i].id, kept[i]);
  // What the data do not speak of follows from the rest.
  for (std::size_t id = 0; id < state_->nodes.size(); ++id)
    if (state_->nodes[id]->family && state_->nodes[id]->is_latent && !state_->is_sought(id))
      state_->update(id);
  best.start_elbos = std::move(elbos);
  return best;
}

}  // namespace kullback::conjugate
