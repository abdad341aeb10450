// Coefficients of a regression with their intervals and, where columns were selected, how probable each is
// in; and, of some rows, what the fit says of them.
#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"
#include "report/word_table.hpp"

namespace kullback::report {

namespace {

// Of "inclusion" (spike and slab) or "determined" (ard), the one that is there.
std::string selection_column(const WordTable& table) {
  const std::vector<std::string>& columns = table.columns;
  return columns.size() > 5 ? columns[5] : std::string();
}

std::string fitted_json(const WordTable& sample, const std::string& target, bool is_linear) {
  const auto y = sample.find(target);
  if (!y) return {};
  JsonObject json;
  json.raw("target", json_numbers(sample.numbers(*y), 5));
  for (const char* name : {"mean", "sd", "probability"}) {
    std::optional<std::size_t> at;  // the last: columns of the data stand before and may have its name
    for (std::size_t c = 0; c < sample.columns.size(); ++c)
      if (sample.columns[c] == name && c > *y) at = c;
    if (at) json.raw(name, json_numbers(sample.numbers(*at), 5));
  }
  return json.truth("linear", is_linear).str();
}

}  // namespace

std::string coefficients_section(const Result& result) {
  if (result.kind() != run::Kind::regress) return {};
  const std::optional<WordTable> table = read_words(result, "coefficients.csv");
  const JsonValue* model = result.json("model.json");
  if (!table || model == nullptr || !table->find("mean")) return {};
  const std::string selection = selection_column(*table);
  std::vector<std::string> made;
  for (std::size_t r = 0; r < table->rows.size(); ++r) {
    JsonObject one;
    one.text("name", table->rows[r][0])
        .number("mean", table->number(r, "mean"))
        .number("sd", table->number(r, "sd"));
    one.number("lower", table->number(r, "lower")).number("upper", table->number(r, "upper"));
    if (!selection.empty()) one.number("selected", table->number(r, selection), 4);
    made.push_back(one.str());
  }
  JsonObject json;
  json.text("target", text_in(*model, "target")).text("selection", selection);
  json.raw("coefficients", json_array(made));
  if (const auto sample = read_words(result, "sample.csv"))
    if (const std::string fitted =
            fitted_json(*sample, text_in(*model, "target"), text_in(*model, "kind") == "linear");
        !fitted.empty())
      json.raw("fitted", fitted);
  return json.str();
}

}  // namespace kullback::report
