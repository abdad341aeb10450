// stan::services::sample::hmc_nuts_diag_e_adapt, with CmdStan's defaults, on a density that is given as a
// function. Built as a shared library that exports stan_nuts alone.
// clang-format off
#include "stan_given.hpp"

#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>
// clang-format on

#include "stan_nuts.hpp"

namespace {

int value_by_gradient(void* context, const double* theta, double* log_density) {
  const auto& task = *static_cast<const StanNutsTask*>(context);
  std::vector<double> gradient(task.dim);
  return task.gradient(task.context, theta, log_density, gradient.data());
}

int gradient_of(void* context, const double* theta, double* log_density, double* gradient) {
  const auto& task = *static_cast<const StanNutsTask*>(context);
  return task.gradient(task.context, theta, log_density, gradient);
}

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
  given::GivenDensity model({task.dim, const_cast<StanNutsTask*>(&task), gradient_of, value_by_gradient});
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
  return given::guarded([&](std::string& text) { return sample(*task, text); }, problem, problem_size);
}
