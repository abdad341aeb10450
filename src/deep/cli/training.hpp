// What the verbs that train have in common: what was given of their options, resuming by the record, and the
// end of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "deep/cli/arguments.hpp"
#include "deep/cli/options.hpp"
#include "deep/cli/verb.hpp"
#include "deep/data/rows.hpp"
#include "deep/train/train.hpp"
#include "deep/train/training_run.hpp"
#include "run/record.hpp"

namespace kullback::deep::cli {

// The name of a file of data with "-VERB": where results are where no --out was given.
std::string default_out(const std::string& data, const std::string& verb);
// The --out that was given, or that of the first file, which becomes the --out of the arguments.
std::string out_of(Arguments& arguments, const std::string& verb);

// A training that --resume goes on with. What the run was not told it takes from the record; what it was told
// must agree. Without --resume the record is empty. `what`: "a network", as the folder of another kind is
// not.
run::RunRecord resumed_record(Arguments& arguments, const std::string& kind, const std::string& what);

// The --seed, or a random one, the same on all ranks.
std::uint64_t seed_of(const OptionValues& values, const Ranks& ranks);
std::vector<std::string> ignored_of(const OptionValues& values);
// Paths, --image and --ignore.
RowsRequest rows_of(const Arguments& arguments, const OptionValues& values);
// --epochs and `batch` (0: auto), --patience and --judge-every where the verb has them, --save-every,
// --resume.
TrainOptions train_options(const OptionValues& values, const CountOption& batch, std::uint64_t seed);
std::optional<std::int64_t> device_memory_of(const OptionValues& values);

// For the record: the verb's options and those of the parts, without those that say how a run goes and not
// what it gives.
run::RunOptions recorded_options(const Arguments& arguments, const OptionValues& values,
                                 std::initializer_list<run::RunOptions> parts);
// Those of a table: all but optional ones that were not given.
run::RunOptions recorded(OptionTable table, const OptionValues& values);

// A verb that trains, as one of the processes of mpirun.
Run add_training(const Command& verb, const Usage& usage,
                 int (*work)(const Ranks& ranks, const Arguments& arguments));
// Calls `fit` with a line of progress (where `prints`), until Ctrl-C.
FitOutcome watched_fit(bool prints, const std::function<FitOutcome(const run::Watch&)>& fit);
// Prints the record (where `prints`) and the failure with advice; the exit code.
int end_training(const TrainOutcome& trained, const run::RunRecord& record, const std::string& out,
                 const std::string& what, bool prints, const Ranks& ranks,
                 const std::string& advice = "Lower --rate, or look for extreme values in the data.");
// Of a run that was complete before it began.
int end_complete(const run::RunRecord& record, const std::string& out, bool prints);

}  // namespace kullback::deep::cli
