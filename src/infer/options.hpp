// Options of methods. The record of a method has the table of those that it reads (base/option.hpp). Those
// that many methods read are here, those of a folder in its options.hpp, and one that a single part reads is
// in the part's .cpp: adding it is one line there.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/option.hpp"

namespace kullback::infer {

enum class Metric : unsigned char { unit, diagonal, dense };

namespace option {
inline constexpr auto kWarmup =
    CountOption("warmup", 1000, "Iterations in which a chain adapts; they are not kept");
inline constexpr auto kDraws =
    CountOption("draws", 1000, "Draws to keep: of each chain, or of the approximation").from(1);
inline constexpr auto kThin =
    CountOption("thin", 1, "Keep every n-th iteration; draws are counted before thinning")
        .from(1)
        .hinted("Use --thin 1 to keep all.");
inline constexpr auto kMetric = ChoiceOption<Metric>("metric", Metric::diagonal, "unit|diagonal|dense",
                                                     "Shape of the inverse metric: unit, diagonal or dense");
}  // namespace option

// A value by the name of its option: {"draws", 100}. An enumeration is the value of a choice.
struct NamedValue {
  template <class T>
  NamedValue(std::string_view option, const T& given) : name(option) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<std::size_t>(given);
    } else if constexpr (std::same_as<T, bool>) {
      value = given;
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<double>(given);
    } else {
      value = std::string(given);
    }
  }

  std::string_view name;
  OptionValue value;
};

// What was given of the options of a method; all are within their ranges. By name the options of all methods
// are known; what the option cannot be throws Error usage.
class Options final : public OptionValues {
 public:
  Options() = default;
  Options(std::initializer_list<NamedValue> values) {
    for (const NamedValue& value : values) set_named(value);
  }

  using OptionValues::set;
  template <class T>
  void set(std::string_view name, const T& value) {
    set_named(NamedValue(name, value));
  }

 private:
  void set_named(const NamedValue& given);
};

// The options of all methods, each once, those of the methods that are used most first.
OptionTable all_options();

}  // namespace kullback::infer
