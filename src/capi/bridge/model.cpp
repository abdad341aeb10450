// Clones share the tape of the original, which is evaluated until it has one: then all of them give the same
// bits.
#include "capi/bridge/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "capi/bridge/prints.hpp"
#include "capi/bridge/version.hpp"
#include "kullback_version.hpp"
#include "model/columns.hpp"
#include "model/coordinate_names.hpp"
#include "model/unconstrain.hpp"

namespace kullback::capi {

using density::Status;

namespace {

model::Data read_data(const char* data) {
  const std::string_view text = data != nullptr ? data : "";
  if (text.empty()) return model::Data();
  if (!text.ends_with(".json")) return model::parse_json_data(std::string(text), "data");
  return model::parse_json_data(read_file(std::string(text)), std::string(text));
}

std::string joined(const std::vector<std::string>& names, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) text += (i > first ? "," : "") + names[i];
  return text;
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "," + b;
}

// Programs look for STAN_THREADS: one model may be evaluated by several threads at once.
std::string info_text() {
  return fmt::format(
      "BridgeStan version: {}.{}.{} (the interface; no Stan C++ is inside)\n"
      "Kullback version: {}{}{}\n"
      "Stan version: 2.39 (the language)\n"
      "Stan C++ Defines:\n"
      "\tSTAN_THREADS=true\n\tSTAN_MPI=false\n\tSTAN_OPENCL=false\n\tSTAN_NO_RANGE_CHECKS=false\n"
      "\tBRIDGESTAN_AD_HESSIAN=false\n"
      "Stan Compiler Details:\n\tnone: the program is interpreted once and replayed\n",
      kInterfaceMajor, kInterfaceMinor, kInterfacePatch, kVersion, kGitHash[0] != '\0' ? " " : "", kGitHash);
}

std::vector<std::string> parameters_with_numbers(const model::Prepared& prepared) {
  tape::Builder builder = prepared.builder;
  tape::Tracer tracer(prepared.program, prepared.sources, builder);
  tracer.set_values(prepared.values);
  std::vector<std::string> names;
  for (const lang::Variable* variable : model::declared_in(prepared.program, lang::BlockKind::parameters)) {
    if (model::count_columns(tracer.unset(*variable->declared)) > 0) names.emplace_back(variable->name);
  }
  return names;
}

void require_finite(const double* numbers, std::size_t count, const char* what) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(numbers[i]))
      throw Error(ErrorKind::bad_input,
                  fmt::format("coordinate {} of {} is {}; it must be finite.", i + 1, what, numbers[i]));
  }
}

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::bad_input, message); }

double evaluate(density::LogDensity& density, const double* theta, double* gradient) {
  double value = 0;
  Status status = Status::ok;
  density.evaluate({1, theta, &value, gradient, &status});
  if (status == Status::rejected) refuse(density.message());
  return value;
}

}  // namespace

// ---- evaluators ----

std::unique_ptr<density::LogDensity> Evaluators::take(const double* theta) {
  if (std::unique_ptr<density::LogDensity> spare = spares_.take()) return spare;
  const std::lock_guard lock(mutex_);
  if (original_->tape() == nullptr) {
    double value = 0;
    Status status = Status::ok;
    original_->evaluate({1, theta, &value, nullptr, &status});
  }
  return original_->clone();
}

// One without a tape (its point was refused) is not worth keeping.
void Evaluators::give_back(std::unique_ptr<density::LogDensity> evaluator) {
  if (static_cast<const model::StanModel&>(*evaluator).tape() != nullptr)
    spares_.give_back(std::move(evaluator));
}

// ---- construction ----

BridgeModel::BridgeModel(const OwnProgram& program, const char* data, unsigned seed)
    : program_(program), info_(info_text()) {
  const tape::Printer printer = print_line;
  prepared_ = model::prepare(*program.program, program.sources, read_data(data), seed, &printer);
  auto writer = std::make_unique<Writer>(prepared_);
  const std::vector<std::string>& columns = writer->outputs.column_names();
  parameter_columns_ = writer->outputs.parameter_columns();
  generated_columns_begin_ = writer->outputs.generated_columns_begin();
  const std::string generated = joined(columns, generated_columns_begin_, columns.size());
  const auto count = [](std::size_t n) { return static_cast<int>(n); };
  names_[0] = joined(columns, 0, parameter_columns_);
  names_[1] = joined(columns, 0, generated_columns_begin_);
  names_[2] = joined(names_[0], generated);
  names_[3] = joined(names_[1], generated);
  sizes_ = {count(parameter_columns_), count(generated_columns_begin_),
            count(parameter_columns_ + columns.size() - generated_columns_begin_), count(columns.size())};
  writers_.give_back(std::move(writer));
  const std::vector<std::string> coordinates = model::coordinate_columns(*prepared_);
  coordinate_names_ = joined(coordinates, 0, coordinates.size());
  needed_ = parameters_with_numbers(*prepared_);
  for (std::size_t i = 0; i < evaluators_.size(); ++i) {
    const model::StanModelOptions options{
        .normalized = (i & 1U) != 0, .jacobian = (i & 2U) != 0, .seed = seed};
    evaluators_[i] = std::make_unique<Evaluators>(std::make_unique<model::StanModel>(prepared_, options));
  }
}

Evaluators& BridgeModel::evaluators(Terms terms) const {
  return *evaluators_[(terms.propto ? 0U : 1U) + (terms.jacobian ? 2U : 0U)];
}

// ---- parameters ----

void BridgeModel::write(Writer& writer, Parts parts, const double* theta, Random* random) const {
  model::Outputs& outputs = writer.outputs;
  const bool is_written = parts.generated     ? outputs.write(theta, *random, writer.row.data())
                          : parts.transformed ? outputs.write_transformed(theta, writer.row.data())
                                              : outputs.write_params(theta, writer.row.data());
  if (!is_written) refuse(outputs.message());
}

