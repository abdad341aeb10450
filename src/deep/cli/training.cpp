#include "deep/cli/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/error.hpp"
#include "base/fresh_seed.hpp"
#include "base/interrupt.hpp"
#include "base/json_fields.hpp"
#include "base/json_value.hpp"
#include "deep/cli/folder_verb.hpp"
#include "deep/cli/text.hpp"
#include "deep/count_list.hpp"
#include "run/progress_line.hpp"

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

void take_from(const run::RunRecord& record, const std::string& out, Arguments& arguments) {
  for (const auto& [name, recorded] : record.options) {
    const std::string value = run::text_of(recorded);
    if (name == "ignore") {
      if (arguments.lists.count(name) == 0) arguments.lists[name] = texts_of(value);
      continue;
    }
    const auto [given, is_taken] = arguments.values.emplace(name, value);
    if (is_taken || given->second == value) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: was begun with --{} {}, but this run has {}.", out, name, value, given->second),
        "Resume with the options of the first run, or begin anew with --force.");
  }
}

bool has_one(const std::vector<Option>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name; });
}

// Those of the program; what is of its parts goes to `rest`.
Settings own_of(const std::vector<Option>& options, const Arguments& arguments, Words& rest) {
  Words own;
  for (const auto& [name, value] : arguments.values) (has_one(options, name) ? own : rest)[name] = value;
  return {options, std::move(own)};
}

}  // namespace

const Option kImage = {"image", "", "rows of a table are images: 28x28, or 32x32x3"};
const Option kIgnore = {"ignore", "", "column to leave out; may be given several times"};
const Option kEpochs = {"epochs", "", "passes over the data (default: about 20,000 steps)"};
const Option kRate = {"rate", "0.001", "rate of Adam"};
const Option kDeviceMemory = {"device-memory", "",
                              "most of the device's memory for the rows, as 500M or 8G (default: half of "
                              "what is free); rows that need more "
                              "stay in the host's memory and are copied a minibatch ahead"};

Option validation_option(const std::string& use) {
  return {"validation", "0.1", fmt::format("part of the rows that is held out{}; 0: none", use)};
}

Option activation_option(const std::string& fallback, const std::string& of) {
  return {"activation", fallback,
          "identity, relu, leaky-relu, elu, gelu, silu, softplus, tanh, sigmoid" + of};
}

Option batch_option(const std::string& fallback, const std::string& more) {
  return {"batch", fallback, "rows of a minibatch" + more};
}

Option schedule_option(const std::string& fallback) {
  return {"schedule", fallback, "of the rate: constant, or cosine (falls to 0)"};
}

Option judge_every_option(const std::string& figures) {
  return {"judge-every", "1", "epochs between two " + figures};
}

Option precision_option(Precisions known) {
  const auto with = [](const char* help) { return Option{"precision", "float32", help}; };
  switch (known) {
    case Precisions::floats: return with("float32 or float64");
    case Precisions::floats_tf32: return with("float32, float64, or tf32 (a GPU's fast products of float32)");
    case Precisions::all: break;
  }
  return with(
      "float32, float64, tf32 (a GPU's fast products of float32), or bf16 (products of training steps in "
      "bfloat16)");
}

OptionGroup run_group(const std::string& verb, const std::vector<Option>& more) {
  std::vector<Option> options = {
      {"out", "", fmt::format("folder of the results (default: DATA-{})", verb)},
      {"seed", "", "seed of all random numbers (default: a random one, which is recorded)"},
      {"save-every", "30", "seconds between checkpoints"},
      {"resume", "false", "go on with an interrupted training in the folder"}};
  options = with_device(std::move(options));
  options.insert(options.end(), more.begin(), more.end());
  return {"Run", std::move(options)};
}

Given::Given(const std::vector<OptionGroup>& program, const Arguments& arguments)
    : program_(own_of(all_options({.groups = program}), arguments, rest_)) {}

void Given::check() const {
  for (const auto& [name, value] : rest_) {
    if (taken_.count(name) != 0) continue;
    const auto its_kind = std::find_if(parts_.begin(), parts_.end(),
                                       [&](const Part& part) { return part.options.count(name) != 0; });
    const Part& part = its_kind == parts_.end() ? parts_.back() : *its_kind;
    throw Error(ErrorKind::usage,
                fmt::format("--{} is not an option of --{} {}.", name, part.option, part.name),
                "Leave it out, or choose another.");
  }
}

