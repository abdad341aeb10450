#include "conjugate/mixture/axis_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "conjugate/mixture/gaussian_prior.hpp"
#include "conjugate/mixture/kernels.hpp"
#include "conjugate/mixture/weights.hpp"
#include "math/gamma_functions.hpp"

namespace kullback::conjugate::mixture {

namespace {

const double kLog2Pi = std::log(2 * std::numbers::pi);

struct Precision {
  double a = 0;  // A
  double b = 0;  // B
  double expected = 0;
  double expected_log = 0;
};

struct Mean {
  double beta = 0;
  double m = 0;
};

struct Usual {
  std::vector<Precision> precisions;
  std::vector<Mean> means;
};

class AxisGaussian final : public Components {
 public:
  AxisGaussian(std::size_t components, bool is_spherical, const OptionValues& values, const Shape& shape)
      : options_(read_gaussian_options(values, shape.columns, 0)),
        is_spherical_(is_spherical),
        count_(components),
        columns_(shape.columns),
        precisions_(is_spherical ? components : components * shape.columns),
        centre_(columns_, 0.0),
        constant_(columns_, 0.0),
        base_(2 * (columns_ + precisions_ / count_), 0.0),
        prior_(2 * (precisions_ + count_ * columns_), 0.0),
        natural_(prior_) {}

  std::size_t count() const override { return count_; }
  std::size_t statistics_size() const override { return 2 * count_ * columns_ + precisions_; }
  std::size_t chunk() const override { return gaussian_chunk(columns_); }

  void begin(const Batch& sample) override;
  std::vector<double> points(const Batch& sample, std::size_t& dimensions) const override {
    dimensions = columns_;
    return standardised(sample, centre_, variances_);
  }
  void prepare() override;
  void load(const Batch& units, Workspace& workspace) const override {
    load_centred(units, centre_, workspace);
  }
  void expected_log_densities(const Batch& units, Workspace& workspace, Grid grid) const override;
  double add_statistics(const Batch& units, Workspace& workspace, Grid shares,
                        std::span<double> statistics) const override;
  double expected_log_likelihood(std::span<const double> counts,
                                 std::span<const double> statistics) const override;
  double kl() const override;
  std::vector<std::size_t> places(std::size_t component) const override;
  double log_partition(std::span<const double> natural, std::span<const std::size_t> joined) const override;
  std::span<double> natural() override { return natural_; }
  std::vector<double> target(std::span<const double> counts,
                             std::span<const double> statistics) const override;
  bool is_inside(std::span<const double> natural) const override;
  std::vector<double> mean_parameters() const override;
  void adopt_posterior_as_prior() override { prior_ = natural_; }
  void predictive_log_densities(const Batch& units, Workspace& workspace, Grid grid) const override;
  void append_state(std::vector<double>& state) const override;
  void take_state(std::span<const double>& state) override;
  std::vector<std::string> column_names(const Shape& shape) const override;
  void append_cells(std::size_t component, std::vector<double>& cells) const override;
  std::vector<ResultTable> tables(const Shape&) const override { return {}; }
  Findings findings() const override { return sample_findings(constant_, 0); }

 private:
  std::size_t precision_of(std::size_t k, std::size_t d) const {
    return is_spherical_ ? k : k * columns_ + d;
  }
  std::size_t mean_place(std::size_t k, std::size_t d) const { return 2 * (precisions_ + k * columns_ + d); }
  Usual read(std::span<const double> natural) const;
  // Of component k and, with k = count(), of a new one.
  const Precision& precision(std::size_t k, std::size_t d) const {
    if (k < count_) return usual_.precisions[precision_of(k, d)];
    return fresh_.precisions[is_spherical_ ? 0 : d];
  }
  const Mean& mean(std::size_t k, std::size_t d) const {
    return k < count_ ? usual_.means[k * columns_ + d] : fresh_.means[d];
  }
  double cell_constant(std::size_t k, std::size_t d) const {
    return 0.5 * (precision(k, d).expected_log - kLog2Pi - 1 / mean(k, d).beta);
  }
  double predictive(std::size_t k, std::span<const double> row) const;

