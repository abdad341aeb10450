// certificate.json, cut down to what is drawn: of very many parameters those with the largest errors.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/advice.hpp"
#include "base/json.hpp"
#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kShown = 60;

// What one witness says of one moment.
std::string interval_json(const JsonValue* testimony) {
  if (testimony == nullptr || testimony->object() == nullptr) return "null";
  return JsonObject()
      .number("estimate", number_in(*testimony, "estimate"))
      .number("low", number_in(*testimony, "low"))
      .number("high", number_in(*testimony, "high"))
      .truth("supports", truth_in(*testimony, "supports"))
      .str();
}

struct Judged {
  std::string json;
  double size = 0;  // of the largest error that cannot be excluded
};

double size_of(const JsonValue* testimony) {
  if (testimony == nullptr || testimony->object() == nullptr) return 0;
  return std::max(std::abs(number_in(*testimony, "low")), std::abs(number_in(*testimony, "high")));
}

Judged judged(const JsonValue& parameter) {
  const bool by_quantiles = parameter.find("median") != nullptr;
  const std::string location = by_quantiles ? "median" : "mean";
  const std::string scale = by_quantiles ? "iqr" : "sd";
  Judged result;
  JsonObject json;
  json.text("name", text_in(parameter, "name")).text("verdict", text_in(parameter, "verdict"));
  json.text("location", location).text("scale", scale).number("khat", number_in(parameter, "khat"), 3);
  const std::pair<const char*, std::string> moments[] = {{"location", location}, {"scale", scale}};
  for (const auto& [key, name] : moments) {
    const JsonValue* witnesses = parameter.find(name + "_witnesses");
    if (witnesses == nullptr) continue;
    for (const char* witness : {"importance", "chains"}) {
      const JsonValue* testimony = witnesses->find(witness);
      json.raw(std::string(key) + "_" + witness, interval_json(testimony));
      result.size = std::max(result.size, size_of(testimony));
    }
  }
  result.json = json.str();
  return result;
}

std::string parameters_json(const JsonValue& certificate, std::size_t& count) {
  std::vector<Judged> all;
  if (const JsonValue* parameters = certificate.find("parameters");
      parameters != nullptr && parameters->array() != nullptr)
    for (const JsonValue& parameter : *parameters->array()) all.push_back(judged(parameter));
  count = all.size();
  if (all.size() > kShown) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Judged& a, const Judged& b) { return a.size > b.size; });
    all.resize(kShown);
  }
  std::vector<std::string> texts;
  for (Judged& one : all) texts.push_back(std::move(one.json));
  return json_array(texts);
}

std::string none(const run::RunRecord& record) {
  const bool is_optimum = record.method == "optimize";
  return JsonObject()
      .text("verdict", "none")
      .text("why",
            is_optimum
                ? "This is one point, the maximum of the density: it has no spread, and no certificate."
                : "No certificate was asked for: nothing is known of the error of these draws but what the "
                  "checks below say.")
      .text("advice", is_optimum ? "" : "Fit with --tolerance 0.1, or run 'kullback certify' on this folder.")
      .str();
}

std::string plain_strings(std::vector<std::string> texts) {
  for (std::string& text : texts) text = without_marks(text);
  return json_strings(texts);
}

// What can still be tried depends on what has been.
std::string advice_for(const std::string& verdict, const std::string& certified,
                       const run::RunRecord& record) {
  if (verdict != "not met" && verdict != "cannot tell") return "";
  const std::string distrust =
      verdict == "not met" ? "Do not use these numbers at this tolerance. " : std::string();
  const bool is_ladder = !record.rungs.empty();
  if (is_ladder && record.options.contains("budget"))
    return distrust + "Fit with a larger --budget, or ask for a larger --tolerance.";
  if (is_ladder)
    return distrust +
           "The default has tried every method that suits this model: reparametrise it, or ask for a larger "
           "--tolerance.";
  if (certified == "chains")
    return distrust +
           "Fix the problems that the checks name, fit with more --draws, or ask for a larger --tolerance.";
  return distrust +
         "Fit without --method, so that more expensive methods are tried, with --method nuts, or ask for a "
         "larger --tolerance.";
}

}  // namespace

std::string certificate_section(const Result& result) {
  if (result.kind() != run::Kind::posterior) return {};
  const JsonValue* certificate = result.json("certificate.json");
  if (certificate == nullptr) return result.draws().draws() == 0 ? "" : none(result.record());
  JsonObject json;
  json.text("verdict", text_in(*certificate, "verdict"))
      .number("tolerance", number_in(*certificate, "tolerance"));
  json.text("certified", text_in(*certificate, "certified"));
  json.text("advice", advice_for(text_in(*certificate, "verdict"), text_in(*certificate, "certified"),
                                 result.record()));
  json.raw("reasons", plain_strings(texts_in(*certificate, "reasons")));
  json.raw("notes", plain_strings(texts_in(*certificate, "notes")));
  json.text("not_proved", text_in(*certificate, "not_proved"));
  std::size_t count = 0;
  json.raw("parameters", parameters_json(*certificate, count));
  json.count("judged", count);
  if (const JsonValue* weights = certificate->find("weights");
      weights != nullptr && weights->object() != nullptr)
    json.raw("weights", JsonObject()
                            .text("proposal", text_in(*weights, "proposal"))
                            .number("khat", number_in(*weights, "khat"), 3)
                            .number("khat_limit", number_in(*weights, "khat_limit"), 3)
                            .number("ess", number_in(*weights, "ess"), 6)
                            .str());
  if (const JsonValue* cost = certificate->find("cost"); cost != nullptr)
    json.number("gradients", number_in(*cost, "gradients"), 12);
  return json.str();
}

}  // namespace kullback::report
