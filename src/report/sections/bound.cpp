#include <cmath>

#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kPoints = 600;

std::string fact(const run::RunRecord& record, std::string_view name) {
  const std::string* text = run::find_fact(record, name);
  return text == nullptr ? std::string() : *text;
}

// Evenly, with the last.
std::vector<double> thinned(const std::vector<double>& values) {
  if (values.size() <= kPoints) return values;
  std::vector<double> some;
  for (std::size_t k = 0; k < kPoints; ++k) some.push_back(values[k * (values.size() - 1) / (kPoints - 1)]);
  return some;
}

}  // namespace

// trace.csv, of any kind of result that has a column "bound" or "elbo".
std::string bound_section(const Result& result) {
  const NumberTable* trace = result.numbers("trace.csv");
  if (trace == nullptr || trace->find("start") != nullptr) return {};  // of several starts: starts.cpp
  const std::vector<double>* bound = trace->find("bound");
  if (bound == nullptr) bound = trace->find("elbo");
  if (bound == nullptr || bound->size() < 2) return {};
  const std::vector<double>* steps = trace->find("gradients");
  const bool has_gradients = steps != nullptr;
  if (!has_gradients) steps = &trace->values.front();
  JsonObject json;
  json.text("step", has_gradients ? "gradients" : trace->columns.front());
  json.raw("steps", json_numbers(thinned(*steps), 9)).raw("bound", json_numbers(thinned(*bound), 7));
  if (const std::vector<double>* error = trace->find("error"))
    json.raw("error", json_numbers(thinned(*error), 3));
  json.text("elbo", fact(result.record(), "elbo"))
      .text("elbo_error", fact(result.record(), "elbo standard error"));
  json.text("khat", fact(result.record(), "khat")).text("objective", fact(result.record(), "objective"));
  return json.str();
}

}  // namespace kullback::report