  GaussianOptions options_;
  bool is_spherical_;
  std::size_t count_, columns_, precisions_;
  // State. base_ has the form of the natural parameters of one component.
  std::vector<double> centre_, constant_, base_, prior_, natural_;
  // Of begin.
  std::vector<double> variances_;
  // Of prepare.
  Usual prior_usual_, usual_, fresh_;
  std::vector<double> centres_, expected_, constant_terms_;
};

void AxisGaussian::begin(const Batch& sample) {
  const SampleMoments moments = sample_moments(sample, false);
  centre_ = moments.mean;
  variances_ = moments.variances;
  constant_.assign(columns_, 0.0);
  for (const std::size_t d : moments.constant) constant_[d] = 1;
  const std::vector<double>& variances = options_.variances.empty() ? variances_ : options_.variances;

  const std::size_t own = precisions_ / count_;
  std::fill(base_.begin(), base_.end(), 0.0);
  for (std::size_t d = 0; d < columns_; ++d) {
    const std::size_t g = is_spherical_ ? 0 : d;
    const double away = options_.mean.empty() ? 0.0 : options_.mean[d] - centre_[d];
    base_[2 * g] += options_.degrees;
    base_[2 * g + 1] += options_.scale * variances[d] + options_.mean_precision * away * away;
    base_[2 * (own + d)] = options_.mean_precision;
    base_[2 * (own + d) + 1] = options_.mean_precision * away;
  }
  for (std::size_t k = 0; k < count_; ++k) {
    const auto middle = base_.begin() + static_cast<std::ptrdiff_t>(2 * own);
    std::copy(base_.begin(), middle, prior_.begin() + static_cast<std::ptrdiff_t>(2 * own * k));
    std::copy(middle, base_.end(), prior_.begin() + static_cast<std::ptrdiff_t>(mean_place(k, 0)));
  }
  natural_ = prior_;
}

// Of all components, or of one (base_).
Usual AxisGaussian::read(std::span<const double> natural) const {
  const std::size_t own = precisions_ / count_;
  const std::size_t components = natural.size() / (2 * (own + columns_));
  Usual usual;
  usual.precisions.resize(own * components);
  usual.means.resize(columns_ * components);
  for (std::size_t g = 0; g < usual.precisions.size(); ++g) {
    usual.precisions[g].a = natural[2 * g];
    usual.precisions[g].b = natural[2 * g + 1];
  }
  for (std::size_t i = 0; i < usual.means.size(); ++i) {
    const double* at = natural.data() + 2 * (usual.precisions.size() + i);
    usual.means[i] = {at[0], at[1] / at[0]};
    usual.precisions[is_spherical_ ? i / columns_ : i].b -= at[1] * at[1] / at[0];
  }
  return usual;
}

bool AxisGaussian::is_inside(std::span<const double> natural) const {
  const Usual usual = read(natural);
  return std::all_of(usual.precisions.begin(), usual.precisions.end(),
                     [](const Precision& p) { return p.a > 0 && p.b > 0; }) &&
         std::all_of(usual.means.begin(), usual.means.end(), [](const Mean& mean) { return mean.beta > 0; });
}

void AxisGaussian::prepare() {
  prior_usual_ = read(prior_);
  usual_ = read(natural_);
  fresh_ = read(base_);
  // B is at least the prior's, but for rounding.
  for (std::size_t g = 0; g < precisions_; ++g) {
    Precision& precision = usual_.precisions[g];
    if (!(precision.b > 0)) precision.b = prior_usual_.precisions[g].b;
  }
  for (Usual* usual : {&prior_usual_, &usual_, &fresh_}) {
    for (Precision& precision : usual->precisions) {
      precision.expected = precision.a / precision.b;
      precision.expected_log = math::digamma_positive(0.5 * precision.a) - std::log(0.5 * precision.b);
    }
  }
  centres_.resize(count_ * columns_);
  expected_.resize(count_ * columns_);
  constant_terms_.assign(count_, 0.0);
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t d = 0; d < columns_; ++d) {
      centres_[k * columns_ + d] = mean(k, d).m;
      expected_[k * columns_ + d] = precision(k, d).expected;
      constant_terms_[k] += cell_constant(k, d);
    }
  }
}

void AxisGaussian::expected_log_densities(const Batch& units, Workspace& workspace, Grid grid) const {
  load(units, workspace);
  const Tile tile{workspace.columns.data(), grid.stride, columns_};
  for (std::size_t k = 0; k < count_; ++k) {
    double* at = grid.values + k * grid.stride;
    scaled_squares(tile, centres_.data() + k * columns_, expected_.data() + k * columns_, at);
    const double constant = constant_terms_[k];
    for (std::size_t n = 0; n < units.units; ++n) at[n] = constant - 0.5 * at[n];
  }
  for (const std::size_t n : workspace.incomplete) {
    const auto row = units.row(n);
    for (std::size_t k = 0; k < count_; ++k) {
      double sum = 0;
      for (std::size_t d = 0; d < columns_; ++d) {
        if (std::isnan(row[d])) continue;
        const double away = row[d] - centre_[d] - mean(k, d).m;
        sum += cell_constant(k, d) - 0.5 * precision(k, d).expected * away * away;
      }
      grid.values[k * grid.stride + n] = sum;
    }
  }
}

