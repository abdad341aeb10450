// Bayesian matrix factorisation of ratings. Units are users, indices items; user n's rating of item i is
//   x_ni = offset + q_i' p_n + b_n + c_i + noise,   noise ~ N(0, 1 / tau),
//   p_n ~ N(0, I),  b_n ~ N(0, 1 / gamma),  q_ik ~ N(0, 1 / alpha_k),  c_i ~ N(m, 1 / delta),  m ~ N(0, 1 /
//   precision),
// all precisions gamma. This is factor_model.hpp with columns as items, u_i = (q_i, c_i), y_n = (p_n, 1), and
// x_ni - b_n for the cells: their expectations stand in the statistics, so the shared updates and bound hold.
// Item and user effects are as in Salakhutdinov and Mnih 2008 and Lim and Teh 2007, but q(p_n, b_n) is joint
// and exact given the items' moments, and so is q(q_i, c_i).
//
// Cost in multiply-adds: for each rating K^2 / 2 for the user's precision and K^2 / 2 for the item's sum of E
// yy', both sequential over packed vectors; for each user K^3 / 2 (eight users at a time). Items are met in
// any order, so from about a megabyte of statistics on (1,000 items with 15 factors) memory, not arithmetic,
// sets the pace: 8 K^2 bytes read and 4 K^2 written for each rating.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "conjugate/factors/factor_model.hpp"
#include "conjugate/factors/factor_options.hpp"
#include "conjugate/factors/lane_kernels.hpp"
#include "conjugate/record.hpp"

namespace kullback::conjugate {

namespace {

// Users whose posteriors are computed together.
constexpr std::size_t kLanes = kLaneBlock;

constexpr auto kFactors = CountOption(option::kFactors).to(1000);
constexpr auto kMeanPrecision =
    NumberOption("mean_precision", 0.001, "Precision of the prior of the mean rating, in their variance")
        .above(0);

constexpr const OptionRecord* kOwnOptions[] = {&kFactors, &kMeanPrecision};
constexpr auto kOptions = joined(kOwnOptions, kSharedFactorOptions);

class MatrixFactors final : public FactorModel {
 public:
  MatrixFactors(const OptionValues& values, const Shape& shape)
      : FactorModel(values, shape,
                    {.columns = shape.columns,
                     .factors = values[kFactors],
                     .noises = 1,
                     .extra_precisions = 2,
                     .extra_statistics = 1}),
        mean_(1, 1),
        mean_base_(1, 1),
        rebuilt_(chosen_columns(values[option::kReconstruct], shape)) {
    const double precision = values[kMeanPrecision];
    GaussianRows::set_natural(mean_base_.natural(), std::vector<double>{0.0}, std::vector<double>{precision});
    mean_base_.refresh();
  }

  std::size_t chunk() const override { return 256; }
  void begin(const Batch& sample, Random& random) override;
  void prepare() override;
  void local_step(const Batch& units, std::span<double> local, Statistics& statistics) const override;
  std::vector<ResultTable> tables(const Shape& shape) const override;
  Figures figures() const override;
  Findings findings(const Statistics& statistics) const override;
  std::string unit_table() const override { return "users"; }
  std::vector<std::string> unit_columns(const Shape& shape) const override;
  void unit_lines(const Batch& units, std::vector<double>& cells) const override;
  Score score(const Batch& units) const override;

 private:
  static constexpr std::size_t kMean = 3;
  std::size_t item_bias() const { return sizes_.factors; }      // among precisions_: delta
  std::size_t user_bias() const { return sizes_.factors + 1; }  // gamma

  MeanPrior mean_prior() const override;
  std::string column_word() const override { return "item"; }
  std::size_t own_blocks() const override { return 4; }
  void extra_global_step(std::size_t block, const Statistics& statistics, Mover& mover) override;
  std::span<double> extra_natural(std::size_t) override { return mean_.natural(); }
  std::vector<double> extra_mean_parameters(std::size_t) const override { return mean_.mean_parameters(); }
  void extra_targets(const Statistics& statistics, std::span<double> target) const override;
  void extra_terms(const Statistics& statistics, Terms& terms) const override;
  void adopt_extra() override { mean_base_ = mean_; }
  void extra_state(std::vector<double>& state) const override;
  void set_extra_state(std::span<const double>& state) override;

