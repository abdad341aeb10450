// Overload resolution with memory: the same function with arguments of the same types is resolved once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/check/environment.hpp"
#include "lang/check/type_table.hpp"
#include "lang/operators.hpp"
#include "math/signatures.hpp"

namespace kullback::lang {

// An argument as found. Pointers are those of the TypeTable.
struct Found {
  const math::Type* type = nullptr;
  bool data_only = false;
};

struct Resolved {
  math::Resolution::Outcome outcome = math::Resolution::Outcome::unknown_name;
  const math::Type* result = nullptr;
  std::vector<const math::Type*> parameters = {};
  const Overload* user = nullptr;  // null: a built-in
  math::Resolution resolution = {};

  bool ok() const { return outcome == math::Resolution::Outcome::unique; }
};

class Resolver final {
 public:
  explicit Resolver(TypeTable& types) : types_(types) {}

  // Among the user's overloads and the built-in ones. References stay valid.
  const Resolved& function(const Name& name, std::span<const Found> arguments);
  // Null where no overload fits.
  const Resolved* op(Op op, std::span<const Found> arguments);
  // The function behind a compound assignment.
  const Resolved* compound(Op op, std::span<const Found> arguments);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Map = std::unordered_map<std::string, std::unique_ptr<Resolved>, Hash, std::equal_to<>>;

  void start_key(char kind, const void* what, std::span<const Found> arguments);
  std::unique_ptr<Resolved> keep(math::Resolution resolution);
  std::unique_ptr<Resolved> among_overloads(const Name& name);
  Resolved& remember(std::unique_ptr<Resolved> resolved);

  TypeTable& types_;
  Map known_;
  std::string key_;
  std::vector<math::Argument> arguments_;
};

}  // namespace kullback::lang
