// Central differences D(h) = (f(x + h) - f(x - h)) / 2h have the error c h^2 + O(h^4); Richardson's (4 D(h) -
// D(2h)) / 3 has O(h^4). The rounding error is eps |f| / h, so that the best step grows with |f|^(1/5); where
// steps disagree the best of them is taken, since a derivative that is right agrees with one of them.
#include "model/gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/error.hpp"
#include "base/place.hpp"
#include "model/coordinate_names.hpp"
#include "tape/workspace.hpp"

namespace kullback::model {

namespace {

using Function = std::function<double(const std::vector<double>&)>;

double richardson(const Function& f, std::vector<double> x, std::size_t i, double h) {
  const double center = x[i];
  const auto at = [&](double step) {
    x[i] = center + step;
    return f(x);
  };
  const double near = (at(h) - at(-h)) / (2 * h);
  const double far = (at(2 * h) - at(-2 * h)) / (4 * h);
  return (4 * near - far) / 3;
}

double relative_error(double gradient, double difference) {
  return std::abs(gradient - difference) / (1 + std::abs(gradient));
}

double first_step(double x, double value) {
  return 2e-4 * std::max(1.0, std::abs(x)) * std::clamp(std::pow(std::abs(value), 0.2), 1.0, 10.0);
}

// The difference, of four steps, that is nearest to the gradient: rounding spoils small ones where the
// density is ill conditioned (a Gaussian process with little jitter).
double difference_near(const Function& f, const std::vector<double>& x, std::size_t i, double gradient) {
  const double h = first_step(x[i], f(x));
  double best = std::numeric_limits<double>::quiet_NaN();
  for (const double factor : {1.0, 0.1, 5.0, 25.0}) {
    const double difference = richardson(f, x, i, factor * h);
    if (!(relative_error(gradient, best) <= relative_error(gradient, difference))) best = difference;
    if (relative_error(gradient, best) < 1e-9) break;
  }
  return best;
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