  // The posterior of (p, b) of up to 8 users, from those of their ratings that `takes` (position in the row)
  // lets through; with posterior means of items in place of their second moments where `plug_in`.
  struct Users {
    std::vector<double> covariance, mean, log_det;
  };
  using Takes = bool (*)(std::size_t position);
  void posteriors(const Batch& units, std::size_t first, Users& users, Takes takes, bool plug_in) const;
  void add_user(const Batch& units, std::size_t unit, const Users& users, std::size_t lane,
                Statistics& statistics) const;

  GaussianRows mean_, mean_base_;  // q(m) and its prior
  std::vector<std::size_t> rebuilt_;
  // Of prepare(), for each item E tau l l' (packed) and E tau (l x_0 terms): l = (q, 1), dim K + 1.
  std::vector<double> squares_, mean_squares_, shift_;
};

bool every(std::size_t) { return true; }
bool even(std::size_t position) { return position % 2 == 0; }

// ---- Beginning.

void MatrixFactors::begin(const Batch& sample, Random& random) {
  double count = 0, sum = 0, squares = 0;
  for (const bool second : {false, true}) {
    for (std::size_t n = 0; n < sample.units; ++n) {
      for (std::size_t at = sample.offsets[n]; at < sample.offsets[n + 1]; ++at) {
        const double away = sample.values[at] - (second ? offset_[0] : 0.0);
        if (!second) count += sample.weight(n);
        (second ? squares : sum) += sample.weight(n) * (second ? away * away : away);
      }
    }
    if (!second) std::fill(offset_.begin(), offset_.end(), count > 0 ? sum / count : 0.0);
  }
  const double variance = count > 0 ? squares / count : 0.0;
  std::fill(scale_.begin(), scale_.end(),
            variance > 1e-20 * offset_[0] * offset_[0] ? std::sqrt(variance) : 1.0);
  // Small loadings in random directions: the data turn them.
  const std::size_t k = sizes_.factors;
  std::vector<double> loadings(sizes_.columns * k);
  for (double& loading : loadings) loading = 0.3 / std::sqrt(static_cast<double>(k)) * random.normal();
  const double ratings = count / static_cast<double>(std::max<std::size_t>(sizes_.columns, 1));
  start(loadings, std::vector<double>(sizes_.columns, 0.7), std::max(ratings, 1.0));
  // Biases of about a third of the variance.
  for (const std::size_t bias : {item_bias(), user_bias()}) precisions_.set(bias, 1.0, 0.3);
  precisions_.refresh();
  mean_ = mean_base_;
}

FactorModel::MeanPrior MatrixFactors::mean_prior() const {
  return {precisions_.mean(item_bias()), precisions_.mean_log(item_bias()), mean_.mean(0)[0],
          mean_.variance(0, 0)};
}

// ---- Blocks.

void MatrixFactors::extra_global_step(std::size_t, const Statistics&, Mover& mover) {
  std::vector<double> target(mean_base_.natural().begin(), mean_base_.natural().end());
  if (!adopted_) {
    const double delta = precisions_.mean(item_bias());
    double sum = 0;
    for (std::size_t i = 0; i < sizes_.columns; ++i) sum += loadings_.mean(i).back();
    target[0] += delta * sum;
    target[1] -= 0.5 * delta * static_cast<double>(sizes_.columns);
  }
  mover.move(kMean, mean_.natural(), target,
             [](std::span<const double> natural) { return GaussianRows::inside(natural, 1); });
  mean_.refresh();
}

void MatrixFactors::extra_targets(const Statistics& statistics, std::span<double> target) const {
  if (!adopted_) {
    double sum = 0;
    for (std::size_t i = 0; i < sizes_.columns; ++i) {
      const double away = loadings_.mean(i).back() - mean_.mean(0)[0];
      sum += away * away + loadings_.variance(i, sizes_.factors) + mean_.variance(0, 0);
    }
    target[2 * item_bias()] += 0.5 * static_cast<double>(sizes_.columns);
    target[2 * item_bias() + 1] -= 0.5 * sum;
  }
  target[2 * user_bias()] += 0.5 * statistics.units;
  target[2 * user_bias() + 1] -= 0.5 * statistics.values[extra_at()];
}

void MatrixFactors::extra_terms(const Statistics& statistics, Terms& terms) const {
  const double gamma = precisions_.mean(user_bias()), log_gamma = precisions_.mean_log(user_bias());
  terms.emplace_back("biases of users", 0.5 * (statistics.units * (log_gamma - kLogTwoPi) -
                                               gamma * statistics.values[extra_at()]));
  terms.emplace_back("mean", -mean_.divergence(mean_base_, 0));
}

void MatrixFactors::extra_state(std::vector<double>& state) const {
  state.insert(state.end(), mean_.natural().begin(), mean_.natural().end());
  state.insert(state.end(), mean_base_.natural().begin(), mean_base_.natural().end());
}

void MatrixFactors::set_extra_state(std::span<const double>& state) {
  if (state.size() != 4)
    throw Error(ErrorKind::internal, "the state of a matrix factorisation has another length.");
  std::copy_n(state.begin(), 2, mean_.natural().begin());
  std::copy_n(state.begin() + 2, 2, mean_base_.natural().begin());
  mean_.refresh();
  mean_base_.refresh();
}

// ---- Local steps.

void MatrixFactors::prepare() {
  refresh();
  mean_.refresh();
  const std::size_t k = sizes_.factors, items = sizes_.columns;
  squares_.assign(items * packed(), 0.0);
  mean_squares_ = squares_;
  shift_.assign(items * dim(), 0.0);
  for (std::size_t i = 0; i < items; ++i) {
    const double tau = noise_precision(i);
    const std::span<const double> mean = loadings_.mean(i);
    double* square = &squares_[i * packed()];
    double* mean_square = &mean_squares_[i * packed()];
    for (std::size_t r = 0; r < dim(); ++r) {
      const double left = r < k ? mean[r] : 1.0;
      for (std::size_t c = 0; c <= r; ++c) {
        const double right = c < k ? mean[c] : 1.0;
        mean_square[packed_at(r, c)] = tau * left * right;
        square[packed_at(r, c)] = r < k ? tau * loadings_.second(i, r, c) : tau * right;
      }
      shift_[i * dim() + r] = r < k ? loadings_.second(i, k, r) : mean[k];
    }
  }
}

void MatrixFactors::posteriors(const Batch& units, std::size_t first, Users& users, Takes takes,
                               bool plug_in) const {
  const std::size_t k = sizes_.factors, count = std::min(kLanes, units.units - first);
  users.covariance.assign(packed() * kLanes, 0.0);
  users.mean.assign(dim() * kLanes, 0.0);
  users.log_det.resize(kLanes);
  const std::vector<double>& squares = plug_in ? mean_squares_ : squares_;
  std::vector<double> precision(packed()), linear(dim());
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::fill(precision.begin(), precision.end(), 0.0);
    std::fill(linear.begin(), linear.end(), 0.0);
    for (std::size_t i = 0; i < k; ++i) precision[packed_at(i, i)] = 1.0;
    precision.back() = precisions_.mean(user_bias());
    const std::size_t begin = lane < count ? units.offsets[first + lane] : 0;
    const std::size_t end = lane < count ? units.offsets[first + lane + 1] : 0;
    for (std::size_t at = begin; at < end; ++at) {
      if (!takes(at - begin)) continue;
      const std::size_t item = units.indices[at];
      const std::span<const double> mean = loadings_.mean(item);
      const double tau = noise_precision(item), cell = (units.values[at] - offset_[item]) / scale_[item];
      add_scaled(&squares[item * packed()], 1.0, packed(), precision.data());
      // E l (x - c): E q x - E q c, x - E c.
      for (std::size_t r = 0; r < dim(); ++r) {
        const double loading = r < k ? mean[r] : 1.0;
        linear[r] += tau * (loading * cell - (plug_in ? loading * mean[k] : shift_[item * dim() + r]));
      }
    }
    for (std::size_t p = 0; p < packed(); ++p) users.covariance[p * kLanes + lane] = precision[p];
    for (std::size_t r = 0; r < dim(); ++r) users.mean[r * kLanes + lane] = linear[r];
  }
  invert({dim(), kLanes, users.covariance.data(), users.mean.data(), users.log_det.data()});
}

void MatrixFactors::add_user(const Batch& units, std::size_t unit, const Users& users, std::size_t lane,
                             Statistics& statistics) const {
  const std::size_t k = sizes_.factors;
  const double weight = units.weight(unit);
  const auto mean = [&](std::size_t r) { return users.mean[r * kLanes + lane]; };
  const auto second = [&](std::size_t r, std::size_t c) {
    return users.covariance[packed_at(r, c) * kLanes + lane] + mean(r) * mean(c);
  };
  // What every rating of this user adds to its item: E yy', then E y (x - b) and E (x - b)^2 at x = 0; and
  // the parts that go with x.
  std::vector<double> base(column_stride()), slope(dim());
  for (std::size_t r = 0; r < dim(); ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      base[packed_at(r, c)] = r < k ? second(r, c) : (c < k ? mean(c) : 1.0);
    }
    slope[r] = r < k ? mean(r) : 1.0;
    base[packed() + r] = r < k ? -second(k, r) : -mean(k);
  }
  base.back() = second(k, k);
  for (std::size_t at = units.offsets[unit]; at < units.offsets[unit + 1]; ++at) {
    const std::size_t item = units.indices[at];
    const double cell = (units.values[at] - offset_[item]) / scale_[item];
    double* own = &statistics.values[column_at(item)];
    add_scaled(base.data(), weight, base.size(), own);
    for (std::size_t r = 0; r < dim(); ++r) own[packed() + r] += weight * cell * slope[r];
    own[column_stride() - 1] += weight * cell * (cell - 2 * mean(k));
  }
  add_scaled(base.data(), weight, packed(), &statistics.values[other_at()]);
  statistics.values[extra_at()] += weight * second(k, k);
  statistics.local += 0.5 * weight * (users.log_det[lane] + static_cast<double>(dim()) * (1 + kLogTwoPi));
  statistics.units += weight;
  stamp(statistics, weight);
}

