#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

// "eight_schools.stan given eight_schools.json"
std::string subject(const run::RunRecord& record) {
  const std::string data = record.data.empty() ? "" : file_name(record.data);
  if (record.program.empty()) return data;
  return fmt::format("{}{}{}", file_name(record.program), data.empty() ? "" : " given ", data);
}

std::string asked_of_posterior(const run::RunRecord& record) {
  const std::string tolerance = record.options.text("tolerance");
  if (record.method == "optimize") return "The most probable parameters of " + subject(record) + ".";
  const std::string posterior = "The posterior of " + subject(record);
  if (record.options.contains("ladder_chains"))
    return fmt::format(
        "{}, with every mean and standard deviation within {} posterior standard deviations, by the cheapest "
        "method that can be "
        "shown to get there.",
        posterior, tolerance);
  if (!tolerance.empty())
    return fmt::format(
        "{}, by {}, and whether every mean and standard deviation is within {} posterior standard "
        "deviations.",
        posterior, record.method, tolerance);
  return fmt::format("{}, by {}.", posterior, record.method);
}

std::string asked(const run::RunRecord& record) {
  if (record.kind == run::Kind::posterior) return asked_of_posterior(record);
  if (record.kind == run::Kind::simulation)
    return "Parameters and data drawn from the prior of " + subject(record) + ".";
  if (record.kind == run::Kind::predictions) return "Predictions of " + subject(record) + ".";
  return fmt::format("A fit of '{}' to {}{}.", run::name_of(record.kind), subject(record),
                     record.method.empty() ? "" : ", by " + record.method);
}

std::string with_commas(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string time_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string draws_text(const posterior::Posterior& draws) {
  if (draws.chains.size() > 1) return fmt::format("{} × {}", draws.chains.size(), with_commas(draws.draws()));
  return with_commas(draws.draws());
}

}  // namespace

std::string question_section(const Result& result) {
  const run::RunRecord& record = result.record();
  std::vector<std::string> facts;
  const auto add = [&facts](std::string_view name, const std::string& value) {
    if (!value.empty()) facts.push_back(JsonObject().text("name", name).text("value", value).str());
  };
  add("method", record.method);
  if (result.draws().draws() > 1)
    add(result.draws().chains.size() > 1 ? "chains × draws" : "draws", draws_text(result.draws()));
  if (record.parameters > 0) add("parameters", with_commas(record.parameters));
  if (record.gradients > 0) add("gradients", with_commas(record.gradients));
  if (record.seconds > 0) add("time", time_text(record.seconds));
  add("seed", std::to_string(record.seed));
  add("status", record.status);
  return JsonObject().text("asked", asked(record)).raw("facts", json_array(facts)).str();
}

}  // namespace kullback::report
