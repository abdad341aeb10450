// The names of a program and what they mean at the point being checked. A variable may hide a function
// but never another variable, so a name means at most one variable at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/arena.hpp"
#include "lang/check/names.hpp"
#include "lang/program.hpp"
#include "math/signatures.hpp"

namespace kullback::lang {

// One user function under one name; a forward declaration and its definition are one overload.
struct Overload {
  Function* function = nullptr;
  math::Signature signature;
  Suffix suffix = Suffix::plain;
  bool defined = false;
  // For rules about what may be differentiated twice.
  std::vector<const Overload*> callees = {};
  std::string_view first_order_only = {};  // a built-in called in the body that has no second derivatives
};

struct Name {
  std::string_view text;
  const Variable* variable = nullptr;
  bool poisoned = false;  // was reported as undefined; says nothing more until its block ends
  std::vector<Overload*> overloads = {};
  bool is_builtin = false;
  bool is_higher_order = false;  // a built-in that takes functions
};

class Environment final {
 public:
  // Texts of names are copied into the arena: they may outlive the source.
  explicit Environment(Arena& arena) : arena_(arena) {}

  Name& name(std::string_view text);

  void declare(Name& name, const Variable* variable);
  // Marks a name as reported. It stays so until clear_poison().
  void poison(Name& name);
  void clear_poison();

  std::size_t open_scope() const { return declared_.size(); }
  void close_scope(std::size_t mark);

  Overload& add_overload(Name& name);

  // For suggestions: everything that could be meant.
  struct Declared {
    Name* name;
    const Variable* hidden;  // what the name meant before, in error
  };
  const std::vector<Declared>& declared() const { return declared_; }
  const std::deque<Overload>& overloads() const { return overloads_; }
  std::deque<Overload>& overloads() { return overloads_; }

 private:
  Arena& arena_;
  std::unordered_map<std::string_view, Name> names_;
  std::vector<Declared> declared_;
  std::vector<Name*> poisoned_;
  std::deque<Overload> overloads_;
};

class Scope final {
 public:
  explicit Scope(Environment& environment) : environment_(environment), mark_(environment.open_scope()) {}
  ~Scope() { environment_.close_scope(mark_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Environment& environment_;
  std::size_t mark_;
};

}  // namespace kullback::lang
