// The options of several records (priors, posteriors), each once, with the names of those that have it.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "deep/cli/arguments.hpp"

namespace kullback::deep::cli {

template <class Record>
bool has_option(std::span<const Record* const> records, const std::string& name) {
  for (const Record* record : records)
    for (const Option& option : record->options)
      if (option.name == name) return true;
  return false;
}

// "gaussian, laplace"
template <class Record>
std::string names_of(std::span<const Record* const> records) {
  std::string names;
  for (const Record* record : records) names += (names.empty() ? "" : ", ") + std::string(record->name);
  return names;
}

inline void append(OptionGroup& group, const std::vector<Option>& options) {
  group.options.insert(group.options.end(), options.begin(), options.end());
}

// Of `values` those that are among the options.
inline std::map<std::string, std::string> given_of(const std::vector<Option>& options,
                                                   const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> result;
  for (const Option& option : options) {
    const auto at = values.find(option.name);
    if (at != values.end()) result.insert(*at);
  }
  return result;
}

struct UnitedOption {
  Option option = {};
  std::size_t count = 0;      // of records that have it
  std::string names = {};     // of them
  std::string defaults = {};  // "0.005; ivon: 0.1"
  bool has_one_default = true;
};

// Those of `taken` are left out: the program has them itself.
template <class Record>
std::vector<Option> united(std::span<const Record* const> records, const std::vector<Option>& taken) {
  std::vector<UnitedOption> all;
  const auto by_name = [](const std::string& name) {
    return [&name](const auto& item) {
      if constexpr (requires { item.option; }) {
        return item.option.name == name;
      } else {
        return item.name == name;
      }
    };
  };
  for (const Record* record : records) {
    for (const Option& option : record->options) {
      if (std::any_of(taken.begin(), taken.end(), by_name(option.name))) continue;
      auto at = std::find_if(all.begin(), all.end(), by_name(option.name));
      if (at == all.end()) at = all.insert(all.end(), {.option = option, .defaults = option.fallback});
      ++at->count;
      at->names += (at->names.empty() ? "" : ", ") + std::string(record->name);
      if (option.fallback == at->option.fallback) continue;
      at->defaults += "; " + std::string(record->name) + ": " + option.fallback;
      at->has_one_default = false;
    }
  }
  std::vector<Option> result;
  for (UnitedOption& item : all) {
    if (item.count < records.size()) item.option.help += " (" + item.names + ")";
    if (!item.has_one_default) {
      item.option.help += " [" + item.defaults + "]";
      item.option.fallback.clear();
    }
    result.push_back(std::move(item.option));
  }
  return result;
}

}  // namespace kullback::deep::cli