void BridgeModel::constrain(Parts parts, const double* theta, double* columns, Random* random) const {
  if (parts.generated && random == nullptr) refuse("include_gq=true but rng=nullptr");
  const Printing& printing = program_.printing;
  const bool runs = parts.transformed || parts.generated;
  if ((runs && printing.transformed_parameters) || (parts.generated && printing.generated_quantities))
    print_outputs(*prepared_, theta, parts.generated ? random : nullptr);
  std::unique_ptr<Writer> writer = writers_.take();
  if (!writer) writer = std::make_unique<Writer>(prepared_);
  writer->row.resize(static_cast<std::size_t>(size({true, true})));
  write(*writer, parts, theta, random);
  const double* row = writer->row.data();
  columns = std::copy_n(row, parts.transformed ? generated_columns_begin_ : parameter_columns_, columns);
  if (parts.generated) std::copy(row + generated_columns_begin_, row + writer->row.size(), columns);
  writers_.give_back(std::move(writer));
}

void BridgeModel::unconstrain(const double* columns, double* theta) const {
  const std::vector<double> found = model::unconstrain_columns(*prepared_, columns, "theta");
  std::copy(found.begin(), found.end(), theta);
}

void BridgeModel::unconstrain_json(const char* json, double* theta) const {
  model::Data values = model::parse_json_data(json, "theta_json");
  for (const std::string& name : needed_) {
    if (values.find(name) == nullptr) refuse(fmt::format("theta_json: the parameter '{}' is missing.", name));
  }
  const std::vector<double> none(prepared_->dim);
  const std::vector<double> found = model::unconstrain(*prepared_, std::move(values), none).theta;
  std::copy(found.begin(), found.end(), theta);
}

std::string BridgeModel::problem_at(Terms terms, const double* theta) const {
  std::vector<double> gradient(prepared_->dim);
  try {
    const double value = log_density(terms, theta, gradient.data());
    if (!std::isfinite(value)) return fmt::format("the log density is {}", value);
    require_finite(gradient.data(), gradient.size(), "the gradient");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    return error.message();
  }
  return {};
}

void BridgeModel::initialize(const Start& start, Random& random, double* theta) const {
  if (!(start.radius >= 0) || !std::isfinite(start.radius))
    refuse(fmt::format("init_radius is {}; it must be finite and not negative.", start.radius));
  if (start.max_tries < 1) refuse(fmt::format("max_tries is {}; it must be at least 1.", start.max_tries));
  const bool has_values = start.json != nullptr && *start.json != '\0';
  const model::Data values =
      has_values ? model::parse_json_data(start.json, "theta_json") : model::Data("theta_json");
  std::vector<double> point(prepared_->dim);
  std::string problem;
  for (int tried = 0; tried < start.max_tries; ++tried) {
    for (double& x : point) x = start.radius * (2 * random.uniform() - 1);
    const std::vector<double> found = model::unconstrain(*prepared_, values, point).theta;
    problem = problem_at({.propto = true, .jacobian = start.jacobian}, found.data());
    if (!problem.empty()) continue;
    std::copy(found.begin(), found.end(), theta);
    return;
  }
  refuse(fmt::format("no point with a finite density was found in {} tries. At the last one: {}",
                     start.max_tries, problem));
}

// ---- densities ----

void BridgeModel::print(Terms terms, const double* theta) const {
  if (program_.printing.transformed_parameters || program_.printing.model)
    print_density(*prepared_, theta, {.normalized = !terms.propto, .jacobian = terms.jacobian});
}

double BridgeModel::log_density(Terms terms, const double* theta, double* gradient) const {
  require_finite(theta, prepared_->dim, "theta_unc");
  print(terms, theta);
  std::unique_ptr<density::LogDensity> evaluator = evaluators(terms).take(theta);
  const double value = evaluate(*evaluator, theta, gradient);
  evaluators(terms).give_back(std::move(evaluator));
  return value;
}

// The product with each unit vector, made symmetric: differences of gradients are not, to the last digits.
double BridgeModel::log_density_hessian(Terms terms, const double* theta, double* gradient,
                                        double* hessian) const {
  const double value = log_density(terms, theta, gradient);
  const std::size_t n = prepared_->dim;
  if (!std::isfinite(value)) {
    std::fill_n(hessian, n * n, std::numeric_limits<double>::quiet_NaN());
    return value;
  }
  std::vector<double> unit(n * n);
  for (std::size_t i = 0; i < n; ++i) unit[i * n + i] = 1;
  std::unique_ptr<density::LogDensity> evaluator = evaluators(terms).take(theta);
  if (!evaluator->hessian_times(theta, n, unit.data(), hessian))
    refuse("the log density is not finite beside this point.");
  evaluators(terms).give_back(std::move(evaluator));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      hessian[i * n + j] = hessian[j * n + i] = (hessian[i * n + j] + hessian[j * n + i]) / 2;
  }
  return value;
}

double BridgeModel::hessian_times(Terms terms, const double* theta, const double* v, double* product) const {
  require_finite(v, prepared_->dim, "vector");
  const double value = log_density(terms, theta, nullptr);
  if (!std::isfinite(value)) {
    std::fill_n(product, prepared_->dim, std::numeric_limits<double>::quiet_NaN());
    return value;
  }
  std::unique_ptr<density::LogDensity> evaluator = evaluators(terms).take(theta);
  if (!evaluator->hessian_times(theta, 1, v, product))
    refuse("the log density is not finite beside this point.");
  evaluators(terms).give_back(std::move(evaluator));
  return value;
}

}  // namespace kullback::capi
