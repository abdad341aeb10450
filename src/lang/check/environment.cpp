#include "lang/check/environment.hpp"

#include "math/higher_order.hpp"

namespace kullback::lang {

Name& Environment::name(std::string_view text) {
  if (auto at = names_.find(text); at != names_.end()) return at->second;
  const std::string_view kept = arena_.copy(text);
  Name& name = names_[kept];
  name.text = kept;
  name.is_builtin = math::is_builtin(kept);
  name.is_higher_order = name.is_builtin && math::is_higher_order(kept);
  return name;
}

void Environment::declare(Name& name, const Variable* variable) {
  declared_.push_back({&name, name.variable});
  name.variable = variable;
}

void Environment::poison(Name& name) {
  name.poisoned = true;
  poisoned_.push_back(&name);
}

void Environment::clear_poison() {
  for (Name* name : poisoned_) name->poisoned = false;
  poisoned_.clear();
}

void Environment::close_scope(std::size_t mark) {
  while (declared_.size() > mark) {
    declared_.back().name->variable = declared_.back().hidden;
    declared_.pop_back();
  }
}

Overload& Environment::add_overload(Name& name) {
  Overload& overload = overloads_.emplace_back();
  name.overloads.push_back(&overload);
  return overload;
}

}  // namespace kullback::lang
