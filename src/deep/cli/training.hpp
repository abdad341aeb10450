// What the verbs that train have in common: options that all have, resuming by the record, and the end of a
// run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "base/settings.hpp"
#include "deep/cli/arguments.hpp"
#include "deep/train/train.hpp"
#include "posterior/run_record.hpp"

namespace kullback::deep::cli {

// The --out that was given, or the name of the first file with "-VERB", which becomes the --out of the
// arguments.
std::string out_of(Arguments& arguments, const std::string& verb);

// A training that --resume goes on with. What the run was not told it takes from the record; what it was told
// must agree. Without --resume the record is empty. `what`: "a network", as the folder of another kind is
// not.
posterior::RunRecord resumed_record(Arguments& arguments, const std::string& kind, const std::string& what);

// "200,200" of --option, or "none".
std::vector<std::int64_t> counts_of(const std::string& option, const std::string& text,
                                    const std::string& hint);
// The --seed, or a random one, the same on all ranks.
std::uint64_t seed_of(const Settings& settings, const Ranks& ranks);
double validation_of(const Settings& settings);
// --device-memory as bytes: "500M", "8G", "0". None where it was not given.
std::optional<std::int64_t> device_memory_of(const Settings& settings);
extern const Option kDeviceMemory;

// For the record: the program's options and those of the parts, without empty ones and those that say how a
// run goes and not what it gives.
std::map<std::string, std::string> recorded_options(
    const Settings& program, const std::vector<const std::map<std::string, std::string>*>& parts,
    const std::vector<std::string>& ignored);

// Prints the record (where `prints`) and the failure; the exit code.
int end_training(const TrainOutcome& trained, const posterior::RunRecord& record, const std::string& out,
                 const std::string& what, bool prints, const Ranks& ranks);
// Of a run that was complete before it began.
int end_complete(const posterior::RunRecord& record, const std::string& out, bool prints);

}  // namespace kullback::deep::cli
