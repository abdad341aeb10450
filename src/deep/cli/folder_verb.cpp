#include "deep/cli/folder_verb.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "run/folder.hpp"

namespace kullback::deep::cli {

namespace fs = std::filesystem;

const Option kForce = {"force", "false", "replace what is there already"};
const Option kQuiet = {"quiet", "false", "print nothing but errors"};

std::vector<Option> with_device(std::vector<Option> options, const std::vector<Option>& last) {
  options.insert(options.end(), last.begin(), last.end());
  for (Option& option : device_options()) options.push_back(std::move(option));
  return options;
}

fs::path FolderCall::out(const std::string& fallback) const {
  const fs::path file = settings.has("out") ? fs::path(settings.text("out")) : folder / fallback;
  if (fs::exists(file) && !settings.flag("force"))
    throw Error(ErrorKind::cannot_write, fmt::format("{}: exists already.", file.string()),
                "Choose another name with --out, or replace it with --force.");
  return file;
}

std::optional<std::int64_t> label_of(const Settings& settings, const std::vector<std::string>& known) {
  if (!settings.has("label")) return {};
  if (known.empty())
    throw Error(ErrorKind::usage, "--label is for conditional models, and this one is not.", "Leave it out.");
  const std::string& label = settings.text("label");
  std::string all;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == label) return static_cast<std::int64_t>(i);
    all += (i == 0 ? "" : ", ") + known[i];
  }
  throw Error(ErrorKind::usage, fmt::format("the model knows no label '{}'.", label),
              "Known are: " + all + ".");
}

namespace {

int run_on_folder(const Arguments& arguments, const Settings& settings, Interruption interruption,
                  const std::function<void(const FolderCall&)>& work) {
  const Ranks alone;
  if (!alone.is_first()) return 0;  // one process does it
  use_threads(settings, alone);
  const fs::path folder = arguments.positionals[0];
  if (fs::exists(folder / "run.json")) run::open_folder(folder);  // checks its files
  std::optional<InterruptGuard> guard;
  if (interruption == Interruption::asks_work) guard.emplace();
  try {
    work({.arguments = arguments,
          .settings = settings,
          .folder = folder,
          .device = device_of(settings, alone)});
  } catch (const Error& error) {
    if (!is_interrupted()) throw;
    print_error(error.message(), error.hint());
    return kInterruptedCode;
  }
  return 0;
}

}  // namespace

Run add_folder_verb(const Command& verb, const Usage& usage, Interruption interruption,
                    std::function<void(const FolderCall&)> work) {
  return [arguments = add_usage(verb, usage), options = all_options(usage), interruption,
          work = std::move(work)] {
    return run_on_folder(*arguments, Settings(options, arguments->values), interruption, work);
  };
}

}  // namespace kullback::deep::cli
