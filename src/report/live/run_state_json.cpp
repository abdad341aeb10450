#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"
#include "report/live/run_state.hpp"

namespace kullback::report {

namespace {

constexpr int kDigits = 8;

std::string number_json(double number, int digits = kDigits) {
  return std::isfinite(number) ? fmt::format("{:.{}g}", number, digits) : "null";
}

std::string life_name(Life life) {
  switch (life) {
    case Life::running: return "running";
    case Life::silent: return "silent";
    case Life::died: return "died";
    case Life::over: break;
  }
  return "over";
}

std::string part_json(const RunPart& part) {
  std::string values;
  for (const double value : part.values) values += (values.empty() ? "" : ",") + number_json(value, 6);
  return fmt::format(
      "{{\"name\":{},\"done\":{},\"total\":{},\"warmup\":{},\"divergences\":{},\"value_name\":{},\"last\":{},"
      "\"values\":[{}]}}",
      json_string(part.name), number_json(part.done), number_json(part.total),
      part.is_warming_up ? "true" : "false", part.divergences, json_string(part.value_name),
      number_json(part.last()), values);
}

}  // namespace

std::string to_json(const RunState& state) {
  std::string tried, parts;
  for (const TriedMethod& method : state.tried)
    tried += fmt::format("{}{{\"method\":{},\"verdict\":{},\"gradients\":{}}}", tried.empty() ? "" : ",",
                         json_string(method.method), json_string(method.verdict), method.gradients);
  for (const RunPart& part : state.parts) parts += (parts.empty() ? "" : ",") + part_json(part);
  return fmt::format(
      "{{\"format\":1,\"folder\":{},\"kind\":{},\"method\":{},\"life\":\"{}\",\"status\":{},\"doing\":{},"
      "\"seconds\":{},\"seconds_left\":{},\"at_most\":{},\"gradients\":{},\"divergences\":{},\"last_sign\":{}"
      ","
      "\"tried\":[{}],\"parts\":[{}]}}\n",
      json_string(state.folder.string()), json_string(run::name_of(state.record.kind)),
      json_string(state.record.method), life_name(state.life), json_string(state.status),
      json_string(state.doing), number_json(state.seconds),
      state.seconds_left ? number_json(*state.seconds_left, 3) : "null",
      state.is_left_at_most ? "true" : "false", state.gradients, state.divergences,
      json_string(utc_text(state.last_sign)), tried, parts);
}

}  // namespace kullback::report
