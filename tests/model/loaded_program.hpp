// A Stan program with its data and all that must outlive the model.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "lang/front_end.hpp"
#include "model/stan_model.hpp"

namespace kullback::model::program_test {

struct LoadedModel {
  SourceMap sources;
  lang::Understood understood;
  std::unique_ptr<StanModel> model;
};

inline std::unique_ptr<LoadedModel> load_model(const std::string& program, Data data,
                                               StanModelOptions options = {}) {
  auto loaded = std::make_unique<LoadedModel>();
  const FileId file = loaded->sources.add("test.stan", program);
  lang::FrontEndOptions front_end;
  front_end.lint = false;
  loaded->understood = lang::understand(loaded->sources, file, front_end);
  if (!loaded->understood.program) {
    ADD_FAILURE() << program << loaded->understood.diagnostics.front().message;
    return nullptr;
  }
  loaded->model =
      std::make_unique<StanModel>(*loaded->understood.program, loaded->sources, std::move(data), options);
  return loaded;
}

inline std::unique_ptr<LoadedModel> load_model(const std::string& program, const std::string& json = "{}",
                                               StanModelOptions options = {}) {
  return load_model(program, parse_json_data(json, "test.json"), options);
}

struct Evaluated {
  std::vector<double> log_density;
  std::vector<double> gradient;
  std::vector<density::Status> status;

  bool operator==(const Evaluated&) const = default;
};

inline Evaluated evaluate_at(density::LogDensity& model, const std::vector<double>& theta,
                             std::size_t lanes = 1) {
  Evaluated at{std::vector<double>(lanes), std::vector<double>(theta.size()),
               std::vector<density::Status>(lanes)};
  model.evaluate({lanes, theta.data(), at.log_density.data(), at.gradient.data(), at.status.data()});
  return at;
}

}  // namespace kullback::model::program_test
