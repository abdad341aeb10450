// A parameter, or data with a distribution, while it is simulated: which of its numbers are known so far.
#pragma once

#include <cstddef>
#include <vector>

#include "lang/program.hpp"
#include "tape/record/builder.hpp"
#include "tape/record/value.hpp"

namespace kullback::model {

struct RandomVariable {
  const lang::Variable* variable = nullptr;
  bool is_parameter = false;
  tape::Value start;                        // before anything is drawn
  tape::Value current;                      // what the tracer reads
  tape::Value positions;                    // each number is its own position
  std::vector<const lang::Stmt*> drawn_by;  // for each number; null: by none
  std::vector<unsigned char> known;         // for each number
  std::size_t unknown = 0;                  // how many are not

  bool is_complete() const { return unknown == 0; }
  void begin_draw() {
    current = start;
    unknown = 0;
    for (std::size_t i = 0; i < known.size(); ++i) {
      known[i] = drawn_by[i] == nullptr ? 1 : 0;
      unknown += drawn_by[i] == nullptr ? 0 : 1;
    }
  }
};

RandomVariable make_random_variable(const lang::Variable& variable, tape::Value start,
                                    tape::Builder& builder);

// The positions that a choice of elements of `positions` has.
std::vector<std::size_t> read_positions(const tape::Value& chosen, const tape::Builder& builder);

// ---- which statements may change places ----

// The variables that a statement reads and writes; parameters, data and loop variables left out.
struct Uses {
  std::vector<const lang::Variable*> reads;
  std::vector<const lang::Variable*> writes;
};
Uses uses_of(const lang::Stmt& stmt);
// Must they keep their order?
bool conflict(const Uses& a, const Uses& b);

}  // namespace kullback::model
