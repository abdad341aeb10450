// Functions ending in _rng: draws of univariate distributions, one for each element of their parameters, and
// draws of vectors, matrices and categories.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "math/distribution.hpp"
#include "math/multivariate_random.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using lang::Expr;
using math::Kind;

namespace {

constexpr std::size_t kMaxParameters = 16;
constexpr std::string_view kSuffix = "_rng";

// A relation among the parameters is violated where no variate mends it.
const char* bad_relation(const math::Distribution& d, std::span<double> x) {
  if (d.relation == nullptr) return nullptr;
  const char* problem = nullptr;
  for (const double variate : {0.0, -1e300, 1e300}) {
    x[0] = variate;
    const char* found = d.relation(x.data());
    if (found == nullptr || (problem != nullptr && found != problem)) return nullptr;
    problem = found;
  }
  return problem;
}

// What is wrong with the parameters, in the words for densities with a variate that is not at fault.
std::string bad_parameter(const math::Distribution& d, std::span<const double> parameters) {
  std::array<double, kMaxParameters> x{};
  std::copy(parameters.begin(), parameters.end(), x.begin() + 1);
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    if (math::contains(d.arguments[j + 1].domain, parameters[j])) continue;
    for (const double variate : {0.0, 1.0, 0.5}) {
      x[0] = variate;
      if (math::contains(d.arguments[0].domain, variate)) break;
    }
    return math::describe_bad_argument(d, "rng", x.data());
  }
  const char* problem = bad_relation(d, x);
  return problem == nullptr ? "" : fmt::format("{}_rng: {}", d.name, problem);
}

// ---- of vectors, matrices and categories ----

using Arguments = std::span<const std::vector<double>>;
using Draw = std::vector<double> (*)(Random& random, Arguments x);

template <auto f>
std::vector<double> of_one(Random& random, Arguments x) {
  return {f(random, x[0])};
}
template <auto f>
std::vector<double> of_two(Random& random, Arguments x) {
  return f(random, x[0], x[1]);
}
template <auto f>
std::vector<double> of_three(Random& random, Arguments x) {
  return f(random, x[0], x[1], x[2]);
}
template <auto f>
std::vector<double> of_number_and_one(Random& random, Arguments x) {
  return {f(random, x[0][0], x[1])};
}
template <auto f>
std::vector<double> of_number_and_two(Random& random, Arguments x) {
  return f(random, x[0][0], x[1], x[2]);
}
template <auto f>
std::vector<double> of_one_and_number(Random& random, Arguments x) {
  return f(random, x[0], x[1][0]);
}
template <auto f>
std::vector<double> of_size_and_number(Random& random, Arguments x) {
  if (!(x[0][0] >= 1)) throw std::domain_error(fmt::format("the size is {}, but must be positive", x[0][0]));
  return f(random, static_cast<std::size_t>(x[0][0]), x[1][0]);
}

struct MultivariateRandom {
  std::string_view name;
  Draw draw;
  int location = -1;  // the argument that may be an array, for a draw each
};

constexpr std::array kMultivariate = {
    MultivariateRandom{"bernoulli_logit_glm_rng", of_three<math::draw_bernoulli_logit_glm>},
    MultivariateRandom{"categorical_logit_rng", of_one<math::draw_categorical_logit>},
    MultivariateRandom{"categorical_rng", of_one<math::draw_categorical>},
    MultivariateRandom{"dirichlet_multinomial_rng", of_one_and_number<math::draw_dirichlet_multinomial>},
    MultivariateRandom{"dirichlet_rng", of_one<math::draw_dirichlet>},
    MultivariateRandom{"hmm_latent_rng", of_three<math::draw_hmm_latent>},
    MultivariateRandom{"inv_wishart_cholesky_rng", of_number_and_one<math::draw_inv_wishart_cholesky>},
    MultivariateRandom{"inv_wishart_rng", of_number_and_one<math::draw_inv_wishart>},
    MultivariateRandom{"lkj_corr_cholesky_rng", of_size_and_number<math::draw_lkj_corr_cholesky>},
    MultivariateRandom{"lkj_corr_rng", of_size_and_number<math::draw_lkj_corr>},
    MultivariateRandom{"multi_normal_cholesky_rng", of_two<math::draw_multi_normal_cholesky>, 0},
    MultivariateRandom{"multi_normal_rng", of_two<math::draw_multi_normal>, 0},
    MultivariateRandom{"multi_student_t_cholesky_rng", of_number_and_two<math::draw_multi_student_t_cholesky>,
                       1},
    MultivariateRandom{"multi_student_t_rng", of_number_and_two<math::draw_multi_student_t>, 1},
    MultivariateRandom{"multinomial_logit_rng", of_one_and_number<math::draw_multinomial_logit>},
    MultivariateRandom{"multinomial_rng", of_one_and_number<math::draw_multinomial>},
    MultivariateRandom{"ordered_logistic_rng", of_number_and_one<math::draw_ordered_logistic>},
    MultivariateRandom{"ordered_probit_rng", of_number_and_one<math::draw_ordered_probit>},
    MultivariateRandom{"wishart_cholesky_rng", of_number_and_one<math::draw_wishart_cholesky>},
    MultivariateRandom{"wishart_rng", of_number_and_one<math::draw_wishart>},
};

