// The draws of all members are one equal mixture. Rows are predicted in blocks that fit into memory, each
// from the same seed, so that posteriors which draw parameters use the same ones for all rows.
#include "deep/bnn/fit/evaluate.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "deep/bnn/training.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kBlockNumbers = std::int64_t{1} << 24;  // of the widest layer
constexpr std::size_t kBins = 15;
constexpr double kProbabilities[] = {0.05, 0.25, 0.5, 0.75, 0.95};
constexpr double kBands[] = {0.5, 0.9, 0.95};
constexpr const char* kBandNames[] = {"coverage_50", "coverage_90", "coverage_95"};

// [rows, components(, classes)], double on the CPU.
torch::Tensor by_row(const torch::Tensor& draws) {
  return draws.flatten(0, 1).transpose(0, 1).to(torch::kCPU, torch::kFloat64).contiguous();
}

std::span<const double> row_of(const torch::Tensor& table, std::int64_t row) {
  const std::int64_t size = table.numel() / table.size(0);
  return {table.data_ptr<double>() + row * size, static_cast<std::size_t>(size)};
}

class Sum final {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  double mean() const { return sum_ / static_cast<double>(count_); }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

// Lines and figures of one kind of target.
class Judge {
 public:
  virtual ~Judge() = default;
  virtual std::vector<std::string> columns() const = 0;
  // Rows first .. of the whole, with what is predicted for them.
  virtual void take(const Predictive& block, std::size_t first) = 0;
  virtual void finish() = 0;
};

struct Task {
  const Network& network;
  const std::vector<double>& target;
  const EvaluateOptions& options;
  Evaluation& into;
};

class NumberJudge final : public Judge {
 public:
  explicit NumberJudge(Task task) : task_(task) {}

  std::vector<std::string> columns() const override {
    return {"mean", "sd", "q5", "q25", "q50", "q75", "q95", "aleatoric_sd", "epistemic_sd"};
  }

  void take(const Predictive& block, std::size_t first) override {
    const Preparation& preparation = task_.network.preparation;
    const torch::Tensor means = by_row(block.mean) * preparation.target_sd + preparation.target_mean;
    const double squared = preparation.target_sd * preparation.target_sd;
    const torch::Tensor variances = by_row(block.variance) * squared;
    const bool is_closed = block.mean_variance.defined();
    const torch::Tensor of_means = is_closed ? by_row(block.mean_variance) * squared : torch::Tensor();
    at::parallel_for(0, means.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        NormalMixture mixture{row_of(means, row), row_of(variances, row)};
        if (is_closed) mixture.mean_variances = row_of(of_means, row);
        take_row(mixture, first + static_cast<std::size_t>(row));
      }
    });
  }

  void finish() override {
    Sum log_likelihood, squares, scores, covered[3];
    for (std::size_t row = 0; row < scores_.size(); ++row) {
      if (std::isnan(task_.target[row])) continue;
      ++task_.into.known;
      log_likelihood.add(scores_[row].log_density);
      squares.add(scores_[row].off * scores_[row].off);
      scores.add(scores_[row].crps);
      for (std::size_t b = 0; b < std::size(kBands); ++b)
        covered[b].add(std::fabs(scores_[row].cdf - 0.5) <= kBands[b] / 2 ? 1 : 0);
    }
    if (task_.into.known == 0) return;
    Figures& figures = task_.into.figures;
    figures = {{"log_likelihood", log_likelihood.mean()},
               {"rmse", std::sqrt(squares.mean())},
               {"crps", scores.mean()}};
    for (std::size_t b = 0; b < std::size(kBands); ++b)
      figures.emplace_back(kBandNames[b], covered[b].mean());
  }

 private:
  struct Score {
    double log_density = 0, off = 0, crps = 0, cdf = 0;
  };

  void take_row(const NormalMixture& mixture, std::size_t row) {
    const VarianceSplit split = split_variance(mixture);
    task_.into.epistemic[row] = std::sqrt(split.epistemic);
    if (task_.options.wants_lines) {
      double* line = &task_.into.cells[row * task_.into.columns.size()];
      *line++ = split.mean;
      *line++ = std::sqrt(split.aleatoric + split.epistemic);
      for (const double p : kProbabilities) *line++ = quantile(mixture, p);
      *line++ = std::sqrt(split.aleatoric);
      *line++ = std::sqrt(split.epistemic);
    }
    const double y = task_.target[row];
    if (std::isnan(y)) return;
    scores_[row] = {log_density(mixture, y), y - split.mean, crps(mixture, y), cdf(mixture, y)};
  }

  Task task_;
  std::vector<Score> scores_ = std::vector<Score>(task_.target.size());
};

