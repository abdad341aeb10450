#include <utility>

#include "report/json_object.hpp"
#include "report/repeat_command.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

using run::RunRecord;

std::string shape_json(const run::DataShape& shape) {
  std::vector<double> dims(shape.dims.begin(), shape.dims.end());
  return JsonObject()
      .text("name", shape.name)
      .text("type", shape.is_int ? "int" : "real")
      .raw("dims", json_numbers(dims, 17))
      .str();
}

template <class Pairs>
std::string pairs_json(const Pairs& pairs) {
  std::vector<std::string> items;
  for (const auto& [name, value] : pairs)
    if (!value.empty()) items.push_back(JsonObject().text("name", name).text("value", value).str());
  return json_array(items);
}

}  // namespace

std::string inputs_section(const Result& result) {
  const RunRecord& record = result.record();
  std::vector<std::string> shapes;
  for (const run::DataShape& shape : record.data_variables) shapes.push_back(shape_json(shape));
  const std::vector<std::pair<std::string, std::string>> account = {
      {"program", record.program},
      {"program hash", record.program_hash},
      {"data", record.data},
      {"data hash", record.data.empty() ? "" : record.data_hash},
      {"seed", std::to_string(record.seed)},
      {"Kullback", record.version},
      {"started", record.started}};
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : record.options) options.emplace_back(name, run::text_of(value));
  // Of a result without a summary they are its figures (sections/figures.cpp), and not said twice.
  const bool is_said = !result.is_posterior() && result.json("summary.json") == nullptr &&
                       result.json("metrics.json") == nullptr;
  return JsonObject()
      .raw("data", json_array(shapes))
      .raw("account", pairs_json(account))
      .raw("facts", is_said ? "[]" : pairs_json(record.facts))
      .raw("options", pairs_json(options))
      .text("command", repeat_command(record))
      .str();
}

}  // namespace kullback::report
