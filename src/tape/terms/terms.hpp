// The log density as a sum of terms, each with the coordinates it depends on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tape/record/builder.hpp"
#include "tape/tape.hpp"

namespace kullback::tape {

enum class TermSplit : unsigned char {
  coordinates,  // numbers of one statement that depend on the same coordinates are one term
  elements,     // every observation of a vectorised statement is a term
};

struct Term {
  std::vector<std::uint32_t> coordinates;
  struct Part {
    std::uint32_t slot;
    double weight;
  };
  std::vector<Part> parts;  // slots of the tape
  double constant = 0;
};

struct TermTape {
  std::shared_ptr<const Tape> tape;
  std::vector<Term> terms;
};

TermTape compile_terms(const Builder& builder, TermSplit split = TermSplit::coordinates);

}  // namespace kullback::tape