void MatrixFactors::local_step(const Batch& units, std::span<double>, Statistics& statistics) const {
  Users users;
  for (std::size_t first = 0; first < units.units; first += kLanes) {
    posteriors(units, first, users, &every, false);
    for (std::size_t lane = 0; lane < std::min(kLanes, units.units - first); ++lane) {
      add_user(units, first + lane, users, lane, statistics);
    }
  }
}

// ---- Results.

// Every second rating of a user is predicted from the others: N(prediction, l' C l + 1 / tau) with l = (q, 1)
// and all of items and noise at posterior means.
Model::Score MatrixFactors::score(const Batch& units) const {
  const std::size_t k = sizes_.factors;
  Score score;
  Users users;
  for (std::size_t first = 0; first < units.units; first += kLanes) {
    posteriors(units, first, users, &even, true);
    for (std::size_t lane = 0; lane < std::min(kLanes, units.units - first); ++lane) {
      const std::size_t begin = units.offsets[first + lane];
      for (std::size_t at = begin; at < units.offsets[first + lane + 1]; ++at) {
        if (even(at - begin)) continue;
        const std::size_t item = units.indices[at];
        const std::span<const double> mean = loadings_.mean(item);
        double variance = 1 / noise_precision(item),
               away = (units.values[at] - offset_[item]) / scale_[item] - mean[k];
        for (std::size_t r = 0; r < dim(); ++r) {
          const double left = r < k ? mean[r] : 1.0;
          away -= left * users.mean[r * kLanes + lane];
          for (std::size_t c = 0; c <= r; ++c) {
            const double right = c < k ? mean[c] : 1.0;
            variance +=
                (r == c ? 1.0 : 2.0) * left * right * users.covariance[packed_at(r, c) * kLanes + lane];
          }
        }
        const double weight = units.weight(first + lane);
        score.log_density -= weight * (0.5 * (kLogTwoPi + std::log(variance) + away * away / variance) +
                                       std::log(scale_[item]));
        score.count += weight;
      }
    }
  }
  return score;
}

