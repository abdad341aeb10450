#include "math/higher_order.hpp"

#include <algorithm>
#include <array>

#include "math/signatures/expand.hpp"

namespace kullback::math {
namespace {

struct CallsLine {
  std::string_view name;
  HigherOrder::Form form;
  std::string_view callback;
  std::string_view calls;
};

struct LaplaceLine {
  std::string_view name;
  std::string_view name_tol;
  std::string_view arguments;
  std::string_view result;
  bool forwards_data_only;
};

constexpr CallsLine kCalls[] = {
#define CALLS(name, form, callback, calls) {#name, HigherOrder::Form::form, callback, calls},
#define LAPLACE(stem, likelihood, suffix, arguments, result)
#include "math/signatures/higher_order.def"
#undef CALLS
#undef LAPLACE
};

constexpr LaplaceLine kLaplace[] = {
#define CALLS(name, form, callback, calls)
#define LAPLACE(stem, likelihood, suffix, arguments, result)                   \
  {#stem likelihood suffix, #stem "_tol" likelihood suffix, arguments, result, \
   std::string_view(#stem) == "laplace_latent_solve"},
#include "math/signatures/higher_order.def"
#undef CALLS
#undef LAPLACE
};

#define CALLS(name, form, callback, calls) \
  static_assert(pattern::count_overloads(callback) == 1 && pattern::count_overloads(calls) > 0);
#define LAPLACE(stem, likelihood, suffix, arguments, result) \
  static_assert(pattern::count_overloads(arguments) == 1 && pattern::count_overloads(result) == 1);
#include "math/signatures/higher_order.def"
#undef CALLS
#undef LAPLACE

// Theta_0; tolerance; then the steps, the solver, the steps of its line search and whether to fall through
// to another one.
constexpr std::string_view kLaplaceControls = "vector, data real, data int, data int, data int, data int";
static_assert(pattern::count_overloads(kLaplaceControls) == 1);

const CallsLine* find_line(std::string_view name) {
  const auto at =
      std::find_if(std::begin(kCalls), std::end(kCalls), [&](const CallsLine& l) { return l.name == name; });
  return at == std::end(kCalls) ? nullptr : at;
}

const LaplaceLine* find_laplace_line(std::string_view name) {
  const auto at = std::find_if(std::begin(kLaplace), std::end(kLaplace),
                               [&](const LaplaceLine& l) { return l.name == name || l.name_tol == name; });
  return at == std::end(kLaplace) ? nullptr : at;
}

}  // namespace

std::optional<HigherOrder> find_higher_order(std::string_view name) {
  const CallsLine* line = find_line(name);
  if (!line) return std::nullopt;
  return HigherOrder{.name = line->name,
                     .form = line->form,
                     .callback = pattern::expand(line->callback).front(),
                     .calls = pattern::expand(line->calls),
                     .takes_density = line->form == HigherOrder::Form::reduce_sum};
}

HigherOrder reduce_sum_record(std::string_view name, const Argument& slice) {
  HigherOrder record = *find_higher_order(name == "reduce_sum_static" ? name : "reduce_sum");
  record.callback.arguments.front() = slice;
  record.calls.front().arguments.front() = slice;
  return record;
}

std::span<const Kind> reduce_sum_slice_kinds() {
  static constexpr std::array kKinds = {Kind::real, Kind::int_, Kind::matrix, Kind::vector, Kind::row_vector};
  return kKinds;
}

std::optional<Laplace> find_laplace(std::string_view name) {
  const LaplaceLine* line = find_laplace_line(name);
  if (!line) return std::nullopt;
  const bool tolerances = name == line->name_tol;
  Laplace record;
  record.name = tolerances ? line->name_tol : line->name;
  record.result = pattern::expand(line->result).front().result;
  if (line->arguments.empty()) {
    record.likelihood = pattern::expand("vector -> real").front();
  } else {
    record.likelihood_arguments = pattern::expand(line->arguments).front().arguments;
  }
  record.hessian_block_size = {Type{Kind::int_}, true};
  record.covariance.result = Type{Kind::matrix};
  if (tolerances) record.controls = pattern::expand(kLaplaceControls).front().arguments;
  record.forwards_data_only = line->forwards_data_only;
  return record;
}

bool is_higher_order(std::string_view name) { return find_line(name) || find_laplace_line(name); }

std::vector<std::string_view> higher_order_names() {
  std::vector<std::string_view> names;
  for (const CallsLine& line : kCalls) names.push_back(line.name);
  for (const LaplaceLine& line : kLaplace) {
    names.push_back(line.name);
    names.push_back(line.name_tol);
  }
  return names;
}

bool lacks_second_derivatives(std::string_view name) {
  return is_higher_order(name) || name == "hmm_marginal" || name == "hmm_hidden_state_prob";
}

}  // namespace kullback::math
