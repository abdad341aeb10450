#include "deep/cli/training.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <random>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/interrupt.hpp"
#include "base/json_value.hpp"
#include "deep/cli/text.hpp"
#include "deep/cli/verb.hpp"
#include "deep/count_list.hpp"
#include "deep/json_fields.hpp"

namespace kullback::deep::cli {

namespace {

namespace fs = std::filesystem;

// Options that say how a run goes, not what it gives: a resumed run may have others.
constexpr const char* kHow[] = {"out",     "resume", "force",         "quiet", "save-every",
                                "threads", "device", "device-memory", "seed"};

std::vector<std::string> texts_of(const std::string& json) {
  std::vector<std::string> texts;
  const JsonValue list = parse_json(json, "run.json");
  if (list.array() != nullptr)
    for (const JsonValue& item : *list.array())
      if (item.string() != nullptr) texts.push_back(*item.string());
  return texts;
}

void take_from(const posterior::RunRecord& record, const std::string& out, Arguments& arguments) {
  for (const auto& [name, value] : record.options) {
    if (name == "ignore") {
      if (arguments.lists.count(name) == 0) arguments.lists[name] = texts_of(value);
      continue;
    }
    const auto [given, is_taken] = arguments.values.emplace(name, value);
    if (is_taken || given->second == value) continue;
    throw Error(ErrorKind::usage,
                filled("{}: was begun with --{} {}, but this run has {}.", out, name, value, given->second),
                "Resume with the options of the first run, or begin anew with --force.");
  }
}

}  // namespace

std::string out_of(Arguments& arguments, const std::string& verb) {
  const std::string fallback = fs::path(arguments.positionals[0]).stem().string() + "-" + verb;
  return arguments.values.emplace("out", fallback).first->second;
}

posterior::RunRecord resumed_record(Arguments& arguments, const std::string& kind, const std::string& what) {
  posterior::RunRecord record;
  const auto resume = arguments.values.find("resume");
  if (resume == arguments.values.end() || resume->second != "true") return record;
  const std::string out = arguments.values["out"];
  if (!fs::exists(fs::path(out) / "run.json"))
    throw Error(ErrorKind::missing_file, out + ": holds no training to go on with.", "Leave out --resume.");
  record = posterior::read_run_record((fs::path(out) / "run.json").string());
  if (record.kind != kind)
    throw Error(ErrorKind::bad_input, filled("{}: holds a '{}', not {}.", out, record.kind, what),
                "Choose another folder with --out.");
  record.options["seed"] = std::to_string(record.seed);
  take_from(record, out, arguments);
  return record;
}

std::vector<std::int64_t> counts_of(const std::string& option, const std::string& text,
                                    const std::string& hint) {
  return count_list(option, text, hint);
}

std::uint64_t seed_of(const Settings& settings, const Ranks& ranks) {
  if (settings.has("seed")) return settings.count("seed", 0, static_cast<std::size_t>(-1));
  return std::stoull(ranks.broadcast(std::to_string(std::random_device{}())));
}

const Option kDeviceMemory = {"device-memory", "",
                              "most of the device's memory for the rows, as 500M or 8G (default: half of "
                              "what is free); rows that need more "
                              "stay in the host's memory and are copied a minibatch ahead"};

std::optional<std::int64_t> device_memory_of(const Settings& settings) {
  if (!settings.has("device-memory")) return {};
  const std::string& text = settings.text("device-memory");
  double value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(stop, static_cast<const char*>(text.data() + text.size()));
  const double factor = unit.empty() ? 1 : unit == "K" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 0;
  if (status != std::errc() || factor == 0 || !(value >= 0) || value * factor > 1e18)
    throw Error(ErrorKind::usage, filled("--device-memory is '{}'; it must be a number of bytes.", text),
                "Write 500M or 8G; 0 keeps all rows in the host's memory.");
  return static_cast<std::int64_t>(value * factor);
}

double validation_of(const Settings& settings) {
  const double part = settings.number("validation");
  if (!(part >= 0 && part < 1))
    throw Error(ErrorKind::usage,
                filled("--validation is '{}'; it must be from 0 to below 1.", settings.text("validation")),
                "0.1 holds out a tenth of the rows, 0 none.");
  return part;
}

std::map<std::string, std::string> recorded_options(
    const Settings& program, const std::vector<const std::map<std::string, std::string>*>& parts,
    const std::vector<std::string>& ignored) {
  std::map<std::string, std::string> options = program.values();
  for (const char* name : kHow) options.erase(name);
  for (const auto* words : parts) options.insert(words->begin(), words->end());
  if (!ignored.empty()) options["ignore"] = json_texts(ignored);
  std::erase_if(options, [](const auto& option) { return option.second.empty(); });
  return options;
}

int end_training(const TrainOutcome& trained, const posterior::RunRecord& record, const std::string& out,
                 const std::string& what, bool prints, const Ranks& ranks) {
  if (prints) std::fputs(record_text(record, out).c_str(), stdout);
  if (trained.is_interrupted) return kInterruptedCode;
  if (trained.failure.empty()) return 0;
  if (ranks.is_first())
    print_error(
        trained.failure + ".",
        filled("{} holds the {} after epoch {}. Lower --rate, or look for extreme values in the data.", out,
               what, trained.epochs.size()));
  return static_cast<int>(ErrorKind::bad_input);
}

int end_complete(const posterior::RunRecord& record, const std::string& out, bool prints) {
  if (prints)
    std::fputs((record_text(record, out) + "The training is complete: nothing is left to do.\n").c_str(),
               stdout);
  return 0;
}

}  // namespace kullback::deep::cli
