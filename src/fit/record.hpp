// The record of a run at its beginning, and the request that a record came from.
#pragma once

#include <cstdint>
#include <filesystem>

#include "fit/loaded_model.hpp"
#include "fit/request.hpp"
#include "run/record.hpp"

namespace kullback::fit {

// What every run notes of its inputs; the method and its options are the caller's.
run::RunRecord begin_record(const Inputs& inputs, const LoadedModel& model, std::uint64_t seed);
run::RunRecord make_record(const Request& request, const LoadedModel& model);

// For verbs that are no fits.
void note_include_paths(const Inputs& inputs, run::RunRecord& record);

// What is kept among the options of a record (recorded_options()), from a command line or a record.
void take_recorded(const OptionValues& values, Request& request);

// Notes that the run is the ladder's, whatever method its answer is of, and whether the user named the
// tolerance or it is the default: a run that goes on must not take the default for a wish.
void note_ladder(run::RunRecord& record, std::size_t chains, bool is_tolerance_asked);

// The record of a run that goes on: paths and times are those of the run in the folder. Throws Error where
// the program, the data or the version are not.
void continue_record(const std::filesystem::path& folder, run::RunRecord& record);

}  // namespace kullback::fit