std::string default_out(const std::string& data, const std::string& verb) {
  return fs::path(data).stem().string() + "-" + verb;
}

std::string out_of(Arguments& arguments, const std::string& verb) {
  return arguments.values.emplace("out", default_out(arguments.positionals[0], verb)).first->second;
}

run::RunRecord resumed_record(Arguments& arguments, const std::string& kind, const std::string& what) {
  run::RunRecord record;
  const auto resume = arguments.values.find("resume");
  if (resume == arguments.values.end() || resume->second != "true") return record;
  const std::string out = arguments.values["out"];
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

std::vector<std::int64_t> counts_of(const std::string& option, const std::string& text,
                                    const std::string& hint) {
  return count_list(option, text, hint);
}

std::uint64_t seed_of(const Settings& settings, const Ranks& ranks) {
  if (settings.has("seed")) return settings.count("seed", 0, static_cast<std::size_t>(-1));
  return std::stoull(ranks.broadcast(std::to_string(fresh_seed())));
}

std::optional<std::int64_t> device_memory_of(const Settings& settings) {
  if (!settings.has("device-memory")) return {};
  const std::string& text = settings.text("device-memory");
  double value = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(stop, static_cast<const char*>(text.data() + text.size()));
  const double factor = unit.empty() ? 1 : unit == "K" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 0;
  if (status != std::errc() || factor == 0 || !(value >= 0) || value * factor > 1e18)
    throw Error(ErrorKind::usage, fmt::format("--device-memory is '{}'; it must be a number of bytes.", text),
                "Write 500M or 8G; 0 keeps all rows in the host's memory.");
  return static_cast<std::int64_t>(value * factor);
}

double validation_of(const Settings& settings) {
  const double part = settings.number("validation");
  if (!(part >= 0 && part < 1))
    throw Error(
        ErrorKind::usage,
        fmt::format("--validation is '{}'; it must be from 0 to below 1.", settings.text("validation")),
        "0.1 holds out a tenth of the rows, 0 none.");
  return part;
}

Schedule schedule_of(const Settings& settings) {
  return settings.choice("schedule", {"constant", "cosine"}) == 0 ? Schedule::constant : Schedule::cosine;
}

std::string precision_of(const Settings& settings, Precisions known) {
  switch (known) {
    case Precisions::floats: settings.choice("precision", {"float32", "float64"}); break;
    case Precisions::floats_tf32: settings.choice("precision", {"float32", "float64", "tf32"}); break;
    case Precisions::all: settings.choice("precision", {"float32", "float64", "tf32", "bf16"});
  }
  return settings.text("precision");
}

std::vector<std::string> ignored_of(const Arguments& arguments) {
  const auto ignored = arguments.lists.find("ignore");
  return ignored == arguments.lists.end() ? std::vector<std::string>() : ignored->second;
}

RowsRequest rows_of(const Arguments& arguments, const Settings& settings) {
  RowsRequest request;
  request.paths.assign(arguments.positionals.begin(), arguments.positionals.end());
  request.image = settings.text("image");
  request.ignored = ignored_of(arguments);
  return request;
}

TrainOptions train_options(const Settings& settings, std::uint64_t seed) {
  // Where the verb has the option and it is set.
  const auto count = [&](const char* name, std::size_t low, std::size_t high, std::int64_t fallback) {
    const bool is_set = settings.values().count(name) != 0 && settings.has(name);
    return is_set ? static_cast<std::int64_t>(settings.count(name, low, high)) : fallback;
  };
  TrainOptions train;
  train.epochs = count("epochs", 1, 100'000'000, 0);
  train.batch = count("batch", 1, 1'000'000'000, 0);
  train.patience = count("patience", 0, 100'000'000, train.patience);
  train.judge_every = count("judge-every", 1, 100'000'000, train.judge_every);
  train.seed = seed;
  train.save_every = settings.number("save-every");
  train.resume = settings.flag("resume");
  return train;
}

Words recorded_options(const Settings& program, const std::vector<const Words*>& parts,
                       const std::vector<std::string>& ignored) {
  Words options = program.values();
  for (const char* name : kHow) options.erase(name);
  for (const Words* words : parts) options.insert(words->begin(), words->end());
  if (!ignored.empty()) options["ignore"] = json_texts(ignored);
  std::erase_if(options, [](const auto& option) { return option.second.empty(); });
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
