// One run of a C++ model's function: each operation becomes an expression of the Stan language, which a
// Tracer evaluates at once. So overloads, promotions, checks and derivatives are those of Stan programs.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.hpp"
#include "base/source.hpp"
#include "lang/program.hpp"
#include "math/signatures.hpp"
#include "model/cpp_model.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

class Recording final {
 public:
  // The free numbers are theta, as parameters of a tape.
  Recording(std::vector<double> theta, bool jacobian);
  // To find out how many there are: as constants, all 0 in trial 0, else random in (-2, 2).
  explicit Recording(std::uint64_t trial);

  void run(const CppModel::Function& function);  // throws tape::Rejection

  // The run in this thread; throws Error outside of a model's function.
  static Recording& active();

  std::uint64_t number() const { return number_; }
  tape::Builder& builder() { return builder_; }
  const Layout& layout() const { return layout_; }
  const std::vector<double>& theta() const { return theta_; }

  Quantity wrap(tape::Value value) const { return {number_, std::move(value)}; }
  const tape::Value& unwrap(const Quantity& quantity) const;

  Quantity call(std::string_view name, std::span<const Argument> arguments, Here here);
  Quantity apply(lang::Op op, std::initializer_list<Quantity> arguments);
  Quantity index(std::initializer_list<Quantity> base_and_indices);  // from 1

  // A type with the sizes of a declaration; bounds only where `constraint` is none.
  struct Declaration {
    math::Kind kind = math::Kind::real;
    std::vector<std::size_t> sizes = {};
    lang::Constraint constraint = lang::Constraint::none;
    Constraint bounds = {};
  };
  Quantity declare(std::string_view name, const Declaration& declaration);
  void add_to_target(const Quantity& log_density);

 private:
  const math::Type* keep(const math::Type& type);
  const lang::Expr* constant(std::size_t number);
  // A reference to the variable at a place, promoted to the type wanted; declared as data or in the model.
  const lang::Expr* make_argument(const Argument& argument, std::uint32_t place, const math::Type& wanted);
  std::vector<const lang::Expr*> make_arguments(std::span<const Argument> arguments,
                                                const math::Signature& signature);
  const lang::Expr* make_node(const math::Type& type, decltype(lang::Expr::node) node);
  // The same at the next place, which is given the quantity.
  const lang::Expr* argument(const Quantity& quantity, const math::Type& wanted);
  template <class Make>
  Quantity evaluate(std::string_view name, std::span<const Argument> arguments, Make make);
  tape::Ids take_free(std::size_t count);

  std::uint64_t number_;
  std::vector<double> theta_;
  std::optional<Random> draws_;  // of a trial after the first
  bool counting_ = false;
  std::size_t used_ = 0;
  lang::Program program_;
  SourceMap sources_;
  tape::Builder builder_;
  tape::Ids free_;
  std::deque<math::Type> types_;
  std::unordered_map<std::string, const lang::Expr*> expressions_;  // by name and types of arguments
  std::uint32_t next_place_ = 0;                                    // of a declaration's bounds
  Layout layout_;
  std::optional<tape::Tracer> tracer_;
};

}  // namespace kullback::model
