// R's dump format, as old Stan files have it:
//   file       assignments, one after another; # begins a comment
//   assignment name (<- | =) value, the name bare or in quotes (", ', `)
//   value      number | a:b | c(value, ...) | integer(n) | double(n) | numeric(n) | structure(value, .Dim =
//   value, ...) number     12, 12L and 1e3L are ints; 12.0, 1e3, Inf, -Inf, NaN are real
// Arrays are column-major under their .Dim; they are kept row-major here. A name without .Dim and with c(), a
// range or integer() has one dimension; a lone number has none.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "model/data.hpp"
#include "model/text_place.hpp"

namespace kullback::model {

namespace {

constexpr std::size_t kMostElements = std::size_t{1}
                                      << 27U;  // of a range or integer(n): short texts, long arrays
constexpr int kDeepest = 100;

std::vector<double> to_row_major(const std::vector<double>& numbers, const std::vector<std::size_t>& dims) {
  std::vector<double> result(numbers.size());
  std::vector<std::size_t> index(dims.size(), 0);
  for (const double number : numbers) {
    std::size_t offset = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) offset = offset * dims[d] + index[d];
    result[offset] = number;
    for (std::size_t d = 0; d < dims.size() && ++index[d] == dims[d]; ++d) index[d] = 0;
  }
  return result;
}

class Reader final {
 public:
  Reader(std::string_view text, std::string name) : text_(text), data_(std::move(name)) {}

  Data read() && {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      if (accept(";")) continue;
      const std::size_t start = at_;
      std::string name = read_name();
      if (!accept("<-") && !accept("=")) refuse("'<-' is needed after the name '" + name + "'");
      DataValue value = read_value();
      if (!data_.add(name, std::move(value))) {
        at_ = start;
        refuse("'" + name + "' is given twice");
      }
    }
    return std::move(data_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    refuse_text(data_.source(), text_, at_, message + ".", "Data files are JSON objects or R dump files.");
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) refuse("'" + std::string(token) + "' is needed here");
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  }

  std::string_view read_word() {
    skip_space();
    const std::size_t start = at_;
    while (is_word(peek())) ++at_;
    return text_.substr(start, at_ - start);
  }

  std::string read_name() {
    skip_space();
    const char quote = peek();
    if (quote == '"' || quote == '\'' || quote == '`') {
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos) refuse("a quoted name is not closed");
      std::string name(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return name;
    }
    const std::string_view word = read_word();
    if (word.empty()) refuse("the name of a variable is needed here");
    return std::string(word);
  }

  struct Number {
    double value = 0;
    bool integer = false;
    std::size_t begin = 0;
  };

  std::string_view text_of(const Number& number) const {
    return text_.substr(number.begin, at_ - number.begin);
  }

