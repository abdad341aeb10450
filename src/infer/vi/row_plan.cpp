#include "infer/vi/row_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "infer/rows/chosen_rows.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/schemes/minibatches.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kImportanceStrata = 8;
constexpr std::uint32_t kNoRow = ~0U;

bool has_own_coordinates(const density::Rows& rows) {
  for (std::size_t row = 0; row < rows.count(); ++row) {
    if (!rows.coordinates(row).empty()) return true;
  }
  return false;
}

bool wants_anchor(const Options& options, bool has_own) {
  if (options[option::kRowControl].empty()) return !has_own;
  if (options[option::kRowControl] == "none") return false;
  if (options[option::kRowControl] != "anchor")
    throw Error(ErrorKind::usage,
                fmt::format("--row-control: there is no control variate '{}'.", options[option::kRowControl]),
                "There are anchor and none.");
  if (has_own)
    throw Error(
        ErrorKind::usage,
        "`--row-control anchor`: some parameters belong to rows, and those of rows that are not drawn "
        "have no gradient to correct.",
        "Leave --row-control out, or take `--row-control none`.");
  return true;
}

// By factor the row that all of its coordinates belong to, or kNoRow; throws where a factor has coordinates
// of a row and others.
std::vector<std::uint32_t> rows_of_factors(const Family& family, density::Rows& rows) {
  const Factors factors = family.factors();
  std::vector<std::uint32_t> by_coordinate(family.dim(), kNoRow);
  for (std::uint32_t row = 0; row < rows.count(); ++row) {
    for (const std::uint32_t i : rows.coordinates(row)) by_coordinate[i] = row;
  }
  std::vector<std::uint32_t> result(factors.count, kNoRow);
  bool is_mixed = factors.count == 0;
  for (std::size_t i = 0; i < family.dim() && factors.count > 0; ++i)
    result[factors.of_coordinate[i]] = by_coordinate[i];
  for (std::size_t i = 0; i < family.dim() && factors.count > 0; ++i)
    is_mixed = is_mixed || result[factors.of_coordinate[i]] != by_coordinate[i];
  if (!is_mixed) return result;
  throw Error(ErrorKind::usage,
              "--minibatch: this program has parameters with an element for each row, and this --family ties "
              "those of different rows together, so that none can be updated for drawn rows alone.",
              "`--family meanfield` has a factor of its own for each.");
}

class RowFactorEstimator final : public Estimator {
 public:
  RowFactorEstimator(std::unique_ptr<Estimator> inner, const Family& family, SubsampledDensity& density)
      : inner_(std::move(inner)), density_(density) {
    const std::vector<std::uint32_t> rows = rows_of_factors(family, *density.rows());
    const Factors factors = family.factors();
    first_.assign(density.rows()->count() + 1, 0);
    for (const std::uint32_t factor : factors.of_parameter) {
      if (rows[factor] != kNoRow) ++first_[rows[factor] + 1];
    }
    for (std::size_t r = 1; r < first_.size(); ++r) first_[r] += first_[r - 1];
    own_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t p = 0; p < factors.of_parameter.size(); ++p) {
      const std::uint32_t row = rows[factors.of_parameter[p]];
      if (row != kNoRow) own_[next[row]++] = p;
    }
    density_.leave_own_unscaled();
  }

  Bias bias() const override { return inner_->bias(); }
  const EvaluatedDraws& draws() const override { return inner_->draws(); }
  void archive(Archive& archive) override { inner_->archive(archive); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    inner_->estimate(lambda, index, result);
    result.frozen.assign(lambda.size(), 0);
    for (const std::uint32_t p : own_) result.frozen[p] = 1;
    for (const RowPiece& piece : density_.last_pieces()) {
      const double scale = density_.scale_of(piece);
      for (const std::uint32_t row : piece.rows) {
        for (std::uint32_t at = first_[row]; at < first_[row + 1]; ++at) {
          result.frozen[own_[at]] = 0;
          result.gradient[own_[at]] *= scale;
        }
      }
    }
    for (const std::uint32_t p : own_) {
      if (result.frozen[p] != 0) result.gradient[p] = 0;
    }
  }

 private:
  std::unique_ptr<Estimator> inner_;
  SubsampledDensity& density_;
  std::vector<std::uint32_t> own_;    // parameters of rows, row after row
  std::vector<std::uint32_t> first_;  // by row
};

// How much the gradient of each row varies over the posterior, in its standard deviations: of the plain
// density the size of the gradient at the anchor, with a control variate that of what the anchor leaves a
// standard deviation away, in all coordinates at once.
std::vector<double> scores_of_rows(density::LogDensity& density, const Anchor* anchor,
                                   const GaussianGuess& guess) {
  const std::size_t dim = density.dim();
  std::vector<double> theta(2 * dim);
  for (std::size_t i = 0; i < dim; ++i) {
    theta[2 * i] = anchor != nullptr ? anchor->theta[i] : guess.mean[i];
    theta[2 * i + 1] = theta[2 * i] + guess.sd[i];
  }
  std::vector<double> gradient(2 * dim);
  double values[2];
  density::Status status[2];
  std::vector<double> scores(density.rows()->count());
  for (std::uint32_t row = 0; row < scores.size(); ++row) {
    const ChosenRows chosen(*density.rows(), {&row, 1});
    density.evaluate({2, theta.data(), values, gradient.data(), status});
    for (std::size_t i = 0; i < dim; ++i) {
      const double g = guess.sd[i] * (gradient[2 * i] - (anchor != nullptr ? gradient[2 * i + 1] : 0));
      if (std::isfinite(g)) scores[row] += g * g;
    }
    scores[row] = std::sqrt(scores[row]);
  }
  return scores;
}

}  // namespace

