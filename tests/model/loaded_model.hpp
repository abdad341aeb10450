// A program text and data as a model, for tests of whole programs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lang/front_end.hpp"
#include "model/stan_model.hpp"

namespace kullback::model::testing {

struct Loaded {
  SourceMap sources;
  lang::Understood understood;
  std::unique_ptr<StanModel> model;
};

inline std::unique_ptr<Loaded> load(const std::string& program, const std::string& data = "{}") {
  auto loaded = std::make_unique<Loaded>();
  const FileId file = loaded->sources.add("test.stan", program);
  loaded->understood = lang::understand(loaded->sources, file, {.lint = false});
  if (!loaded->understood.program) {
    ADD_FAILURE() << program << loaded->understood.diagnostics.front().message;
    return nullptr;
  }
  loaded->model = std::make_unique<StanModel>(*loaded->understood.program, loaded->sources,
                                              parse_json_data(data, "test.json"), StanModelOptions{});
  return loaded;
}

struct Point {
  double log_density = 0;
  std::vector<double> gradient;
  density::Status status = density::Status::ok;
};

inline Point evaluate(StanModel& model, const std::vector<double>& theta) {
  Point point;
  point.gradient.resize(theta.size());
  model.evaluate({1, theta.data(), &point.log_density, point.gradient.data(), &point.status});
  return point;
}

// The gradient against finite differences of order 4.
inline void expect_gradient(StanModel& model, const std::vector<double>& theta, double tolerance,
                            const std::string& name) {
  const Point at = evaluate(model, theta);
  ASSERT_EQ(at.status, density::Status::ok) << name << " " << model.message();
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double h = 1e-3;
    const auto shifted = [&](double step) {
      std::vector<double> moved = theta;
      moved[i] += step;
      return evaluate(model, moved).log_density;
    };
    const double slope = (8 * (shifted(h) - shifted(-h)) - (shifted(2 * h) - shifted(-2 * h))) / (12 * h);
    EXPECT_NEAR(at.gradient[i], slope, tolerance * (1 + std::abs(slope))) << name << " coordinate " << i;
  }
}

// Draws in lanes against draws alone.
inline void expect_lanes(StanModel& model, const std::vector<std::vector<double>>& draws) {
  const std::size_t lanes = draws.size();
  const std::size_t dim = draws.front().size();
  std::vector<double> theta(lanes * dim);
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t i = 0; i < dim; ++i) theta[i * lanes + k] = draws[k][i];
  }
  std::vector<double> log_density(lanes);
  std::vector<double> gradient(lanes * dim);
  std::vector<density::Status> status(lanes);
  model.evaluate({lanes, theta.data(), log_density.data(), gradient.data(), status.data()});
  for (std::size_t k = 0; k < lanes; ++k) {
    const Point alone = evaluate(model, draws[k]);
    EXPECT_EQ(status[k], alone.status);
    EXPECT_NEAR(log_density[k], alone.log_density, 1e-12 * (1 + std::abs(alone.log_density)));
    for (std::size_t i = 0; i < dim; ++i)
      EXPECT_NEAR(gradient[i * lanes + k], alone.gradient[i], 1e-10 * (1 + std::abs(alone.gradient[i])));
  }
}

}  // namespace kullback::model::testing
