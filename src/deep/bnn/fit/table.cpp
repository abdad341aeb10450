#include "deep/bnn/fit/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/filled.hpp"
#include "base/json.hpp"
#include "data/source.hpp"

namespace kullback::deep {

namespace {

data::SourceRequest source_request(const TableRequest& request, bool target_is_category) {
  data::SourceRequest source;
  source.paths = request.paths;
  source.takes_missing = true;
  source.takes_categories = true;
  source.only_text_is_category = true;
  source.target = request.target;
  source.target_is_category = target_is_category;
  source.ignored = request.ignored;
  source.like = request.like;
  return source;
}

Table take_all(data::Source& source, bool keeps_rows_without_target) {
  const data::Batch& batch = *source.in_memory();
  Table table{.shape = source.shape(), .cells = {}};
  table.cells.reserve(batch.values.size());
  for (std::size_t row = 0; row < batch.units; ++row) {
    const std::span<const double> cells = batch.row(row);
    if (std::isnan(cells.back()) && !keeps_rows_without_target) {
      ++table.without_target;
      continue;
    }
    table.cells.insert(table.cells.end(), cells.begin(), cells.end());
    ++table.rows;
  }
  return table;
}

bool has_two_values(const Table& table) {
  std::set<double> values;
  for (std::size_t row = 0; row < table.rows && values.size() < 3; ++row) {
    values.insert(table.target(row));
    if (table.target(row) != std::trunc(table.target(row))) return false;
  }
  return values.size() == 2;
}

[[noreturn]] void refuse_target(const TableRequest& request, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input,
              filled("{}: the target '{}' {}.", request.paths.front().string(), request.target, what),
              std::move(hint));
}

void check_target(const TableRequest& request, const Table& table) {
  if (table.rows == 0) refuse_target(request, "is missing in all rows", "Give rows with a target.");
  const std::vector<std::string>& classes = table.shape.levels.back();
  if (!classes.empty() && request.kind == TableRequest::Target::number)
    refuse_target(request, "has text, but a number is needed",
                  "Leave --likelihood away, or give --likelihood categorical, for classes.");
  if (classes.size() == 1)
    refuse_target(request,
                  filled("has one class only, '{}': there is nothing to tell apart", classes.front()),
                  "Give rows of at least two classes.");
  const auto is_first = [&](std::size_t row) { return table.target(row) == table.target(0); };
  bool varies = false;
  for (std::size_t row = 0; row < table.rows && !varies; ++row) varies = !is_first(row);
  if (!varies)
    refuse_target(request, filled("is {} in all rows: there is nothing to learn", table.target(0)),
                  "Give rows in which it varies.");
}

void learn_numbers(InputColumn& column, const Table& table, std::size_t index,
                   const std::vector<std::size_t>& rows) {
  double sum = 0, squares = 0, count = 0;
  for (const std::size_t row : rows) {
    const double value = table.at(row, index);
    if (std::isnan(value)) continue;
    ++count;
    const double off = value - sum;
    sum += off / count;  // the running mean (Welford)
    squares += off * (value - sum);
  }
  column.mean = column.fill = sum;
  const double sd = count > 0 ? std::sqrt(squares / count) : 0;
  column.sd = sd > 1e-12 * std::fabs(sum) && sd > 0 ? sd : 1;
}

void learn_levels(InputColumn& column, const Table& table, std::size_t index,
                  const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> counts(column.levels.size());
  for (const std::size_t row : rows) {
    const double value = table.at(row, index);
    if (!std::isnan(value)) ++counts[static_cast<std::size_t>(value)];
  }
  column.fill = static_cast<double>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

}  // namespace

Table read_table(const TableRequest& request) {
  const bool is_new = request.like == nullptr;
  auto source =
      data::open_source(source_request(request, is_new && request.kind == TableRequest::Target::category));
  Table table = take_all(*source, !is_new);
  if (!is_new) return table;
  if (request.kind == TableRequest::Target::either && table.shape.levels.back().empty() &&
      has_two_values(table)) {
    source = data::open_source(source_request(request, true));
    table = take_all(*source, false);
  }
  check_target(request, table);
  return table;
}

std::int64_t Preparation::inputs() const {
  std::int64_t sum = 0;
  for (const InputColumn& column : columns) sum += column.inputs();
  return sum;
}

data::Shape Preparation::shape() const {
  data::Shape shape{.columns = columns.size() + 1};
  for (const InputColumn& column : columns) {
    shape.names.push_back(column.name);
    shape.levels.push_back(column.levels);
  }
  shape.names.push_back(target);
  shape.levels.push_back(classes);
  return shape;
}

Preparation prepare(const Table& table, const std::vector<std::size_t>& rows) {
  Preparation result;
  const std::size_t inputs = table.shape.columns - 1;
  for (std::size_t i = 0; i < inputs; ++i) {
    InputColumn column{.name = table.shape.names[i], .levels = table.shape.levels[i]};
    column.has_indicator =
        std::any_of(rows.begin(), rows.end(), [&](std::size_t row) { return std::isnan(table.at(row, i)); });
    column.levels.empty() ? learn_numbers(column, table, i, rows) : learn_levels(column, table, i, rows);
    result.columns.push_back(std::move(column));
  }
  result.target = table.shape.names.back();
  result.classes = table.shape.levels.back();
  if (result.is_classification()) return result;
  InputColumn target;
  learn_numbers(target, table, inputs, rows);
  result.target_mean = target.mean;
  result.target_sd = target.sd;
  return result;
}

torch::Tensor Preparation::x(const Table& table, const std::vector<std::size_t>& rows) const {
  torch::Tensor result = torch::zeros({static_cast<std::int64_t>(rows.size()), inputs()}, torch::kFloat64);
  auto* cell = result.data_ptr<double>();
  for (const std::size_t row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const InputColumn& column = columns[i];
      const double found = table.at(row, i), value = std::isnan(found) ? column.fill : found;
      if (column.levels.empty()) {
        cell[0] = (value - column.mean) / column.sd;
      } else {
        cell[static_cast<std::size_t>(value)] = 1;
      }
      if (column.has_indicator && std::isnan(found)) cell[column.inputs() - 1] = 1;
      cell += column.inputs();
    }
  }
  return result;
}

