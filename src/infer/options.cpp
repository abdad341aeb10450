#include "infer/options.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "infer/algorithm.hpp"

namespace kullback::infer {

namespace {

constexpr double kFirstWithoutCount = 18446744073709551616.0;  // 2^64

std::vector<const OptionRecord*> united() {
  std::vector<const OptionRecord*> all;
  for (const Method* method : methods()) {
    for (const OptionRecord* option : method->options) {
      if (std::find(all.begin(), all.end(), option) == all.end()) all.push_back(option);
    }
  }
  return all;
}

}  // namespace

OptionTable all_options() {
  static const std::vector<const OptionRecord*> all = united();
  return all;
}

void Options::set_named(const NamedValue& given) {
  const OptionRecord* option = find_option(all_options(), given.name);
  if (option == nullptr)
    throw Error(ErrorKind::internal, "no method has an option '" + std::string(given.name) + "'.");
  OptionValue value = given.value;
  const auto* number = std::get_if<double>(&value);
  if (option->type == OptionType::count && number != nullptr) {
    if (!(*number >= 0 && *number < kFirstWithoutCount && *number == std::floor(*number)))
      throw Error(ErrorKind::usage, flag_of(given.name) + " is " + std::to_string(*number) +
                                        "; it must be a whole number from 0.");
    value = static_cast<std::size_t>(*number);
  }
  if (value.index() != default_value(*option).index())
    throw Error(ErrorKind::internal,
                "a value of another type for the option '" + std::string(given.name) + "'.");
  put(*option, std::move(value));
}

}  // namespace kullback::infer
