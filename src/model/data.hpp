// Named values from a data file, before any program has looked at them: Stan's JSON, or R's dump format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kullback {
class TextSource;
}

namespace kullback::model {

enum class DataKind : std::uint8_t {
  int_,  // every number is written as an integer; also an array without elements
  real,
  complex,  // only after check_data: a file writes a complex number as two reals
  tuple,
};

// Numbers in nested arrays, as a file has them: row-major, the last index running fastest. check_data turns
// them into the layout of math/array_op.hpp (columns of matrices together); a complex number is two numbers,
// real part first.
struct DataValue {
  DataKind kind = DataKind::int_;
  std::vector<std::size_t> dims;  // outermost first; empty: one number, or one tuple
  std::vector<double> numbers;    // ints are doubles too, exact up to 2^53
  // Of a tuple: a value for each slot, whose dims begin with the dims of the tuple.
  std::vector<DataValue> slots;
  // Where a real number stands first and how it is written, for messages: 3.0 is no int.
  std::size_t first_real = 0;
  std::string first_real_text;
  // Why it is no value of Stan at all ("is ragged: ..."), to be said only when a program wants it. Begins
  // with a verb.
  std::string problem;
};

// The product of the dims; the largest number where it overflows.
std::size_t element_count(const std::vector<std::size_t>& dims);

class Data final {
 public:
  struct Item {
    std::string name;
    DataValue value;
  };

  explicit Data(std::string source = {}) : source_(std::move(source)) {}

  const std::string& source() const { return source_; }  // the file's name, for messages
  std::vector<Item>& items() { return items_; }          // in the order of the file
  const std::vector<Item>& items() const { return items_; }
  DataValue* find(std::string_view name);
  const DataValue* find(std::string_view name) const;
  // False where the name is taken.
  bool add(std::string name, DataValue value);

 private:
  std::string source_;
  std::vector<Item> items_;
  std::unordered_map<std::string, std::size_t> places_;
};

// What cannot be read as a whole throws Error bad_input, with line and column.
Data read_data(const std::filesystem::path& path);
// `name` stands for the file in messages. JSON if it begins with a brace, else a dump.
Data parse_data(std::string_view text, std::string name);
Data parse_json_data(std::string_view text, std::string name);
// The same of a text in pieces; of JSON only the numbers are kept.
Data read_data(TextSource& source, std::string name);
Data parse_json_data(TextSource& source, std::string name);
Data parse_rdump(std::string_view text, std::string name);

// As Stan's JSON; values as a file has them (not as check_data leaves them).
std::string to_json(const Data& data);
void append_json(const DataValue& value, std::string& text);

// "[2, 3]": the index, from 1, of an offset in row-major order; empty for a single number.
std::string index_text(std::size_t offset, const std::vector<std::size_t>& dims);

// A name a Stan variable can have. Other names in a file are remarks and never missed or warned of.
bool is_variable_name(std::string_view name);

}  // namespace kullback::model
