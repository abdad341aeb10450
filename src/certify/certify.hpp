// Judges an answer: approximations by their draws, Markov chains by themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "certify/certificate.hpp"
#include "certify/other_modes.hpp"
#include "density/log_density.hpp"
#include "infer/draws.hpp"
#include "model/output_writer.hpp"

namespace kullback::certify {

struct Terms {
  double tolerance = 0.1;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::size_t rungs = 1;     // certificates whose intervals hold together
  bool seeks_proof = false;  // chains are run also where nothing could be met any more, to refute
  std::function<bool()> should_stop = [] { return false; };
};

struct Judged {
  Certificate certificate;
  std::vector<double> weights;  // of the draws, where the reweighted ones are certified; else empty
  bool is_stopped = false;
};

// `draws`: independent draws of an approximation, with log p and log q, which the fit has not used. `modes`:
// from search_modes, which callers may share between certificates.
Judged certify_approximation(const infer::Draws& draws, density::LogDensity& density,
                             model::OutputWriter& outputs, const ModeSearch& modes, const Terms& terms);

// Markov chains of equal length; values of quantities one after another, each chain after chain.
struct ChainedValues {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  std::size_t chains = 0;
  std::size_t draws = 0;  // of each
  std::uint64_t divergences = 0;
};
Certificate certify_chains(const ChainedValues& chains, const Terms& terms);

// How small standard errors of chains have to be, in parts of the tolerance.
double least_precision(std::size_t quantities, const Terms& terms);

}  // namespace kullback::certify
