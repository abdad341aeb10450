// Options of tables (base/option.hpp) on the command line: each once, however many parts have it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "shell/command.hpp"

namespace kullback::shell {

using kullback::OwnedTable;

// An option of one or more parts, as help shows it.
struct UnitedOption {
  const OptionRecord* record = nullptr;  // of the first part that has it
  std::string help;      // names the parts where not all of them have it, and the defaults where they differ
  std::string fallback;  // as text; empty: none, or not the same in all parts
};

// Each option once, in the order of the parts. Those of `taken` are left out: the verb has them itself.
std::vector<UnitedOption> united(std::span<const OwnedTable> parts, OptionTable taken = {});

// Parsing fills `given`, which must outlive it. Without a group they are among the verb's own options.
void add_options(const Command& verb, std::span<const UnitedOption> options, const std::string& group,
                 GivenTexts& given);
void add_options(const Command& verb, OptionTable options, const std::string& group, GivenTexts& given);

}  // namespace kullback::shell
