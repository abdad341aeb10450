#include "tape/higher_order/higher_order.hpp"

#include <stdexcept>
#include <unordered_map>

#include "tape/higher_order/functions.hpp"

namespace kullback::tape {

std::vector<double> HigherOrderCall::numbers(const Value& value) const {
  std::vector<double> numbers;
  for (const Id id : tracer.reals(value)) numbers.push_back(builder().value(id));
  return numbers;
}

HigherOrderFunction find_higher_order(std::string_view name) {
  static const std::unordered_map<std::string_view, HigherOrderFunction> kFunctions = {
      {"algebra_solver", call_algebra_solver},
      {"algebra_solver_newton", call_algebra_solver},
      {"integrate_1d", call_integrate_1d},
      {"integrate_1d_double_exponential", call_integrate_1d_variadic},
      {"integrate_1d_double_exponential_tol", call_integrate_1d_variadic},
      {"integrate_1d_gauss_kronrod", call_integrate_1d_variadic},
      {"integrate_1d_gauss_kronrod_tol", call_integrate_1d_variadic},
      {"integrate_ode", call_integrate_ode},
      {"integrate_ode_adams", call_integrate_ode},
      {"integrate_ode_bdf", call_integrate_ode},
      {"integrate_ode_rk45", call_integrate_ode},
      {"dae", call_dae},
      {"dae_tol", call_dae},
      {"generate_laplace_options", call_generate_laplace_options},
      {"laplace_latent_bernoulli_logit_rng", call_laplace_latent_rng},
      {"laplace_latent_neg_binomial_2_log_rng", call_laplace_latent_rng},
      {"laplace_latent_poisson_log_rng", call_laplace_latent_rng},
      {"laplace_latent_rng", call_laplace_latent_rng},
      {"laplace_latent_solve", call_laplace_latent_solve},
      {"laplace_latent_solve_tol", call_laplace_latent_solve},
      {"laplace_latent_tol_bernoulli_logit_rng", call_laplace_latent_rng},
      {"laplace_latent_tol_neg_binomial_2_log_rng", call_laplace_latent_rng},
      {"laplace_latent_tol_poisson_log_rng", call_laplace_latent_rng},
      {"laplace_latent_tol_rng", call_laplace_latent_rng},
      {"laplace_marginal", call_laplace_marginal},
      {"laplace_marginal_bernoulli_logit_lpmf", call_laplace_marginal},
      {"laplace_marginal_neg_binomial_2_log_lpmf", call_laplace_marginal},
      {"laplace_marginal_poisson_log_lpmf", call_laplace_marginal},
      {"laplace_marginal_tol", call_laplace_marginal},
      {"laplace_marginal_tol_bernoulli_logit_lpmf", call_laplace_marginal},
      {"laplace_marginal_tol_neg_binomial_2_log_lpmf", call_laplace_marginal},
      {"laplace_marginal_tol_poisson_log_lpmf", call_laplace_marginal},
      {"map_rect", call_map_rect},
      {"ode_adams", call_ode},
      {"ode_adams_tol", call_ode},
      {"ode_adjoint_tol_ctl", call_ode_adjoint},
      {"ode_bdf", call_ode},
      {"ode_bdf_tol", call_ode},
      {"ode_ckrk", call_ode},
      {"ode_ckrk_tol", call_ode},
      {"ode_rk45", call_ode},
      {"ode_rk45_tol", call_ode},
      {"reduce_sum", call_reduce_sum},
      {"reduce_sum_static", call_reduce_sum},
      {"solve_newton", call_solve},
      {"solve_newton_tol", call_solve},
      {"solve_powell", call_solve},
      {"solve_powell_tol", call_solve},
  };
  const auto found = kFunctions.find(name);
  return found == kFunctions.end() ? nullptr : found->second;
}

Value call_higher_order(Tracer& tracer, const lang::Expr& expr, const lang::Call& node) {
  HigherOrderCall call{tracer, expr, node.name, {}, {}};
  for (const lang::Expr* argument : node.arguments) {
    if (const auto* reference = argument->as<lang::FunctionRef>()) {
      call.functions.push_back(reference->user);
    } else {
      call.values.push_back(tracer.eval(*argument));
    }
  }
  // These two trace the function itself; others keep data in callbacks.
  const bool traced = node.name.starts_with("reduce_sum") || node.name == "map_rect";
  try {
    Value result = find_higher_order(node.name)(call);
    return traced ? result : tracer.of_one_row(node.name, call.values, std::move(result));
  } catch (const std::logic_error& e) {  // domain_error, invalid_argument
    tracer.refuse(e.what());
  }
}

}  // namespace kullback::tape
