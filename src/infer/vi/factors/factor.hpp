// An independent factor of an approximation: a distribution of some coordinates that is natural on the
// support of the constrained value behind them. All on the unconstrained scale: log q has the Jacobian.
#pragma once

#include <cstddef>
#include <memory>

namespace kullback::infer {

// Draws with a scalar's derivatives to them; rows of the factor's own coordinates, lanes innermost.
struct FactorDraws {
  std::size_t lanes = 1;
  const double* theta = nullptr;
  const double* adjoint = nullptr;
};

struct FactorSize {
  std::size_t coordinates = 1;
  std::size_t parameters = 2;
  std::size_t noise = 1;
};

// Rows of results are the factor's own, lanes innermost.
class Factor {
 public:
  explicit Factor(FactorSize size) : size_(size) {}
  virtual ~Factor() = default;

  const FactorSize& size() const { return size_; }
  virtual bool has_moments() const { return true; }  // and the entropy

  // Parameters with about this mean and standard deviation.
  virtual void begin(const double* mean, const double* sd, double* lambda) const = 0;
  virtual void units(const double* lambda, double* result) const = 0;
  // Keeps what pull_back() needs.
  virtual void draw(const double* lambda, std::size_t lanes, const double* noise, double* theta) = 0;
  // Adds log q to each lane; writes its slopes to theta where they are wanted.
  virtual void add_log_q(const double* lambda, std::size_t lanes, const double* theta, double* log_q,
                         double* slopes) const = 0;
  virtual void scores(const double* lambda, std::size_t lanes, const double* theta, double* result) const = 0;
  // Adds sum_k adjoint_k d theta_k / d lambda at fixed noise, of the draws last made.
  virtual void pull_back(const double* lambda, const FactorDraws& draws, double* lambda_adjoint) const = 0;
  // The same at the fixed noise of a rejection sampler, recovered from the draws, plus weights_k times the
  // derivative of the log density of that noise. Without such a sampler: pull_back().
  virtual void pull_back_rejection(const double* lambda, const FactorDraws& draws, const double* /*weights*/,
                                   double* lambda_adjoint) const {
    pull_back(lambda, draws, lambda_adjoint);
  }
  // Adds scale * its derivative where `lambda_adjoint` is not null.
  virtual double entropy(const double* lambda, double scale, double* lambda_adjoint) const = 0;
  virtual void moments(const double* lambda, double* mean, double* sd) const = 0;

 private:
  FactorSize size_;
};

std::unique_ptr<Factor> make_normal_factor();
std::unique_ptr<Factor> make_gamma_factor();  // of a value above a bound or below one
std::unique_ptr<Factor> make_beta_factor();   // of a value between bounds
std::unique_ptr<Factor> make_dirichlet_factor(std::size_t coordinates);  // of a simplex of one element more
std::unique_ptr<Factor> make_von_mises_factor(double lower);  // of an angle between lower and lower + 2 pi

}  // namespace kullback::infer
