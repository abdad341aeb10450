#include "model/gradient_check.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "base/place.hpp"
#include "model/coordinate_names.hpp"
#include "model/finite_difference.hpp"
#include "tape/run/workspace.hpp"

namespace kullback::model {

namespace {

using Function = std::function<double(const std::vector<double>&)>;

double difference_near(const Function& f, std::vector<double> x, std::size_t i, double gradient) {
  const auto along = [&f, &x, i](double number) {
    x[i] = number;
    return f(x);
  };
  return model::difference_near(along, double{x[i]}, gradient);
}

// ---- statements ----

using Place = std::pair<FileId, std::uint32_t>;

Place place_of(Span span) { return {span.file, span.begin}; }

struct StatementFinder {
  StanModel& model;
  std::vector<double> theta;
  std::size_t coordinate;

  double value_of(Place place, const std::vector<double>& at) const {
    tape::Builder builder;
    if (!model.trace(at.data(), builder)) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (std::size_t t = 0; t < builder.target().size(); ++t) {
      if (place_of(builder.target_spans()[t]) == place) sum += builder.value(builder.target()[t]);
    }
    return sum;
  }

  double gradient_of(Place place, tape::Builder builder) const {
    std::vector<bool> kept;
    for (const Span span : builder.target_spans()) kept.push_back(place_of(span) == place);
    builder.keep_target(kept);
    tape::Workspace workspace(tape::compile(std::move(builder)), 1);
    if (!workspace.forward(theta.data())) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> gradient(theta.size());
    workspace.backward(gradient.data());
    return gradient[coordinate];
  }

  void run(GradientCheck& check, double tolerance) const {
    tape::Builder builder;
    if (!model.trace(theta.data(), builder)) return;
    std::map<Place, Span> statements;
    for (const Span span : builder.target_spans()) statements.try_emplace(place_of(span), span);
    double worst = tolerance;
    for (const auto& [place, span] : statements) {
      const double gradient = gradient_of(place, builder);
      const Function value = [&, at = place](const std::vector<double>& x) { return value_of(at, x); };
      const double difference = difference_near(value, theta, coordinate, gradient);
      const double error = relative_error(gradient, difference);
      if (error <= worst) continue;
      worst = error;
      check.statement = place_text(model.prepared()->sources, span);
      check.statement_gradient = gradient;
      check.statement_difference = difference;
    }
  }
};

// "theta[3]", or "mu" of a block of one.
std::string coordinate_name(const density::LogDensity& model, std::size_t coordinate) {
  for (const density::Block& block : model.blocks()) {
    if (coordinate < block.first || coordinate >= block.first + block.size) continue;
    return block.size == 1 ? block.name
                           : block.name + "[" + std::to_string(coordinate - block.first + 1) + "]";
  }
  return "coordinate " + std::to_string(coordinate + 1);
}

}  // namespace

GradientCheck check_gradient(density::LogDensity& model, const std::vector<double>& theta) {
  double value = 0;
  std::vector<double> gradient(theta.size());
  density::Status status = density::Status::ok;
  model.evaluate({1, theta.data(), &value, gradient.data(), &status});
  if (status != density::Status::ok) {
    throw Error(ErrorKind::bad_input,
                "the gradient cannot be checked where the density is not finite: " + model.message(),
                "Choose another point with --point.");
  }
  const Function density = [&](const std::vector<double>& x) {
    double at = 0;
    density::Status moved = density::Status::ok;
    model.evaluate({1, x.data(), &at, nullptr, &moved});
    return moved == density::Status::ok ? at : std::numeric_limits<double>::quiet_NaN();
  };
  GradientCheck check;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double difference = difference_near(density, theta, i, gradient[i]);
    const double error = relative_error(gradient[i], difference);
    if (i > 0 && error <= check.worst_error) continue;
    check.worst_error = error;
    check.coordinate = i;
    check.gradient = gradient[i];
    check.difference = difference;
    if (std::isnan(error)) break;
  }
  if (!theta.empty()) check.name = coordinate_name(model, check.coordinate);
  return check;
}

GradientCheck check_gradient(StanModel& model, const std::vector<double>& theta, double tolerance) {
  GradientCheck check = check_gradient(static_cast<density::LogDensity&>(model), theta);
  if (theta.empty()) return check;
  check.name = coordinate_names(*model.prepared())[check.coordinate];
  if (!(check.worst_error <= tolerance))
    StatementFinder{model, theta, check.coordinate}.run(check, tolerance);
  return check;
}

}  // namespace kullback::model
