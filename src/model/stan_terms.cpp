#include "model/stan_terms.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/memory.hpp"
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
  const std::shared_ptr<Own> own = own_terms(own_theta.data());
  if (own && own->workspace && own->workspace->forward(own_theta.data()))
    read_terms(own->terms, *own->workspace, 0, result + lane, lanes);
}

bool StanTerms::has_same_coordinates(const tape::TermTape& own) const {
  return std::equal(own.terms.begin(), own.terms.end(), terms_.terms.begin(), terms_.terms.end(),
                    [](const tape::Term& a, const tape::Term& b) { return a.coordinates == b.coordinates; });
}

// Null where the program rejects the point.
std::shared_ptr<StanTerms::Own> StanTerms::own_terms(const double* theta) {
  if (auto known = branches_.find(theta)) return known;
  tape::Builder builder;
  std::string message;
  if (!record_(builder, theta, message)) return nullptr;
  return branches_.find_or_add(builder, available_memory() / kBranchShare, [&] {
    auto own = std::make_shared<Own>(Own{tape::compile_terms(builder, split_), nullptr});
    if (has_same_coordinates(own->terms))
      own->workspace = std::make_unique<tape::Workspace>(own->terms.tape, 1);
    return std::pair(own, bytes_of(*own->terms.tape, 1));
  });
}

}  // namespace kullback::model
