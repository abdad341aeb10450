// A model behind BridgeStan's interface: the library's program with its data. Immutable, used by any number
// of threads at once.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "capi/bridge/own_program.hpp"
#include "capi/spares.hpp"
#include "model/outputs.hpp"
#include "model/stan_model.hpp"

namespace kullback::capi {

// Which terms a log density has.
struct Terms {
  bool propto = true;  // without the constants that `~` drops
  bool jacobian = true;
};

// The blocks beside the parameters.
struct Parts {
  bool transformed = false;
  bool generated = false;
};

// A starting point: values of some parameters, the others at random.
struct Start {
  const char* json = nullptr;  // null or empty: none
  double radius = 2;           // coordinates uniform within it
  int max_tries = 100;
  bool jacobian = true;
};

// A log density of which each thread evaluates a clone.
class Evaluators final {
 public:
  explicit Evaluators(std::unique_ptr<model::StanModel> original) : original_(std::move(original)) {}

  std::unique_ptr<density::LogDensity> take(const double* theta);
  void give_back(std::unique_ptr<density::LogDensity> evaluator);

 private:
  std::mutex mutex_;  // of the original
  std::unique_ptr<model::StanModel> original_;
  Spares<density::LogDensity> spares_;
};

class BridgeModel final {
 public:
  // `data` is the path of a file that ends with ".json", JSON, or nothing (null or empty).
  BridgeModel(const OwnProgram& program, const char* data, unsigned seed);

  const std::string& name() const { return program_.name; }
  const std::string& info() const { return info_; }
  const std::string& names(Parts parts) const { return names_[place(parts)]; }
  const std::string& coordinate_names() const { return coordinate_names_; }
  int size(Parts parts) const { return sizes_[place(parts)]; }
  int dim() const { return static_cast<int>(prepared_->dim); }

  // All of these throw Error where the program or the values are refused, with the reason.
  void constrain(Parts parts, const double* theta, double* columns, Random* random) const;
  void unconstrain(const double* columns, double* theta) const;
  void unconstrain_json(const char* json, double* theta) const;
  // Where the density and its gradient are finite.
  void initialize(const Start& start, Random& random, double* theta) const;
  // Null: no gradient. A density that is not finite without being refused is returned as it is.
  double log_density(Terms terms, const double* theta, double* gradient) const;
  double log_density_hessian(Terms terms, const double* theta, double* gradient, double* hessian) const;
  double hessian_times(Terms terms, const double* theta, const double* v, double* product) const;

 private:
  struct Writer {
    explicit Writer(std::shared_ptr<const model::Prepared> prepared) : outputs(std::move(prepared)) {}
    model::Outputs outputs;
    std::vector<double> row;
  };

  static std::size_t place(Parts parts) {
    return (parts.transformed ? 1U : 0U) + (parts.generated ? 2U : 0U);
  }
  Evaluators& evaluators(Terms terms) const;
  std::string problem_at(Terms terms, const double* theta) const;  // empty where all is finite
  void print(Terms terms, const double* theta) const;
  void write(Writer& writer, Parts parts, const double* theta, Random* random) const;

  const OwnProgram& program_;
  std::shared_ptr<const model::Prepared> prepared_;
  std::string info_;
  std::array<std::string, 4> names_;
  std::array<int, 4> sizes_{};
  std::string coordinate_names_;
  std::size_t parameter_columns_ = 0;
  std::size_t generated_columns_begin_ = 0;
  std::vector<std::string> needed_;  // parameters that have numbers
  std::array<std::unique_ptr<Evaluators>, 4> evaluators_;
  mutable Spares<Writer> writers_;
};

}  // namespace kullback::capi
