// A log density that any number of threads evaluate at once, with points one after another.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capi/kullback.h"
#include "capi/spares.hpp"
#include "model/stan_model.hpp"

namespace kullback::capi {

struct Points {
  std::size_t count = 0;
  const double* theta = nullptr;  // [count][dim]
  double* log_density = nullptr;  // [count]
  double* gradient = nullptr;     // [count][dim], or null
  kb_status* status = nullptr;    // [count], or null
};

class SharedDensity final {
 public:
  explicit SharedDensity(std::unique_ptr<model::StanModel> original);

  std::size_t dim() const { return dim_; }
  void evaluate(const Points& points);
  // H v for `count` directions, rows of v. False where the density is not finite there.
  bool hessian_times(const double* theta, std::size_t count, const double* v, double* result);
  // Why the density is not finite at a point; empty where it is.
  std::string why_not_finite(const double* theta);

 private:
  struct Evaluator {
    std::unique_ptr<model::StanModel> density;
    std::size_t lanes = 1;         // that are worth being evaluated together
    std::vector<double> theta;     // lanes innermost
    std::vector<double> gradient;  // likewise
    std::vector<density::Status> status;
  };

  std::unique_ptr<Evaluator> take(const double* theta, std::size_t points);
  void give_back(std::unique_ptr<Evaluator> evaluator);
  void trace_at(const double* theta, std::size_t points);
  void evaluate_one(density::LogDensity& density, const Points& points, std::size_t point) const;
  void evaluate_block(Evaluator& evaluator, const Points& points, std::size_t first, std::size_t lanes) const;

  std::size_t dim_;
  std::mutex mutex_;  // of the original
  std::unique_ptr<model::StanModel> original_;
  Spares<Evaluator> spares_;
};

}  // namespace kullback::capi
