// What the verbs that train have in common: options, what was given of them, resuming by the record, and the
// end of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ranks.hpp"
#include "base/settings.hpp"
#include "deep/cli/arguments.hpp"
#include "deep/cli/union.hpp"
#include "deep/cli/verb.hpp"
#include "deep/data/rows.hpp"
#include "deep/train/adam.hpp"
#include "deep/train/train.hpp"
#include "deep/train/training_run.hpp"
#include "run/record.hpp"

namespace kullback::deep::cli {

using Words = std::map<std::string, std::string>;

// Options that several verbs have, with the defaults and the words in which they differ.
extern const Option kImage;
extern const Option kIgnore;
extern const Option kEpochs;
extern const Option kRate;
extern const Option kDeviceMemory;
Option validation_option(const std::string& use);                                   // ": to judge"
Option activation_option(const std::string& fallback, const std::string& of = {});  // " (mlp)"
Option batch_option(const std::string& fallback, const std::string& more = {});
Option schedule_option(const std::string& fallback);
Option judge_every_option(const std::string& figures);  // "held-out bounds"
OptionGroup run_group(const std::string& verb, const std::vector<Option>& more = {});

enum class Precisions { floats, floats_tf32, all };  // all: bf16 too
Option precision_option(Precisions known);

// What was given, split among the program and the parts of a model that its options name: --prior laplace
// has options of its own.
class Given final {
 public:
  Given(const std::vector<OptionGroup>& program, const Arguments& arguments);

  const Settings& program() const { return program_; }
  // What was given to the part `name` of --option; to any of `records` where it is "auto": the data say which
  // one it is, and what it was given is checked then.
  template <class Record>
  Words of(const std::string& option, std::string_view name, std::span<const Record* const> records);
  // Throws Error usage for what belongs to a part that was not chosen.
  void check() const;

 private:
  struct Part {
    std::string option, name;
    std::set<std::string> options;  // of all records of its kind
  };

  Words rest_;  // what is not the program's own
  Settings program_;
  std::vector<Part> parts_;
  std::set<std::string> taken_;
};

template <class Record>
Words Given::of(const std::string& option, std::string_view name, std::span<const Record* const> records) {
  Part part{option, std::string(name), {}};
  Words result;
  for (const Record* record : records) {
    for (const Option& known : record->options) part.options.insert(known.name);
    if (name == "auto" || record->name == name) result.merge(given_of(record->options, rest_));
  }
  for (const auto& [given, value] : result) taken_.insert(given);
  parts_.push_back(std::move(part));
  return result;
}

// The name of a file of data with "-VERB": where results are where no --out was given.
std::string default_out(const std::string& data, const std::string& verb);
// The --out that was given, or that of the first file, which becomes the --out of the arguments.
std::string out_of(Arguments& arguments, const std::string& verb);

// A training that --resume goes on with. What the run was not told it takes from the record; what it was told
// must agree. Without --resume the record is empty. `what`: "a network", as the folder of another kind is
// not.
run::RunRecord resumed_record(Arguments& arguments, const std::string& kind, const std::string& what);

// "200,200" of --option, or "none".
std::vector<std::int64_t> counts_of(const std::string& option, const std::string& text,
                                    const std::string& hint);
// The --seed, or a random one, the same on all ranks.
std::uint64_t seed_of(const Settings& settings, const Ranks& ranks);
double validation_of(const Settings& settings);
Schedule schedule_of(const Settings& settings);
std::string precision_of(const Settings& settings, Precisions known);
std::vector<std::string> ignored_of(const Arguments& arguments);
// Paths, --image and --ignore.
RowsRequest rows_of(const Arguments& arguments, const Settings& settings);
// --epochs and --batch (0: not given), --patience and --judge-every where the verb has them, --save-every,
// --resume.
TrainOptions train_options(const Settings& settings, std::uint64_t seed);
// --device-memory as bytes: "500M", "8G", "0". None where it was not given.
std::optional<std::int64_t> device_memory_of(const Settings& settings);

// For the record: the program's options and those of the parts, without empty ones and those that say how a
// run goes and not what it gives.
Words recorded_options(const Settings& program, const std::vector<const Words*>& parts,
                       const std::vector<std::string>& ignored);

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
