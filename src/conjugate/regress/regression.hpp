// What linear and logistic regression share: standardised columns, q of the coefficients, results on the
// scale of the data.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "conjugate/model.hpp"
#include "conjugate/regress/posterior.hpp"
#include "conjugate/regress/rows.hpp"

namespace kullback::conjugate::regress {

// Numbers of the rows of a block.
using BlockNumbers = std::array<double, kBlockRows>;

class Regression : public Model {
 public:
  Regression(const OptionValues& values, const Shape& shape, const PriorChoice& choice);

  std::size_t chunk() const override { return 4 * kBlockRows; }
  void prepare() override { posterior_->prepare(); }
  std::size_t blocks() const override { return posterior_->blocks(); }
  std::span<double> natural(std::size_t block) override { return posterior_->natural(block); }
  std::vector<double> mean_parameters(std::size_t block) const override {
    return posterior_->mean_parameters(block);
  }
  void global_step(std::size_t block, const Statistics& statistics, Mover& mover) override;
  Terms elbo(const Statistics& statistics) const override;
  void adopt_posterior_as_prior() override { posterior_->adopt_as_prior(); }
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;
  std::vector<ResultTable> tables(const Shape& shape) const override;
  Figures figures() const override;
  std::string unit_table() const override { return "predictions"; }
  void unit_lines(const Batch& units, std::vector<double>& cells) const override;
  Score score(const Batch& units) const override;

 protected:
  // A row seen through q: mean and squared scale of x'w, and its target, standardised.
  struct Seen {
    double mean, squared_scale, target;
  };
  virtual double log_density(const Seen& row) const = 0;
  virtual void add_line(const Seen& row, std::vector<double>& cells) const = 0;
  virtual Likelihood likelihood(const Statistics& statistics) const = 0;
  // R^2 or accuracy.
  virtual double quality_of(const Statistics& statistics) const = 0;

  const std::vector<std::string>& names() const { return names_; }
  std::size_t columns() const { return columns_; }  // of the table
  std::size_t size() const { return columns_; }     // of w: an intercept in place of the target
  std::size_t gram_size() const { return size() * (size() + 1) / 2; }
  double units_in_all() const { return units_in_all_; }
  bool scales() const { return scales_; }
  bool knows_noise() const { return choice_.knows_noise; }
  double quality() const { return quality_; }
  Posterior& posterior() { return *posterior_; }
  const Posterior& posterior() const { return *posterior_; }
  Units& units() { return units_; }
  const Units& units() const { return units_; }

  // use(block, its first unit, mean and squared scale of x'w for its rows).
  template <class Use>
  void for_blocks(const Batch& batch, const Use& use) const {
    RowBlock block(columns_);
    BlockNumbers mean{}, squared{};
    for (std::size_t begin = 0; begin < batch.units; begin += kBlockRows) {
      block.load(batch, begin, std::min(begin + kBlockRows, batch.units), units_);
      predict(block, posterior_->mean(), mean.data());
      squared_scales(block, size(), posterior_->spread(), squared.data());
      use(block, begin, mean.data(), squared.data());
    }
  }

  // Throws Error for missing cells, which the reader refuses: they would end as NaN in all results.
  void refuse_missing(const Batch& batch, const Statistics& statistics) const;
  // Of Student's t; NaN where it has none.
  static double sd_over_scale(double degrees);

 private:
  double keeps_above() const;
  ResultTable coefficient_table() const;
  void add_intercept(std::vector<double>& cells) const;
  double sd_of(std::span<const double> combination) const;

  std::vector<std::string> names_;
  std::size_t columns_;
  double units_in_all_;
  bool scales_;
  PriorChoice choice_;
  Units units_;
  std::unique_ptr<Posterior> posterior_;
  double quality_ = 0;  // of the last statistics
};

}  // namespace kullback::conjugate::regress
