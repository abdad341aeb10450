// What pca, fa and matrix factorisation share. Column d of the data, standardised, is
//   x_nd = w_d' z_n + mu_d + noise,   noise ~ N(0, 1 / tau_d),   z_n ~ N(0, I),
//   w_dk ~ N(0, 1 / alpha_k),  mu_d ~ N(centre, 1 / delta),  alpha_k, tau_d ~ gamma,
//   q = prod_d q(w_d, mu_d) prod_k q(alpha_k) prod_d q(tau_d) prod_n q(z_n).
// With u_d = (w_d, mu_d) and y_n = (z_n, 1) this is x_nd = u_d' y_n + noise. A derived model does the local
// step.
//
// Statistics: A = sum of E yy' over rows with no missing cell; B = the same over all others; for each column
//   C_d = sum of E yy' over those others that observe it, sum of E[y] x_nd, sum of x_nd^2.
// So the sum that column d needs is A + C_d: exact with and without missing cells, complete rows cost nothing
// per column, and no difference of large sums is taken (a column may be missing almost everywhere).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "conjugate/factors/factor_parts.hpp"
#include "conjugate/model.hpp"

namespace kullback::conjugate {

inline constexpr double kLogTwoPi = 1.8378770664093454836;

struct FactorSizes {
  std::size_t columns;
  std::size_t factors;
  std::size_t noises;            // 1, or one per column
  std::size_t extra_precisions;  // gammas after those of the factors, a derived model's
  std::size_t extra_statistics;
};

class FactorModel : public Model {
 public:
  std::size_t statistics_size() const final;
  std::size_t blocks() const final { return own_blocks() + (rotates_ ? 1 : 0); }
  void global_step(std::size_t block, const Statistics& statistics, Mover& mover) final;
  std::span<double> natural(std::size_t block) final;
  std::vector<double> mean_parameters(std::size_t block) const final;
  Terms elbo(const Statistics& statistics) const final;
  bool propose(const Statistics& statistics, std::size_t refused) final;
  void adopt_posterior_as_prior() final;
  std::vector<double> state() const final;
  void set_state(std::span<const double> state) final;
  std::vector<ResultTable> tables(const Shape& shape) const override;
  Figures figures() const override;
  Findings findings(const Statistics& statistics) const override;

 protected:
  FactorModel(const OptionValues& values, const Shape& shape, const FactorSizes& sizes);

  static constexpr std::size_t kLoadings = 0, kPrecisions = 1, kNoise = 2;

  // ---- What a derived model adds.
  struct MeanPrior {
    double precision;
    double log_precision;
    double centre;
    double centre_variance = 0;
  };
  virtual MeanPrior mean_prior() const = 0;
  virtual std::string column_word() const { return "column"; }
  virtual std::size_t own_blocks() const { return 3; }  // without the rotation
  virtual void extra_global_step(std::size_t, const Statistics&, Mover&) {}
  virtual std::span<double> extra_natural(std::size_t) { return {}; }
  virtual std::vector<double> extra_mean_parameters(std::size_t) const { return {}; }
  // Targets of the precisions after those of the factors, from `target` on.
  virtual void extra_targets(const Statistics&, std::span<double>) const {}
  virtual void extra_terms(const Statistics&, Terms&) const {}
  virtual void adopt_extra() {}
  virtual void extra_state(std::vector<double>&) const {}
  virtual void set_extra_state(std::span<const double>&) {}

  // ---- Places in the statistics.
  std::size_t dim() const { return sizes_.factors + 1; }  // of (w_d, mu_d)
  std::size_t packed() const { return dim() * (dim() + 1) / 2; }
  std::size_t other_at() const { return packed(); }
  std::size_t stamp_at() const { return 2 * packed(); }
  std::size_t extra_at() const { return 2 * packed() + 1; }
  std::size_t column_at(std::size_t d) const {
    return extra_at() + sizes_.extra_statistics + d * column_stride();
  }
  std::size_t column_stride() const { return packed() + dim() + 1; }
  // Called once by each local step: which rotation its statistics belong to.
  void stamp(Statistics& statistics, double weight) const {
    statistics.values[stamp_at()] += weight * static_cast<double>(rotations_);
  }

  // What the statistics say of one column, in today's coordinates of z.
  struct Column {
    std::vector<double> yy;  // packed
    std::vector<double> yx;
    double xx = 0;
    double count = 0;
  };
  void read(const Statistics& statistics, std::size_t d, Column& column) const;
  std::vector<double> all_yy(const Statistics& statistics) const;  // A + B

  // ---- q(theta).
  double noise_precision(std::size_t d) const;
  double noise_log_precision(std::size_t d) const;
  std::size_t noise_of(std::size_t d) const { return sizes_.noises == 1 ? 0 : d; }
  // Loadings near `mean` (columns x factors), with the noise variances of the columns (standardised) seen on
  // `rows` rows.
  void start(std::span<const double> mean, std::span<const double> noise, double rows);
  void refresh();

  // Factors by falling explained variance, and the sign that makes each one's largest loading positive.
  struct Order {
    std::vector<std::size_t> factor;
    std::vector<double> sign;
  };
  Order order() const;
  double explained(std::size_t factor) const;  // in squared units of the data, summed over columns
  bool in_use(std::size_t factor) const;
  std::string column_name(std::size_t d) const;

  FactorSizes sizes_;
  std::vector<std::string> names_;
  std::vector<double> offset_, scale_;  // x = offset + scale * standardised x
  GaussianRows loadings_, loadings_prior_;
  Gammas precisions_, precisions_prior_;
  Gammas noise_, noise_prior_;
  double known_noise_ = 0;  // its sd in units of the data; 0: not known
  bool adopted_ = false;    // the prior of loadings is loadings_prior_, no longer that of alpha

 private:
  double misfit(const Column& column, std::size_t d) const;
  void step_loadings(const Statistics& statistics, Mover& mover);
  void step_precisions(const Statistics& statistics, Mover& mover);
  void step_noise(const Statistics& statistics, Mover& mover);
  struct Energy;
  Energy energy(const Statistics& statistics) const;
  void rotate(const Statistics& statistics);
  void shut(const Statistics& statistics);
  std::vector<double> gains_of_shutting(const Statistics& statistics) const;
  std::vector<std::size_t> doubtful(std::span<const double> gains) const;
  void shut_at_once(const Statistics& statistics, std::span<const std::size_t> factors);
  bool stale(const Statistics& statistics) const;
  double minus_divergence_of_loadings() const;

  bool rotates_ = true;
  // The last rotation, y = turn * (y before): statistics with an older stamp are turned when read.
  std::size_t rotations_ = 0;
  std::vector<double> turn_;
  double log_det_turn_ = 0;
};

}  // namespace kullback::conjugate
