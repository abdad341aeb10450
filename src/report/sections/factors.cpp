// Factors: what each explains, whether it is in use, its loadings, and where rows lie.
#include <algorithm>

#include "report/json_object.hpp"
#include "report/section.hpp"
#include "report/word_table.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kMostColumns = 400;
constexpr std::size_t kShownScores = 1500;

// Every so many lines, so that all of the file is seen.
std::vector<double> thinned(const std::vector<double>& values) {
  const std::size_t stride = std::max<std::size_t>(1, (values.size() + kShownScores - 1) / kShownScores);
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); i += stride) some.push_back(values[i]);
  return some;
}

std::string loadings_json(const WordTable& loadings, std::size_t factors) {
  std::vector<std::string> rows;
  for (std::size_t r = 0; r < std::min(loadings.rows.size(), kMostColumns); ++r) {
    std::vector<double> means, sds;
    for (std::size_t k = 1; k <= factors; ++k) {
      means.push_back(loadings.number(r, "factor" + std::to_string(k)));
      sds.push_back(loadings.number(r, "factor" + std::to_string(k) + "_sd"));
    }
    rows.push_back(JsonObject()
                       .text("name", loadings.rows[r][0])
                       .raw("mean", json_numbers(means, 5))
                       .raw("sd", json_numbers(sds, 3))
                       .str());
  }
  return json_array(rows);
}

std::string scores_json(const WordTable& scores) {
  std::vector<std::string> columns;
  for (std::size_t k = 1;; ++k) {
    const auto at = scores.find("factor" + std::to_string(k));
    if (!at) break;
    columns.push_back(json_numbers(thinned(scores.numbers(*at)), 4));
  }
  return json_array(columns);
}

}  // namespace

std::string factors_section(const Result& result) {
  if (result.kind() != run::Kind::factors) return {};
  const std::optional<WordTable> factors = read_words(result, "factors.csv");
  const std::optional<WordTable> loadings = read_words(result, "loadings.csv");
  if (!factors || !loadings) return {};
  std::vector<std::string> made;
  for (std::size_t r = 0; r < factors->rows.size(); ++r)
    made.push_back(JsonObject()
                       .text("name", factors->rows[r][0])
                       .number("variance", factors->number(r, "explained_variance"))
                       .number("fraction", factors->number(r, "fraction"))
                       .number("precision", factors->number(r, "precision"))
                       .truth("in_use", factors->number(r, "in_use") == 1)
                       .str());
  JsonObject json;
  json.raw("factors", json_array(made)).raw("loadings", loadings_json(*loadings, factors->rows.size()));
  json.count("columns_in_all", loadings->rows.size());
  for (const char* name : {"scores.csv", "users.csv"})
    if (const auto scores = read_words(result, name)) json.raw("scores", scores_json(*scores));
  return json.str();
}

}  // namespace kullback::report
