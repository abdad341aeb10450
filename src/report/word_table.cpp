#include "report/word_table.hpp"

#include <algorithm>
#include <charconv>

namespace kullback::report {

namespace {

constexpr std::size_t kMostBytes = 16 << 20;

class Reader final {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // The cells of the next line; empty at the end.
  std::vector<std::string> row() {
    std::vector<std::string> cells;
    if (at_ >= text_.size()) return cells;
    do cells.push_back(cell());
    while (take(','));
    take('\r');
    take('\n');
    return cells;
  }

 private:
  bool take(char c) {
    const bool is_there = at_ < text_.size() && text_[at_] == c;
    at_ += is_there ? 1 : 0;
    return is_there;
  }

  std::string cell() {
    if (!take('"')) {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      const std::string_view word = text_.substr(at_, end - at_);
      at_ = end;
      return std::string(word);
    }
    std::string word;
    while (at_ < text_.size()) {
      if (text_[at_] == '"' && text_.substr(at_, 2) != "\"\"") break;
      at_ += text_[at_] == '"' ? 1 : 0;
      word += text_[at_++];
    }
    take('"');
    return word;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::size_t> WordTable::find(std::string_view column) const {
  const auto at = std::find(columns.begin(), columns.end(), column);
  if (at == columns.end()) return {};
  return static_cast<std::size_t>(at - columns.begin());
}

double WordTable::number(std::size_t row, std::size_t column) const {
  const std::string& cell = rows[row][column];
  double number = 0;
  const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  const bool is_number = status == std::errc() && end == cell.data() + cell.size();
  return is_number ? number : std::numeric_limits<double>::quiet_NaN();
}

double WordTable::number(std::size_t row, std::string_view column) const {
  const std::optional<std::size_t> at = find(column);
  return at ? number(row, *at) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> WordTable::numbers(std::size_t column) const {
  std::vector<double> all(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) all[row] = number(row, column);
  return all;
}

WordTable parse_words(std::string_view text) {
  Reader reader(text);
  WordTable table;
  table.columns = reader.row();
  for (std::vector<std::string> cells = reader.row(); cells.size() == table.columns.size() && !cells.empty();
       cells = reader.row())
    table.rows.push_back(std::move(cells));
  return table;
}

std::optional<WordTable> read_words(const Result& result, std::string_view name, std::size_t most) {
  const std::optional<std::string> text = result.text(name, kMostBytes);
  if (!text) return {};
  WordTable table = parse_words(*text);
  if (table.rows.size() > most) table.rows.resize(most);
  return table;
}

}  // namespace kullback::report
