// The optimisers `svrg` and `saga`: Adam along gradients of minibatches from which the noise of the choice of
// rows is taken, as it vanishes towards the optimum. With f(lambda) = mean over rows (scaled) and f_B a
// minibatch of it,
//   svrg   f_B(lambda) - f_B(anchor) + f(anchor)    gradients, the anchor renewed once in a pass over the
//   data
//          (Johnson and Zhang 2013);
//   saga   f_b(lambda) - table_b + mean table, with the last gradient of each block b of rows
//          (Defazio, Bach and Lacoste-Julien 2014); b is drawn with the probability of its rows.
// Both are unbiased. They take away the noise of minibatches and none of that of the draws of q: the draws of
// f_B are the same at lambda and at the anchor, those of f(anchor) and of the table are others.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "infer/rows/chosen_rows.hpp"
#include "infer/vi/estimator.hpp"
#include "infer/vi/optimizer.hpp"
#include "infer/vi/options.hpp"
#include "infer/vi/schemes/minibatches.hpp"
#include "infer/vi/stochastic_ascent.hpp"

namespace kullback::infer {

namespace {

constexpr std::string_view kInner[] = {"stl", "reparam"};

const EstimatorRecord* inner_record(const EstimatorSetting& setting) {
  for (const std::string_view name : kInner) {
    const EstimatorRecord& record = find_estimator(name);
    if (!record.refuse(setting)) return &record;
  }
  return nullptr;
}

// a += scale * b
void add(std::vector<double>& a, double scale, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += scale * b[i];
}

class Svrg final : public Estimator {
 public:
  Svrg(const EstimatorSetting& setting, const RowSetting& rows)
      : inner_(inner_record(setting)->make(setting)),
        rows_(*rows.rows),
        batches_(setting.noise->name(), rows.rows->count(), rows.batch_size) {}

  Bias bias() const override { return inner_->bias(); }
  const EvaluatedDraws& draws() const override { return inner_->draws(); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    if (anchor_.empty() || since_anchor_ >= batches_.blocks())
      renew(lambda, index, result);
    else
      reduce(lambda, index, result);
  }

  void archive(Archive& archive) override {
    inner_->archive(archive);
    archive.value(anchor_);
    archive.value(anchor_gradient_);
    archive.value(anchor_bound_);
    archive.value(since_anchor_);
  }

 private:
  void renew(std::span<const double> lambda, std::uint32_t index, Estimate& result) {
    inner_->estimate(lambda, index, result);
    if (!result.is_finite) return;
    anchor_.assign(lambda.begin(), lambda.end());
    anchor_gradient_ = result.gradient;
    anchor_bound_ = result.bound;
    since_anchor_ = 1;
  }

  void reduce(std::span<const double> lambda, std::uint32_t index, Estimate& result) {
    ++since_anchor_;
    const ChosenRows chosen(rows_, batches_.at(index));
    inner_->estimate(anchor_, index, at_anchor_);
    inner_->estimate(lambda, index, result);
    result.is_finite = result.is_finite && at_anchor_.is_finite;
    if (!result.is_finite) return;
    add(result.gradient, -1, at_anchor_.gradient);
    add(result.gradient, 1, anchor_gradient_);
    result.bound += anchor_bound_ - at_anchor_.bound;
  }

  std::unique_ptr<Estimator> inner_;
  density::Rows& rows_;
  Minibatches batches_;
  Estimate at_anchor_;
  std::vector<double> anchor_;
  std::vector<double> anchor_gradient_;
  double anchor_bound_ = 0;
  std::uint64_t since_anchor_ = 0;
};

class Saga final : public Estimator {
 public:
  Saga(const EstimatorSetting& setting, const RowSetting& rows)
      : inner_(inner_record(setting)->make(setting)),
        rows_(*rows.rows),
        batches_(setting.noise->name(), rows.rows->count(), rows.batch_size),
        blocks_(batches_.partition()),
        size_(setting.family->parameters() + 1) {}

  Bias bias() const override { return inner_->bias(); }
  const EvaluatedDraws& draws() const override { return inner_->draws(); }

