#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "report/live/run_state.hpp"

namespace kullback::report {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostValues = 512;

double number_of(const std::string& field) {
  double number = std::numeric_limits<double>::quiet_NaN();
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size()
             ? number
             : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',')
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

std::vector<double> thinned(const std::vector<double>& values) {
  const std::size_t stride = (values.size() + kMostValues - 1) / kMostValues;
  if (stride < 2) return values;
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); i += stride) kept.push_back(values[i]);
  return kept;
}

RunPart part_of(std::string name, std::string value_name, const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  return {.name = std::move(name),
          .done = count,
          .total = count,
          .value_name = std::move(value_name),
          .values = thinned(values)};
}

// Small tables of numbers, column by column.
using Table = std::map<std::string, std::vector<double>>;

Table read_table(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  Table table;
  if (!std::getline(file, line)) return table;
  const std::vector<std::string> head = fields_of(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fields_of(line);
    for (std::size_t c = 0; c < head.size() && c < fields.size(); ++c)
      table[head[c]].push_back(number_of(fields[c]));
  }
  return table;
}

// lp__ is the first column of Stan's CSV files.
std::vector<double> log_densities(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::vector<double> values;
  bool has_head = false;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') continue;
    const std::string first = line.substr(0, line.find(','));
    if (has_head)
      values.push_back(number_of(first));
    else if (first != "lp__")
      return {};
    has_head = true;
  }
  return values;
}

void add_trace(const fs::path& path, std::vector<RunPart>& parts) {
  const Table table = read_table(path);
  if (const auto bound = table.find("bound"); bound != table.end())
    parts.push_back(part_of("steps", "bound", bound->second));
  const auto elbo = table.find("elbo");
  const auto start = table.find("start");
  if (elbo == table.end() || start == table.end()) return;
  std::map<double, std::vector<double>> by_start;
  for (std::size_t i = 0; i < std::min(elbo->second.size(), start->second.size()); ++i)
    if (std::isfinite(start->second[i])) by_start[start->second[i]].push_back(elbo->second[i]);
  for (const auto& [number, values] : by_start)
    parts.push_back(part_of(fmt::format("start {}", number), "bound", values));
}

void add_training(const fs::path& path, std::vector<RunPart>& parts) {
  const Table table = read_table(path);
  const auto loss = table.find("loss");
  if (loss == table.end()) return;
  parts.push_back(part_of("epochs", "loss", loss->second));
  const auto held_out = table.find("held_out");
  if (held_out == table.end()) return;
  std::vector<double> known;
  for (const double value : held_out->second)
    if (std::isfinite(value)) known.push_back(value);
  if (known.empty()) return;
  RunPart part = part_of("held out", "figure", known);
  part.done = part.total = 0;
  parts.push_back(std::move(part));
}

void add_chains(const fs::path& folder, std::vector<RunPart>& parts) {
  std::error_code none;
  for (std::size_t chain = 1;; ++chain) {
    const fs::path path = folder / fmt::format("chain-{}.csv", chain);
    if (!fs::exists(path, none)) return;
    const std::vector<double> values = log_densities(path);
    if (!values.empty()) parts.push_back(part_of(fmt::format("chain {}", chain), "lp__", values));
  }
}

}  // namespace

std::vector<RunPart> finished_parts(const fs::path& folder) {
  std::vector<RunPart> parts;
  add_trace(folder / "trace.csv", parts);
  if (parts.empty()) add_training(folder / "training.csv", parts);
  if (parts.empty()) add_chains(folder, parts);
  return parts;
}

}  // namespace kullback::report