RowPlan plan_rows(density::LogDensity& density, const Preset& preset, const Options& options) {
  const std::string_view optimizer =
      !preset.optimizer.empty() ? preset.optimizer : options[option::kOptimizer];
  const bool chooses_rows = !optimizer.empty() && find_optimizer(optimizer).chooses_rows;
  const bool is_on = options[option::kBatchSize] > 0 && !chooses_rows;
  if (!is_on) {
    for (const OptionRecord* option : {static_cast<const OptionRecord*>(&option::kRowSampling),
                                       static_cast<const OptionRecord*>(&option::kRowControl)}) {
      if (!options.is_default(*option))
        throw Error(ErrorKind::usage,
                    fmt::format("{} is for minibatches{}.", flag_of(option->name),
                                chooses_rows ? " that the optimiser does not choose itself"
                                             : ", and none was asked for"),
                    chooses_rows ? "Leave it out, or take `--optimizer adam`."
                                 : "Add `--minibatch N=256`, with the size of the data in place of N.");
    }
    return {};
  }
  const RowSetting setting = rows_for("A minibatch", density, options);
  RowPlan plan{setting.batch_size, setting.rows->count(), row_sampling_of(options[option::kRowSampling])};
  if (plan.sampling == RowSampling::strata && setting.rows->strata().empty())
    throw Error(ErrorKind::usage, "`--row-sampling strata`: no strata were named.",
                "--strata NAME names integer data with a number for each row.");
  plan.has_own = has_own_coordinates(*setting.rows);
  plan.anchored = wants_anchor(options, plan.has_own);
  return plan;
}

Preset parts_for_rows(const RowPlan& plan, Preset fallback) {
  if (!plan.is_on()) return fallback;
  if (plan.has_own) fallback.family = "meanfield";
  if (!plan.anchored) fallback.optimizer = "adam";
  return fallback;
}

void check_parts_for_rows(const RowPlan& plan, const Parts& parts, const Family& family,
                          density::Rows& rows) {
  if (parts.objective->name != "elbo") {
    throw Error(ErrorKind::usage,
                fmt::format("--minibatch needs an objective that is linear in log p, so that minibatches are "
                            "unbiased; --objective {} is not.",
                            parts.objective->name),
                "Methods with the ELBO are advi, fullrank, lowrank, flow and vi.");
  }
  if (parts.optimizer->name == "lbfgs" || parts.optimizer->name == "boosting") {
    throw Error(
        ErrorKind::usage,
        fmt::format("--minibatch: --optimizer {} compares values of its objective, which minibatches "
                    "make noisy.",
                    parts.optimizer->name),
        "`--optimizer adam` takes them; `--method advi` and `--method fullrank` do without more ado.");
  }
  if (!plan.has_own) return;
  rows_of_factors(family, rows);
  const bool is_path = parts.estimator->name == "stl" || parts.estimator->name == "reparam";
  if (parts.has_own_scheme() || !is_path) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--minibatch: this program has parameters with an element for each row; {} {} does "
                    "not keep those of other rows apart.",
                    parts.has_own_scheme() ? "--optimizer" : "--estimator",
                    parts.has_own_scheme() ? parts.optimizer->name : parts.estimator->name),
        "`--estimator stl` and `--optimizer adam` do.");
  }
}

RowSampler make_row_sampler(const RowPlan& plan, density::LogDensity& density, NoiseName name,
                            const std::optional<Anchor>& anchor, const GaussianGuess& guess) {
  if (plan.sampling == RowSampling::strata)
    return {name, plan.rows, plan.batch_size, density.rows()->strata(), {}};
  if (plan.sampling != RowSampling::importance) return {name, plan.sampling, plan.rows, plan.batch_size};
  const std::vector<double> scores = scores_of_rows(density, anchor ? &*anchor : nullptr, guess);
  const std::vector<std::uint32_t> strata =
      strata_by_score(scores, std::min(kImportanceStrata, plan.batch_size));
  std::vector<double> squares;
  std::vector<double> counts;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    squares.resize(std::max<std::size_t>(squares.size(), strata[row] + 1));
    counts.resize(squares.size());
    squares[strata[row]] += scores[row] * scores[row];
    ++counts[strata[row]];
  }
  for (std::size_t h = 0; h < squares.size(); ++h) squares[h] = std::sqrt(squares[h] / counts[h]);
  return {name, plan.rows, plan.batch_size, strata, squares};
}

std::unique_ptr<Estimator> make_row_factor_estimator(std::unique_ptr<Estimator> inner, const Family& family,
                                                     SubsampledDensity& density) {
  return std::make_unique<RowFactorEstimator>(std::move(inner), family, density);
}

}  // namespace kullback::infer
