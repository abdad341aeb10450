// Hidden states: what each emits, how they follow each other, and the path of the first rows.
#include <algorithm>

#include "report/json_object.hpp"
#include "report/section.hpp"
#include "report/word_table.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kShownRows = 600;

// Columns from the second on whose names begin so, row after row.
std::string matrix_json(const WordTable& table, std::string_view prefix) {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<double> line;
    for (std::size_t c = 1; c < table.columns.size(); ++c)
      if (table.columns[c].starts_with(prefix)) line.push_back(table.number(r, c));
    lines.push_back(json_numbers(line, 4));
  }
  return json_array(lines);
}

std::string words_json(const WordTable& table) {
  std::vector<std::string> lines;
  for (const auto& row : table.rows) lines.push_back(json_strings(row));
  return JsonObject().raw("columns", json_strings(table.columns)).raw("rows", json_array(lines)).str();
}

std::string path_json(const WordTable& states) {
  std::vector<std::string> probabilities;
  for (std::size_t c = 0; c < states.columns.size(); ++c)
    if (states.columns[c].starts_with("probability_"))
      probabilities.push_back(json_numbers(states.numbers(c), 3));
  JsonObject json;
  if (const auto state = states.find("state")) json.raw("state", json_numbers(states.numbers(*state)));
  return json.raw("probabilities", json_array(probabilities)).str();
}

}  // namespace

std::string states_section(const Result& result) {
  if (result.kind() != run::Kind::hmm) return {};
  const std::optional<WordTable> summary = read_words(result, "summary_of_states.csv");
  const std::optional<WordTable> transitions = read_words(result, "transitions.csv");
  if (!summary || !transitions) return {};
  std::vector<std::string> names;
  for (const auto& row : summary->rows) names.push_back(row[0]);
  JsonObject json;
  json.raw("names", json_strings(names)).raw("summary", words_json(*summary));
  json.raw("transitions", matrix_json(*transitions, "to_"))
      .raw("transition_sds", matrix_json(*transitions, "sd_"));
  for (const char* name : {"means", "rates", "emissions"})
    if (const auto emitted = read_words(result, std::string(name) + ".csv"))
      json.text("emitted", name).raw("emissions", words_json(*emitted));
  if (const auto path = read_words(result, "states.csv", kShownRows)) json.raw("path", path_json(*path));
  return json.str();
}

}  // namespace kullback::report
