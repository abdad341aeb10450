#include "deep/cli/training.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "base/interrupt.hpp"
#include "base/json_value.hpp"
#include "deep/cli/text.hpp"
#include "deep/counts.hpp"
#include "deep/part.hpp"
#include "run/progress_line.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;

// Columns to leave out, one a line; as older versions wrote them: ["a", "b"].
std::string ignored_text(const std::string& recorded) {
  if (!recorded.starts_with('[')) return recorded;
  std::string lines;
  const JsonValue list = parse_json(recorded, "run.json");
  if (list.array() == nullptr) return recorded;
  for (const JsonValue& item : *list.array()) {
    if (item.string() != nullptr) lines += *item.string() + "\n";
  }
  return lines;
}

bool are_same(const OptionRecord* option, const std::string& one, const std::string& other) {
  if (one == other) return true;
  return option != nullptr && read_option(*option, one) == read_option(*option, other);
}

void take_from(const run::RunRecord& record, const std::string& out, Arguments& arguments) {
  for (const auto& [recorded_name, recorded] : record.options) {
    const std::string name = underscored(recorded_name);
    const std::string text =
        name == option::kIgnore.name ? ignored_text(run::text_of(recorded)) : run::text_of(recorded);
    const auto [given, is_taken] = arguments.given.emplace(name, text);
    if (is_taken || are_same(find_option(arguments.all, name), given->second, text)) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{}: was begun with {} {}, but this run has {}.", out, flag_of(name), text,
                            given->second),
                "Resume with the options of the first run, or begin anew with --force.");
  }
}

}  // namespace

std::string default_out(const std::string& data, const std::string& verb) {
  return fs::path(data).stem().string() + "-" + verb;
}

std::string out_of(Arguments& arguments, const std::string& verb) {
  return arguments.given.emplace("out", default_out(arguments.positionals[0], verb)).first->second;
}

run::RunRecord resumed_record(Arguments& arguments, const std::string& kind, const std::string& what) {
  run::RunRecord record;
  const auto resume = arguments.given.find("resume");
  if (resume == arguments.given.end() || read_option(option::kResume, resume->second) != OptionValue(true))
    return record;
  const std::string out = arguments.given["out"];
  run::settle_folder(out);
  const fs::path folder = run::current_folder(out);
  if (!fs::exists(folder / "run.json"))
    throw Error(ErrorKind::missing_file, out + ": holds no training to go on with.", "Leave out --resume.");
  record = run::read_run_record((folder / "run.json").string());
  if (run::name_of(record.kind) != kind)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: holds {}, not {}.", out, run::record_of(record.kind).what, what),
                "Choose another folder with --out.");
  record.options.set("seed", std::to_string(record.seed));
  take_from(record, out, arguments);
  return record;
}

std::uint64_t seed_of(const OptionValues& values, const Ranks& ranks) {
  if (const auto seed = values.given(option::kSeed)) return *seed;
  return std::stoull(ranks.broadcast(std::to_string(fresh_seed())));
}

std::optional<std::int64_t> device_memory_of(const OptionValues& values) {
  const auto bytes = values.given(option::kDeviceMemory);
  return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

std::vector<std::string> ignored_of(const OptionValues& values) {
  const std::span<const std::string> ignored = values[option::kIgnore];
  return {ignored.begin(), ignored.end()};
}

RowsRequest rows_of(const Arguments& arguments, const OptionValues& values) {
  RowsRequest request;
  request.paths.assign(arguments.positionals.begin(), arguments.positionals.end());
  request.image = values[option::kImage];
  request.ignored = ignored_of(values);
  return request;
}

TrainOptions train_options(const OptionValues& values, const CountOption& batch, std::uint64_t seed) {
  TrainOptions train;
  train.epochs = count_of(values, option::kEpochs);
  train.batch = count_of(values, batch);
  if (values.is_given(option::kPatience)) train.patience = count_of(values, option::kPatience);
  train.judge_every = count_of(values, option::kJudgeEvery);
  train.seed = seed;
  train.save_every = values[option::kSaveEvery];
  train.resume = values[option::kResume];
  return train;
}

run::RunOptions recorded(OptionTable table, const OptionValues& values) {
  run::RunOptions options;
  options.set(table, values);
  return options;
}

run::RunOptions recorded_options(const Arguments& arguments, const OptionValues& values,
                                 std::initializer_list<run::RunOptions> parts) {
  run::RunOptions options;
  for (const auto& [name, value] : recorded(arguments.own, values)) {
    if (find_option(option::kRunWithMemory, name) == nullptr) options.set(name, value);
  }
  for (const run::RunOptions& part : parts) {
    for (const auto& [name, value] : part) {
      if (!options.contains(name)) options.set(name, value);
    }
  }
  return options;
}

Run add_training(const Command& verb, const Usage& usage,
                 int (*work)(const Ranks& ranks, const Arguments& arguments)) {
  return [arguments = add_usage(verb, usage), work] { return run_on_ranks(work, *arguments); };
}

FitOutcome watched_fit(bool prints, const std::function<FitOutcome(const run::Watch&)>& fit) {
  run::ProgressLine line(!prints);
  const InterruptGuard guard;
  FitOutcome outcome = fit({.on_progress = [&](const run::RunProgress& progress) { line.show(progress); },
                            .should_stop = is_interrupted});
  line.clear();
  return outcome;
}

int end_training(const TrainOutcome& trained, const run::RunRecord& record, const std::string& out,
                 const std::string& what, bool prints, const Ranks& ranks, const std::string& advice) {
  if (prints) std::fputs(record_text(record, out).c_str(), stdout);
  if (trained.is_interrupted) return kInterruptedCode;
  if (trained.failure.empty()) return 0;
  if (ranks.is_first())
    print_error(trained.failure + ".",
                fmt::format("{} holds the {} after epoch {}. {}", out, what, trained.epochs.size(), advice));
  return static_cast<int>(ErrorKind::bad_input);
}

int end_complete(const run::RunRecord& record, const std::string& out, bool prints) {
  if (prints)
    std::fputs((record_text(record, out) + "The training is complete: nothing is left to do.\n").c_str(),
               stdout);
  return 0;
}

}  // namespace kullback::deep::cli
