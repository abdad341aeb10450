// A program and data given as text, as a StanModel.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "lang/front_end.hpp"
#include "model/stan_model.hpp"

namespace kullback::model {

struct LoadedModel {
  SourceMap sources;
  lang::Understood understood;
  std::unique_ptr<StanModel> model;
};

// Null, and a failure of the test, where the program has errors.
inline std::unique_ptr<LoadedModel> load_model(const std::string& program, const std::string& data = "{}",
                                               StanModelOptions options = {}) {
  auto loaded = std::make_unique<LoadedModel>();
  const FileId file = loaded->sources.add("model.stan", program);
  loaded->understood = lang::understand(loaded->sources, file, {.lint = false});
  if (!loaded->understood.program) {
    ADD_FAILURE() << program << loaded->understood.diagnostics.front().message;
    return nullptr;
  }
  loaded->model = std::make_unique<StanModel>(*loaded->understood.program, loaded->sources,
                                              parse_json_data(data, "data.json"), options);
  return loaded;
}

struct EvaluatedPoint {
  double log_density = 0;
  std::vector<double> gradient;
  density::Status status = density::Status::ok;
};

inline EvaluatedPoint evaluate_at(StanModel& model, const std::vector<double>& theta) {
  EvaluatedPoint point;
  point.gradient.resize(theta.size());
  model.evaluate({1, theta.data(), &point.log_density, point.gradient.data(), &point.status});
  return point;
}

}  // namespace kullback::model
