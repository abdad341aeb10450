// Stan's JSON: one object, a name and a value for each variable.
//   number   3 is an int; 3.0, 1e3, "NaN", "Inf", "-Inf", "Infinity", "+inf" and bare NaN, Infinity are real
//   array    of arrays or numbers, row-major, not ragged: [[1, 2, 3], [4, 5, 6]] is 2 x 3
//   complex  [real, imaginary]: here just one more dimension
//   tuple    {"1": first slot, "2": second slot}; an array of tuples is an array of such objects
// A value that breaks these rules is kept with its problem: another program may not want it. A text that is
// no JSON is refused with line and column. The text passes by in a window: only the numbers are kept.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "model/data.hpp"
#include "model/json_text.hpp"

namespace kullback::model {

namespace {

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

// A number whose form is not quite JSON's, as 007.
std::optional<double> loose_number(std::string_view token) {
  if (token.empty() || token.find_first_not_of("+-0123456789.eE") != std::string_view::npos) return {};
  double number = 0;
  const auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (end != token.data() + token.size() || status != std::errc()) return {};
  return number;
}

std::string plural(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string read_key(JsonText& text) {
  if (text.next() != '"') text.refuse_syntax();
  std::string key;
  if (!JsonText::unescape(text.token(), key)) text.refuse_syntax();
  text.expect(':');
  return key;
}

// Collects one variable, or one slot of all tuples in an array.
class Builder final {
 public:
  // `level` counts how deep the reader stands, for a variable and all its slots together.
  Builder(std::string name, JsonText& text, int& level)
      : name_(std::move(name)), text_(&text), level_(&level) {}

  void read() { read_at(0); }

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
  static constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

  void refuse(std::string problem) {
    if (value_.problem.empty()) value_.problem = std::move(problem);
  }

  std::string place(std::size_t depth) const {
    std::string text;
    for (std::size_t d = 0; d < depth; ++d) text += (d == 0 ? "" : ", ") + std::to_string(path_[d] + 1);
    return depth == 0 ? name_ : name_ + "[" + text + "]";
  }

  void read_at(std::size_t depth) {
    switch (text_->next()) {
      case '[': read_array(depth); break;
      case '{': read_tuple(depth); break;
      default: read_scalar(depth); break;
    }
  }

  void read_array(std::size_t depth) {
    const JsonText::Nesting nesting(*text_, *level_);
    if (depth == leaf_depth_) {
      refuse("mixes numbers and arrays: " + place(depth) + " is an array, " + first_leaf_ + " is not");
    }
    if (path_.size() <= depth) path_.resize(depth + 1);
    if (dims_.size() <= depth) dims_.resize(depth + 1, kUnknown);
    std::size_t count = 0;
    text_->expect('[');
    if (!text_->take(']')) {
      do {
        path_[depth] = count++;
        read_at(depth + 1);
      } while (text_->take(','));
      text_->expect(']');
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

  void read_tuple(std::size_t depth) {
    if (!is_leaf(depth, true)) return text_->skip_value(*level_);
    const JsonText::Nesting nesting(*text_, *level_);
    ++tuples_;
    text_->expect('{');
    if (!text_->take('}')) {
      do {
        read_slot(depth);
      } while (text_->take(','));
      text_->expect('}');
    }
    for (const Builder& slot : slots_) {
      if (slot.tuples_seen_ != tuples_) refuse_slots(depth);
    }
  }

  void read_slot(std::size_t depth) {
    const std::string key = read_key(*text_);
    const std::size_t slot = slot_number(key);
    if (slot == 0) {
      refuse("has the key \"" + key + "\" in the tuple " + place(depth) +
             "; slots are named \"1\", \"2\", ...");
      return text_->skip_value(*level_);
    }
    if (tuples_ == 1 && slots_.size() < slot) slots_.resize(slot, Builder({}, *text_, *level_));
    if (slot > slots_.size() || ++slots_[slot - 1].tuples_seen_ != tuples_) {
      refuse_slots(depth);
      return text_->skip_value(*level_);
    }
    slots_[slot - 1].name_ = place(depth) + "." + std::to_string(slot);
    slots_[slot - 1].read_at(0);
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

  void read_scalar(std::size_t depth) {
    if (!is_leaf(depth, false)) return text_->skip_value(*level_);
    JsonText::Number number;
    if (!text_->take_number(number)) return read_other(text_->token(), depth);
    if (!number.is_integer) note_real(number.text);
    value_.numbers.push_back(number.value);
  }

  void note_real(std::string_view token) {
    if (value_.kind == DataKind::real) return;
    value_.kind = DataKind::real;
    value_.first_real = value_.numbers.size();
    value_.first_real_text = token;
  }

  void read_other(std::string_view token, std::size_t depth) {
    std::string word(token);
    if (token.starts_with('"') && !JsonText::unescape(token, word)) word = token;
    if (const auto special = special_number(word)) {
      note_real(token);
      value_.numbers.push_back(*special);
    } else if (const auto loose = loose_number(token)) {
      if (token.find_first_of(".eE") != std::string_view::npos) note_real(token);
      value_.numbers.push_back(*loose);
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
  JsonText* text_;
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

Data read_object(JsonText& text, std::string name) {
  Data data(std::move(name));
  if (text.is_at_end())
    text.refuse("the text is empty.", "Data are a JSON object such as {\"N\": 2}; {} for none.");
  if (!text.take('{')) text.refuse("a JSON object is needed: { \"name\": value, ... }.");
  if (!text.take('}')) {
    do {
      JsonText::Place place = text.place();
      ++place.column;  // behind the quote
      std::string key = read_key(text);
      int level = 0;
      Builder builder(key, text, level);
      builder.read();
      if (!data.add(key, std::move(builder).finish())) text.refuse_at(place, "'" + key + "' is given twice.");
    } while (text.take(','));
    text.expect('}');
  }
  if (!text.is_at_end()) text.refuse("there is more text after the object.");
  return data;
}

}  // namespace

Data parse_json_data(TextSource& source, std::string name) {
  JsonText text(source, name);
  return read_object(text, std::move(name));
}

Data parse_json_data(std::string_view text, std::string name) {
  MemorySource source(text);
  JsonText window(source, name, std::min(text.size() + 1, JsonText::kWindow));
  return read_object(window, std::move(name));
}

}  // namespace kullback::model
