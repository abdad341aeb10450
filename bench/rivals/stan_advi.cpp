// stan::services::experimental::advi::meanfield with the defaults of rstan's vb (rstan's stan_args.hpp has
// the same numbers as Stan's defaults.hpp), on a density that is given as functions. Built as a shared
// library that exports stan_advi alone.
// clang-format off
#include "stan_given.hpp"

#include <stan/services/experimental/advi/defaults.hpp>
#include <stan/services/experimental/advi/meanfield.hpp>
// clang-format on

#include "stan_advi.hpp"

namespace {

// First the mean of the approximation, then the draws; each row is lp__ (0), log_p__, log_g__, theta.
class DrawWriter final : public stan::callbacks::writer {
 public:
  explicit DrawWriter(const StanAdviTask& task) : task_(task) {}
  using stan::callbacks::writer::operator();
  void operator()(const std::vector<double>& row) override {
    const double* theta = row.data() + row.size() - task_.dim;
    if (is_fitted_)
      task_.draw(task_.context, row[1], row[2], theta);
    else
      task_.fitted(task_.context, theta);
    is_fitted_ = true;
  }
  // "Stepsize adaptation complete.", "eta = 1".
  void operator()(const std::string& line) override { task_.say(task_.context, line.c_str()); }

 private:
  const StanAdviTask& task_;
  bool is_fitted_ = false;
};

class Listener final : public stan::callbacks::logger {
 public:
  explicit Listener(const StanAdviTask& task) : task_(task) {}
  std::string problem;
  using stan::callbacks::logger::error;
  using stan::callbacks::logger::info;
  void info(const std::string& line) override { task_.say(task_.context, line.c_str()); }
  void info(const std::stringstream& line) override { info(line.str()); }
  void error(const std::string& message) override { problem = message; }
  void error(const std::stringstream& message) override { error(message.str()); }

 private:
  const StanAdviTask& task_;
};

int approximate(const StanAdviTask& task, std::string& problem) {
  namespace advi = stan::services::experimental::advi;
  given::GivenDensity model({task.dim, task.context, task.gradient, task.value});
  stan::callbacks::interrupt interrupt;
  stan::callbacks::writer nothing;
  DrawWriter draws(task);
  Listener logger(task);
  const stan::io::empty_var_context random_start;
  const int code = advi::meanfield(
      static_cast<stan::model::model_base&>(model), random_start, task.seed, task.chain, /*init_radius=*/2,
      advi::gradient_samples::default_value(), advi::elbo_samples::default_value(),
      advi::max_iterations::default_value(), advi::tol_rel_obj::default_value(), advi::eta::default_value(),
      advi::adapt_engaged::default_value(), advi::adapt_iterations::default_value(),
      advi::eval_elbo::default_value(), task.draws, interrupt, logger, nothing, draws, nothing);
  problem = logger.problem;
  return code;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int stan_advi(const StanAdviTask* task, char* problem,
                                                                unsigned long problem_size) {
  return given::guarded([&](std::string& text) { return approximate(*task, text); }, problem, problem_size);
}
