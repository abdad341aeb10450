// The options of a run as its record has them: typed values that can be read without a table. A choice is its
// word, and what is chosen automatically is "auto".
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "base/option.hpp"

namespace kullback::run {

class RunOptions final {
 public:
  using Values = std::map<std::string, OptionValue, std::less<>>;

  RunOptions() = default;
  RunOptions(std::initializer_list<Values::value_type> values) : values_(values) {}
  RunOptions(const std::map<std::string, std::string>& texts);  // of verbs whose options are texts

  void set(std::string_view name, OptionValue value);
  void set(const OptionRecord& option, const OptionValue& value);
  // All of the table, defaults too, but for options without a default that were not given.
  void set(OptionTable table, const OptionValues& values);
  void set_given(OptionTable table, const OptionValues& values);

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  const OptionValue* find(std::string_view name) const;  // null: there is none
  // As the command line takes it, the items of a list one a line; empty: there is none.
  std::string text(std::string_view name) const;
  bool flag(std::string_view name, bool fallback) const;

  Values::const_iterator begin() const { return values_.begin(); }
  Values::const_iterator end() const { return values_.end(); }

  bool operator==(const RunOptions&) const = default;

 private:
  Values values_;
};

// Of a table, as the command line takes them: all but options without a default that were not given.
GivenTexts texts_of(OptionTable table, const OptionValues& values);

std::string text_of(const OptionValue& recorded);  // "true", "0.8", "dense"

// What a value of a record is of its option. A text is read as one of the command line: version 0.1 wrote
// texts. Throws Error usage.
OptionValue read_recorded(const OptionRecord& option, const OptionValue& recorded);

// The options of a table that the record has. Throws Error bad_input, naming the option.
void read_recorded(OptionTable table, const RunOptions& recorded, OptionValues& values);

std::string to_json(const OptionValue& recorded);
std::string to_json(const RunOptions& options);

}  // namespace kullback::run
