// Draws from a Stan program's prior, and data given them: every statement `x ~ distribution(...)` is read as
// a recipe for x.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/data.hpp"
#include "model/prepared.hpp"

namespace kullback {
class Random;
}

namespace kullback::model {

class SimulationEngine;

// For one thread. The draws have the joint density of the program over its parameters and over the data that
// have distributions: what declared bounds exclude is drawn again, from the beginning where that is the only
// way to keep the density.
class Simulator final {
 public:
  // Throws Error, with the statement's place, where the program cannot be read so: a parameter without a
  // proper distribution, another kind of density, a variable that needs itself.
  explicit Simulator(std::shared_ptr<const Prepared> prepared);
  ~Simulator();

  // Those of Outputs.
  const std::vector<std::string>& column_names() const { return names_; }
  // Data with a distribution, in the order of the data block.
  const std::vector<std::string>& simulated_data() const { return simulated_; }

  // One number per column. False where the generated quantities reject: their columns are NaN, and message()
  // says why. Throws Error where constraints exclude draw after draw.
  bool draw(Random& random, double* row);
  const std::string& message() const { return message_; }
  // All data of the last draw, in the shapes of a data file; and its parameters, as a file of initial values
  // has them.
  Data data() const;
  Data params() const;

 private:
  Data values_of(lang::BlockKind block, std::string name) const;

  std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<SimulationEngine> engine_;
  std::vector<std::string> names_;
  std::vector<std::string> simulated_;
  std::string message_;
};

}  // namespace kullback::model
