// What Stan differentiates, by type (its C++ has such numbers as `var`): the terms of a density that `~` and
// _lupdf keep depend on that alone, never on the numbers or the branches of one run.
//   Ints, literals, data, transformed data and arguments declared `data` are not autodiff.
//   Parameters, transformed parameters and all real local variables beside them and of the model are, also
//   where they only ever hold data.
//   A result is autodiff where an argument is; the type of a user's function, and of its local variables,
//   comes from all of its arguments together, as this call gives them.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "lang/program.hpp"

namespace kullback::lang {

struct Autodiff {
  bool any = false;
  std::vector<Autodiff> slots = {};  // of a tuple (of its items, where it is an array)
};

// Where an expression stands: outside of functions, or in a function that is called with these arguments.
class CallScope final {
 public:
  CallScope() = default;  // outside of functions: what asks to drop constants may
  // `arguments` as the caller wrote them; null: an int. They and the caller must outlive this. `drops`:
  // whether this call is `~` or _lupdf.
  CallScope(const Function& function, const CallScope& caller, std::span<const Expr* const> arguments,
            bool drops);

  // Whether `~` and _lupdf drop constants here: those of an _lpdf do as they are told by all callers.
  bool drops() const { return drops_; }
  Autodiff type_of(const Expr& expr) const;
  // A loop over the elements of this begins.
  void enter(const ForEach& loop) { containers_[loop.variable] = loop.container; }
  // Bit i: argument i is autodiff. Found once for each key, the statement or call that has these arguments.
  unsigned mask(const void* key, std::span<const Expr* const> arguments) const;

 private:
  class Finder;

  bool any() const;
  const std::vector<Autodiff>& arguments() const;

  const Function* function_ = nullptr;
  const CallScope* caller_ = nullptr;
  std::span<const Expr* const> written_;
  bool drops_ = true;
  mutable std::vector<Autodiff> arguments_;  // found when they are asked for
  mutable std::unordered_map<const void*, unsigned> masks_;
  std::unordered_map<const Variable*, const Expr*> containers_;
};

}  // namespace kullback::lang
