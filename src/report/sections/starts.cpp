// The bound of a conjugate fit pass by pass, of each start.
#include <algorithm>
#include <cmath>
#include <map>

#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kMostStarts = 50;
constexpr std::size_t kPoints = 300;

struct Start {
  std::vector<double> passes, bounds;
};

std::vector<double> thinned(const std::vector<double>& values) {
  if (values.size() <= kPoints) return values;
  std::vector<double> some;
  for (std::size_t k = 0; k < kPoints; ++k) some.push_back(values[k * (values.size() - 1) / (kPoints - 1)]);
  return some;
}

}  // namespace

std::string starts_section(const Result& result) {
  const NumberTable* trace = result.numbers("trace.csv");
  if (trace == nullptr) return {};
  const auto *start = trace->find("start"), *pass = trace->find("pass"), *elbo = trace->find("elbo");
  if (start == nullptr || pass == nullptr || elbo == nullptr) return {};
  std::map<double, Start> by_number;
  for (std::size_t i = 0; i < start->size(); ++i) {
    if (!std::isfinite((*start)[i])) continue;
    Start& one = by_number[(*start)[i]];
    one.passes.push_back((*pass)[i]);
    one.bounds.push_back((*elbo)[i]);
  }
  std::vector<std::string> made;
  for (const auto& [number, one] : by_number) {
    if (made.size() == kMostStarts) break;
    made.push_back(JsonObject()
                       .number("start", number)
                       .raw("passes", json_numbers(thinned(one.passes)))
                       .raw("bounds", json_numbers(thinned(one.bounds), 9))
                       .str());
  }
  if (made.empty()) return {};
  return JsonObject().count("starts_in_all", by_number.size()).raw("starts", json_array(made)).str();
}

}  // namespace kullback::report
