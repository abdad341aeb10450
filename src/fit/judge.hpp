// The certificate of a run's draws.
#pragma once

#include <vector>

#include "certify/certify.hpp"
#include "fit/gather.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"

namespace kullback::fit {

// What a certificate needs of the request; `should_stop` is asked now and then.
certify::Terms terms_of(const Request& request, std::function<bool()> should_stop);

// Throws Error usage where draws of this method cannot be judged: they have no log q and are no chains.
void check_can_be_judged(const infer::Method& method, const infer::Options& options);

// The chains of all ranks. Where reweighted draws are certified, the chain gets their weights.
certify::Judged judge(const Request& request, const LoadedModel& model, const certify::ModeSearch& modes,
                      std::vector<FinishedChain>& chains, const certify::Terms& terms);

// Draws for which an approximation's own Monte Carlo error is well inside the tolerance.
std::size_t draws_for(double tolerance);

}  // namespace kullback::fit