std::vector<ResultTable> MatrixFactors::tables(const Shape& shape) const {
  std::vector<ResultTable> tables = FactorModel::tables(shape);
  // The mean of an item is offset + m + its bias; noise is common to all.
  ResultTable items{.name = "items", .columns = {"mean", "bias", "bias_sd"}, .cells = {}, .row_head = "item"};
  for (std::size_t i = 0; i < sizes_.columns; ++i) {
    const double bias = scale_[i] * (loadings_.mean(i).back() - mean_.mean(0)[0]);
    items.row_names.push_back(column_name(i));
    items.cells.insert(items.cells.end(), {offset_[i] + scale_[i] * loadings_.mean(i).back(), bias,
                                           scale_[i] * std::sqrt(loadings_.variance(i, sizes_.factors))});
  }
  tables[1] = items;
  return tables;
}

Figures MatrixFactors::figures() const {
  Figures figures = FactorModel::figures();
  const double scale = scale_.empty() ? 1.0 : scale_[0];
  figures.emplace_back("mean rating", (offset_.empty() ? 0.0 : offset_[0]) + scale * mean_.mean(0)[0]);
  figures.emplace_back("sd of biases of items", scale / std::sqrt(precisions_.mean(item_bias())));
  figures.emplace_back("sd of biases of users", scale / std::sqrt(precisions_.mean(user_bias())));
  return figures;
}