double AxisGaussian::add_statistics(const Batch& units, Workspace& workspace, Grid shares,
                                    std::span<double> statistics) const {
  double* counts = statistics.data();
  double* firsts = counts + count_ * columns_;
  double* seconds = firsts + count_ * columns_;
  for (const std::size_t n : workspace.incomplete) {
    const auto row = units.row(n);
    for (std::size_t k = 0; k < count_; ++k) {
      double& share = shares.values[k * shares.stride + n];
      for (std::size_t d = 0; d < columns_ && share > 0; ++d) {
        if (std::isnan(row[d])) continue;
        const double x = row[d] - centre_[d];
        counts[k * columns_ + d] += share;
        firsts[k * columns_ + d] += share * x;
        seconds[precision_of(k, d)] += share * x * x;
      }
      share = 0;
    }
  }
  const std::size_t padded = round_up(columns_, kPack);
  std::vector<double> first(padded), second(padded);
  for (std::size_t k = 0; k < count_; ++k) {
    std::fill(first.begin(), first.end(), 0.0);
    std::fill(second.begin(), second.end(), 0.0);
    const double total = add_axis_moments({workspace.rows.data(), padded, shares.values + k * shares.stride,
                                           units.units, first.data(), second.data()});
    for (std::size_t d = 0; d < columns_; ++d) {
      counts[k * columns_ + d] += total;
      firsts[k * columns_ + d] += first[d];
      seconds[precision_of(k, d)] += second[d];
    }
  }
  return 0;
}

std::vector<double> AxisGaussian::target(std::span<const double>, std::span<const double> statistics) const {
  std::vector<double> result = prior_;
  const double* counts = statistics.data();
  const double* firsts = counts + count_ * columns_;
  const double* seconds = firsts + count_ * columns_;
  for (std::size_t g = 0; g < precisions_; ++g) result[2 * g + 1] += seconds[g];
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t d = 0; d < columns_; ++d) {
      const std::size_t cell = k * columns_ + d;
      result[2 * precision_of(k, d)] += counts[cell];
      result[mean_place(k, d)] += counts[cell];
      result[mean_place(k, d) + 1] += firsts[cell];
    }
  }
  return result;
}

double AxisGaussian::expected_log_likelihood(std::span<const double>,
                                             std::span<const double> statistics) const {
  const double* counts = statistics.data();
  const double* firsts = counts + count_ * columns_;
  const double* seconds = firsts + count_ * columns_;
  std::vector<double> scatter(seconds, seconds + precisions_);
  double sum = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t d = 0; d < columns_; ++d) {
      const std::size_t cell = k * columns_ + d;
      const double m = mean(k, d).m;
      sum += counts[cell] * cell_constant(k, d);
      scatter[precision_of(k, d)] += m * (counts[cell] * m - 2 * firsts[cell]);
    }
  }
  for (std::size_t g = 0; g < precisions_; ++g) sum -= 0.5 * usual_.precisions[g].expected * scatter[g];
  return sum;
}

double AxisGaussian::kl() const {
  double sum = 0;
  for (std::size_t g = 0; g < precisions_; ++g) {
    const Precision& q = usual_.precisions[g];
    const Precision& p = prior_usual_.precisions[g];
    sum += 0.5 * (q.a - p.a) * math::digamma_positive(0.5 * q.a) - math::log_gamma(0.5 * q.a) +
           math::log_gamma(0.5 * p.a) + 0.5 * p.a * std::log(q.b / p.b) + 0.5 * q.a * (p.b / q.b - 1);
  }
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t d = 0; d < columns_; ++d) {
      const Mean& prior = prior_usual_.means[k * columns_ + d];
      const double ratio = prior.beta / mean(k, d).beta;
      const double away = mean(k, d).m - prior.m;
      sum += 0.5 * (ratio - 1 - std::log(ratio) + prior.beta * precision(k, d).expected * away * away);
    }
  }
  return sum;
}

std::vector<std::size_t> AxisGaussian::places(std::size_t component) const {
  const std::size_t cells = count_ * columns_, own = precisions_ / count_;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < 2 * columns_; ++i)
    result.push_back(i / columns_ * cells + component * columns_ + i % columns_);
  for (std::size_t g = 0; g < own; ++g) result.push_back(2 * cells + component * own + g);
  return result;
}

