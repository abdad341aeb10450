// Stan's JSON: one object, a name and a value for each variable.
//   number   3 is an int; 3.0, 1e3, "NaN", "Inf", "-Inf", "Infinity", "+inf" and bare NaN, Infinity are real
//   array    of arrays or numbers, row-major, not ragged: [[1, 2, 3], [4, 5, 6]] is 2 x 3
//   complex  [real, imaginary]: here just one more dimension
//   tuple    {"1": first slot, "2": second slot}; an array of tuples is an array of such objects
// simdjson splits the text into tokens without looking at scalars, which lets us read the bare NaN that is no
// JSON. A value that breaks these rules is kept with its problem: another program may not want it. A text
// that is no JSON is refused with line and column.
#include <simdjson.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "model/data.hpp"
#include "model/text_place.hpp"

namespace kullback::model {

namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<double> special_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  if (word == "Inf" || word == "Infinity" || word == "inf" || word == "infinity") {
    return negative ? -kInfinity : kInfinity;
  }
  if (!negative && (word == "NaN" || word == "nan")) return std::numeric_limits<double>::quiet_NaN();
  return {};
}

std::string_view trim(std::string_view token) {
  const std::size_t end = token.find_last_not_of(" \t\r\n");
  return end == std::string_view::npos ? std::string_view() : token.substr(0, end + 1);
}

// A number of the grammar of JSON whose magnitude simdjson does not accept: an integer beyond 64 bits, or a
// real that overflows.
std::optional<double> far_number(std::string_view token) {
  if (token.empty() || token.find_first_not_of("+-0123456789.eE") != std::string_view::npos) return {};
  double number = 0;
  const auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (end != token.data() + token.size() || status != std::errc()) return {};
  return number;
}

