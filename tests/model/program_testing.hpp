// Programs given as text, evaluated at a point, and their gradients against finite differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "lang/front_end.hpp"
#include "model/data.hpp"
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
    ADD_FAILURE() << program << "\n" << loaded->understood.diagnostics.front().message;
    return nullptr;
  }
  loaded->model =
      std::make_unique<StanModel>(*loaded->understood.program, loaded->sources,
                                  parse_json_data(data, "test.json"), StanModelOptions{false, true});
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

inline std::vector<double> some_point(std::size_t dim) {
  std::vector<double> theta(dim);
  for (std::size_t i = 0; i < dim; ++i) theta[i] = 0.3 * std::sin(1.0 + 2.0 * static_cast<double>(i));
  return theta;
}

inline void expect_gradient(StanModel& model, const std::vector<double>& theta, const std::string& name,
                            double tolerance = 1e-7) {
  const Point at = evaluate(model, theta);
  ASSERT_EQ(at.status, density::Status::ok) << name << " " << model.message();
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double h = 1e-4;
    const auto shifted = [&](double step) {
      std::vector<double> moved = theta;
      moved[i] += step;
      return evaluate(model, moved).log_density;
    };
    const double slope = (8 * (shifted(h) - shifted(-h)) - (shifted(2 * h) - shifted(-2 * h))) / (12 * h);
    EXPECT_NEAR(at.gradient[i], slope, tolerance * (1 + std::abs(slope))) << name << " coordinate " << i;
  }
}

}  // namespace kullback::model::testing
