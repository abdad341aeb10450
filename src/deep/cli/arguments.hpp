// What a verb may be given, as tables of options, and what it was given.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/part.hpp"
#include "shell/command.hpp"
#include "shell/options.hpp"

namespace kullback::deep::cli {

struct Positional {
  std::string name = {};  // "DIR"
  std::string help = {};
  bool takes_many = false;  // only the last one
};

// The options of parts of one kind (priors, posteriors), each once.
struct PartOptions {
  std::string title = {};
  std::vector<shell::OwnedTable> parts = {};
};

struct Usage {
  std::vector<Positional> positionals = {};                 // all of them are needed
  std::vector<shell::OwnedTable> groups = {};               // the verb's own options; owner: the title
  std::vector<PartOptions> parts = {};                      // without those that are there already
  std::map<const OptionRecord*, std::string> choices = {};  // said after an option's help: names of parts
};

struct Arguments {
  std::vector<std::string> positionals = {};
  GivenTexts given = {};
  std::vector<const OptionRecord*> own = {}, all = {};  // that the verb has itself, and with those of parts
};

// Adds all of it to the verb; parsing fills what is returned.
std::shared_ptr<const Arguments> add_usage(const shell::Command& verb, const Usage& usage);

// Records of parts, by name.
template <class Record>
std::vector<shell::OwnedTable> tables_of(std::span<const Record* const> records) {
  std::vector<shell::OwnedTable> tables;
  for (const Record* record : records) tables.push_back({.owner = record->name, .options = record->options});
  return tables;
}

// "gaussian, laplace"
template <class Record>
std::string names_of(std::span<const Record* const> records) {
  std::string names;
  for (const Record* record : records) names += (names.empty() ? "" : ", ") + std::string(record->name);
  return names;
}

// What was given, split among the verb and the parts of a model that its options name: --prior laplace has
// options of its own.
class Given final {
 public:
  explicit Given(const Arguments& arguments);

  const OptionValues& own() const { return own_; }
  // What was given to the part `name` of --option; to any of `records` where it is "auto": the data say which
  // one it is, and what it was given is checked then.
  template <class Record>
  GivenTexts texts(const OptionRecord& option, std::string_view name, std::span<const Record* const> records);
  template <class Record>
  OptionValues of(const OptionRecord& option, const Record& record, std::span<const Record* const> records) {
    return read_options(record.options, texts(option, record.name, records), owner_text(option, record.name));
  }
  // Throws Error usage for what belongs to a part that was not chosen.
  void check() const;

 private:
  struct Kind {
    std::string owner;              // "--prior laplace"
    std::set<std::string> options;  // of all records of its kind
  };

  OptionValues own_;
  GivenTexts rest_;  // what is not the verb's own
  std::vector<Kind> kinds_;
  std::set<std::string> taken_;
};

template <class Record>
GivenTexts Given::texts(const OptionRecord& option, std::string_view name,
                        std::span<const Record* const> records) {
  Kind kind{owner_text(option, name), {}};
  GivenTexts result;
  for (const Record* record : records) {
    for (const OptionRecord* known : record->options) {
      kind.options.emplace(known->name);
      if (name != "auto" && record->name != name) continue;
      if (const auto at = rest_.find(std::string(known->name)); at != rest_.end()) result.insert(*at);
    }
  }
  for (const auto& [given, text] : result) taken_.insert(given);
  kinds_.push_back(std::move(kind));
  return result;
}

}  // namespace kullback::deep::cli
