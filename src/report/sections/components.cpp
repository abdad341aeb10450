// The components of a mixture: weights, and what its kind has: means and covariances, rates, probabilities of
// levels. Rows of the data from sample.csv.
#include <algorithm>
#include <cmath>

#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"
#include "report/word_table.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kMostColumns = 16;  // to choose from
constexpr std::size_t kMostLevels = 200;
constexpr std::string_view kMean = "mean_";
constexpr std::string_view kVariance = "variance_";

std::vector<double> row_numbers(const WordTable& table, std::size_t row,
                                std::span<const std::size_t> columns) {
  std::vector<double> numbers;
  for (const std::size_t column : columns) numbers.push_back(table.number(row, column));
  return numbers;
}

std::vector<std::size_t> columns_with(const WordTable& table, std::string_view prefix,
                                      std::span<const std::string> names) {
  std::vector<std::size_t> found;
  for (const std::string& name : names)
    if (const auto at = table.find(std::string(prefix) + name)) found.push_back(*at);
  return found;
}

// Rows of covariances.csv: component after component, or one for all.
std::string covariance_json(const WordTable& covariances, std::size_t component, std::size_t size,
                            std::size_t shown) {
  const std::size_t first = covariances.rows.size() == size ? 0 : component * size;
  if (first + size > covariances.rows.size() || covariances.columns.size() != size + 1) return "null";
  std::vector<std::string> lines;
  for (std::size_t d = 0; d < shown; ++d) {
    std::vector<double> line;
    for (std::size_t e = 0; e < shown; ++e) line.push_back(covariances.number(first + d, e + 1));
    lines.push_back(json_numbers(line, 5));
  }
  return json_array(lines);
}

std::string diagonal_json(std::span<const double> variances) {
  std::vector<std::string> lines;
  for (std::size_t d = 0; d < variances.size(); ++d) {
    std::vector<double> line(variances.size(), 0.0);
    line[d] = variances[d];
    lines.push_back(json_numbers(line, 5));
  }
  return json_array(lines);
}

std::string sample_json(const WordTable& sample, std::size_t size, std::size_t shown) {
  std::vector<std::string> columns;
  for (std::size_t c = 0; c < shown; ++c) columns.push_back(json_numbers(sample.numbers(c), 5));
  const bool has_component = size < sample.columns.size() && sample.columns[size] == "component";
  return JsonObject()
      .raw("columns", json_array(columns))
      .raw("component", has_component ? json_numbers(sample.numbers(size)) : "[]")
      .str();
}

std::string levels_json(const WordTable& levels) {
  std::vector<std::string> rows;
  for (std::size_t r = 0; r < std::min(levels.rows.size(), kMostLevels); ++r) {
    std::vector<double> line;
    for (std::size_t c = 1; c < levels.columns.size(); ++c) line.push_back(levels.number(r, c));
    rows.push_back(
        JsonObject().text("name", levels.rows[r][0]).raw("probabilities", json_numbers(line, 4)).str());
  }
  return json_array(rows);
}

}  // namespace

std::string components_section(const Result& result) {
  if (result.kind() != run::Kind::mixture) return {};
  const std::optional<WordTable> table = read_words(result, "components.csv");
  const JsonValue* model = result.json("model.json");
  if (!table || model == nullptr || !table->find("weight")) return {};
  std::vector<std::string> names = texts_in(*model, "columns");
  const std::size_t size = names.size();
  const std::size_t shown = std::min(size, kMostColumns);
  const std::span<const std::string> shown_names(names.data(), shown);
  const std::vector<std::size_t> means = columns_with(*table, kMean, shown_names);
  const std::vector<std::size_t> variances = columns_with(*table, kVariance, shown_names);
  const std::optional<WordTable> covariances = read_words(result, "covariances.csv");
  std::vector<std::string> components;
  for (std::size_t k = 0; k < table->rows.size(); ++k) {
    JsonObject one;
    one.text("name", table->rows[k][0]).number("weight", table->number(k, "weight"));
    if (means.size() == shown) one.raw("mean", json_numbers(row_numbers(*table, k, means)));
    if (covariances)
      one.raw("covariance", covariance_json(*covariances, k, size, shown));
    else if (variances.size() == shown && shown > 0)
      one.raw("covariance", diagonal_json(row_numbers(*table, k, variances)));
    components.push_back(one.str());
  }
  JsonObject json;
  json.text("kind", text_in(*model, "kind")).raw("columns", json_strings(shown_names));
  json.count("all_columns", size).raw("components", json_array(components));
  json.raw("table_columns", json_strings(table->columns));
  std::vector<std::string> rows;
  for (const auto& row : table->rows) rows.push_back(json_strings(row));
  json.raw("table", json_array(rows));
  if (const auto sample = read_words(result, "sample.csv"); sample && sample->columns.size() >= size)
    json.raw("sample", sample_json(*sample, size, shown));
  if (const auto levels = read_words(result, "levels.csv")) json.raw("levels", levels_json(*levels));
  return json.str();
}

}  // namespace kullback::report
