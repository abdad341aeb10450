// From the chains to the folder's files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fit/fit.hpp"
#include "fit/gather.hpp"

namespace kullback::fit {

// Fills the outcome and, where the request has a folder, writes all files; when every chain has finished, the
// unfinished draws are removed.
void finish(const Request& request, const LoadedModel& model, std::vector<FinishedChain> chains,
            Outcome& outcome);

// What a folder holds beside the outcome.
struct Origin {
  std::string program_text;
  std::shared_ptr<const std::string> data_text;  // that was in memory: the folder gets it too; or null
  std::vector<posterior::DataVariable> data;
};

// The folder of an outcome of a run without one, with the same files. Throws Error.
void write_folder(const std::filesystem::path& out, bool force, const Origin& origin, Outcome outcome);

// finish() for draws that were not inferred here: the posterior's names are set already, and only the
// computation of generated quantities can have gone wrong.
void finish_predictions(run::RunFolder& folder, const LoadedModel& model, std::vector<FinishedChain> chains,
                        Outcome& outcome);

}  // namespace kullback::fit
