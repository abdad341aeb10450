// Gradients of the five programs of bench/models, written by hand: how fast a gradient can be.
// Each file is compiled twice, without and with -ffast-math. `loop` is what one writes with loops (logistic:
// with exp and log that vectorise); `best` also takes one logarithm of a product of many factors, and breaks
// up sums and recurrences where each step waits for the one before. Every floor reads every observation: no
// sufficient statistics.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/data.hpp"

namespace kullback::bench {

class Floor {
 public:
  virtual ~Floor() = default;
  virtual double evaluate(const double* theta, double* gradient) = 0;
};

struct NamedFloor {
  std::string name;  // "loop" or "best"
  std::unique_ptr<Floor> floor;
};

namespace strict_math {
std::vector<NamedFloor> make_floors(std::string_view model, const model::Data& data);
}
namespace fast_math {
std::vector<NamedFloor> make_floors(std::string_view model, const model::Data& data);
}

}  // namespace kullback::bench
