// What a verb may be given: its arguments, options and flags, each bound to where its value goes. CLI11
// parses them; command.cpp and program.cpp alone compile it for all verbs, as its headers cost every file
// that includes them two seconds and more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kullback::shell {

// An option that was added; what is said of it comes in a chain of calls.
class AddedOption final {
 public:
  explicit AddedOption(CLI::Option* option) : option_(option) {}

  AddedOption required() const;
  AddedOption type_name(const std::string& name) const;
  AddedOption group(const std::string& name) const;
  AddedOption default_text(const std::string& text) const;
  AddedOption default_of_target() const;  // the help shows what the target holds now
  AddedOption one_value_each() const;     // of a list: more values need the option again
  AddedOption last_one_counts() const;    // given twice, the second
  AddedOption separated_by(char separator) const;
  AddedOption excludes(const AddedOption& other) const;

  AddedOption range(int low, int high) const;
  AddedOption range(double low, double high) const;
  AddedOption not_negative() const;
  AddedOption positive() const;
  AddedOption one_of(const std::vector<std::string>& choices) const;
  // With messages that say what was given and what is needed; a size such as 4GB becomes a number of bytes.
  AddedOption whole_number(std::uint64_t low, std::uint64_t high) const;
  AddedOption memory_size() const;

 private:
  CLI::Option* option_;
};

bool is_truth(const std::string& word);  // "true", "false", "1", "0"

// `target` must outlive the parsing.
class Command final {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}
  CLI::App& app() const { return *app_; }

  AddedOption add_option(const std::string& names, std::string& target, const std::string& help) const;
  AddedOption add_option(const std::string& names, std::vector<std::string>& target,
                         const std::string& help) const;
  AddedOption add_option(const std::string& names, double& target, const std::string& help) const;
  AddedOption add_option(const std::string& names, int& target, const std::string& help) const;
  AddedOption add_option(const std::string& names, std::uint16_t& target, const std::string& help) const;
  AddedOption add_option(const std::string& names, std::size_t& target, const std::string& help) const;
  AddedOption add_option(const std::string& names, std::optional<std::size_t>& target,
                         const std::string& help) const;
  AddedOption add_flag(const std::string& names, bool& target, const std::string& help) const;

  // For options that are known by a record alone: `take` is called with what was given.
  AddedOption add_text(const std::string& names, std::function<void(const std::string&)> take,
                       const std::string& help) const;
  AddedOption add_list(const std::string& names, std::function<void(const std::vector<std::string>&)> take,
                       const std::string& help) const;
  // A flag that may be turned off, too: `take` gets "true" of --name, or the word of --name WORD and
  // --name=WORD, which is_truth().
  AddedOption add_truth(const std::string& names, std::function<void(const std::string&)> take,
                        const std::string& help) const;

  // In place of the verb's sentence in the list of verbs, where the words after it say more.
  void describe(const std::string& sentence) const;
  void add_footer(const std::string& text) const;  // of the help

 private:
  CLI::App* app_;
};

}  // namespace kullback::shell
