// A Stan program read as a generative model: its statements as distributions of its variables.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/source.hpp"
#include "lang/program.hpp"

namespace kullback::model {

// y ~ normal(mu, sigma) T[0, ], or target += normal_lpdf(y | mu, sigma).
struct Sampling {
  const lang::Stmt* stmt = nullptr;
  const lang::Expr* variate = nullptr;       // its elements are elements of the variable, each at most once
  const lang::Variable* variable = nullptr;  // a parameter, or data
  std::string_view distribution;             // "normal"
  const lang::Function* user = nullptr;      // the density, where the program defines it
  std::vector<const lang::Expr*> arguments;
  const lang::Expr* lower = nullptr;  // of a truncation
  const lang::Expr* upper = nullptr;
};

// The distributions that a `~` or `target +=` statement states, none for other statements and where it adds
// constants only. Throws Error where it is no statement about the distribution of data or parameters.
std::vector<Sampling> samplings_of(const lang::Stmt& stmt, const SourceMap& sources);

// What a variate is chosen by: indices, and numbers in calls such as segment(y, 2, 3).
std::vector<const lang::Expr*> indices_of(const lang::Expr& variate);

// Throws Error for what no order of drawing can mean: Jacobians, functions that change the target,
// transformed data made of data that are to be simulated.
void refuse_other_densities(const lang::Program& program, const SourceMap& sources,
                            const std::unordered_set<const lang::Variable*>& simulated);

// Does the call use only the sizes of its arguments?
bool uses_sizes_only(const lang::Call& call);

// "model.stan:4:3: cannot be simulated: " and why.
[[noreturn]] void refuse_simulation(const SourceMap& sources, Span span, const std::string& why,
                                    const std::string& hint = {});

}  // namespace kullback::model
