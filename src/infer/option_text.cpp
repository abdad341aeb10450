#include "infer/option_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace kullback::infer {

namespace {

constexpr std::array<std::string_view, 3> kMetrics{"unit", "diagonal", "dense"};

constexpr std::string_view type_name(const double*) { return "NUMBER"; }
constexpr std::string_view type_name(const std::size_t*) { return "COUNT"; }
constexpr std::string_view type_name(const std::string*) { return "NAME"; }
constexpr std::string_view type_name(const Metric*) { return "unit|diagonal|dense"; }

std::string text_of(double value) { return fmt::format("{}", value); }
std::string text_of(std::size_t value) { return fmt::format("{}", value); }
std::string text_of(const std::string& value) { return value; }
std::string text_of(Metric value) { return std::string(kMetrics[static_cast<std::size_t>(value)]); }

template <class T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Which names there are the part itself knows.
bool parse(const std::string& text, std::string& value) {
  value = text;
  return true;
}

bool parse(const std::string& text, Metric& value) {
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    if (text == kMetrics[i] || (text == "diag" && kMetrics[i] == "diagonal")) {
      value = static_cast<Metric>(i);
      return true;
    }
  }
  return false;
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
    throw Error(ErrorKind::usage,
                fmt::format("{}: found '{}', but a value must be {}.", flag_of(name), text,
                            std::string_view(type_name(&member)) == "COUNT"    ? "a whole number from 0"
                            : std::string_view(type_name(&member)) == "NUMBER" ? "a finite number"
                                                                               : "unit, diagonal or dense"));
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

}  // namespace kullback::infer
