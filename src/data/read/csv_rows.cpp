// CSV with a header. A row costs one look at each digit: numbers are read where they stand, and only what is
// not a plain number is taken out of its quotes and blanks and looked at as text.
#include <fmt/format.h>

#include <algorithm>

#include "base/text_kind.hpp"
#include "data/read/bytes.hpp"
#include "data/read/csv_fields.hpp"
#include "data/read/number.hpp"
#include "data/read/rows.hpp"

namespace kullback::data {

namespace {

struct Header {
  std::vector<std::string> names;
  char separator = ',';
};

// A program, or data of one, in place of a table.
void refuse_other_kinds(const std::filesystem::path& file) {
  constexpr std::size_t kLooked = 4096;
  const std::string begin = first_bytes(file, kLooked);
  const TextKind kind = text_kind(begin);
  if (kind != TextKind::stan && kind != TextKind::json && kind != TextKind::r_dump) return;
  if (begin.starts_with("[")) return;  // columns may be named [1], [2]
  refuse_file(file, "this is " + std::string(text_kind_name(begin)) + ", but a table is needed",
              kind == TextKind::stan ? "'kullback fit' takes programs and their data."
                                     : "Save the data as CSV with a line of column names, or as .npy.");
}

Header read_header(Lines& lines) {
  refuse_other_kinds(lines.path());
  std::string_view line;
  if (!lines.next(line))
    refuse_file(lines.path(), "the file is empty", "A line with the names of the columns comes first.");
  if (line.find('\0') != std::string_view::npos || line.starts_with("\xFF\xFE") ||
      line.starts_with("\xFE\xFF"))
    refuse_file(lines.path(), "this is no text in UTF-8", "Save the table as CSV in UTF-8, or as .npy.");
  if (line.find('\r') != std::string_view::npos)
    refuse_file(lines.path(), "lines end with a carriage return alone", "Save the file with line feeds.");
  Header header;
  header.separator = separator_of(line);
  header.names = split_fields(line, header.separator);
  check_names(lines.path(), header.names);
  return header;
}

class CsvRows final : public Rows {
 public:
  CsvRows(const std::filesystem::path& path, const Columns& columns, Cells& cells)
      : lines_(path, Lines::Quotes::csv), rules_(cells) {
    const Header header = read_header(lines_);
    separator_ = header.separator;
    cell_of_ = columns.cells_of(path, header.names);
    cells_.assign(columns.names().size(), std::numeric_limits<double>::quiet_NaN());
  }

  bool next() override {
    std::string_view line;
    if (!lines_.next(line)) return false;
    const char* at = line.data();
    const char* const end = at + line.size();
    const std::size_t fields = cell_of_.size();
    for (std::size_t field = 0; field < fields; ++field) {
      const std::size_t cell = cell_of_[field];
      const bool is_last = field + 1 == fields;
      if (cell < kSequenceKey && rules_.is_number(cell)) {
        double value = 0;
        const char* const stop = read_plain_number(at, end, value);
        const bool is_whole = stop != nullptr && (is_last ? stop == end : stop != end && *stop == separator_);
        if (is_whole && rules_.takes(cell, value)) {
          cells_[cell] = value;
          at = stop + 1;
          continue;
        }
      }
      at = read_text(at, end, field, line);
    }
    return true;
  }

  Where where() const override { return lines_.where(); }
  Place place() const override { return lines_.place(); }
  void go(Place place) override { lines_.go(place); }
  std::uint64_t file_size() const override { return lines_.file_size(); }

 private:
  const char* read_text(const char* at, const char* end, std::size_t field, std::string_view line) {
    const bool is_last = field + 1 == cell_of_.size();
    std::string_view rest(at, static_cast<std::size_t>(end - at));
    const Field found = next_field(rest, separator_, scratch_);
    if (found.is_last != is_last) refuse_ragged(line);
    const std::size_t cell = cell_of_[field];
    if (cell == kSequenceKey) key_ = found.text;
    if (cell < kSequenceKey) cells_[cell] = rules_.value(cell, found.text, where());
    return rest.data();
  }

  [[noreturn]] void refuse_ragged(std::string_view line) const {
    const std::size_t found = split_fields(line, separator_).size();
    refuse_at(where(),
              fmt::format("found {}, but the first line names {}", counted(found, "field"),
                          counted(cell_of_.size(), "column")),
              found > cell_of_.size() ? "Delete what is too much; put text with separators in quotes."
                                      : "Complete the row, or delete it.");
  }

  Lines lines_;
  Cells& rules_;
  char separator_ = ',';
  std::vector<std::size_t> cell_of_;
  std::string scratch_;
};

}  // namespace

std::vector<std::string> read_csv_header(const std::filesystem::path& path) {
  Lines lines(path, Lines::Quotes::csv);
  return read_header(lines).names;
}

std::unique_ptr<Rows> open_csv_rows(const std::filesystem::path& path, const Columns& columns, Cells& cells) {
  return std::make_unique<CsvRows>(path, columns, cells);
}

}  // namespace kullback::data