const MultivariateRandom* multivariate(std::string_view name) {
  const auto* found = std::find_if(kMultivariate.begin(), kMultivariate.end(),
                                   [&](const MultivariateRandom& m) { return m.name == name; });
  return found == kMultivariate.end() ? nullptr : found;
}

bool is_square_matrix(const Value& value) {
  return value.type.kind == Kind::matrix && value.dims[0] == value.dims[1];
}

// The sizes of one draw: that of a square matrix is told by its argument or its number of numbers.
Dims dims_of_draw(const math::Type& type, std::size_t numbers) {
  if (type.kind == Kind::vector) return {numbers};
  if (type.kind != Kind::matrix) return {};
  std::size_t rows = 0;
  while (rows * rows < numbers) ++rows;
  return {rows, rows};
}

}  // namespace

const math::Distribution* univariate_random(std::string_view name) {
  if (!name.ends_with(kSuffix)) return nullptr;
  const math::Distribution* d = math::find_distribution(name.substr(0, name.size() - kSuffix.size()));
  return d != nullptr && d->random != nullptr ? d : nullptr;
}

bool has_random(std::string_view name) {
  return univariate_random(name) != nullptr || multivariate(name) != nullptr;
}

Value Tracer::random_value(const Expr& expr, Dims dims, const std::vector<double>& draws) {
  if (!expr.type->is_int()) {
    Ids ids;
    for (const double draw : draws) ids.push_back(builder_.constant(draw));
    return real_container(*expr.type, std::move(dims), std::move(ids));
  }
  std::vector<int> ints;
  for (const double draw : draws) {
    ints.push_back(checked_int("a random draw", draw));
  }
  return int_container(*expr.type, std::move(dims), std::move(ints));
}

bool Tracer::call_random(const Expr& expr, std::string_view name, std::span<const Value> parameters,
                         Value& result) {
  if (random_ == nullptr || !has_random(name)) return false;
  try {
    result = univariate_random(name) != nullptr
                 ? draw_univariate(expr, name, parameters)
                 : of_one_row(name, parameters, draw_multivariate(expr, name, parameters));
  } catch (const std::logic_error& e) {  // domain_error, invalid_argument
    refuse(e.what());
  }
  return true;
}

double Tracer::draw_one(const math::Distribution& distribution, std::span<const double> parameters) {
  const std::string problem = bad_parameter(distribution, parameters);
  if (!problem.empty()) refuse(problem);
  return distribution.random(*random_, parameters.data());
}

Value Tracer::draw_univariate(const Expr& expr, std::string_view name, std::span<const Value> parameters) {
  const math::Distribution& d = *univariate_random(name);
  std::size_t count = 1;
  Dims dims;
  std::vector<Ids> operands;
  for (const Value& parameter : parameters) {
    operands.push_back(reals(parameter));
    if (parameter.dims.empty()) continue;
    if (!dims.empty() && dims != parameter.dims)
      refuse(
          fmt::format("{}: its arguments have {} and {}.", name, dims_text(dims), dims_text(parameter.dims)));
    dims = parameter.dims;
    count = parameter.size();
  }
  std::array<double, kMaxParameters> x{};
  std::vector<double> draws(count);
  std::vector<RowTag> tags(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < operands.size(); ++j) {
      const Id id = operands[j][operands[j].size() == 1 ? 0 : i];
      x[j] = builder_.value(id);
      tags[i] = join(tags[i], builder_.tag(id));
    }
    draws[i] = draw_one(d, {x.data(), operands.size()});
  }
  return tagged(random_value(expr, std::move(dims), draws), tags);
}

Value Tracer::draw_multivariate(const Expr& expr, std::string_view name, std::span<const Value> parameters) {
  const MultivariateRandom& m = *multivariate(name);
  std::vector<std::vector<double>> x;
  for (const Value& parameter : parameters) {
    if (parameter.type.kind == Kind::matrix && m.location >= 0 && !is_square_matrix(parameter))
      refuse(fmt::format("{}: its matrix has {}, but must be square.", name, dims_text(parameter.dims)));
    std::vector<double>& numbers = x.emplace_back();
    for (const Id id : reals(parameter)) numbers.push_back(builder_.value(id));
  }
  if (expr.type->kind == Kind::int_ && expr.type->array_rank > 0) {
    const std::vector<double> draws = m.draw(*random_, x);
    return random_value(expr, {draws.size()}, draws);
  }
  if (expr.type->array_rank == 0) {
    const std::vector<double> draws = m.draw(*random_, x);
    return random_value(expr, dims_of_draw(*expr.type, draws.size()), draws);
  }
  // An array of locations: a draw for each.
  const auto which = static_cast<std::size_t>(m.location);
  const Dims& dims = parameters[which].dims;
  const std::vector<double> locations = x[which];
  std::vector<double> draws;
  for (std::size_t i = 0; i < dims[0]; ++i) {
    const auto first = locations.begin() + static_cast<std::ptrdiff_t>(i * dims[1]);
    x[which].assign(first, first + static_cast<std::ptrdiff_t>(dims[1]));
    const std::vector<double> one = m.draw(*random_, x);
    draws.insert(draws.end(), one.begin(), one.end());
  }
  return random_value(expr, dims, draws);
}

}  // namespace kullback::tape
