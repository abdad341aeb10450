// The log density of a Stan program as log prior plus log likelihood.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/prepared.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

// A term of the target is likelihood where it is, or is computed from, the density of data: y ~ normal(...),
// target += normal_lpdf(y | ...), or a local variable that such densities went into. All else is prior, also
// a density of data that is written out by hand. Neither has Jacobians of constraints: both are densities of
// the constrained parameters, with their constants.
class LikelihoodSplit final : public tape::StatementHook {
 public:
  // The statements that add to the target.
  struct Part {
    Span span;
    bool is_likelihood = false;
  };

  explicit LikelihoodSplit(std::shared_ptr<const Prepared> prepared);

  const std::vector<Part>& parts() const { return parts_; }
  // At the unconstrained point theta. False where the program rejects it: both are NaN, and message() says
  // why.
  bool evaluate(const double* theta, double& log_prior, double& log_likelihood);
  const std::string& message() const { return message_; }

  bool take(const lang::Stmt& stmt) override;

 private:
  bool record(const double* theta);

  std::shared_ptr<const Prepared> prepared_;
  std::vector<Part> parts_;
  std::vector<const lang::Variable*> with_likelihood_;
  tape::Builder builder_;
  tape::Tracer* tracer_ = nullptr;   // while recording
  std::vector<bool> is_likelihood_;  // each term of the record
  bool recorded_ = false;
  std::string message_;
};

}  // namespace kullback::model
