#include "report/telling.hpp"

#include <algorithm>
#include <cmath>

#include "posterior/finding_parts.hpp"
#include "posterior/posterior.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kNames = 3;
constexpr std::size_t kSearched = 500;  // columns: each takes a sort
constexpr double kNotable = 4;  // standard deviations of Mann and Whitney's statistic, as in the findings

void take(std::vector<std::string>& names, const std::string& name) {
  if (names.size() < kNames && std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

void take_separating(const posterior::Posterior& draws, std::vector<std::string>& names) {
  std::vector<char> chosen;
  for (const double flag : draws.stat("divergent__")) chosen.push_back(flag != 0);
  if (std::count(chosen.begin(), chosen.end(), 1) < 5) return;
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t i = 0; i < std::min(draws.parameters, kSearched); ++i) {
    const double z = std::abs(posterior::separation(draws.column(i), chosen).z);
    if (z > kNotable) found.emplace_back(-z, i);
  }
  std::sort(found.begin(), found.end());
  for (const auto& [z, i] : found) take(names, posterior::display_name(draws.names[i]));
}

void take_disagreeing(const std::vector<posterior::SummaryRow>& rows, std::vector<std::string>& names) {
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name != "lp__" && rows[i].rhat && *rows[i].rhat > 1.01) found.emplace_back(-*rows[i].rhat, i);
  std::sort(found.begin(), found.end());
  for (const auto& [rhat, i] : found) take(names, rows[i].name);
}

}  // namespace

std::vector<std::string> telling_names(const Result& result) {
  std::vector<std::string> names;
  const posterior::Posterior& draws = result.draws();
  take_separating(draws, names);
  take_disagreeing(result.rows(), names);
  const auto take_columns = [&](std::size_t end) {
    const std::vector<std::string> columns(draws.names.begin(),
                                           draws.names.begin() + static_cast<std::ptrdiff_t>(end));
    for (const posterior::Variable& variable : posterior::find_variables(columns))
      take(names, posterior::display_name(columns[variable.first]));
    for (const std::string& column : columns) take(names, posterior::display_name(column));
  };
  take_columns(std::min(draws.parameters, draws.names.size()));
  take_columns(draws.names.size());
  return names;
}

}  // namespace kullback::report
