// Programs given as text with their data, evaluated at points: what the tests of whole programs share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lang/front_end.hpp"
#include "model/stan_model.hpp"

namespace kullback::model::program_test {

// A model and all that must outlive it.
struct Loaded {
  SourceMap sources;
  lang::Understood understood;
  std::unique_ptr<StanModel> model;
};

// Null, and a failure of the test, where the program has errors.
inline std::unique_ptr<Loaded> load(const std::string& program, Data data, StanModelOptions options = {}) {
  auto loaded = std::make_unique<Loaded>();
  const FileId file = loaded->sources.add("model.stan", program);
  loaded->understood = lang::understand(loaded->sources, file, {.lint = false});
  if (!loaded->understood.program) {
    ADD_FAILURE() << program << "\n" << loaded->understood.diagnostics.front().message;
    return nullptr;
  }
  loaded->model = std::make_unique<StanModel>(*loaded->understood.program, loaded->sources, std::move(data),
                                              std::move(options));
  return loaded;
}

inline std::unique_ptr<Loaded> load(const std::string& program, const std::string& json = "{}",
                                    StanModelOptions options = {}) {
  return load(program, parse_json_data(json, "data.json"), std::move(options));
}

// A program of a table.
struct ProgramRow {
  const char* name;
  const char* program;
  const char* data = "{}";
};

// A function for a program's functions block: a sum with weights that are all different.
inline constexpr const char* kWeightedSum =
    "  real g(vector x) {\n"
    "    real s = 0;\n"
    "    for (i in 1:size(x)) s += sin(1.7 * i) * x[i];\n"
    "    return s;\n"
    "  }\n";

// ---- one draw ----

struct Point {
  double log_density = 0;
  std::vector<double> gradient;
  density::Status status = density::Status::ok;
};

inline Point evaluate(density::LogDensity& model, const std::vector<double>& theta) {
  Point point;
  point.gradient.resize(theta.size());
  model.evaluate({1, theta.data(), &point.log_density, point.gradient.data(), &point.status});
  return point;
}

inline std::vector<double> some_point(std::size_t dim) {
  std::vector<double> theta(dim);
  for (std::size_t i = 0; i < dim; ++i) theta[i] = 0.3 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  return theta;
}

// The gradient against finite differences of order 4.
inline void expect_gradient(StanModel& model, const std::vector<double>& theta, double tolerance,
                            const std::string& name, double step = 1e-3) {
  const Point at = evaluate(model, theta);
  ASSERT_EQ(at.status, density::Status::ok) << name << " " << model.message();
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const auto shifted = [&](double by) {
      std::vector<double> moved = theta;
      moved[i] += by;
      return evaluate(model, moved).log_density;
    };
    const double slope =
        (8 * (shifted(step) - shifted(-step)) - (shifted(2 * step) - shifted(-2 * step))) / (12 * step);
    EXPECT_NEAR(at.gradient[i], slope, tolerance * (1 + std::abs(slope))) << name << " coordinate " << i;
  }
}

// For densities without a solver's noise.
inline void expect_gradient(StanModel& model, const std::vector<double>& theta, const std::string& name) {
  expect_gradient(model, theta, 1e-7, name, 1e-4);
}

// ---- many draws ----

// Lanes innermost, as in density::Batch.
struct Evaluated {
  std::vector<double> log_density;
  std::vector<double> gradient;
  std::vector<density::Status> status;

  bool operator==(const Evaluated&) const = default;
};

inline Evaluated evaluate_lanes(density::LogDensity& model, const std::vector<double>& theta,
                                std::size_t lanes = 1) {
  Evaluated at{std::vector<double>(lanes), std::vector<double>(theta.size()),
               std::vector<density::Status>(lanes)};
  model.evaluate({lanes, theta.data(), at.log_density.data(), at.gradient.data(), at.status.data()});
  return at;
}

// Draws in lanes against draws alone.
inline void expect_lanes(StanModel& model, const std::vector<std::vector<double>>& draws) {
  const std::size_t lanes = draws.size();
  const std::size_t dim = draws.front().size();
  std::vector<double> theta(lanes * dim);
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t i = 0; i < dim; ++i) theta[i * lanes + k] = draws[k][i];
  }
  const Evaluated together = evaluate_lanes(model, theta, lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    const Point alone = evaluate(model, draws[k]);
    EXPECT_EQ(together.status[k], alone.status);
    EXPECT_NEAR(together.log_density[k], alone.log_density, 1e-12 * (1 + std::abs(alone.log_density)));
    for (std::size_t i = 0; i < dim; ++i) {
      EXPECT_NEAR(together.gradient[i * lanes + k], alone.gradient[i],
                  1e-10 * (1 + std::abs(alone.gradient[i])));
    }
  }
}

// ---- calls that are refused ----

struct RefusedCall {
  const char* call;
  const char* message;  // a part of it
};

// Each program is head + call + tail; the draw is rejected with the call's message and its place.
inline void expect_refused(const std::string& head, std::span<const RefusedCall> calls,
                           const std::string& tail, const std::vector<double>& theta) {
  const std::string place = head.find('\n') == std::string::npos ? "model.stan:1:" : "model.stan:";
  for (const RefusedCall& row : calls) {
    const auto loaded = load(head + row.call + tail);
    ASSERT_NE(loaded, nullptr) << row.call;
    EXPECT_EQ(evaluate(*loaded->model, theta).status, density::Status::rejected) << row.call;
    EXPECT_NE(loaded->model->message().find(row.message), std::string::npos)
        << row.call << ": " << loaded->model->message();
    EXPECT_NE(loaded->model->message().find(place), std::string::npos) << loaded->model->message();
  }
}

}  // namespace kullback::model::program_test
