// Whether a network is as sure as it may be: of classes the reliability table; of numbers, on held-out rows,
// how often bands hold the target and how errors grow with the sd that was said.
//
// Of rows with quantiles q5 .. q95 the share below each quantile estimates its level; p (1 - p) / n is its
// variance, from which the page draws a band.
#include <algorithm>
#include <cmath>

#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"
#include "report/word_table.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kShownRows = 1500;

std::string reliability_json(const JsonValue& bins) {
  std::vector<std::string> made;
  if (bins.array() == nullptr) return "[]";
  for (const JsonValue& bin : *bins.array())
    made.push_back(JsonObject()
                       .number("from", number_in(bin, "from"))
                       .number("rows", number_in(bin, "rows"))
                       .number("confidence", number_in(bin, "confidence"), 4)
                       .number("accuracy", number_in(bin, "accuracy"), 4)
                       .str());
  return json_array(made);
}

// "q25" is 0.25; 0 where the name is none.
double level_of(const std::string& column) {
  if (column.size() < 2 || column[0] != 'q') return 0;
  double percent = 0;
  for (const char c : column.substr(1)) {
    if (c < '0' || c > '9') return 0;
    percent = 10 * percent + (c - '0');
  }
  return percent / 100;
}

std::string levels_json(const WordTable& rows, std::size_t target) {
  std::vector<std::string> made;
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const double level = level_of(rows.columns[c]);
    if (!(level > 0 && level < 1)) continue;
    double below = 0, known = 0;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double y = rows.number(r, target), q = rows.number(r, c);
      if (!std::isfinite(y) || !std::isfinite(q)) continue;
      ++known;
      below += y <= q ? 1 : 0;
    }
    if (known > 0)
      made.push_back(
          JsonObject().number("level", level).number("share", below / known, 4).number("rows", known).str());
  }
  return json_array(made);
}

std::string rows_json(const WordTable& rows, std::size_t target) {
  const std::size_t stride = std::max<std::size_t>(1, (rows.rows.size() + kShownRows - 1) / kShownRows);
  const auto picked = [&](std::size_t column) {
    std::vector<double> some;
    for (std::size_t r = 0; r < rows.rows.size(); r += stride) some.push_back(rows.number(r, column));
    return json_numbers(some, 5);
  };
  JsonObject json;
  json.raw("target", picked(target));
  for (const char* name : {"mean", "sd", "q5", "q95", "aleatoric_sd", "epistemic_sd"})
    if (const auto column = rows.find(name)) json.raw(name, picked(*column));
  return json.str();
}

// Entropy of a prediction, right or wrong.
std::string classes_json(const WordTable& rows, std::size_t target, std::size_t chosen) {
  std::vector<double> entropy, mutual, is_right;
  for (std::size_t r = 0; r < std::min(rows.rows.size(), kShownRows); ++r) {
    entropy.push_back(rows.number(r, "entropy"));
    mutual.push_back(rows.number(r, "mutual_information"));
    is_right.push_back(rows.rows[r][target] == rows.rows[r][chosen] ? 1 : 0);
  }
  return JsonObject()
      .raw("entropy", json_numbers(entropy, 4))
      .raw("mutual_information", json_numbers(mutual, 4))
      .raw("right", json_numbers(is_right))
      .str();
}

}  // namespace

std::string calibration_section(const Result& result) {
  const JsonValue* summary = result.json(result.kind() == run::Kind::bnn ? "summary.json" : "metrics.json");
  const JsonValue* bins = summary != nullptr ? summary->find("reliability") : nullptr;
  const std::optional<WordTable> rows = read_words(result, "held_out.csv");
  const auto target = rows ? rows->find("target") : std::nullopt;
  if (bins == nullptr && !target) return {};
  JsonObject json;
  if (bins != nullptr) json.raw("reliability", reliability_json(*bins));
  if (!target || rows->rows.empty()) return json.str();
  if (const auto chosen = rows->find("class"))
    json.raw("classes", classes_json(*rows, *target, *chosen));
  else
    json.raw("levels", levels_json(*rows, *target)).raw("rows", rows_json(*rows, *target));
  return json.count("held_out", rows->rows.size()).str();
}

}  // namespace kullback::report
