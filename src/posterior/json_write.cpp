#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"
#include "posterior/json_text.hpp"
#include "posterior/run_record.hpp"
#include "posterior/summary.hpp"

namespace kullback::posterior {

std::string json_number(double number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return fmt::format("{}", number);
}

std::string json_findings(const Findings& findings) {
  if (findings.empty()) return "[]";
  std::string text = "[\n";
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    text +=
        fmt::format("    {{\"code\": {}, \"message\": {}, \"evidence\": {}, \"advice\": {}}}{}\n",
                    json_string(finding.code), json_string(finding.message), json_string(finding.evidence),
                    json_string(finding.advice), i + 1 == findings.size() ? "" : ",");
  }
  return text + "  ]";
}

namespace {

void add_number(std::string& text, std::string_view name, const std::optional<double>& number) {
  if (number) text += fmt::format(", \"{}\": {}", name, json_number(*number));
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

template <class Words>
std::string words_json(const Words& words) {
  std::string text = "{";
  for (const auto& [name, value] : words)
    text += fmt::format("{}{}: {}", text.size() == 1 ? "" : ", ", json_string(name), json_string(value));
  return text + "}";
}

std::string rungs_json(const std::vector<Rung>& rungs) {
  std::string text;
  for (const Rung& rung : rungs) {
    text += fmt::format("{}\n    {{\"method\": {}, \"verdict\": {}, \"gradients\": {}, \"reason\": {}}}",
                        text.empty() ? "" : ",", json_string(rung.method), json_string(rung.verdict),
                        rung.gradients, json_string(rung.reason));
  }
  return "[" + text + (text.empty() ? "]" : "\n  ]");
}

std::string shapes_json(const std::vector<DataShape>& shapes) {
  std::string text;
  for (const DataShape& shape : shapes) {
    std::string dims;
    for (const std::size_t dim : shape.dims) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dim);
    text += fmt::format("{}{{\"name\": {}, \"type\": \"{}\", \"dims\": [{}], \"observed\": {}}}",
                        text.empty() ? "" : ", ", json_string(shape.name), shape.is_int ? "int" : "real",
                        dims, shape.is_observed ? "true" : "false");
  }
  return "[" + text + "]";
}

std::string files_json(const std::vector<RecordedFile>& files) {
  std::string text;
  for (const RecordedFile& file : files) {
    text += fmt::format("{}\n    {{\"name\": {}, \"bytes\": {}, \"xxh64\": {}}}", text.empty() ? "" : ",",
                        json_string(file.name), file.bytes, json_string(file.hash));
  }
  return "[" + text + "\n  ]";
}

}  // namespace

std::string to_json(const Summary& summary) {
  std::string text = "{\n  \"parameters\": [\n";
  for (std::size_t i = 0; i < summary.rows.size(); ++i)
    text += "    " + row_json(summary.rows[i]) + (i + 1 == summary.rows.size() ? "\n" : ",\n");
  return text + "  ],\n  \"findings\": " + json_findings(summary.findings) + "\n}\n";
}

std::string to_json(const RunRecord& record) {
  std::string text = "{\n";
  const auto add = [&text](std::string_view name, const std::string& json) {
    text += fmt::format("  \"{}\": {},\n", name, json);
  };
  add("kind", json_string(record.kind));
  add("method", json_string(record.method));
  add("version", json_string(record.version));
  add("program", json_string(record.program));
  add("program_hash", json_string(record.program_hash));
  add("data", json_string(record.data));
  add("data_hash", json_string(record.data_hash));
  add("data_variables", shapes_json(record.data_variables));
  add("seed", std::to_string(record.seed));
  add("chains", std::to_string(record.chains));
  add("parameters", std::to_string(record.parameters));
  add("generated", std::to_string(record.generated));
  add("options", to_json(record.options));
  add("facts", words_json(record.facts));
  add("rungs", rungs_json(record.rungs));
  add("status", json_string(record.status));
  add("started", json_string(record.started));
  add("gradients", std::to_string(record.gradients));
  add("seconds", json_number(record.seconds));
  if (!record.files.empty()) add("files", files_json(record.files));
  return text + "  \"findings\": " + json_findings(record.findings) + "\n}\n";
}

}  // namespace kullback::posterior
