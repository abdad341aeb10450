// stan::services::sample::hmc_nuts_diag_e_adapt, with CmdStan's defaults, on a density that is given as a
// function: a model of Stan with one unconstrained vector. Built as a shared library that exports stan_nuts
// alone.
// clang-format off
#include <stan/model/model_header.hpp>

#include <stan/callbacks/interrupt.hpp>
#include <stan/callbacks/logger.hpp>
#include <stan/callbacks/writer.hpp>
#include <stan/io/empty_var_context.hpp>
#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>
// clang-format on

#include "stan_nuts.hpp"

#include <cstring>

namespace {

class GivenDensity final : public stan::model::model_base_crtp<GivenDensity> {
 public:
  explicit GivenDensity(const StanNutsTask& task) : model_base_crtp(task.dim), task_(task) {}

  template <bool, bool>
  double log_prob(Eigen::VectorXd& theta, std::ostream*) const {
    return value(theta.data());
  }
  template <bool, bool>
  stan::math::var log_prob(Eigen::Matrix<stan::math::var, -1, 1>& theta, std::ostream*) const {
    return with_gradient(std::vector<stan::math::var>(theta.data(), theta.data() + theta.size()));
  }
  template <bool, bool, typename T>
  T log_prob(Eigen::Matrix<T, -1, 1>& theta, std::ostream* messages) const {
    return log_prob<false, false>(theta, messages);
  }
  template <bool, bool>
  double log_prob(std::vector<double>& theta, std::vector<int>&, std::ostream*) const {
    return value(theta.data());
  }
  template <bool, bool>
  stan::math::var log_prob(std::vector<stan::math::var>& theta, std::vector<int>&, std::ostream*) const {
    return with_gradient(theta);
  }

  void write_array(stan::rng_t&, Eigen::VectorXd& theta, Eigen::VectorXd& written, bool, bool,
                   std::ostream*) const {
    written = theta;
  }
  void write_array(stan::rng_t&, std::vector<double>& theta, std::vector<int>&, std::vector<double>& written,
                   bool, bool, std::ostream*) const {
    written = theta;
  }
  void unconstrain_array(const Eigen::VectorXd& from, Eigen::VectorXd& theta, std::ostream*) const {
    theta = from;
  }
  void unconstrain_array(const std::vector<double>& from, std::vector<double>& theta, std::ostream*) const {
    theta = from;
  }
  void transform_inits(const stan::io::var_context& context, Eigen::VectorXd& theta, std::ostream*) const {
    const std::vector<double> values = context.vals_r("theta");
    theta = Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  void transform_inits(const stan::io::var_context& context, std::vector<int>&, std::vector<double>& theta,
                       std::ostream*) const {
    theta = context.vals_r("theta");
  }

  std::string model_name() const { return "given_density"; }
  std::vector<std::string> model_compile_info() const { return {}; }
  void get_param_names(std::vector<std::string>& names, bool, bool) const { names = {"theta"}; }
  void get_dims(std::vector<std::vector<std::size_t>>& dims, bool, bool) const { dims = {{task_.dim}}; }
  void constrained_param_names(std::vector<std::string>& names, bool,
                               bool) const {  // appends, as Stan's models do
    for (unsigned long i = 1; i <= task_.dim; ++i) names.push_back("theta." + std::to_string(i));
  }
  void unconstrained_param_names(std::vector<std::string>& names, bool, bool) const {
    constrained_param_names(names, true, true);
  }

 private:
  double evaluate(const double* theta, std::vector<double>& gradient) const {
    double log_density = 0;
    if (task_.gradient(task_.context, theta, &log_density, gradient.data()) == 0)
      throw std::domain_error("the density is not finite");
    return log_density;
  }
  double value(const double* theta) const {
    std::vector<double> gradient(task_.dim);
    return evaluate(theta, gradient);
  }
  stan::math::var with_gradient(const std::vector<stan::math::var>& theta) const {
    std::vector<double> values(task_.dim), gradient(task_.dim);
    for (std::size_t i = 0; i < theta.size(); ++i) values[i] = theta[i].val();
    const double log_density = evaluate(values.data(), gradient);
    return stan::math::precomputed_gradients(log_density, theta, gradient);
  }

  const StanNutsTask& task_;
};

// lp__, six numbers of the sampler, theta.
class DrawWriter final : public stan::callbacks::writer {
 public:
  explicit DrawWriter(const StanNutsTask& task) : task_(task) {}
  using stan::callbacks::writer::operator();
  void operator()(const std::vector<double>& row) override {
    task_.draw(task_.context, row.data() + 1, row.data() + row.size() - task_.dim);
  }

 private:
  const StanNutsTask& task_;
};

// Keeps the last message: rejected proposals are logged as errors too, what ended a run comes last.
class LastError final : public stan::callbacks::logger {
 public:
  std::string text;
  using stan::callbacks::logger::error;
  void error(const std::string& message) override { text = message; }
  void error(const std::stringstream& message) override { text = message.str(); }
};

int sample(const StanNutsTask& task, std::string& problem) {
  GivenDensity model(task);
  stan::callbacks::interrupt interrupt;
  stan::callbacks::writer nothing;
  DrawWriter draws(task);
  LastError logger;
  const stan::io::empty_var_context random_start;
  const int code = stan::services::sample::hmc_nuts_diag_e_adapt(
      static_cast<stan::model::model_base&>(model), random_start, task.seed, task.chain, /*init_radius=*/2,
      task.warmup, task.draws, /*num_thin=*/1, /*save_warmup=*/false, /*refresh=*/0, /*stepsize=*/1,
      /*stepsize_jitter=*/0, task.max_depth, task.target_accept, /*gamma=*/0.05, /*kappa=*/0.75, /*t0=*/10,
      /*init_buffer=*/75,
      /*term_buffer=*/50, /*window=*/25, interrupt, logger, nothing, draws, nothing);
  problem = logger.text;
  return code;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int stan_nuts(const StanNutsTask* task, char* problem,
                                                                unsigned long problem_size) {
  std::string text;
  int code = 1;
  try {
    code = sample(*task, text);
  } catch (const std::exception& error) {
    text = error.what();
  }
  std::strncpy(problem, text.c_str(), problem_size - 1);
  problem[problem_size - 1] = '\0';
  return code;
}
