// Eight schools in C++: the model of eight_schools.stan, without a Stan program.
// Prints the log density at the origin of the unconstrained space and its gradient, parameter by parameter.
#include <cstdio>
#include <vector>

#include "model/cpp_model.hpp"

using namespace kullback::model;

int main() {
  const std::vector<double> y{28, 8, -3, 7, -1, 1, 18, 12};        // estimated gain of each school
  const std::vector<double> sigma{15, 10, 16, 11, 9, 11, 10, 18};  // its standard error

  CppModel model([&](Joint& p) {
    const Real mu = p.real("mu");
    const Real tau = p.positive("tau");
    const Vector z = p.vector("z", y.size());
    const Vector theta = mu + tau * z;

    p += normal_lpdf(mu, 0, 5);
    p += cauchy_lpdf(tau, 0, 5);
    p += std_normal_lpdf(z);
    p += normal_lpdf(y, theta, sigma);
  });

  const std::vector<double> origin(model.dim(), 0.0);
  std::vector<double> gradient(model.dim());
  double log_density = 0;
  kullback::density::Status status{};
  model.evaluate({1, origin.data(), &log_density, gradient.data(), &status});

  std::printf("log density %.15g\n", log_density);
  for (const kullback::density::Block& block : model.blocks()) {
    std::printf("gradient %s", block.name.c_str());
    for (std::size_t i = 0; i < block.size; ++i) std::printf(" %.15g", gradient[block.first + i]);
    std::printf("\n");
  }
}
