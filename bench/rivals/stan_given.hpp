// A model of Stan with one unconstrained vector, whose density is given as functions, and what its algorithms
// need to run on it. For sources that are compiled against Stan's headers; the first of them must be Stan's
// own.
#pragma once

// clang-format off
#include <stan/model/model_header.hpp>

#include <stan/callbacks/interrupt.hpp>
#include <stan/callbacks/logger.hpp>
#include <stan/callbacks/writer.hpp>
#include <stan/io/empty_var_context.hpp>
// clang-format on

#include <cstring>
#include <string>
#include <vector>

namespace given {

// Both functions: 0 where Stan's model would throw (reject, a bad argument); what is not finite is left to
// Stan.
struct GivenFunctions {
  unsigned long dim;
  void* context;
  int (*gradient)(void* context, const double* theta, double* log_density, double* gradient);
  int (*value)(void* context, const double* theta, double* log_density);
};

class GivenDensity final : public stan::model::model_base_crtp<GivenDensity> {
 public:
  explicit GivenDensity(const GivenFunctions& given) : model_base_crtp(given.dim), given_(given) {}

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
  void get_dims(std::vector<std::vector<std::size_t>>& dims, bool, bool) const { dims = {{given_.dim}}; }
  void constrained_param_names(std::vector<std::string>& names, bool,
                               bool) const {  // appends, as Stan's models do
    for (unsigned long i = 1; i <= given_.dim; ++i) names.push_back("theta." + std::to_string(i));
  }
  void unconstrained_param_names(std::vector<std::string>& names, bool, bool) const {
    constrained_param_names(names, true, true);
  }

 private:
  static void must_be_defined(int is_defined) {
    if (is_defined == 0) throw std::domain_error("the density rejects the point");
  }
  double value(const double* theta) const {
    double log_density = 0;
    must_be_defined(given_.value(given_.context, theta, &log_density));
    return log_density;
  }
  stan::math::var with_gradient(const std::vector<stan::math::var>& theta) const {
    std::vector<double> values(given_.dim), gradient(given_.dim);
    for (std::size_t i = 0; i < theta.size(); ++i) values[i] = theta[i].val();
    double log_density = 0;
    must_be_defined(given_.gradient(given_.context, values.data(), &log_density, gradient.data()));
    return stan::math::precomputed_gradients(log_density, theta, gradient);
  }

  const GivenFunctions given_;
};

// Runs `algorithm(problem)`, which returns Stan's error code; no exception may leave a C interface.
template <class Algorithm>
int guarded(Algorithm algorithm, char* problem, unsigned long problem_size) {
  std::string text;
  int code = 1;
  try {
    code = algorithm(text);
  } catch (const std::exception& error) {
    text = error.what();
  }
  std::strncpy(problem, text.c_str(), problem_size - 1);
  problem[problem_size - 1] = '\0';
  return code;
}

}  // namespace given
