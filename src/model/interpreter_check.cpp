#include "model/interpreter_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/place.hpp"
#include "base/random.hpp"
#include "model/finite_difference.hpp"
#include "model/prepared.hpp"
#include "tape/run/workspace.hpp"

namespace kullback::model {

namespace {

constexpr std::size_t kPointsNear = 2;
constexpr std::size_t kMostGuards = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Place = std::pair<FileId, std::uint32_t>;
using Sums = std::map<Place, std::pair<Span, double>>;  // what each statement adds to the density

Place place_of(Span span) { return {span.file, span.begin}; }

struct Interpreted {
  double log_density = -kInfinity;
  Sums statements;
};

Interpreted run(const Prepared& prepared, const std::vector<double>& theta, tape::TraceOptions options) {
  tape::Builder builder = prepared.builder;
  tape::Tracer tracer(prepared.program, prepared.sources, builder, options);
  tracer.set_values(prepared.values);
  tape::Ids free;
  for (const double number : theta) free.push_back(builder.constant(number));
  Interpreted result;
  try {
    tracer.declare_parameters(free);
    tracer.run(lang::BlockKind::transformed_parameters);
    tracer.run(lang::BlockKind::model);
  } catch (const tape::Rejection&) {
    return result;
  }
  result.log_density = 0;
  for (std::size_t t = 0; t < builder.target().size(); ++t) {
    const double number = builder.value(builder.target()[t]);
    const Span span = builder.target_spans()[t];
    result.statements.try_emplace(place_of(span), span, 0.0).first->second.second += number;
    result.log_density += number;
  }
  return result;
}

bool is_defined(double log_density) { return std::isfinite(log_density); }

// Where one of them has no density, so must the other.
double error_of(double tape, double interpreter) {
  if (!is_defined(tape) || !is_defined(interpreter))
    return is_defined(tape) == is_defined(interpreter) ? 0 : kInfinity;
  return std::abs(tape - interpreter) / (1 + std::abs(interpreter));
}

class Checker final {
 public:
  Checker(StanModel& model, tape::TraceOptions options, double tolerance)
      : model_(model), options_(options), tolerance_(tolerance) {}

  InterpreterCheck run(const std::vector<double>& theta) {
    Random random(1);
    std::vector<double> at = theta;
    for (std::size_t i = 0; i <= kPointsNear; ++i) {
      compare(at);
      compare_slopes(at, random);
      for (std::size_t j = 0; j < theta.size(); ++j) at[j] = theta[j] + random.uniform() - 0.5;
    }
    for (const std::vector<double>& point : points_beyond_guards(theta)) {
      compare(point);
      ++check_.beyond_guards;
    }
    return check_;
  }

 private:
  StanModel& model_;
  tape::TraceOptions options_;
  double tolerance_;
  InterpreterCheck check_;

  double evaluate(const std::vector<double>& theta, double* gradient) {
    double value = 0;
    density::Status status = density::Status::ok;
    model_.evaluate({1, theta.data(), &value, gradient, &status});
    return status == density::Status::ok ? value : -kInfinity;
  }

  double interpreted(const std::vector<double>& theta) const {
    return interpret(*model_.prepared(), theta, options_);
  }

  void compare(const std::vector<double>& theta) {
    ++check_.points;
    const double tape = evaluate(theta, nullptr);
    const Interpreted own = model::run(*model_.prepared(), theta, options_);
    const double error = error_of(tape, own.log_density);
    if (check_.points > 1 && error <= check_.worst_error) return;
    check_.worst_error = error;
    check_.tape = tape;
    check_.interpreter = own.log_density;
    check_.statement.clear();
    if (error > tolerance_) find_statement(theta, own.statements);
  }

