// What the lints know of a program, gathered in one walk: who reads and writes each variable, every use of a
// distribution, every branch and loop, and which variables reach the log density and how.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/source.hpp"
#include "lang/program.hpp"

namespace kullback::lang {

inline constexpr std::uint32_t kNone = 0xffffffffu;

// Where a statement stands.
struct Place {
  BlockKind block = BlockKind::model;
  const Function* function = nullptr;  // null: in a block
  std::uint32_t loop = kNone;          // the innermost loop around it, an index into Facts::loops
  int branches = 0;                    // how many ifs and whiles are around it

  // Part of what is differentiated: the transformed parameters and the model.
  bool in_density() const {
    return !function && (block == BlockKind::transformed_parameters || block == BlockKind::model);
  }
};

struct Loop {
  const Stmt* stmt = nullptr;  // For, ForEach or While
  Place place = {};
};

// One assignment to (a part of) a variable, or its declaration with a value.
struct Definition {
  const Stmt* stmt = nullptr;
  const Expr* value = nullptr;  // null: one element of an unpacked tuple
  bool whole = true;            // the whole variable, not an element
  bool compound = false;
  std::uint32_t next = kNone;  // the variable's next definition
};

struct VariableFacts {
  const Variable* variable = nullptr;
  const Function* function = nullptr;  // whose argument or local it is
  std::uint32_t reads = 0;             // other than to compute its own new value
  std::uint32_t definitions = 0;
  std::uint32_t first_definition = kNone;
  std::uint32_t last_definition = kNone;
  bool reaches_density = false;  // its value can change the log density
  bool has_prior = false;        // it is a variate, or stands in a term that may be a prior
  bool in_free_term = false;     // it stands in `target +=` or `jacobian +=` outside any distribution
};

enum class DistributionCall : std::uint8_t { density, cdf, rng };

// One use of a distribution: a tilde statement, or a call of its density, cdf or random generator.
struct DistributionUse {
  const Stmt* stmt = nullptr;
  Span span;                  // of the tilde statement or of the call
  std::string_view family;    // "normal"
  std::string_view function;  // "normal_lpdf"
  const Function* user = nullptr;
  DistributionCall call = DistributionCall::density;
  const Expr* variate = nullptr;  // null for rng
  List<const Expr*> arguments;    // without the variate
  const Tilde* tilde = nullptr;   // null: a call
  Place place = {};
};

struct Branch {
  const Stmt* stmt = nullptr;  // null: a ternary expression
  const Expr* condition = nullptr;
  Place place = {};
};

// A call of a user function, or a tilde statement that means one.
struct UserCall {
  const Function* function = nullptr;
  const Expr* variate = nullptr;  // of a tilde statement, else null
  List<const Expr*> arguments;    // without that variate
  Place place = {};

  std::size_t size() const { return arguments.size() + (variate ? 1 : 0); }
  const Expr& operator[](std::size_t i) const {
    if (variate) return i == 0 ? *variate : *arguments[i - 1];
    return *arguments[i];
  }
};

// A call of a user function, a tilde statement that means one, or its name as an argument.
struct FunctionUse {
  const Function* used = nullptr;
  const Function* by = nullptr;  // null: a block
};

struct Facts {
  Facts(const Program& program, const SourceMap& sources);

  const VariableFacts& of(const Variable& variable) const { return variables[variable.id]; }
  // The only value ever given to the variable or to its elements, or null.
  const Expr* single_value(const Variable& variable) const;

  const Program& program;
  const SourceMap& sources;
  std::vector<VariableFacts> variables;  // by id
  std::vector<Definition> definitions;
  std::vector<DistributionUse> distributions;
  std::vector<Branch> branches;
  std::vector<Loop> loops;
  std::vector<UserCall> user_calls;
  std::vector<FunctionUse> function_uses;
  bool has_density_terms = false;
};

}  // namespace kullback::lang
