// Simulated sequences for the tests of hidden Markov models.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "conjugate/data.hpp"
#include "conjugate/hmm/hmm.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate {

inline std::unique_ptr<Model> make_hmm(const std::string& kind, const Shape& shape,
                                       std::map<std::string, std::string> options) {
  const ModelRecord* record = find_model("hmm", kind);
  return record->make(read_options(record->options, options, record->kind), shape);
}

struct Simulated {
  Buffer data;
  std::vector<std::size_t> path;
};

// Sequences of a chain that stays with probability `staying` and else goes to any state.
template <class MakeCell>
Simulated simulate_chain(const std::vector<std::size_t>& lengths, std::size_t states, std::size_t columns,
                         double staying, std::uint64_t seed, MakeCell make_cell) {
  Random random(seed);
  Simulated result{Buffer(DataKind::sequences, columns), {}};
  std::vector<double> row(columns);
  for (const std::size_t length : lengths) {
    result.data.begin_unit();
    std::size_t state = random.below(states);
    for (std::size_t t = 0; t < length; ++t) {
      if (t > 0 && random.uniform() > staying) state = random.below(states);
      for (std::size_t c = 0; c < columns; ++c) row[c] = make_cell(random, state, c);
      result.data.add_row(row);
      result.path.push_back(state);
    }
  }
  return result;
}

inline double gaussian_cell(Random& random, std::size_t state, std::size_t column) {
  return 100 + 4.0 * std::cos(static_cast<double>(2 * state + column)) + random.normal();
}

inline double category_cell(Random& random, std::size_t state, std::size_t column) {
  return static_cast<double>(random.uniform() < 0.7 ? (state + column) % 4 : random.below(4));
}

inline double count_cell(Random& random, std::size_t state, std::size_t) {
  double count = 0;
  for (double left = 1.0 + 4.0 * static_cast<double>(state); (left -= random.exponential()) > 0;) count += 1;
  return count;
}

inline Shape shape_of(const std::string& kind, std::size_t columns, std::size_t units) {
  Shape shape{.kind = DataKind::sequences, .columns = columns, .units = units};
  for (std::size_t c = 0; c < columns; ++c) shape.names.push_back("x" + std::to_string(c + 1));
  if (kind == "categorical") shape.levels.assign(columns, {"a", "b", "c", "d"});
  return shape;
}

inline Simulated simulate_kind(const std::string& kind, const std::vector<std::size_t>& lengths,
                               std::size_t states, std::size_t columns, std::uint64_t seed) {
  const auto cell = kind == "gaussian" ? gaussian_cell : kind == "categorical" ? category_cell : count_cell;
  return simulate_chain(lengths, states, columns, 0.9, seed, cell);
}

// Some cells, and some whole rows, become missing.
inline Buffer with_gaps(const Batch& data, std::uint64_t seed) {
  Random random(seed);
  Buffer result(DataKind::sequences, data.columns);
  std::vector<double> row(data.columns);
  for (std::size_t unit = 0; unit < data.units; ++unit) {
    result.begin_unit();
    for (std::size_t t = data.offsets[unit]; t < data.offsets[unit + 1]; ++t) {
      const bool is_all = random.uniform() < 0.1;
      for (std::size_t c = 0; c < data.columns; ++c) {
        row[c] = is_all || random.uniform() < 0.15 ? std::nan("") : data.row(t)[c];
      }
      result.add_row(row);
    }
  }
  return result;
}

inline Statistics statistics_of(const Model& model, const Batch& data) {
  Statistics statistics;
  statistics.values.assign(model.statistics_size(), 0.0);
  model.local_step(data, {}, statistics);
  return statistics;
}

inline void fit_exactly(Model& model, const Batch& data, std::uint64_t seed, int passes) {
  Random random(seed);
  model.begin(data, random);
  model.prepare();
  ExactMover mover;
  for (int pass = 0; pass < passes; ++pass) {
    const Statistics statistics = statistics_of(model, data);
    for (std::size_t block = 0; block < model.blocks(); ++block) model.global_step(block, statistics, mover);
    model.prepare();
  }
}

}  // namespace kullback::conjugate
