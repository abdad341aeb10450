#include "infer/option_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace kullback::infer {

namespace {

constexpr std::string_view type_name(const double*) { return "NUMBER"; }
constexpr std::string_view type_name(const std::size_t*) { return "COUNT"; }
constexpr std::string_view type_name(const std::string*) { return "NAME"; }
constexpr std::string_view type_name(const bool*) { return "0|1"; }
// Of an enumeration: the texts of its values, in order.
constexpr std::string_view type_name(const Metric*) { return "unit|diagonal|dense"; }
constexpr std::string_view type_name(const SvgdKernel*) { return "imq|rbf"; }
constexpr std::string_view type_name(const SvgdVariant*) { return "natural|plain|mirrored"; }
constexpr std::string_view type_name(const SvgdOptimizer*) { return "adagrad|coin"; }
constexpr std::string_view type_name(const SvgdStart*) { return "path|spread"; }
constexpr std::string_view type_name(const SgSchedule*) { return "constant|decaying|cyclical"; }
constexpr std::string_view type_name(const SgAnchor*) { return "chosen|mode|none"; }
constexpr std::string_view type_name(const SgPreconditioner*) { return "none|rmsprop|rmsprop-biased"; }
constexpr std::string_view type_name(const SgNoise*) { return "plain|corrected"; }
constexpr std::string_view type_name(const SgLogDensity*) { return "full|none"; }

std::vector<std::string> split(std::string_view choices) {
  std::vector<std::string> result(1);
  for (const char c : choices) {
    if (c == '|')
      result.emplace_back();
    else
      result.back() += c;
  }
  return result;
}

std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(std::size_t value) { return fmt::format("{}", value); }
std::string text_of(const std::string& value) { return value; }
std::string text_of(bool value) { return value ? "1" : "0"; }
template <class T>
  requires std::is_enum_v<T>
std::string text_of(T value) {
  return split(type_name(&value)).at(static_cast<std::size_t>(value));
}

template <class T>
  requires std::is_arithmetic_v<T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool parse(const std::string& text, bool& value) {
  value = text == "1";
  return value || text == "0";
}

// Which names there are the part itself knows.
bool parse(const std::string& text, std::string& value) {
  value = text;
  return true;
}

template <class T>
  requires std::is_enum_v<T>
bool parse(const std::string& text, T& value) {
  const std::vector<std::string> choices = split(type_name(&value));
  const auto found = std::find(choices.begin(), choices.end(), text == "diag" ? "diagonal" : text);
  value = static_cast<T>(found - choices.begin());
  return found != choices.end();
}

// "unit, diagonal or dense"
std::string in_words(std::string_view choices) {
  std::string words(choices);
  const std::size_t last = words.rfind('|');
  words.replace(last, 1, " or ");
  for (std::size_t at = words.find('|'); at != std::string::npos; at = words.find('|'))
    words.replace(at, 1, ", ");
  return words;
}

std::string needed(std::string_view type) {
  if (type == "COUNT") return "a whole number from 0";
  return type == "NUMBER" ? "a finite number" : in_words(type);
}

bool is_sensible(double value) { return std::isfinite(value); }
template <class T>
bool is_sensible(const T&) {
  return true;
}

template <class T>
void set(std::string_view name, const std::string& text, T& member) {
  T value{};
  if (!parse(text, value) || !is_sensible(value)) {
    throw Error(ErrorKind::usage, fmt::format("{}: found '{}', but a value must be {}.", flag_of(name), text,
                                              needed(type_name(&member))));
  }
  member = value;
}

}  // namespace

std::span<const OptionInfo> option_infos() {
  static constexpr OptionInfo kInfos[] = {
#define KULLBACK_OPTION(type, name, value, help) {#name, help, type_name(static_cast<const type*>(nullptr))},
#include "infer/options.def"
#undef KULLBACK_OPTION
  };
  return kInfos;
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  for (char& c : flag) {
    if (c == '_') c = '-';
  }
  return flag;
}

std::string option_text(const Options& options, std::string_view name) {
#define KULLBACK_OPTION(type, member, value, help) \
  if (name == #member) return text_of(options.member);
#include "infer/options.def"
#undef KULLBACK_OPTION
  throw Error(ErrorKind::internal, fmt::format("no option is named '{}'.", name));
}

void set_option(Options& options, std::string_view name, const std::string& text) {
#define KULLBACK_OPTION(type, member, value, help) \
  if (name == #member) return set(name, text, options.member);
#include "infer/options.def"
#undef KULLBACK_OPTION
  throw Error(ErrorKind::internal, fmt::format("no option is named '{}'.", name));
}

void require_one_or_more(const Options& options, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (option_text(options, name) != "0") continue;
    throw Error(ErrorKind::usage, fmt::format("{} is 0; it must be 1 or more.", flag_of(name)),
                fmt::format("{} is the default.", option_text(Options{}, name)));
  }
}

}  // namespace kullback::infer
