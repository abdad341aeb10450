// Options as constant records. A part (a method, a family, an objective, ...) owns a table of those that it
// reads, and from the tables come the command line, the keys of the C interface, help, the records of runs,
// and the checks of values. The record of an option has a type of its own for each kind of value, so that
// reading one needs no cast:
//
//   inline constexpr NumberOption kPower = NumberOption("power", 1, "Power of an update").above(0).to(1);
//   const double power = values[kPower];
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kullback {

enum class OptionType : unsigned char { count, size, number, flag, choice, text, list };

// A flag, a count (of a choice: its position; of a size: bytes), a number, a text or a list of texts.
using OptionValue = std::variant<bool, std::size_t, double, std::string, std::vector<std::string>>;

// All that is known of an option without its type. Made by the types below.
struct OptionRecord {
  std::string_view name;  // "target_accept"; on the command line underscores are dashes
  OptionType type = OptionType::text;
  std::string_view help;           // a sentence without a full stop
  double fallback = 0;             // of a choice: its position
  std::string_view fallback_text;  // of a text
  std::string_view choices;        // "unit|diagonal|dense"
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool is_low_open = false;    // the value must be above `low`
  bool is_high_open = false;   // ... below `high`
  bool is_automatic = false;   // 0 stands for "auto": the value is chosen from the model and the data
  bool is_optional = false;    // no default: OptionValues::given says what was given, if anything
  std::string_view hint = {};  // what to do instead of a value outside the range; empty: the default is named
  std::string_view placeholder = {};  // of the value, in help: "DIR"; empty: that of the type
};

// What the types of options share, said in a chain of calls.
template <class Self>
struct ChainedOption : OptionRecord {
  constexpr Self shown_as(std::string_view what) const {
    return with([&](Self& o) { o.placeholder = what; });
  }

 protected:
  constexpr Self with(auto change) const {
    Self changed = static_cast<const Self&>(*this);
    change(changed);
    return changed;
  }
};

// The limits of a number.
template <class Self>
struct LimitedOption : ChainedOption<Self> {
  constexpr Self from(double least) const {
    return this->with([&](Self& o) { o.low = least; });
  }
  constexpr Self to(double most) const {
    return this->with([&](Self& o) { o.high = most; });
  }
  constexpr Self above(double bound) const {
    return this->with([&](Self& o) { o.low = bound, o.is_low_open = true; });
  }
  constexpr Self below(double bound) const {
    return this->with([&](Self& o) { o.high = bound, o.is_high_open = true; });
  }
  constexpr Self automatic() const {
    return this->with([](Self& o) { o.is_automatic = true; });
  }
  constexpr Self hinted(std::string_view what) const {
    return this->with([&](Self& o) { o.hint = what; });
  }
};

struct CountOption : LimitedOption<CountOption> {
  using Value = std::size_t;
  constexpr CountOption(std::string_view option, std::size_t preset, std::string_view sentence) {
    name = option, type = OptionType::count, help = sentence, fallback = static_cast<double>(preset), low = 0;
  }
  constexpr CountOption(std::string_view option, std::string_view sentence)
      : CountOption(option, 0, sentence) {
    is_optional = true;
  }
};

// Bytes, which are said as 500MB or 4GB.
struct SizeOption : LimitedOption<SizeOption> {
  using Value = std::size_t;
  constexpr SizeOption(std::string_view option, std::string_view sentence) {
    name = option, type = OptionType::size, help = sentence, low = 0, is_optional = true;
  }
};

struct NumberOption : LimitedOption<NumberOption> {
  using Value = double;
  constexpr NumberOption(std::string_view option, double preset, std::string_view sentence) {
    name = option, type = OptionType::number, help = sentence, fallback = preset;
  }
  constexpr NumberOption(std::string_view option, std::string_view sentence)
      : NumberOption(option, 0, sentence) {
    is_optional = true;
  }
};

struct FlagOption : OptionRecord {
  using Value = bool;
  constexpr FlagOption(std::string_view option, bool preset, std::string_view sentence) {
    name = option, type = OptionType::flag, help = sentence, fallback = preset ? 1 : 0, choices = "0|1";
  }
};

// The texts of the values of an enumeration, in its order.
template <class Enum>
struct ChoiceOption : OptionRecord {
  using Value = Enum;
  constexpr ChoiceOption(std::string_view option, Enum preset, std::string_view texts,
                         std::string_view sentence) {
    name = option, type = OptionType::choice, help = sentence, fallback = static_cast<double>(preset);
    choices = texts;
  }
};

// The name of a part, a path, or anything else that only its reader can judge. Empty where the default is
// "auto".
struct TextOption : ChainedOption<TextOption> {
  using Value = std::string_view;
  constexpr TextOption(std::string_view option, std::string_view preset, std::string_view sentence) {
    name = option, type = OptionType::text, help = sentence, fallback_text = preset;
    is_automatic = preset.empty();
  }
  constexpr TextOption(std::string_view option, std::string_view sentence) {
    name = option, type = OptionType::text, help = sentence, is_optional = true;
  }
};

// Texts; the option may be given several times.
struct ListOption : ChainedOption<ListOption> {
  using Value = std::span<const std::string>;
  constexpr ListOption(std::string_view option, std::string_view sentence) {
    name = option, type = OptionType::list, help = sentence, is_optional = true;
  }
};

using OptionTable = std::span<const OptionRecord* const>;

// The options of a part: a method, a prior, a kind of model.
struct OwnedTable {
  std::string_view owner;  // its name
  OptionTable options;
};

// The options that several parts share and those of one, in one table.
template <std::size_t... kSizes>
constexpr auto joined(const OptionRecord* const (&... tables)[kSizes]) {
  std::array<const OptionRecord*, (kSizes + ...)> all{};
  auto at = all.begin();
  ((at = std::copy(std::begin(tables), std::end(tables), at)), ...);
  return all;
}

template <class Option>
constexpr typename Option::Value default_of(const Option& option) {
  using Value = typename Option::Value;
  if constexpr (std::same_as<Value, bool>) {
    return option.fallback != 0;
  } else if constexpr (std::same_as<Value, double>) {
    return option.fallback;
  } else if constexpr (std::same_as<Value, std::string_view>) {
    return option.fallback_text;
  } else if constexpr (std::same_as<Value, std::span<const std::string>>) {
    return {};
  } else {  // a count or a choice
    return static_cast<Value>(static_cast<std::size_t>(option.fallback));
  }
}

const OptionRecord* find_option(OptionTable table, std::string_view name);  // null: there is none
std::string flag_of(std::string_view name);                                 // "--target-accept"
std::string_view type_text(const OptionRecord& option);  // "COUNT", "NUMBER", "NAME", "unit|dense"
std::string value_text(const OptionRecord& option, const OptionValue& value);
std::string default_text(const OptionRecord& option);
OptionValue default_value(const OptionRecord& option);
// Throws Error usage for a text that is no value of the option, or one that is out of its range.
// The items of a list are one a line.
OptionValue read_option(const OptionRecord& option, const std::string& text);
void check_option(const OptionRecord& option, const OptionValue& value);

// What was given of some tables; everything else has its default. Reading is a search among the few that were
// given.
class OptionValues {
 public:
  template <class Option>
  typename Option::Value operator[](const Option& option) const {
    using Value = typename Option::Value;
    const OptionValue* given = find(option);
    if (given == nullptr) return default_of(option);
    if constexpr (std::same_as<Value, bool> || std::same_as<Value, double>) {
      return std::get<Value>(*given);
    } else if constexpr (std::same_as<Value, std::string_view>) {
      return std::get<std::string>(*given);
    } else if constexpr (std::same_as<Value, std::span<const std::string>>) {
      return std::get<std::vector<std::string>>(*given);
    } else {  // a count or a choice
      return static_cast<Value>(std::get<std::size_t>(*given));
    }
  }

  template <class Option>
  std::optional<typename Option::Value> given(const Option& option) const {
    return is_given(option) ? std::optional((*this)[option]) : std::nullopt;
  }

  template <class Option>
  void set(const Option& option, typename Option::Value value) {
    if constexpr (std::is_enum_v<typename Option::Value>) {
      put(option, static_cast<std::size_t>(value));
    } else if constexpr (std::same_as<typename Option::Value, std::string_view>) {
      put(option, std::string(value));
    } else if constexpr (std::same_as<typename Option::Value, std::span<const std::string>>) {
      put(option, std::vector<std::string>(value.begin(), value.end()));
    } else {
      put(option, value);
    }
  }
  void put(const OptionRecord& option, OptionValue value);

  bool is_given(const OptionRecord& option) const { return find(option) != nullptr; }
  bool is_default(const OptionRecord& option) const { return value_of(option) == default_value(option); }
  OptionValue value_of(const OptionRecord& option) const;
  std::string text_of(const OptionRecord& option) const { return value_text(option, value_of(option)); }

 private:
  const OptionValue* find(const OptionRecord& option) const {
    for (const auto& [record, value] : given_) {
      if (record == &option) return &value;
    }
    return nullptr;
  }

  std::vector<std::pair<const OptionRecord*, OptionValue>> given_;
};

// Texts by the names of options, as the command line and the C interface give them: "1" or "true" of a flag.
using GivenTexts = std::map<std::string, std::string>;

// Throws Error usage for a name that is not in the table, with the nearest that is, and for a text that is no
// value. `owner`: "--kind gaussian".
OptionValues read_options(OptionTable table, const GivenTexts& given, std::string_view owner);

}  // namespace kullback
