#include "lang/check/resolver.hpp"

#include <cstdint>
#include <utility>

namespace kullback::lang {

using math::Resolution;

namespace {

void append_bytes(std::string& key, std::uintptr_t value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool same_types(const math::Signature& a, const math::Signature& b) {
  if (a.arguments.size() != b.arguments.size()) return false;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    if (!(a.arguments[i].type == b.arguments[i].type)) return false;
  }
  return true;
}

}  // namespace

void Resolver::start_key(char kind, const void* what, std::span<const Found> arguments) {
  key_.assign(1, kind);
  append_bytes(key_, reinterpret_cast<std::uintptr_t>(what));
  for (const Found& found : arguments)
    append_bytes(key_, reinterpret_cast<std::uintptr_t>(found.type) + (found.data_only ? 1U : 0U));
}

std::unique_ptr<Resolved> Resolver::keep(Resolution resolution) {
  auto resolved = std::make_unique<Resolved>();
  resolved->outcome = resolution.outcome;
  if (resolution.outcome == Resolution::Outcome::unique) {
    resolved->result = types_.intern(resolution.signature.result);
    for (const math::Argument& argument : resolution.signature.arguments)
      resolved->parameters.push_back(types_.intern(argument.type));
  }
  resolved->resolution = std::move(resolution);
  return resolved;
}

// A user may add overloads to a built-in function, so its own are candidates too.
std::unique_ptr<Resolved> Resolver::among_overloads(const Name& name) {
  std::vector<math::Signature> candidates;
  for (const Overload* overload : name.overloads) candidates.push_back(overload->signature);
  if (name.is_builtin) {
    for (math::Signature& signature : math::signatures(name.text)) candidates.push_back(std::move(signature));
  }
  auto resolved = keep(math::resolve_among(candidates, arguments_));
  if (!resolved->ok()) return resolved;
  for (const Overload* overload : name.overloads) {
    if (same_types(overload->signature, resolved->resolution.signature)) resolved->user = overload;
  }
  return resolved;
}

Resolved& Resolver::remember(std::unique_ptr<Resolved> resolved) {
  return *known_.emplace(key_, std::move(resolved)).first->second;
}

const Resolved& Resolver::function(const Name& name, std::span<const Found> arguments) {
  start_key('f', &name, arguments);
  if (auto at = known_.find(std::string_view(key_)); at != known_.end()) return *at->second;
  arguments_.clear();
  for (const Found& found : arguments) arguments_.push_back({*found.type, found.data_only});
  if (!name.overloads.empty()) return remember(among_overloads(name));
  return remember(keep(math::resolve(name.text, arguments_)));
}

const Resolved* Resolver::op(Op op, std::span<const Found> arguments) {
  start_key(static_cast<char>(op), nullptr, arguments);
  auto at = known_.find(std::string_view(key_));
  const Resolved* resolved = at != known_.end() ? at->second.get() : nullptr;
  if (!resolved) {
    arguments_.clear();
    for (const Found& found : arguments) arguments_.push_back({*found.type, found.data_only});
    resolved = &remember(keep(math::resolve_operator(to_string(op), arguments_)));
  }
  return resolved->ok() ? resolved : nullptr;
}

// x /= y is division only, never the solution of a linear system.
const Resolved* Resolver::compound(Op op_, std::span<const Found> arguments) {
  if (op_ != Op::divide) return op(op_, arguments);
  start_key('d', nullptr, arguments);
  auto at = known_.find(std::string_view(key_));
  const Resolved* resolved = at != known_.end() ? at->second.get() : nullptr;
  if (!resolved) {
    arguments_.clear();
    for (const Found& found : arguments) arguments_.push_back({*found.type, found.data_only});
    resolved = &remember(keep(math::resolve("divide", arguments_)));
  }
  return resolved->ok() ? resolved : nullptr;
}

}  // namespace kullback::lang