class ClassJudge final : public Judge {
 public:
  explicit ClassJudge(Task task) : task_(task), classes_(task.network.preparation.classes) {}

  std::vector<std::string> columns() const override {
    std::vector<std::string> names;
    for (const std::string& level : classes_) names.push_back("p_" + level);
    names.insert(names.end(), {"entropy", "expected_entropy", "mutual_information"});
    return names;
  }

  void take(const Predictive& block, std::size_t first) override {
    const torch::Tensor probs = by_row(block.log_probs).exp();
    for (std::int64_t row = 0; row < probs.size(0); ++row)
      take_row(split_entropy(row_of(probs, row), classes_.size()), first + static_cast<std::size_t>(row));
  }

  void finish() override {
    task_.into.known = confidence_.size();
    if (confidence_.empty()) return;
    Sum right;
    for (const bool is_right : is_right_) right.add(is_right ? 1 : 0);
    task_.into.bins = reliability(confidence_, is_right_, kBins);
    task_.into.figures = {{"log_likelihood", log_likelihood_.mean()},
                          {"accuracy", right.mean()},
                          {"ece", calibration_error(task_.into.bins)},
                          {"brier", brier_.mean()}};
  }

 private:
  void take_row(const EntropySplit& split, std::size_t row) {
    const auto best = static_cast<std::size_t>(std::max_element(split.probs.begin(), split.probs.end()) -
                                               split.probs.begin());
    task_.into.epistemic[row] = split.epistemic;
    if (task_.options.wants_lines) {
      double* line = &task_.into.cells[row * task_.into.columns.size()];
      line = std::copy(split.probs.begin(), split.probs.end(), line);
      *line++ = split.total;
      *line++ = split.aleatoric;
      *line++ = split.epistemic;
      task_.into.likeliest[row] = best;
    }
    if (std::isnan(task_.target[row])) return;
    const auto y = static_cast<std::size_t>(task_.target[row]);
    log_likelihood_.add(std::log(split.probs[y]));
    brier_.add(brier(split.probs, y));
    confidence_.push_back(split.probs[best]);
    is_right_.push_back(best == y);
  }

  Task task_;
  const std::vector<std::string>& classes_;
  Sum log_likelihood_, brier_;
  std::vector<double> confidence_;
  std::vector<bool> is_right_;
};

}  // namespace

std::int64_t block_rows(const BuiltNetwork& built, std::int64_t draws) {
  const std::int64_t width = built.net().net().widest();
  return std::clamp<std::int64_t>(kBlockNumbers / (built.network().members * draws * width), 16, 1 << 16);
}

double Evaluation::figure(const std::string& name) const {
  for (const auto& [known_name, value] : figures)
    if (known_name == name) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

Evaluation evaluate(BuiltNetwork& built, const torch::Tensor& x, const std::vector<double>& target,
                    const EvaluateOptions& options) {
  const torch::NoGradGuard no_gradient;
  Evaluation result;
  const Task task{built.network(), target, options, result};
  std::unique_ptr<Judge> judge;
  if (built.network().preparation.is_classification()) {
    judge = std::make_unique<ClassJudge>(task);
  } else {
    judge = std::make_unique<NumberJudge>(task);
  }
  result.columns = judge->columns();
  result.epistemic.resize(target.size());
  if (options.wants_lines) {
    result.cells.resize(target.size() * result.columns.size());
    result.likeliest.resize(target.size());
  }
  Random seeds(options.seed, 0, static_cast<std::uint32_t>(Purpose::prediction));
  const std::uint64_t seed = seeds();
  const std::int64_t step = block_rows(built, options.draws);
  for (std::int64_t first = 0; first < x.size(0); first += step) {
    at::manual_seed(seed);
    const torch::Tensor block =
        x.slice(0, first, std::min(first + step, x.size(0))).to(built.options()).unsqueeze(0);
    const torch::Tensor repeated =
        built.network().members == 1 ? block : block.repeat_interleave(built.network().members, 0);
    judge->take(built.posterior().predict(repeated, options.draws), static_cast<std::size_t>(first));
  }
  judge->finish();
  return result;
}

}  // namespace kullback::deep
