// Unconstrained draws of a chain to the program's outputs.
#pragma once

#include <string>

#include "fit/chain_run.hpp"
#include "fit/loaded_model.hpp"
#include "posterior/posterior.hpp"

namespace kullback::fit {

// Of the draws whose outputs were written, where a stop (base/stop.hpp) comes before they all are. `problem`:
// what the first draw said whose generated quantities were rejected; empty where none was.
posterior::Chain make_chain(const Request& request, model::OutputWriter& outputs, std::size_t chain,
                            const ChainResult& result, std::string& problem);

}  // namespace kullback::fit
