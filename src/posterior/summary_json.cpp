// summary.json.
#include <fmt/format.h>

#include "base/json.hpp"
#include "posterior/summary.hpp"
#include "run/json_reader.hpp"
#include "run/json_text.hpp"

namespace kullback::posterior {

namespace {

void add_number(std::string& text, std::string_view name, const std::optional<double>& number) {
  if (number) text += fmt::format(", \"{}\": {}", name, run::json_number(*number));
}

std::string row_json(const SummaryRow& row) {
  std::string text = "{\"name\": " + json_string(row.name);
  add_number(text, "mean", row.mean);
  add_number(text, "mcse_mean", row.mcse_mean);
  add_number(text, "sd", row.sd);
  add_number(text, "q5", row.q5);
  add_number(text, "q50", row.q50);
  add_number(text, "q95", row.q95);
  add_number(text, "ess_bulk", row.ess_bulk);
  add_number(text, "ess_tail", row.ess_tail);
  add_number(text, "rhat", row.rhat);
  return text + "}";
}

}  // namespace

std::string to_json(const Summary& summary) {
  std::string text = "{\n  \"parameters\": [\n";
  for (std::size_t i = 0; i < summary.rows.size(); ++i)
    text += "    " + row_json(summary.rows[i]) + (i + 1 == summary.rows.size() ? "\n" : ",\n");
  return text + "  ],\n  \"findings\": " + run::json_findings(summary.findings) + "\n}\n";
}

Summary read_summary(const std::string& path) {
  const run::JsonReader reader(path);
  Summary summary;
  reader.each("parameters", [&](const JsonValue& object) {
    SummaryRow& row = summary.rows.emplace_back();
    reader.text(object, "name", row.name);
    reader.number(object, "mean", row.mean);
    reader.number(object, "mcse_mean", row.mcse_mean);
    reader.number(object, "sd", row.sd);
    reader.number(object, "q5", row.q5);
    reader.number(object, "q50", row.q50);
    reader.number(object, "q95", row.q95);
    reader.number(object, "ess_bulk", row.ess_bulk);
    reader.number(object, "ess_tail", row.ess_tail);
    reader.number(object, "rhat", row.rhat);
  });
  summary.findings = reader.findings();
  return summary;
}

}  // namespace kullback::posterior
