// --minibatch N=256, --strata NAME and --stream FILE of `kullback fit`.
#pragma once

#include <string>
#include <vector>

#include "cli/method_options.hpp"
#include "fit/request.hpp"

namespace kullback::cli {

struct MinibatchArguments {
  std::string minibatch;  // "N=256"
  std::string strata;     // integer data
  std::vector<std::string> streams;

  bool is_given() const { return !minibatch.empty() || !strata.empty() || !streams.empty(); }
};

// Into the inputs (which rows) and the method's options (how many). Throws Error usage, also for a method
// that needs all of the data.
void take_minibatch(const MinibatchArguments& arguments, const infer::Method& method, GivenOptions& given,
                    fit::Inputs& inputs);

}  // namespace kullback::cli