// An item whose few ratings agree is no news.
Findings MatrixFactors::findings(const Statistics& statistics) const {
  Findings findings = FactorModel::findings(statistics);
  std::erase_if(findings, [](const Finding& finding) { return finding.code == "constant-column"; });
  return findings;
}

std::vector<std::string> MatrixFactors::unit_columns(const Shape&) const {
  std::vector<std::string> columns = {"ratings", "rmse", "bias", "bias_sd"};
  for (std::size_t k = 0; k < sizes_.factors; ++k) columns.push_back("factor" + std::to_string(k + 1));
  for (std::size_t k = 0; k < sizes_.factors; ++k)
    columns.push_back("factor" + std::to_string(k + 1) + "_sd");
  for (const std::size_t item : rebuilt_) columns.push_back(column_name(item));
  return columns;
}

void MatrixFactors::unit_lines(const Batch& units, std::vector<double>& cells) const {
  const Order order = this->order();
  const std::size_t k = sizes_.factors;
  Users users;
  for (std::size_t first = 0; first < units.units; first += kLanes) {
    posteriors(units, first, users, &every, false);
    for (std::size_t lane = 0; lane < std::min(kLanes, units.units - first); ++lane) {
      const auto mean = [&](std::size_t r) { return users.mean[r * kLanes + lane]; };
      const auto sd = [&](std::size_t r) {
        return std::sqrt(users.covariance[packed_at(r, r) * kLanes + lane]);
      };
      const auto prediction = [&](std::size_t item) {
        double value = loadings_.mean(item)[k] + mean(k);
        for (std::size_t r = 0; r < k; ++r) value += loadings_.mean(item)[r] * mean(r);
        return offset_[item] + scale_[item] * value;
      };
      double squares = 0;
      const std::size_t begin = units.offsets[first + lane], end = units.offsets[first + lane + 1];
      for (std::size_t at = begin; at < end; ++at) {
        const double away = units.values[at] - prediction(units.indices[at]);
        squares += away * away;
      }
      const double ratings = static_cast<double>(end - begin), scale = scale_.empty() ? 1.0 : scale_[0];
      cells.insert(cells.end(), {ratings, std::sqrt(squares / ratings), scale * mean(k), scale * sd(k)});
      for (std::size_t at = 0; at < k; ++at) cells.push_back(order.sign[at] * mean(order.factor[at]));
      for (const std::size_t factor : order.factor) cells.push_back(sd(factor));
      for (const std::size_t item : rebuilt_) cells.push_back(prediction(item));
    }
  }
}

}  // namespace

extern const ModelRecord k_factors_matrix;
const ModelRecord k_factors_matrix = {
    .verb = "factors",
    .kind = "matrix",
    .summary = "Bayesian matrix factorisation of ratings with biases of users and items, and automatic rank.",
    .use_when = "each row rates a few of many items, and other ratings are to be predicted.",
    .citation = "Lim, Teh 2007, KDD Cup; Salakhutdinov, Mnih 2008, ICML",
    .data = DataKind::documents,
    .takes_missing = false,
    .options = kOptions,
    .make = [](const OptionValues& values, const Shape& shape) -> std::unique_ptr<Model> {
      return std::make_unique<MatrixFactors>(values, shape);
    }};

}  // namespace kullback::conjugate