std::string plural(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Collects one variable, or one slot of all tuples in an array.
class Builder final {
 public:
  // `level` counts how deep the reader stands, for a variable and all its slots together.
  Builder(std::string name, int& level) : name_(std::move(name)), level_(&level) {}

  void read(ondemand::value value) { read_at(value, 0); }

  // `outer` are the dims of the array of tuples that this is a slot of.
  DataValue finish(const std::vector<std::size_t>& outer = {}) && {
    value_.dims = outer;
    value_.dims.insert(value_.dims.end(), dims_.begin(), dims_.end());
    if (is_tuple_) {
      value_.kind = DataKind::tuple;
      for (Builder& slot : slots_) {
        value_.slots.push_back(std::move(slot).finish(value_.dims));
        if (value_.problem.empty()) value_.problem = value_.slots.back().problem;
      }
    }
    return std::move(value_);
  }

 private:
  // simdjson does not limit how deep arrays nest; the stack does.
  class Nesting final {
   public:
    explicit Nesting(int& level) : level_(level) {
      if (++level_ > 200) throw simdjson::simdjson_error(simdjson::DEPTH_ERROR);
    }
    ~Nesting() { --level_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& level_;
  };

  static constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

  void refuse(std::string problem) {
    if (value_.problem.empty()) value_.problem = std::move(problem);
  }

  std::string place(std::size_t depth) const {
    std::string text;
    for (std::size_t d = 0; d < depth; ++d) text += (d == 0 ? "" : ", ") + std::to_string(path_[d] + 1);
    return depth == 0 ? name_ : name_ + "[" + text + "]";
  }

  void read_at(ondemand::value& value, std::size_t depth) {
    const Nesting nesting(*level_);
    switch (*value.raw_json_token().data()) {
      case '[': read_array(value, depth); break;
      case '{': read_tuple(value, depth); break;
      default: read_scalar(value, depth); break;
    }
  }

  void read_array(ondemand::value& value, std::size_t depth) {
    if (depth == leaf_depth_) {
      refuse("mixes numbers and arrays: " + place(depth) + " is an array, " + first_leaf_ + " is not");
    }
    if (path_.size() <= depth) path_.resize(depth + 1);
    if (dims_.size() <= depth) dims_.resize(depth + 1, kUnknown);
    std::size_t count = 0;
    ondemand::array array = value.get_array();
    for (ondemand::value element : array) {
      path_[depth] = count++;
      read_at(element, depth + 1);
    }
    if (dims_[depth] == kUnknown) {
      dims_[depth] = count;
      first_of_size_.resize(dims_.size());
      first_of_size_[depth] = place(depth);
    } else if (dims_[depth] != count) {
      refuse("is ragged: " + place(depth) + " has " + plural(count, "element") + ", " +
             first_of_size_[depth] + " has " + std::to_string(dims_[depth]));
    }
  }

  // All leaves are at one depth, and are all numbers or all tuples.
  bool is_leaf(std::size_t depth, bool tuple) {
    if (depth == leaf_depth_ && tuple == is_tuple_) return true;
    if (leaf_depth_ == kUnknown && dims_.size() == depth) {
      leaf_depth_ = depth;
      is_tuple_ = tuple;
      first_leaf_ = place(depth);
      return true;
    }
    if (depth == leaf_depth_) {
      refuse("mixes numbers and tuples, the first at " + place(depth));
    } else {
      refuse("mixes numbers and arrays: " + place(depth) + " is not an array");
    }
    return false;
  }

  void read_tuple(ondemand::value& value, std::size_t depth) {
    if (!is_leaf(depth, true)) return;
    ++tuples_;
    ondemand::object object = value.get_object();
    for (auto field : object) {
      const std::string_view key = field.unescaped_key();
      const std::size_t slot = slot_number(key);
      ondemand::value element = field.value();
      if (slot == 0) {
        refuse("has the key \"" + std::string(key) + "\" in the tuple " + place(depth) +
               "; slots are named \"1\", \"2\", ...");
        continue;
      }
      if (tuples_ == 1 && slots_.size() < slot) slots_.resize(slot, Builder({}, *level_));
      if (slot > slots_.size() || ++slots_[slot - 1].tuples_seen_ != tuples_) {
        refuse_slots(depth);
        continue;
      }
      slots_[slot - 1].name_ = place(depth) + "." + std::to_string(slot);
      slots_[slot - 1].read_at(element, 0);
    }
    for (const Builder& slot : slots_) {
      if (slot.tuples_seen_ != tuples_) refuse_slots(depth);
    }
  }

  void refuse_slots(std::size_t depth) {
    const std::string expected =
        tuples_ == 1 ? "are not \"1\", \"2\", ..., each once" : "are not those of " + first_leaf_;
    refuse("has the tuple " + place(depth) + " whose slots " + expected);
  }

  static std::size_t slot_number(std::string_view key) {
    std::size_t slot = 0;
    const auto [end, status] = std::from_chars(key.data(), key.data() + key.size(), slot);
    return status == std::errc() && end == key.data() + key.size() && slot < 1000 ? slot : 0;
  }

  void read_scalar(ondemand::value& value, std::size_t depth) {
    if (!is_leaf(depth, false)) return;
    ondemand::number number;
    if (value.get_number().get(number) != simdjson::SUCCESS) {
      read_other(value, depth);
    } else if (number.is_int64()) {
      value_.numbers.push_back(static_cast<double>(number.get_int64()));
    } else if (number.is_uint64()) {
      value_.numbers.push_back(static_cast<double>(number.get_uint64()));
    } else {
      note_real(value);
      value_.numbers.push_back(number.get_double());
    }
  }

  void note_real(ondemand::value& value) {
    if (value_.kind == DataKind::real) return;
    value_.kind = DataKind::real;
    value_.first_real = value_.numbers.size();
    value_.first_real_text = trim(value.raw_json_token());
  }

  void read_other(ondemand::value& value, std::size_t depth) {
    const std::string_view token = trim(value.raw_json_token());
    std::string_view word = token;
    if (token.starts_with('"')) {
      if (value.get_string().get(word) != simdjson::SUCCESS) word = token;
    }
    if (const auto special = special_number(word)) {
      note_real(value);
      value_.numbers.push_back(*special);
    } else if (const auto far = far_number(token)) {
      if (token.find_first_of(".eE") != std::string_view::npos) note_real(value);
      value_.numbers.push_back(*far);
    } else {
      std::string shown(token.substr(0, 40));
      if (token.size() > 40) shown += "...";
      const bool numeric = token.find_first_not_of("-+.0123456789eE") == std::string_view::npos;
      refuse(std::string(numeric ? "is not a number that a double can hold" : "is not a number") +
             (depth == 0 ? "" : " at " + place(depth)) + ": " + shown);
      value_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    }
  }

  std::string name_;
  int* level_;
  DataValue value_;
  std::vector<std::size_t> dims_;
  std::vector<std::size_t> path_;           // where we are, from 0
  std::vector<std::string> first_of_size_;  // the array that fixed each of the dims
  std::size_t leaf_depth_ = kUnknown;
  std::string first_leaf_;
  bool is_tuple_ = false;
  std::size_t tuples_ = 0;
  std::size_t tuples_seen_ = 0;  // as a slot: of how many tuples
  std::vector<Builder> slots_;
};

std::string reason(error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR: return "the text is not UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string is not closed";
    case simdjson::EMPTY: return "the text is empty";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "the text does not end with the closing brace of its object";
    case simdjson::INCORRECT_TYPE: return "a JSON object is needed: { \"name\": value, ... }";
    case simdjson::CAPACITY: return "the text is larger than 4 GB";
    case simdjson::MEMALLOC: return "there is not enough memory";
    case simdjson::DEPTH_ERROR: return "arrays are nested too deeply";
    default: return "this is not JSON: a comma, colon, bracket or value is missing or out of place";
  }
}

// Where the reader stands; nothing at the end of the text.
std::optional<std::size_t> location_in(ondemand::document& document, std::string_view text) {
  const char* location = nullptr;
  if (document.current_location().get(location) != simdjson::SUCCESS) return {};
  if (location < text.data() || location >= text.data() + text.size()) return {};
  return static_cast<std::size_t>(location - text.data());
}

}  // namespace

