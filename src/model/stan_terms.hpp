// The log density of a Stan program as a sum of terms.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "model/branches.hpp"
#include "tape/run/workspace.hpp"
#include "tape/terms/terms.hpp"

namespace kullback::model {

class StanTerms final : public density::Terms {
 public:
  // Traces the program; false where it rejects the point (the message says why).
  using Record = std::function<bool(tape::Builder&, const double* theta, std::string& message)>;

  StanTerms(std::size_t dim, Record record, tape::TermSplit split);

  std::size_t count() const override { return terms_.terms.size(); }
  std::span<const std::uint32_t> coordinates(std::size_t term) const override {
    return terms_.terms[term].coordinates;
  }
  // Where a comparison with parameters comes out so that the terms are others than these, or the program
  // rejects the point, all terms are NaN.
  void evaluate(std::size_t lanes, const double* theta, double* result) override;

 private:
  // The terms of another branch than that of the first point; without a workspace where they are others.
  struct Own {
    tape::TermTape terms;
    std::unique_ptr<tape::Workspace> workspace;
  };

  void evaluate_alone(std::size_t lanes, std::size_t lane, const double* theta, double* result);
  std::shared_ptr<Own> own_terms(const double* theta);
  bool has_same_coordinates(const tape::TermTape& own) const;

  std::size_t dim_;
  Record record_;
  tape::TermSplit split_;
  tape::TermTape terms_;
  std::vector<std::unique_ptr<tape::Workspace>> workspaces_;
  Branches<Own> branches_;
};

}  // namespace kullback::model
