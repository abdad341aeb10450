#include "deep/cli/folder_verb.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "deep/cli/options.hpp"
#include "run/folder.hpp"

namespace kullback::deep::cli {

namespace fs = std::filesystem;

fs::path FolderCall::out(const TextOption& option, const std::string& fallback) const {
  const auto given = values.given(option);
  const fs::path file = given ? fs::path(*given) : folder / fallback;
  if (fs::exists(file) && !values[option::kForce])
    throw Error(ErrorKind::cannot_write, fmt::format("{}: exists already.", file.string()),
                "Choose another name with --out, or replace it with --force.");
  return file;
}

std::optional<std::int64_t> label_of(std::optional<std::string_view> label,
                                     const std::vector<std::string>& known) {
  if (!label) return {};
  if (known.empty())
    throw Error(ErrorKind::usage, "--label is for conditional models, and this one is not.", "Leave it out.");
  std::string all;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] == *label) return static_cast<std::int64_t>(i);
    all += (i == 0 ? "" : ", ") + known[i];
  }
  throw Error(ErrorKind::usage, fmt::format("the model knows no label '{}'.", *label),
              "Known are: " + all + ".");
}

namespace {

int run_on_folder(const Arguments& arguments, const OptionValues& values, Interruption interruption,
                  const std::function<void(const FolderCall&)>& work) {
  const Ranks alone;
  if (!alone.is_first()) return 0;  // one process does it
  use_threads(values, alone);
  const fs::path folder = arguments.positionals[0];
  if (fs::exists(folder / "run.json")) run::open_folder(folder);  // checks its files
  std::optional<InterruptGuard> guard;
  if (interruption == Interruption::asks_work) guard.emplace();
  try {
    work({.arguments = arguments,
          .values = values,
          .folder = folder,
          .device = device_of(values[option::kDevice], alone)});
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
  return [arguments = add_usage(verb, usage), interruption, work = std::move(work)] {
    return run_on_folder(*arguments, Given(*arguments).own(), interruption, work);
  };
}

}  // namespace kullback::deep::cli
