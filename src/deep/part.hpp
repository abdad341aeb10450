// Parts of a model and their options, in a model.json.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "base/json_fields.hpp"
#include "base/option.hpp"
#include "run/options.hpp"

namespace kullback::deep {

// A record by name, with its options.
struct Part {
  std::string name = {};
  OptionValues options = {};
};

// "--prior laplace", as sentences name a part.
std::string owner_text(const OptionRecord& option, std::string_view name);

// The name in an option table: folders of older versions have dashes ("noise-steps").
std::string underscored(std::string name);

// An object of texts, and back. Throws Error bad_input for what is not in the table.
std::string json_options(OptionTable table, const OptionValues& values);
OptionValues read_options(const JsonFields& json, const std::string& member, OptionTable table);

std::string json_part(const Part& part, OptionTable table);
// named(name): the record.
template <class Named>
Part read_part(const JsonFields& json, const std::string& member, const Named& named) {
  const JsonFields part = json.object(member);
  const std::string name = part.text("name");
  return {.name = name, .options = read_options(part, "options", named(name).options)};
}

template <class Enum>
std::string text_of(const ChoiceOption<Enum>& option, Enum value) {
  return value_text(option, static_cast<std::size_t>(value));
}
// Throws Error usage for a text that is none.
template <class Enum>
Enum choice_of(const ChoiceOption<Enum>& option, const std::string& text) {
  return static_cast<Enum>(std::get<std::size_t>(read_option(option, text)));
}

std::size_t read_choice_position(const JsonFields& json, const OptionRecord& option);
// The member that has the option's name.
template <class Enum>
Enum read_choice(const JsonFields& json, const ChoiceOption<Enum>& option) {
  return static_cast<Enum>(read_choice_position(json, option));
}

}  // namespace kullback::deep
