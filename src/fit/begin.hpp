// How a run begins: its folder, and which chains are whose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"
#include "posterior/run_record.hpp"

namespace kullback::fit {

// The chains of this rank: those whose number leaves its own when divided by the number of ranks.
std::vector<std::uint32_t> chains_of_rank(const Request& request, const Ranks& ranks);

// Makes the folder, where one is asked for, or takes the one that is there up again, and notes it among the
// events.
void begin_run(const Request& request, const posterior::RunRecord& record, const LoadedModel& model,
               const Ranks& ranks);

// What the event of a start tells.
std::string start_fields(const posterior::RunRecord& record);

// Adds a line to the events of the run, where it has a folder.
void note_event(const Request& request, const std::string& name, const std::string& fields);

// After an error: the folder goes, unless a chain has draws there.
void abandon_run(const Request& request, const Ranks& ranks);

// Where the folder of a run keeps data that came from memory.
std::filesystem::path kept_data_path(const std::filesystem::path& out);
// Writes them there, where they did.
void keep_data(const std::filesystem::path& out, const Inputs& inputs, const std::string& data_text);

// "kullback fit --resume DIR goes on.", or that nothing was kept.
std::string resume_hint(const Request& request);

}  // namespace kullback::fit
