// What a fit without draws says in numbers: facts of its record, figures and terms of the bound of its
// summary.
#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

// Members that are numbers, in their order.
std::string numbers_json(const JsonValue& object) {
  std::vector<std::string> made;
  if (object.object() != nullptr) {
    for (const JsonValue::Member& member : *object.object())
      if (member.value.number() != nullptr)
        made.push_back(
            JsonObject().text("name", member.name).number("value", member.value.number()->value, 8).str());
  }
  return json_array(made);
}

// Of a result whose figures are in its record.
std::string facts_alone(const Result& result) {
  if (result.record().facts.empty()) return {};
  std::vector<std::string> facts;
  for (const auto& [name, value] : result.record().facts)
    facts.push_back(JsonObject().text("name", name).text("value", value).str());
  return JsonObject().raw("facts", json_array(facts)).str();
}

}  // namespace

std::string figures_section(const Result& result) {
  if (result.is_posterior()) return {};
  const JsonValue* summary = result.json("summary.json");
  if (summary == nullptr) summary = result.json("metrics.json");
  if (summary == nullptr) return facts_alone(result);
  JsonObject json;
  if (const JsonValue* figures = summary->find("figures")) json.raw("figures", numbers_json(*figures));
  if (const JsonValue* terms = summary->find("terms")) json.raw("terms", numbers_json(*terms));
  return json.raw("summary", numbers_json(*summary)).str();
}

}  // namespace kullback::report
