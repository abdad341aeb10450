// How a run begins: its folder, and which chains are whose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "fit/loaded_model.hpp"
#include "fit/request.hpp"
#include "run/record.hpp"

namespace kullback::fit {

// The chains of this rank: those whose number leaves its own when divided by the number of ranks.
std::vector<std::uint32_t> chains_of_rank(const Request& request, const Ranks& ranks);

// Takes up the folder of a run that goes on. Throws Error, also where a process is at work there.
void take_up(Request& request, const Ranks& ranks);

// Makes the folder, where one is asked for, unless it was taken up; notes the beginning among the events.
void begin_run(Request& request, const run::RunRecord& record, const LoadedModel& model, const Ranks& ranks);

// What the event of a start tells.
std::string start_fields(const run::RunRecord& record);

// Adds a line to the events of the run, where it has a folder.
void note_event(const Request& request, const std::string& name, const std::string& fields);

// After an error: the folder of a run that was begun goes, unless a chain has draws there.
void abandon_run(const Request& request, const Ranks& ranks);

inline constexpr const char* kKeptData = "data.json";
// Where the folder of a run keeps data that came from memory, when it is whole.
std::filesystem::path kept_data_path(const std::filesystem::path& out);

// The folder of the run as the user named it.
std::string folder_name(const Request& request);

// "kullback fit --resume DIR goes on.", or that nothing was kept.
std::string resume_hint(const Request& request);

}  // namespace kullback::fit