  void estimate(std::span<const double> lambda, std::uint32_t index, Estimate& result) override {
    if (table_.empty()) {
      fill(lambda, index, result);
      return;
    }
    const std::size_t b = batches_.block_at(index);
    if (!estimate_block(b, lambda, index, result)) return;
    double* kept = table_.data() + b * size_;
    for (std::size_t i = 0; i < size_; ++i) {
      double& now = i + 1 < size_ ? result.gradient[i] : result.bound;
      const double change = now - kept[i];
      kept[i] = now;
      now = change + mean_[i];
      mean_[i] += share(b) * change;
    }
  }

  void archive(Archive& archive) override {
    inner_->archive(archive);
    archive.value(table_);
    archive.value(mean_);
  }

 private:
  double share(std::size_t b) const {
    return static_cast<double>(blocks_[b].size()) / static_cast<double>(batches_.rows());
  }

  bool estimate_block(std::size_t b, std::span<const double> lambda, std::uint32_t index, Estimate& result) {
    const ChosenRows chosen(rows_, blocks_[b]);
    inner_->estimate(lambda, index, result);
    return result.is_finite;
  }

  // One pass over the blocks, whose mean is the whole gradient.
  void fill(std::span<const double> lambda, std::uint32_t index, Estimate& result) {
    std::vector<double> table;
    std::vector<double> mean(size_, 0.0);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!estimate_block(b, lambda, index, result)) return;
      table.insert(table.end(), result.gradient.begin(), result.gradient.end());
      table.push_back(result.bound);
      for (std::size_t i = 0; i < size_; ++i) mean[i] += share(b) * table[b * size_ + i];
    }
    result.gradient.assign(mean.begin(), mean.end() - 1);
    result.bound = mean.back();
    table_ = std::move(table);
    mean_ = std::move(mean);
  }

  std::unique_ptr<Estimator> inner_;
  density::Rows& rows_;
  Minibatches batches_;
  std::vector<std::vector<std::uint32_t>> blocks_;
  std::size_t size_;           // of an entry: gradient and bound
  std::vector<double> table_;  // block after block
  std::vector<double> mean_;   // of the entries, by rows
};

std::optional<std::string> refuse(const EstimatorSetting& setting) {
  if (inner_record(setting) == nullptr)
    return "its draws are not differentiable in its parameters, or it has no log q";
  return std::nullopt;
}

template <class Reduced>
std::unique_ptr<Estimator> make_estimator(const EstimatorSetting& setting) {
  return std::make_unique<Reduced>(setting, rows_for("This optimiser", *setting.density, *setting.options));
}

constexpr const OptionRecord* kOptions[] = {&option::kBatchSize, &option::kGradDraws, &option::kLearningRate,
                                            &option::kDecay, &option::kMaxSteps};

template <class Reduced>
std::unique_ptr<Scheme> make_reduced(const SchemeSetting& setting) {
  static const EstimatorRecord record{.name = "reparam",
                                      .summary = "",
                                      .citation = "",
                                      .options = {},
                                      .refuse = refuse,
                                      .make = make_estimator<Reduced>};
  const std::string flag = fmt::format("--optimizer {}", setting.optimizer->name);
  if (setting.objective->name != "elbo") {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} needs an objective that is linear in log p, so that minibatches are unbiased; "
                    "--objective {} is not.",
                    flag, setting.objective->name),
        "Leave --objective out: the ELBO is.");
  }
  rows_for(flag, *setting.density, *setting.options);
  SchemeSetting ascent = setting;
  ascent.estimator = &record;
  ascent.optimizer = &find_optimizer("adam");
  return make_stochastic_ascent(ascent);
}

}  // namespace

const OptimizerRecord& svrg_optimizer() {
  static const OptimizerRecord record{
      .name = "svrg",
      .summary = "minibatches of rows, corrected by the gradient of all rows at an anchor",
      .citation =
          "Johnson and Zhang (2013), Accelerating stochastic gradient descent using predictive variance "
          "reduction, NeurIPS.",
      .options = kOptions,
      .chooses_rows = true,
      .make_scheme = make_reduced<Svrg>,
  };
  return record;
}

const OptimizerRecord& saga_optimizer() {
  static const OptimizerRecord record{
      .name = "saga",
      .summary = "minibatches of rows, corrected by the last gradient of each block of rows",
      .citation =
          "Defazio, Bach and Lacoste-Julien (2014), SAGA: a fast incremental gradient method with support "
          "for "
          "non-strongly convex composite objectives, NeurIPS.",
      .options = kOptions,
      .chooses_rows = true,
      .make_scheme = make_reduced<Saga>,
  };
  return record;
}

}  // namespace kullback::infer
