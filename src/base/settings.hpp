// Options of a model as text, by name: what the command line gives and the folder of a fit keeps.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kullback {

struct Option {
  std::string name;      // "components"
  std::string fallback;  // as text; empty: not set
  std::string help;      // a sentence without a full stop
};

class Settings final {
 public:
  // Throws Error usage for a value whose option does not exist.
  Settings(std::vector<Option> options, std::map<std::string, std::string> values);

  bool has(const std::string& name) const { return !text(name).empty(); }
  const std::string& text(const std::string& name) const;
  // The following throw Error usage that names the option, what was given and what is needed.
  double number(const std::string& name) const;
  double positive(const std::string& name) const;
  double fraction(const std::string& name) const;  // in (0, 1)
  std::size_t count(const std::string& name, std::size_t low, std::size_t high) const;
  bool flag(const std::string& name) const;  // "true" or "false"
  // One of `words`; its position.
  std::size_t choice(const std::string& name, std::initializer_list<std::string_view> words) const;

  // Of all options, those that were not given at their defaults.
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& needed, std::string hint = {}) const;

  std::vector<Option> options_;
  std::map<std::string, std::string> values_;
};

}  // namespace kullback
