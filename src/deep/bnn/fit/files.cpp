#include "deep/bnn/fit/files.hpp"

#include <fmt/format.h>

#include "base/csv_numbers.hpp"
#include "base/file.hpp"
#include "run/json_text.hpp"

namespace kullback::deep {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void write_predictions(const std::filesystem::path& file, const Evaluation& evaluation,
                       const Preparation& preparation, const std::vector<double>& target) {
  std::string text = target.empty() ? "" : "target,";
  const std::size_t columns = evaluation.columns.size();
  if (preparation.is_classification()) text += "class,";
  for (std::size_t c = 0; c < columns; ++c)
    text += csv_field(evaluation.columns[c]) + (c + 1 == columns ? "\n" : ",");
  CsvNumbers numbers(text);
  const auto add_class = [&](std::size_t number) {
    numbers.flush();
    text += csv_field(preparation.classes[number]) + ",";
  };
  for (std::size_t row = 0; row < evaluation.epistemic.size(); ++row) {
    if (!target.empty() && !preparation.is_classification()) numbers.write(target[row], ',');
    if (preparation.is_classification()) {
      if (!target.empty()) add_class(static_cast<std::size_t>(target[row]));
      add_class(evaluation.likeliest[row]);
    }
    for (std::size_t c = 0; c < columns; ++c)
      numbers.write(evaluation.cells[row * columns + c], c + 1 == columns ? '\n' : ',');
  }
  numbers.flush();
  replace_file(file, text);
}

std::string reliability_json(const std::vector<ReliabilityBin>& bins) {
  std::string text = "[";
  for (const ReliabilityBin& bin : bins)
    text += fmt::format("{}\n    {{\"from\": {}, \"rows\": {}, \"confidence\": {}, \"accuracy\": {}}}",
                        text.back() == '[' ? "" : ",", run::json_number(bin.low), bin.rows,
                        run::json_number(bin.confidence), run::json_number(bin.accuracy));
  return text + "\n  ]";
}

std::string metrics_json(const Evaluation& evaluation, const Figures& more) {
  std::string text = fmt::format("{{\n  \"rows\": {}", evaluation.known);
  for (const Figures* figures : {&evaluation.figures, &more})
    for (const auto& [name, value] : *figures)
      text += fmt::format(",\n  \"{}\": {}", name, run::json_number(value));
  if (!evaluation.bins.empty()) {
    text += ",\n  \"reliability\": " + reliability_json(evaluation.bins);
  }
  return text + "\n}\n";
}

}  // namespace kullback::deep