  void compare_slopes(const std::vector<double>& theta, Random& random) {
    std::vector<double> gradient(theta.size());
    if (theta.empty() || !is_defined(evaluate(theta, gradient.data()))) return;
    // Every coordinate has a part in the direction, so that no coordinate's error can hide.
    std::vector<double> direction(theta.size());
    double slope = 0;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      direction[j] = (0.5 + random.uniform()) * (random.uniform() < 0.5 ? -1 : 1) /
                     std::sqrt(static_cast<double>(theta.size()));
      slope += direction[j] * gradient[j];
    }
    const auto along = [&](double step) {
      std::vector<double> moved = theta;
      for (std::size_t j = 0; j < theta.size(); ++j) moved[j] += step * direction[j];
      return interpreted(moved);
    };
    const double difference = difference_near(along, 0, slope);
    const double error = relative_error(slope, difference);
    if (!(error > check_.worst_slope_error) && !std::isnan(error)) return;
    check_.worst_slope_error = error;
    check_.slope = slope;
    check_.slope_difference = difference;
  }

  void find_statement(const std::vector<double>& theta, const Sums& statements) {
    tape::Builder builder;
    if (!model_.trace(theta.data(), builder)) return;
    Sums all = statements;
    for (const Span span : builder.target_spans()) all.try_emplace(place_of(span), span, 0.0);
    double worst = tolerance_;
    for (const auto& [place, part] : all) {
      const double tape = value_of(builder, place, theta);
      const double error = error_of(tape, part.second);
      if (!(error > worst)) continue;
      worst = error;
      check_.statement = place_text(model_.prepared()->sources, part.first);
      check_.statement_tape = tape;
      check_.statement_interpreter = part.second;
    }
  }

  static double density_of(const tape::Workspace& workspace) {
    double value = 0;
    workspace.log_density(&value);
    return value;
  }

  // A statement's own contribution, through all passes.
  static double value_of(tape::Builder builder, Place place, const std::vector<double>& theta) {
    std::vector<bool> kept;
    for (const Span span : builder.target_spans()) kept.push_back(place_of(span) == place);
    builder.keep_target(kept);
    tape::Workspace workspace(tape::compile(std::move(builder)), 1);
    return workspace.forward(theta.data()) ? density_of(workspace) : -kInfinity;
  }

  std::vector<std::vector<double>> points_beyond_guards(const std::vector<double>& theta) {
    tape::Builder builder;
    std::vector<std::vector<double>> points;
    if (theta.empty() || !model_.trace(theta.data(), builder)) return points;
    std::set<std::pair<tape::Id, tape::Id>> seen;
    for (const tape::Guard& guard : builder.guards()) {
      if (points.size() == kMostGuards) break;
      if (!seen.insert({guard.left, guard.right}).second) continue;
      if (auto point = beyond(builder, guard, theta)) points.push_back(std::move(*point));
    }
    return points;
  }

  // Newton's steps towards left = right, each a little too long, until the other side is reached.
  static std::optional<std::vector<double>> beyond(tape::Builder builder, const tape::Guard& guard,
                                                   std::vector<double> theta) {
    constexpr int kMostSteps = 8;
    constexpr double kTooLong = 1.1;
    builder.keep_target(std::vector<bool>(builder.target().size(), false));
    const std::array<tape::Id, 2> both{guard.left, guard.right};
    builder.add_target(builder.elementwise(*math::find_elementwise("subtract"), both));
    tape::Workspace workspace(tape::compile(std::move(builder)), 1);
    std::vector<double> gradient(theta.size());
    double before = 0;
    for (int step = 0; step < kMostSteps; ++step) {
      if (!workspace.forward(theta.data())) return {};
      const double gap = density_of(workspace);
      if (step > 0 && gap * before < 0) return theta;
      if (step == 0) before = gap;
      workspace.backward(gradient.data());
      double square = 0;
      for (const double slope : gradient) square += slope * slope;
      if (!(square > 0) || !std::isfinite(square) || !std::isfinite(gap)) return {};
      const double length = gap == 0 ? 0.1 / std::sqrt(square) : kTooLong * gap / square;
      for (std::size_t j = 0; j < theta.size(); ++j) theta[j] -= length * gradient[j];
    }
    return {};
  }
};

}  // namespace

double interpret(const Prepared& prepared, const std::vector<double>& theta, tape::TraceOptions options) {
  return run(prepared, theta, options).log_density;
}

InterpreterCheck check_against_interpreter(StanModel& model, const std::vector<double>& theta,
                                           tape::TraceOptions options, double tolerance) {
  return Checker(model, options, tolerance).run(theta);
}

}  // namespace kullback::model
