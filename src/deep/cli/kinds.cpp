// sample, loglik and restore: handed on by the kind of the folder.
#include "deep/cli/kinds.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <span>

#include "base/error.hpp"
#include "deep/cli/verb.hpp"
#include "run/record.hpp"
#include "shell/description.hpp"

namespace kullback::deep::cli {

#define KULLBACK_DEEP_KIND(record) extern const FolderVerbs record;
#include "deep/cli/kinds.def"
#undef KULLBACK_DEEP_KIND

namespace {

namespace fs = std::filesystem;

constexpr std::array kKinds = {
#define KULLBACK_DEEP_KIND(record) &record,
#include "deep/cli/kinds.def"
#undef KULLBACK_DEEP_KIND
};

struct FolderVerb {
  std::string_view name;
  AddOnFolder FolderVerbs::*add;
};

// The first word that is neither an option nor an option's value, as far as can be told without the kind.
std::string folder_of(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (!word.starts_with("-") && fs::is_regular_file(fs::path(word) / "run.json")) return word;
  return {};
}

std::string kinds_text(const FolderVerb& verb) {
  std::string text;
  for (const FolderVerbs* kind : kKinds)
    if (kind->*verb.add != nullptr)
      text += fmt::format("{}{} ('{}')", text.empty() ? "" : ", ", run::record_of(kind->kind).what,
                          run::record_of(kind->kind).verb);
  return text;
}

std::vector<shell::Part> parts_of(const FolderVerb& verb) {
  std::vector<shell::Part> parts;
  for (const FolderVerbs* kind : kKinds)
    if (kind->*verb.add != nullptr) parts.push_back({run::record_of(kind->kind).name, kind->*verb.add});
  return parts;
}

[[noreturn]] void refuse_folder(const FolderVerb& verb, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (!word.starts_with("-"))
      throw Error(ErrorKind::missing_file,
                  fmt::format("{}: holds no trained model (there is no run.json).", word),
                  fmt::format("Give the folder of {}.", kinds_text(verb)));
  throw Error(ErrorKind::usage, fmt::format("kullback {} needs DIR: folder of a trained model.", verb.name),
              fmt::format("It is for {}.", kinds_text(verb)));
}

Run add_on_kind(const Command& command, const FolderVerb& verb, const std::vector<std::string>& words) {
  const std::string folder = folder_of(words);
  if (folder.empty()) {
    if (!shell::asks_for_help(words)) refuse_folder(verb, words);
    command.add_footer(
        fmt::format("DIR is the folder of {}.\nkullback {} DIR --help shows the options of that one.",
                    kinds_text(verb), verb.name));
    add_usage(command, {.positionals = {{"DIR", "Folder of a fitted model"}}});
    add_help_of_parts(command, parts_of(verb));
    return {};
  }
  const run::Kind kind = run::read_run_record((fs::path(folder) / "run.json").string()).kind;
  std::string hint = fmt::format("It is for {}.", kinds_text(verb));
  for (const FolderVerbs* known : kKinds) {
    if (known->kind != kind) continue;
    if (known->*verb.add != nullptr) return (known->*verb.add)(command);
    if (verb.add == &FolderVerbs::loglik && !known->instead_of_loglik.empty())
      hint = known->instead_of_loglik;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: holds {}, which kullback {} is not for.", folder, run::record_of(kind).what,
                          verb.name),
              hint);
}

}  // namespace

Run add_sample(const Command& verb, const std::vector<std::string>& words) {
  return add_on_kind(verb, {"sample", &FolderVerbs::sample}, words);
}

Run add_loglik(const Command& verb, const std::vector<std::string>& words) {
  return add_on_kind(verb, {"loglik", &FolderVerbs::loglik}, words);
}

Run add_restore(const Command& verb, const std::vector<std::string>& words) {
  return add_on_kind(verb, {"restore", &FolderVerbs::restore}, words);
}

}  // namespace kullback::deep::cli