// Of normal-gammas: log Gamma(A / 2) - A / 2 log(B / 2) for each precision, - log(beta) / 2 for each mean.
double AxisGaussian::log_partition(std::span<const double> natural,
                                   std::span<const std::size_t> joined) const {
  const std::size_t own = precisions_ / count_;
  std::vector<double> one = base_;
  const auto add = [&](std::size_t from, std::size_t size, double* to) {
    for (std::size_t i = 0; i < size; ++i) to[i] += natural[from + i] - prior_[from + i];
  };
  for (const std::size_t k : joined) {
    add(2 * own * k, 2 * own, one.data());
    add(mean_place(k, 0), 2 * columns_, one.data() + 2 * own);
  }
  const Usual usual = read(one);
  double sum = 0;
  for (const Precision& precision : usual.precisions) {
    if (!(precision.b > 0)) return -std::numeric_limits<double>::infinity();
    sum += math::log_gamma(0.5 * precision.a) - 0.5 * precision.a * std::log(0.5 * precision.b);
  }
  for (const Mean& mean : usual.means) sum -= 0.5 * std::log(mean.beta);
  return sum;
}

std::vector<double> AxisGaussian::mean_parameters() const {
  std::vector<double> result(natural_.size());
  for (std::size_t g = 0; g < precisions_; ++g) {
    result[2 * g] = 0.5 * usual_.precisions[g].expected_log;
    result[2 * g + 1] = -0.5 * usual_.precisions[g].expected;
  }
  for (std::size_t k = 0; k < count_; ++k) {
    for (std::size_t d = 0; d < columns_; ++d) {
      const double lambda = precision(k, d).expected;
      const Mean& of = mean(k, d);
      result[mean_place(k, d)] = -0.5 * (1 / of.beta + lambda * of.m * of.m);
      result[mean_place(k, d) + 1] = lambda * of.m;
    }
  }
  return result;
}

// Diagonal: a product of Student's t with A degrees of freedom and scales B (1 + 1 / beta) / A. Spherical:
// one multivariate t of the observed cells.
double AxisGaussian::predictive(std::size_t k, std::span<const double> row) const {
  double sum = 0, squares = 0, observed = 0;
  const auto gammas = [](double a, double size) {
    return math::log_gamma(0.5 * (a + size)) - math::log_gamma(0.5 * a);
  };
  for (std::size_t d = 0; d < columns_; ++d) {
    if (std::isnan(row[d])) continue;
    const Precision& lambda = precision(k, d);
    const double spread = lambda.b * (1 + 1 / mean(k, d).beta);
    const double away = row[d] - centre_[d] - mean(k, d).m;
    sum -= 0.5 * std::log(std::numbers::pi * spread);
    observed += 1;
    if (is_spherical_) {
      squares += away * away / spread;
    } else {
      sum += gammas(lambda.a, 1) - 0.5 * (lambda.a + 1) * std::log1p(away * away / spread);
    }
  }
  if (!is_spherical_) return sum;
  const double a = precision(k, 0).a;
  return sum + gammas(a, observed) - 0.5 * (a + observed) * std::log1p(squares);
}

void AxisGaussian::predictive_log_densities(const Batch& units, Workspace&, Grid grid) const {
  for (std::size_t k = 0; k <= count_; ++k) {
    for (std::size_t n = 0; n < units.units; ++n) {
      grid.values[k * grid.stride + n] = predictive(k, units.row(n));
    }
  }
}

void AxisGaussian::append_state(std::vector<double>& state) const {
  for (const std::vector<double>* part : {&centre_, &constant_, &base_, &prior_, &natural_}) {
    state.insert(state.end(), part->begin(), part->end());
  }
}

void AxisGaussian::take_state(std::span<const double>& state) {
  for (std::vector<double>* part : {&centre_, &constant_, &base_, &prior_, &natural_}) take(state, *part);
}

std::vector<std::string> AxisGaussian::column_names(const Shape& shape) const {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < columns_; ++d) names.push_back("mean_" + column_name(shape, d));
  if (is_spherical_) return names.push_back("variance"), names;
  for (std::size_t d = 0; d < columns_; ++d) names.push_back("variance_" + column_name(shape, d));
  return names;
}

void AxisGaussian::append_cells(std::size_t component, std::vector<double>& cells) const {
  for (std::size_t d = 0; d < columns_; ++d) cells.push_back(mean(component, d).m + centre_[d]);
  for (std::size_t d = 0; d < (is_spherical_ ? 1 : columns_); ++d) {
    cells.push_back(1 / precision(component, d).expected);
  }
}

}  // namespace

std::unique_ptr<Components> make_axis_gaussian(std::size_t components, bool is_spherical,
                                               const OptionValues& values, const Shape& shape) {
  return std::make_unique<AxisGaussian>(components, is_spherical, values, shape);
}

}  // namespace kullback::conjugate::mixture
