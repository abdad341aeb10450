// The options of a fit beside those of its model and method, and the tables of a verb: from them come the
// command line, the record of a run, and the checks when it goes on.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "conjugate/record.hpp"
#include "conjugate/train_options.hpp"
#include "run/options.hpp"

namespace kullback::conjugate {

namespace option {
inline constexpr auto kTarget = TextOption("target", "Column to explain").shown_as("COLUMN");
inline constexpr auto kSequence =
    TextOption("sequence", "Column whose change begins a new sequence").shown_as("COLUMN");
inline constexpr auto kVocabulary =
    TextOption("vocabulary", "File of the words, one a line").shown_as("FILE");
inline constexpr auto kAllowEmpty = FlagOption("allow_empty", false, "Keep documents without words");
inline constexpr auto kIgnore = ListOption("ignore", "Columns to leave out").shown_as("COLUMN");
inline constexpr auto kStream = FlagOption("stream", false, "Read the data piece by piece, in little memory");
inline constexpr auto kUpdate =
    TextOption("update", "Folder of an earlier fit: its posterior is the prior of this one").shown_as("DIR");
inline constexpr auto kSeed =
    CountOption("seed", "Seed of all random numbers (default: a random one, which is recorded)");
inline constexpr auto kThreads = CountOption("threads", "Threads (default: all cores)").from(1).to(4096);
inline constexpr auto kOut = TextOption("out", "Folder of the results (default: DATA-VERB)").shown_as("DIR");
inline constexpr auto kNoUnits =
    FlagOption("no_units", false, "Leave out the table with a line for each row");
inline constexpr auto kReport = FlagOption("report", false, "Write DIR/report.html, too");
inline constexpr auto kResume = FlagOption("resume", false, "Go on with an interrupted fit in the folder");
inline constexpr auto kForce = FlagOption("force", false, "Replace what is there already");
inline constexpr auto kQuiet = FlagOption("quiet", false, "Print nothing but errors");
}  // namespace option

// Tables of parts, one of which is read: the one that `chosen_by` names. Where that is null, there is one.
struct OptionGroup {
  std::string_view title;
  const OptionRecord* chosen_by = nullptr;
  std::vector<OwnedTable> parts;
};

// All options of a verb. What a group is chosen by is in a group before it.
std::vector<OptionGroup> option_groups(std::string_view verb);

struct Request {
  const ModelRecord* model = nullptr;
  std::vector<std::filesystem::path> data = {};
  OptionValues values = {};  // of the model, its data, the method and the run
};

// Throws Error usage for an option that the verb does not have, that the chosen kind or method does not read,
// or that has no effect beside another one.
Request read_request(const std::string& verb, std::vector<std::filesystem::path> data,
                     const GivenTexts& given);

// The data as the model needs them; of one process, all of them.
SourceRequest source_request(const Request& request);

// All that decides the result but the data and the seed.
run::RunOptions recorded_options(const Request& request);

}  // namespace kullback::conjugate
