// What a user asks of one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "infer/algorithm.hpp"
#include "infer/options.hpp"

namespace kullback::run {
class RunFolder;
}

namespace kullback::fit {

class KeptChains;

struct Inputs {
  std::string program;  // a .stan file
  std::string data;     // JSON or R dump; empty: none, or in memory
  std::vector<std::string> include_paths = {};
  std::size_t max_memory = 0;  // bytes; 0: what the machine has
  std::string row_size =
      {};  // of minibatches: the size in the data block whose index is the row; empty: likely
  std::string strata = {};  // of minibatches: integer data whose values are strata of rows
  std::vector<std::string> streams =
      {};  // files of rows that are not read into memory: NAME=FILE or FILE.csv
};

inline constexpr double kDefaultTolerance = 0.1;

struct Request {
  Inputs inputs;
  const infer::Method* method = nullptr;
  infer::Options options;
  std::uint64_t seed = 0;
  std::size_t chains = 4;
  std::size_t threads = 0;  // 0: as many as there are cores
  // "2": uniform(-2, 2) in each coordinate; a file with values of parameters, or their JSON itself, which
  // begins with a brace; "pathfinder": draws from it.
  std::string init = "2";
  // The log Jacobian of the constraints is part of the density; without it an optimum is that of the
  // constrained density (maximum likelihood, penalised).
  bool jacobian = true;
  double checkpoint_seconds = 1;    // between saves of unfinished chains: a crash loses at most so much
  bool sensitivity = false;         // look for prior-data conflict
  std::optional<double> tolerance;  // a certificate is wanted: means and sds within so many sds
  bool wasserstein = false;         // with the certificate: bounds on distances by coupled chains
  std::optional<double> budget;     // seconds after which the ladder of methods ends
  // Empty: nothing is written to disk. Of a run that has begun, where it writes.
  std::filesystem::path out;
  std::shared_ptr<run::RunFolder> folder = {};  // on the first rank, of a run that has begun
  std::string rung;             // of the ladder: where its unfinished draws are, within those of the run
  bool keeps_state = false;     // finished chains are saved, and go on where more draws are asked for
  bool defers_outputs = false;  // unconstrained draws only, for now
  bool force = false;           // an older fit in `out` is replaced
  bool resume = false;          // go on in `out`
  std::shared_ptr<KeptChains> kept = {};  // without `out`: states that would be saved there
};

}  // namespace kullback::fit
