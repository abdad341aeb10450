// Times the gradient of a model compiled by stanc: STAN_MODEL is the generated header. What is timed is
// stan::model::gradient, the call that Stan's samplers make for each leapfrog step (constants dropped,
// Jacobians included). usage: PROGRAM DATA POINT REPEAT
#include "stan_timer.hpp"
//
#include STAN_MODEL
#include "timer.hpp"

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("usage: PROGRAM DATA POINT REPEAT");
  const double start = timer::processor_nanoseconds();
  std::ifstream file(argv[1]);
  stan::json::json_data data(file);
  const stan_model model(data, 1, &std::cerr);
  const double prepared = timer::processor_nanoseconds() - start;
  const auto dim = static_cast<Eigen::Index>(model.num_params_r());
  Eigen::VectorXd point(dim), slopes(dim);
  const auto gradient_at = [&](const double* theta, double* gradient) {
    point = Eigen::Map<const Eigen::VectorXd>(theta, dim);
    double log_density = 0;
    stan::model::gradient(model, point, log_density, slopes, &std::cerr);
    Eigen::Map<Eigen::VectorXd>(gradient, dim) = slopes;
    return log_density;
  };
  timer::report(static_cast<std::size_t>(dim), argv[2], std::atol(argv[3]), prepared, gradient_at);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
