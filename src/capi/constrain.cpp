// Between theta and the columns of a kb_model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "capi/guard.hpp"
#include "capi/model.hpp"
#include "infer/algorithm.hpp"
#include "model/columns.hpp"
#include "model/unconstrain.hpp"

using namespace kullback;
using namespace kullback::capi;

namespace {

constexpr std::size_t kBlocks = 3;

bool has_block(int parts, std::size_t block) { return (static_cast<unsigned>(parts) >> block & 1U) != 0; }

// The numbers of the chosen blocks; returns the place behind the last.
double* copy_blocks(const kb_model& model, int parts, const std::vector<double>& row, double* to) {
  for (std::size_t block = 0; block < kBlocks; ++block) {
    if (!has_block(parts, block)) continue;
    to = std::copy(row.begin() + static_cast<std::ptrdiff_t>(model.column_ends[block]),
                   row.begin() + static_cast<std::ptrdiff_t>(model.column_ends[block + 1]), to);
  }
  return to;
}

// A rejection leaves its block and later ones NaN: whether one that was asked for is among them.
bool is_missing(const kb_model& model, int parts, const std::vector<double>& row) {
  for (std::size_t block = kBlocks; block-- > 0;) {
    const std::size_t first = model.column_ends[block], end = model.column_ends[block + 1];
    if (!has_block(parts, block) || first == end) continue;
    return std::all_of(row.begin() + static_cast<std::ptrdiff_t>(first),
                       row.begin() + static_cast<std::ptrdiff_t>(end),
                       [](double x) { return std::isnan(x); });
  }
  return false;
}

std::string not_finite_text(const double* theta, std::size_t dim) {
  for (std::size_t i = 0; i < dim; ++i) {
    if (!std::isfinite(theta[i])) return fmt::format("coordinate {} of theta is {}.", i + 1, theta[i]);
  }
  return {};
}

// Empty, or why a column that was asked for is NaN.
std::string write_row(const kb_model& model, model::Outputs& outputs, const double* theta, int parts,
                      Random& random, std::vector<double>& row) {
  const std::string problem = not_finite_text(theta, model.prepared->dim);
  if (!problem.empty()) {
    std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
    return problem;
  }
  const bool is_written = (parts & ~KB_PARAMETERS) == 0 ? outputs.write_params(theta, row.data())
                                                        : outputs.write(theta, random, row.data());
  return is_written || !is_missing(model, parts, row) ? std::string() : outputs.message();
}

void constrain(kb_model& model, std::size_t points, const double* theta, int parts, std::uint64_t seed,
               double* columns) {
  std::unique_ptr<model::Outputs> outputs = model.outputs.take();
  if (!outputs) outputs = std::make_unique<model::Outputs>(model.prepared);
  std::vector<double> row(model.column_ends.back());
  std::string first_problem;
  for (std::size_t p = 0; p < points; ++p) {
    Random random(seed, 0, static_cast<std::uint32_t>(infer::Purpose::generated_quantities),
                  static_cast<std::uint32_t>(p));
    const std::string problem =
        write_row(model, *outputs, theta + p * model.prepared->dim, parts, random, row);
    if (first_problem.empty() && !problem.empty())
      first_problem = fmt::format("point {}: {}", p + 1, problem);
    columns = copy_blocks(model, parts, row, columns);
  }
  model.outputs.give_back(std::move(outputs));
  if (!first_problem.empty()) throw Failure(KB_NOT_FINITE, {first_problem, first_problem, ""});
}

void unconstrain_values(const kb_model& model, const char* text, double* theta) {
  model::Data values = model::parse_json_data(text, "values");
  for (const lang::Variable* parameter :
       model::declared_in(*model.program->understood.program, lang::BlockKind::parameters)) {
    if (values.find(parameter->name) == nullptr)
      throw Error(ErrorKind::bad_input,
                  fmt::format("values: the parameter '{}' is missing.", parameter->name),
                  "Every parameter needs a value; other names are left aside.");
  }
  const std::vector<double> none(model.prepared->dim);
  const model::Unconstrained point = model::unconstrain(*model.prepared, std::move(values), none);
  std::copy(point.theta.begin(), point.theta.end(), theta);
}

}  // namespace

kb_status kb_model_constrain(kb_model* model, size_t points, const double* theta, int parts, uint64_t seed,
                             double* columns, kb_error** error) {
  return guarded(error, [&] {
    require(model, "kb_model_constrain", "model");
    if (parts <= 0 || parts > KB_ALL)
      throw Error(ErrorKind::usage, fmt::format("kb_model_constrain: parts is {}.", parts),
                  "It is a sum of KB_PARAMETERS, KB_TRANSFORMED and KB_GENERATED.");
    if (points == 0 || kb_model_size(model, parts) == 0) return KB_OK;
    if (model->prepared->dim > 0) require(theta, "kb_model_constrain", "theta");
    require(columns, "kb_model_constrain", "columns");
    constrain(*model, points, theta, parts, seed, columns);
    return KB_OK;
  });
}

kb_status kb_model_unconstrain(kb_model* model, size_t points, const double* columns, double* theta,
                               kb_error** error) {
  return guarded(error, [&] {
    require(model, "kb_model_unconstrain", "model");
    const std::size_t dim = model->prepared->dim;
    if (points == 0 || dim == 0) return KB_OK;
    require(columns, "kb_model_unconstrain", "columns");
    require(theta, "kb_model_unconstrain", "theta");
    const std::size_t width = kb_model_size(model, KB_PARAMETERS);
    for (std::size_t p = 0; p < points; ++p) {
      const std::vector<double> point = model::unconstrain_columns(
          *model->prepared, columns + p * width, points == 1 ? "columns" : fmt::format("point {}", p + 1));
      std::copy(point.begin(), point.end(), theta + p * dim);
    }
    return KB_OK;
  });
}

kb_status kb_model_unconstrain_json(kb_model* model, const char* values, double* theta, kb_error** error) {
  return guarded(error, [&] {
    require(model, "kb_model_unconstrain_json", "model");
    require(values, "kb_model_unconstrain_json", "values");
    if (model->prepared->dim > 0) require(theta, "kb_model_unconstrain_json", "theta");
    unconstrain_values(*model, values, theta);
    return KB_OK;
  });
}