  Number read_number() {
    skip_space();
    Number number;
    number.begin = at_;
    double sign = 1;
    if (peek() == '-' || peek() == '+') {
      sign = peek() == '-' ? -1 : 1;
      ++at_;
      skip_space();
    }
    const std::size_t start = at_;
    if (peek() == 'I' || peek() == 'N') {
      const std::string_view word = read_word();
      if (word == "Inf" || word == "Infinity") {
        number.value = sign * std::numeric_limits<double>::infinity();
        return number;
      }
      if (word == "NaN") {
        number.value = std::numeric_limits<double>::quiet_NaN();
        return number;
      }
      at_ = start;
      refuse("a number is needed here");
    }
    const bool begins = (peek() >= '0' && peek() <= '9') || peek() == '.';
    if (!begins) refuse("a number is needed here");
    const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number.value);
    if (status == std::errc::result_out_of_range) refuse("this number does not fit a double");
    if (status != std::errc()) refuse("a number is needed here");
    at_ = static_cast<std::size_t>(end - text_.data());
    number.value *= sign;
    number.integer = text_.substr(start, at_ - start).find_first_of(".eE") == std::string_view::npos;
    if (peek() == 'L') {
      ++at_;
      number.integer = number.value == std::floor(number.value);
    }
    return number;
  }

  static void add(DataValue& value, const Number& number, std::string_view text) {
    if (!number.integer && value.kind != DataKind::real) {
      value.kind = DataKind::real;
      value.first_real = value.numbers.size();
      value.first_real_text = text;
    }
    value.numbers.push_back(number.value);
  }

  // A string, NA, TRUE or FALSE: kept as a problem, for no program can want it.
  bool read_other(DataValue& value) {
    skip_space();
    const std::size_t start = at_;
    if (peek() == '"' || peek() == '\'') {
      read_name();
    } else {
      const std::string_view word = read_word();
      if (word != "NA" && word != "TRUE" && word != "FALSE" && word != "NULL") {
        at_ = start;
        return false;
      }
    }
    if (value.problem.empty()) {
      value.problem = "is not a number, at place " + std::to_string(value.numbers.size() + 1) + ": " +
                      std::string(text_.substr(start, std::min<std::size_t>(at_ - start, 40)));
    }
    value.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    return true;
  }

  // A number or a range; true for a range.
  bool read_item(DataValue& value) {
    if (read_other(value)) return false;
    const Number first = read_number();
    const std::string_view text = text_of(first);
    if (!accept(":")) {
      add(value, first, text);
      return false;
    }
    const Number last = read_number();
    if (!first.integer || !last.integer) refuse("a range goes from an integer to an integer");
    const double step = last.value >= first.value ? 1 : -1;
    if (std::abs(last.value - first.value) >= static_cast<double>(kMostElements))
      refuse("this range is too long");
    const auto count = static_cast<std::size_t>(std::abs(last.value - first.value)) + 1;
    for (std::size_t i = 0; i < count; ++i)
      value.numbers.push_back(first.value + step * static_cast<double>(i));
    return true;
  }

  bool at_call(std::string_view function) {
    const std::size_t start = at_;
    if (accept(function)) {
      skip_space();
      if (peek() == '(') {
        ++at_;
        return true;
      }
    }
    at_ = start;
    return false;
  }

  DataValue read_value() {
    if (++level_ > kDeepest) refuse("the parentheses are nested too deeply");
    DataValue value = read_value_here();
    --level_;
    return value;
  }

  DataValue read_value_here() {
    skip_space();
    DataValue value;
    if (at_call("structure")) return read_structure();
    if (at_call("c")) {
      read_items(value);
      value.dims = {value.numbers.size()};
    } else if (at_call("integer")) {
      read_zeros(value);
    } else if (at_call("double") || at_call("numeric")) {
      read_zeros(value);
      if (!value.numbers.empty()) {
        value.kind = DataKind::real;
        value.first_real_text = "double()";
      }
    } else if (read_item(value)) {
      value.dims = {value.numbers.size()};
    }
    return value;
  }

  // After "c(": numbers, ranges and further c(...), up to the closing parenthesis.
  void read_items(DataValue& value) {
    if (accept(")")) return;
    if (++level_ > kDeepest) refuse("the parentheses are nested too deeply");
    do {
      skip_space();
      if (at_call("c")) {
        read_items(value);
      } else {
        read_item(value);
      }
    } while (accept(","));
    --level_;
    expect(")");
  }

  // After "integer(" and the like.
  void read_zeros(DataValue& value) {
    std::size_t count = 0;
    if (!accept(")")) {
      count = as_dim(read_number());
      expect(")");
    }
    value.numbers.assign(count, 0.0);
    value.dims = {count};
  }

  std::size_t as_dim(const Number& number) const {
    if (!(number.value >= 0) || number.value != std::floor(number.value) ||
        number.value >= static_cast<double>(kMostElements)) {
      refuse("a size is a non-negative integer");
    }
    return static_cast<std::size_t>(number.value);
  }

  // After "structure(".
  DataValue read_structure() {
    DataValue value = read_value();
    while (accept(",")) {
      const std::string attribute = read_name();
      expect("=");
      if (attribute == ".Dim" || attribute == "dim") {
        const DataValue dims = read_value();
        value.dims.clear();
        for (const double dim : dims.numbers) value.dims.push_back(as_dim({dim, true, at_}));
        if (element_count(value.dims) != value.numbers.size()) {
          refuse("the .Dim is for " + std::to_string(element_count(value.dims)) + " numbers, but there are " +
                 std::to_string(value.numbers.size()));
        }
      } else {
        skip_attribute();
      }
    }
    expect(")");
    if (value.dims.size() > 1) {
      if (value.kind == DataKind::real) value.first_real = row_major_offset(value.first_real, value.dims);
      value.numbers = to_row_major(value.numbers, value.dims);
    }
    return value;
  }

  static std::size_t row_major_offset(std::size_t offset, const std::vector<std::size_t>& dims) {
    std::vector<std::size_t> index;
    for (const std::size_t dim : dims) {
      index.push_back(offset % dim);
      offset /= dim;
    }
    std::size_t result = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) result = result * dims[d] + index[d];
    return result;
  }

  // To the comma or parenthesis that ends it.
  void skip_attribute() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == ')')) return;
      if (c == '"' || c == '\'') {
        const std::size_t end = text_.find(c, at_ + 1);
        if (end == std::string_view::npos) refuse("a string is not closed");
        at_ = end;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      ++at_;
    }
    refuse("')' is needed here");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int level_ = 0;
  Data data_;
};

}  // namespace

Data parse_rdump(std::string_view text, std::string name) { return Reader(text, std::move(name)).read(); }

}  // namespace kullback::model
