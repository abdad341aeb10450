// Models and fits of the C interface that free themselves, for tests.
#pragma once

#include <gtest/gtest.h>
#include <kullback.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"

namespace kullback::capi_test {

struct FreeModel {
  void operator()(kb_model* model) const { kb_model_free(model); }
};
struct FreeFit {
  void operator()(kb_fit* fit) const { kb_fit_free(fit); }
};
using Model = std::unique_ptr<kb_model, FreeModel>;
using Fit = std::unique_ptr<kb_fit, FreeFit>;

// What a call said; empty where it said nothing.
struct Told {
  std::string text;
  std::string message;
  std::string hint;
};

inline Told take(kb_error* error) {
  Told told{kb_error_text(error), kb_error_message(error), kb_error_hint(error)};
  kb_error_free(error);
  return told;
}

inline Model make_model(const std::string& program, const std::string& data = {},
                        const char* options = nullptr) {
  kb_model* model = nullptr;
  kb_error* error = nullptr;
  const kb_status status = kb_model_new(program.c_str(), "model.stan", data.c_str(), options, &model, &error);
  EXPECT_EQ(status, KB_OK) << take(error).text;
  return Model(model);
}

inline std::string example(const std::string& name) {
  return read_file(std::filesystem::path(KULLBACK_SOURCE_DIR) / "examples" / name);
}

inline Model eight_schools() {
  return make_model(example("eight_schools.stan"), example("eight_schools.json"));
}

inline Fit run_fit(const Model& model, const std::string& options) {
  kb_fit* fit = nullptr;
  kb_error* error = nullptr;
  const kb_status status = kb_fit_run(model.get(), options.c_str(), nullptr, nullptr, &fit, &error);
  EXPECT_EQ(status, KB_OK) << take(error).text;
  return Fit(fit);
}

inline std::vector<double> all_draws(const Fit& fit) {
  std::vector<double> draws(kb_fit_chains(fit.get()) * kb_fit_draws(fit.get()) * kb_fit_columns(fit.get()));
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_columns_copy(fit.get(), 0, kb_fit_columns(fit.get()), draws.data(), &error), KB_OK);
  return draws;
}

// A folder that goes with the object.
class Scratch final {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "kullback-capi-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kullback::capi_test