Data parse_json_data(std::string text, std::string name) {
  Data data(std::move(name));
  const std::size_t size = text.size();
  text.resize(size + simdjson::SIMDJSON_PADDING);
  const std::string_view content(text.data(), size);
  ondemand::parser parser;
  ondemand::document document;
  const simdjson::padded_string_view padded(text.data(), size, text.size());
  if (const error_code code = parser.iterate(padded).get(document)) {
    const bool open = code == simdjson::UNCLOSED_STRING;
    refuse_text(data.source(), content, open ? size : 0, reason(code) + ".",
                code == simdjson::EMPTY ? "Data are a JSON object such as {\"N\": 2}; {} for none." : "");
  }
  std::size_t offset = 0;
  try {
    ondemand::object object = document.get_object();
    for (auto field : object) {
      offset = static_cast<std::size_t>(field.key().raw() - text.data());
      std::string key(std::string_view(field.unescaped_key()));
      int level = 0;
      Builder builder(key, level);
      builder.read(field.value());
      if (!data.add(key, std::move(builder).finish())) {
        refuse_text(data.source(), content, offset, "'" + key + "' is given twice.");
      }
    }
    if (const auto more = location_in(document, content)) {
      refuse_text(data.source(), content, *more, "there is more text after the object.");
    }
  } catch (const simdjson::simdjson_error& error) {
    if (error.error() == simdjson::INCOMPLETE_ARRAY_OR_OBJECT) {
      offset = size;
    } else if (const auto location = location_in(document, content)) {
      offset = *location;
    }
    refuse_text(data.source(), content, offset, reason(error.error()) + ".");
  }
  return data;
}

}  // namespace kullback::model
