// The program that this library carries.
#pragma once

#include <memory>
#include <string>

#include "base/source.hpp"
#include "lang/program.hpp"

namespace kullback::capi {

// Blocks in which the program prints; a function that prints counts for each of them.
struct Printing {
  bool transformed_data = false;
  bool transformed_parameters = false;
  bool model = false;
  bool generated_quantities = false;
};

struct OwnProgram {
  SourceMap sources;
  std::unique_ptr<const lang::Program> program;
  std::string name;  // as BridgeStan's: "eight_schools_model"
  Printing printing;
};

// Read when the library is loaded, understood at the first call; the same for all models. Throws Error where
// the library carries no program (it is the stub itself) or a damaged one.
const OwnProgram& own_program();

}  // namespace kullback::capi
