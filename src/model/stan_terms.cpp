#include "model/stan_terms.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"

namespace kullback::model {

namespace {

constexpr int kMostPoints = 50;

void read_terms(const tape::TermTape& terms, const tape::Workspace& from, std::size_t lane, double* result,
                std::size_t lanes) {
  for (std::size_t t = 0; t < terms.terms.size(); ++t) {
    const tape::Term& term = terms.terms[t];
    double sum = term.constant;
    for (const tape::Term::Part& part : term.parts) sum += part.weight * from.values(part.slot)[lane];
    result[t * lanes] = sum;
  }
}

}  // namespace

StanTerms::StanTerms(std::size_t dim, Record record, tape::TermSplit split)
    : dim_(dim), record_(std::move(record)), split_(split) {
  std::vector<double> theta(dim, 0.0);
  Random random(0);
  std::string message;
  for (int i = 0; i < kMostPoints; ++i) {
    tape::Builder builder;
    if (record_(builder, theta.data(), message)) {
      terms_ = tape::compile_terms(builder, split_);
      return;
    }
    for (double& x : theta) x = 4 * random.uniform() - 2;
  }
  throw Error(ErrorKind::bad_input, "terms: the program rejects every point that was tried. " + message);
}

void StanTerms::evaluate(std::size_t lanes, const double* theta, double* result) {
  tape::Workspace* workspace = nullptr;
  for (const auto& known : workspaces_) {
    if (known->lanes() == lanes) workspace = known.get();
  }
  if (workspace == nullptr) {
    workspaces_.push_back(std::make_unique<tape::Workspace>(terms_.tape, lanes));
    workspace = workspaces_.back().get();
  }
  const bool all = workspace->forward(theta);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (all && workspace->guards_hold(lane)) {
      read_terms(terms_, *workspace, lane, result + lane, lanes);
    } else {
      evaluate_alone(lanes, lane, theta, result);
    }
  }
}

void StanTerms::evaluate_alone(std::size_t lanes, std::size_t lane, const double* theta, double* result) {
  for (std::size_t t = 0; t < count(); ++t)
    result[t * lanes + lane] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> own_theta(dim_);
  for (std::size_t i = 0; i < dim_; ++i) own_theta[i] = theta[i * lanes + lane];
  tape::Builder builder;
  std::string message;
  if (!record_(builder, own_theta.data(), message)) return;
  const tape::TermTape own = tape::compile_terms(builder, split_);
  if (own.terms.size() != count()) return;
  for (std::size_t t = 0; t < count(); ++t) {
    if (own.terms[t].coordinates != terms_.terms[t].coordinates) return;
  }
  tape::Workspace workspace(own.tape, 1);
  if (workspace.forward(own_theta.data())) read_terms(own, workspace, 0, result + lane, lanes);
}

}  // namespace kullback::model
