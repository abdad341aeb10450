// Random numbers for the variate of a distribution statement, item by item.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "math/distribution.hpp"
#include "model/generative.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

// An item is what one draw of the distribution gives: a number, or for dirichlet a vector, for lkj_corr a
// matrix.
class VariateDraws final {
 public:
  // `variate`: a value with the type and sizes of the variate; `given`: the numbers that data have there.
  // Throws Error where the distribution has no random numbers or the arguments fit no item-by-item draws.
  VariateDraws(tape::Tracer& tracer, const Sampling& sampling, std::vector<tape::Value> arguments,
               const tape::Value& variate, const std::vector<double>& given);

  std::size_t items() const { return items_; }
  std::size_t item_size() const { return item_size_; }
  // Throws Rejection where the distribution refuses its arguments.
  std::vector<double> draw(std::size_t item);

  // A number between the bounds (which it may equal), by inversion of the cumulative function: for bounds
  // that draws hardly ever meet. Nothing where there is no such function, or no mass between them.
  std::optional<double> draw_between(double lower, double upper, std::size_t item);

  bool is_univariate() const { return univariate_ != nullptr; }
  bool is_exchangeable() const;  // all items have the same arguments
  // Is half of the mass above x, whatever the other arguments are?
  bool is_symmetric_about(double x, std::size_t item) const;

 private:
  struct Multivariate;
  static const Multivariate* find(std::string_view distribution);

  void replace_by_equal();
  void replace_glm(std::string_view family);
  void check_sizes() const;
  double number(std::size_t argument, std::size_t item) const;
  tape::Value argument_of(std::size_t argument, std::size_t rank, std::size_t item) const;
  std::vector<double> draw_by_user();

  tape::Tracer& tracer_;
  const Sampling& sampling_;
  std::string_view distribution_;
  std::vector<tape::Value> arguments_;
  const std::vector<double>& given_;
  const math::Distribution* univariate_ = nullptr;
  const Multivariate* multivariate_ = nullptr;
  const lang::Function* user_ = nullptr;
  std::size_t items_ = 1;
  std::size_t item_size_ = 1;
};

// The distributions whose draws satisfy a constraint that is more than bounds and orders: "dirichlet" for a
// simplex. False for others.
bool draws_satisfy(lang::Constraint constraint, std::string_view distribution);

}  // namespace kullback::model