torch::Tensor Preparation::y(const Table& table, const std::vector<std::size_t>& rows) const {
  torch::Tensor result = torch::zeros({static_cast<std::int64_t>(rows.size())}, torch::kFloat64);
  auto* cell = result.data_ptr<double>();
  for (const std::size_t row : rows) *cell++ = (table.target(row) - target_mean) / target_sd;
  return is_classification() ? result.to(torch::kInt64) : result;
}

std::string to_json(const Preparation& preparation, const std::string& indent) {
  std::string text = "{\n" + indent + "  \"columns\": [";
  for (const InputColumn& column : preparation.columns) {
    text += (text.back() == '[' ? "\n" : ",\n") + indent + "    {\"name\": " + json_string(column.name);
    if (column.levels.empty()) {
      text += ", \"mean\": " + number_text(column.mean) + ", \"sd\": " + number_text(column.sd);
    } else {
      text += ", \"levels\": " + json_texts(column.levels);
    }
    text += ", \"fill\": " + number_text(column.fill) +
            ", \"has_indicator\": " + (column.has_indicator ? "true" : "false") + "}";
  }
  text +=
      "\n" + indent + "  ],\n" + indent + "  \"target\": " + json_string(preparation.target) + ",\n" + indent;
  if (preparation.is_classification()) {
    text += "  \"classes\": " + json_texts(preparation.classes);
  } else {
    text += "  \"target_mean\": " + number_text(preparation.target_mean) + ",\n" + indent +
            "  \"target_sd\": " + number_text(preparation.target_sd);
  }
  return text + "\n" + indent + "}";
}

Preparation read_preparation(const JsonFields& json) {
  Preparation result;
  for (const JsonFields& column : json.objects("columns")) {
    InputColumn& read = result.columns.emplace_back();
    read.name = column.text("name");
    if (column.has("levels")) {
      read.levels = column.texts("levels");
    } else {
      read.mean = column.number("mean");
      read.sd = column.number("sd");
    }
    read.fill = column.number("fill");
    const bool is_level = read.fill >= 0 && read.fill < static_cast<double>(read.levels.size());
    if (!read.levels.empty() && !is_level) column.refuse("fill", "the number of a level");
    read.has_indicator = column.flag("has_indicator");
  }
  result.target = json.text("target");
  if (json.has("classes")) {
    result.classes = json.texts("classes");
  } else {
    result.target_mean = json.number("target_mean");
    result.target_sd = json.number("target_sd");
  }
  return result;
}

}  // namespace kullback::deep
