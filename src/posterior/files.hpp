// A fit on disk: Stan CSV, netCDF with ArviZ's groups, and the folder that holds them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "posterior/posterior.hpp"
#include "run/record.hpp"

namespace kullback::posterior {

// Beside the chains' files: draws with weights, of which chain-1.csv has equally weighted ones, and the mode
// that a Laplace approximation is built around, which CmdStan's readers open with the draws.
inline constexpr const char* kWeightedFile = "weighted.csv";
inline constexpr const char* kModeFile = "mode.csv";

// The text of chain `chain` (from 0) as CmdStan 2.39 writes it: configuration, head, adaptation, draws,
// times. `folder` is where the file will be.
std::string csv_text(const Posterior& posterior, std::size_t chain, const run::RunRecord& record,
                     const std::filesystem::path& folder = {});
// The text of kModeFile, as of an optimisation: of the first chain, which must have a mode.
std::string mode_csv_text(const Posterior& posterior, const run::RunRecord& record,
                          const std::filesystem::path& folder);

// Reads chains as csv_text or CmdStan wrote them; warm-up is dropped. All columns count as parameters: the
// files do not tell them apart. Throws Error bad_input with file and line.
Posterior read_csv(const std::vector<std::filesystem::path>& chain_files);
// The same of one chain in memory; `name` is what messages call it.
Posterior read_csv_text(const std::string& name, std::string text);

// Data of the program, for the group constant_data.
struct DataVariable {
  std::string name;
  std::vector<std::size_t> dims;
  bool is_int = false;
  bool is_observed = false;  // the program models it
  // Puts its numbers there, row-major, from number `first` on.
  std::function<void(std::size_t first, std::span<double> to)> read;
};

// ArviZ's groups: posterior, sample_stats, and where they exist observed_data, constant_data, log_likelihood
// (log_lik*), posterior_predictive (y_rep*, *_rep, *_tilde, *_pred). ArviZ knows no weights: of draws with
// weights these groups have equally weighted ones, and `approximation` has the draws with their log weights.
// The bytes of the file: netCDF never sees the disk, as HDF5 does not survive a full one. Loads netCDF at the
// first call; throws Error cannot_write, with what to install where the library is missing.
std::string netcdf_bytes(const Posterior& posterior, const run::RunRecord& record,
                         const std::vector<DataVariable>& data);
void write_netcdf(const std::filesystem::path& path, const Posterior& posterior, const run::RunRecord& record,
                  const std::vector<DataVariable>& data);

// The folder's posterior from its chain-*.csv (draws with weights: from weighted.csv), and its record. Throws
// Error naming what is missing.
struct Folder {
  run::RunRecord record;
  Posterior posterior;
};
Folder read_folder(const std::filesystem::path& folder);

// The lines of events.jsonl that were written to their end: the last one may be torn.
std::vector<std::string> read_events(const std::filesystem::path& path);

}  // namespace kullback::posterior
