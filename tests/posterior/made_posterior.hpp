// Posteriors made by hand or from random numbers, for the tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "posterior/posterior.hpp"

namespace kullback::posterior {

// Column i of chain c holds draw(random, c, d) of makers[i], d = 0, 1, ...
struct Maker {
  std::string name;
  std::function<double(Random&, std::size_t, std::size_t)> draw;
};

inline Posterior make_posterior(const std::vector<Maker>& makers, std::size_t chains, std::size_t draws,
                                std::uint64_t seed = 1) {
  Posterior posterior;
  for (const Maker& maker : makers) posterior.names.push_back(maker.name);
  posterior.parameters = posterior.generated = posterior.names.size();
  for (std::size_t c = 0; c < chains; ++c) {
    Chain& chain = posterior.chains.emplace_back();
    chain.draws = draws;
    for (std::size_t i = 0; i < makers.size(); ++i) {
      Random random(seed, static_cast<std::uint32_t>(c), 99, static_cast<std::uint32_t>(i));
      for (std::size_t d = 0; d < draws; ++d) chain.columns.push_back(makers[i].draw(random, c, d));
    }
    Random random(seed, static_cast<std::uint32_t>(c), 99, 1000);
    for (std::size_t d = 0; d < draws; ++d) chain.log_density.push_back(-random.gamma(2.0));
  }
  return posterior;
}

inline Maker normal(std::string name, double mean = 0, double sd = 1) {
  return {std::move(name),
          [=](Random& random, std::size_t, std::size_t) { return mean + sd * random.normal(); }};
}

// One number for each draw of each chain.
inline void add_stat(Posterior& posterior, std::string name,
                     const std::function<double(const Chain&, std::size_t, std::size_t)>& value) {
  posterior.stat_names.push_back(std::move(name));
  for (std::size_t c = 0; c < posterior.chains.size(); ++c) {
    Chain& chain = posterior.chains[c];
    for (std::size_t d = 0; d < chain.draws; ++d) {
      const double number = value(chain, c, d);
      chain.stats.push_back(number);
    }
  }
}

}  // namespace kullback::posterior
