// First values. Everything starts at its prior, in the order of declaration. Where that is a saddle point it
// is broken at random: categories (all components alike) and products of two latent Gaussians (both with mean
// 0).
#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "conjugate/graph/state.hpp"

namespace kullback::conjugate {

void Graph::State::start_at_prior(std::size_t id) {
  std::vector<double> natural(nodes[id]->natural.size(), 0.0);
  factors[id]->conditional->add_naturals(*factors[id], natural);
  set_natural(id, std::move(natural));
}

void Graph::State::initialize(std::uint64_t seed, std::uint32_t start, GraphStart how) {
  demand_observed();
  find_relevance();
  Random random(seed, start);
  for (std::size_t id = 0; id < nodes.size(); ++id)
    if (nodes[id]->family && nodes[id]->is_latent) start_at_prior(id);
  std::vector<std::size_t> multiplied, selectors;
  for (std::size_t id = 0; id < nodes.size(); ++id) {
    if (!nodes[id]->family || !nodes[id]->is_latent) continue;
    if (nodes[id]->family->name().starts_with("categorical")) selectors.push_back(id);
    for (const Link& link : links[id]) {
      const SlotWiring* slot = link.is_selector ? nullptr : &link.factor->slots[link.slot];
      if (!slot || slot->kind != SlotWiring::Kind::sum) continue;
      const Term& term = slot->terms[link.use / 2];
      if (!term.b || !term.b->node->family || !term.a.node->is_latent || !term.b->node->is_latent) continue;
      multiplied.push_back(id);
      break;
    }
  }
  for (const std::size_t id : multiplied) randomize_means(id, random);
  for (const std::size_t id : selectors) randomize_probabilities(id, random);
  if (how == GraphStart::random) return;
  for (const std::size_t id : selectors) seed_components(id, random);
}

// Uniform on the simplex.
void Graph::State::randomize_probabilities(std::size_t id, Random& random) {
  std::vector<double> natural = nodes[id]->natural;
  for (double& x : natural) x = std::log(random.exponential());
  set_natural(id, std::move(natural));
}

// Gaussians at a draw of their prior, at most 1 away in standard deviation.
void Graph::State::randomize_means(std::size_t id, Random& random) {
  const NodeData& node = *nodes[id];
  const std::size_t width = node.family->width();
  const std::size_t size = node.family->parameter_names().size();
  std::vector<double> natural = node.natural;
  std::vector<double> parameters(size);
  for (std::size_t c = 0; c < node.elements; ++c) {
    if (!node.latent(c)) continue;
    const std::span<double> own = std::span(natural).subspan(c * node.stride, node.stride);
    node.family->parameters(own, parameters);
    for (std::size_t i = 0; i < width; ++i) {
      const double precision = parameters[width + i * (width + 1)];
      parameters[i] += std::min(1.0, 1 / std::sqrt(precision)) * random.normal();
    }
    node.family->natural_of_parameters(parameters, own);
  }
  set_natural(id, std::move(natural));
}

// One random element stands for each category; what is selected learns from these alone, and then says what
// the categories of the others are. An observed or missing pattern that leaves nothing to select keeps the
// random probabilities.
void Graph::State::seed_components(std::size_t id, Random& random) {
  NodeData& node = *nodes[id];
  const std::size_t k = node.stride;
  std::vector<std::size_t> selected;
  for (std::size_t other = 0; other < nodes.size(); ++other) {
    if (!nodes[other]->is_latent) continue;
    for (const Link& link : links[other])
      if (!link.is_selector && link.factor->selector && link.factor->selector->id == id &&
          (selected.empty() || selected.back() != other))
        selected.push_back(other);
  }
  if (selected.empty() || node.elements < k) return;

  std::vector<std::size_t> latent;
  for (std::size_t c = 0; c < node.elements; ++c)
    if (node.latent(c) && node.relevant(c)) latent.push_back(c);
  if (latent.size() < k) return;
  for (const std::size_t c : latent)
    std::fill_n(node.moments.begin() + static_cast<std::ptrdiff_t>(c * k), k, 0.0);
  for (std::size_t i = 0; i < k; ++i) {
    std::swap(latent[i], latent[i + random.below(latent.size() - i)]);
    node.moments[latent[i] * k + i] = 1;
  }
  for (const std::size_t other : selected) update(other);
  update(id);
}

}  // namespace kullback::conjugate
