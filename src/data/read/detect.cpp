#include "data/read/detect.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "data/read/bytes.hpp"
#include "data/read/csv_fields.hpp"
#include "data/read/lines.hpp"
#include "data/read/npy_header.hpp"
#include "data/read/number.hpp"

namespace kullback::data {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_count(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// The first lines of a file that are not blank.
std::vector<std::string> first_lines(const std::filesystem::path& file, std::size_t count) {
  std::vector<std::string> found;
  Lines lines(file);
  std::string_view line;
  while (found.size() < count && lines.next(line)) found.emplace_back(trimmed(line));
  return found;
}

// "17:3" somewhere behind a number.
bool has_pair(std::string_view line) {
  const std::size_t blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos || !is_count(line.substr(0, blank))) return false;
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    if (at > 0 && is_digit(line[at - 1]) && at + 1 < line.size() && is_digit(line[at + 1])) return true;
  }
  return false;
}

// "Movie_ID" as "movieid".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c + 32);
    if ((c >= 'a' && c <= 'z') || is_digit(c)) plain += c;
  }
  return plain;
}

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_numpy(const std::filesystem::path& file) { return first_bytes(file, kNpyMagic.size()) == kNpyMagic; }

bool names_triplets(const std::vector<std::string>& columns) {
  if (columns.size() != 3) return false;
  return is_one_of(plain_name(columns[0]),
                   {"document", "documentid", "doc", "docid", "user", "userid", "row"}) &&
         is_one_of(plain_name(columns[1]), {"word", "wordid", "term", "token", "item", "itemid", "movie",
                                            "movieid", "product", "productid", "column"}) &&
         is_one_of(plain_name(columns[2]), {"count", "counts", "n", "frequency", "rating", "score", "value"});
}

DocumentFormat document_format(const std::filesystem::path& file, const std::vector<std::string>& ignored) {
  if (is_numpy(file)) return DocumentFormat::dense;
  const std::vector<std::string> lines = first_lines(file, 3);
  if (lines.empty()) refuse_file(file, "the file is empty", "There must be a document in it.");
  if (lines[0].starts_with("%%MatrixMarket")) return DocumentFormat::numbered;
  if (lines.size() == 3 && std::all_of(lines.begin(), lines.end(), is_count)) return DocumentFormat::numbered;
  const bool begins_with_count = is_count(lines[0].substr(0, lines[0].find_first_of(" \t")));
  if (begins_with_count && (lines[0] == "0" || std::any_of(lines.begin(), lines.end(), has_pair)))
    return DocumentFormat::lda_c;
  std::vector<std::string> columns = split_fields(lines[0], separator_of(lines[0]));
  std::erase_if(columns, [&](const std::string& name) {
    return std::find(ignored.begin(), ignored.end(), name) != ignored.end();
  });
  return names_triplets(columns) ? DocumentFormat::named : DocumentFormat::dense;
}

void refuse_empty(const Where& where) {
  refuse_at(where, "the document has no words",
            "Delete it, or keep documents without words with --allow-empty.");
}

}  // namespace kullback::data
