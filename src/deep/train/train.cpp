// An epoch is a random order of the rows, cut into minibatches; the last one takes rows from the beginning of
// the order again where the batch does not divide them, as all minibatches have one size. Generators are
// seeded by (seed, epoch): a run that goes on after epoch e does what it would have done.
#include "deep/train/train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "deep/purpose.hpp"
#include "deep/train/checkpoint.hpp"
#include "deep/train/step_graph.hpp"

namespace kullback::deep {

namespace {

using Clock = std::chrono::steady_clock;

// Which part of every minibatch a process has.
struct RowsPart {
  int rank = 0;
  int of = 1;
};

RowsPart rows_part(const Trainee& trainee, const Ranks& ranks) {
  if (trainee.spread() != nullptr) return {};
  return {.rank = ranks.rank(), .of = ranks.size()};
}

std::int64_t batch_size(const Trainee& trainee, const TrainOptions& options, RowsPart part) {
  const std::int64_t batch = std::min(options.batch, trainee.rows());
  if (batch < part.of) {
    throw Error(ErrorKind::usage,
                "a minibatch of " + std::to_string(batch) + " rows is too small for " +
                    std::to_string(part.of) + " processes.",
                "Give a larger --batch, or start fewer processes.");
  }
  return batch;
}

// The minibatches of an epoch as tensors on the device that stay in place.
class Epoch final {
 public:
  Epoch(Trainee& trainee, std::int64_t batch, RowsPart part)
      : groups_(trainee.groups()),
        rows_(trainee.rows()),
        batch_(batch),
        steps_((rows_ + batch - 1) / batch),
        first_(batch * part.rank / part.of),
        last_(batch * (part.rank + 1) / part.of),
        feed_(trainee.feed()) {
    const auto on_device = torch::TensorOptions().device(trainee.device());
    order_ = torch::zeros({groups_, steps_ * batch}, on_device.dtype(torch::kInt64));
    columns_ = torch::arange(first_, last_, on_device.dtype(torch::kInt64));
    position_ = torch::zeros({}, on_device.dtype(torch::kInt64));
    noise_ = Noise(first_, last_ - first_, batch);
    if (trainee.spread() != nullptr) noise_ = noise_.of_nets(trainee.spread()->part());
  }

  std::int64_t steps() const { return steps_; }
  const Noise& noise() const { return noise_; }

  void begin(std::uint64_t seed, std::int64_t epoch) {
    Random random(seed, 0, static_cast<std::uint32_t>(Purpose::epoch), static_cast<std::uint32_t>(epoch));
    at::manual_seed(random());
    std::vector<torch::Tensor> orders;
    for (std::int64_t group = 0; group < groups_; ++group) {
      const torch::Tensor order = torch::randperm(rows_, torch::kInt64);
      orders.push_back(at::cat({order, order.slice(0, 0, steps_ * batch_ - rows_)}));
    }
    const torch::Tensor order = at::stack(orders);
    order_.copy_(order);
    position_.zero_();
    if (feed_ != nullptr) feed_->begin_epoch(order.view({groups_, steps_, batch_}).slice(2, first_, last_));
    at::manual_seed(random());  // what is drawn next does not depend on the number of rows
  }

  // Inside a captured step: reads and moves the position on the device.
  torch::Tensor next_rows() {
    const torch::Tensor rows = order_.index_select(1, columns_ + position_);
    position_.add_(batch_);
    return rows;
  }

 private:
  std::int64_t groups_, rows_, batch_, steps_;
  std::int64_t first_, last_;  // of a minibatch: this process's part
  RowFeed* feed_;
  torch::Tensor order_, columns_, position_;
  Noise noise_;
};

StepGraph::Captured captured(const Trainee& trainee, const TrainOptions& options, const SumOverRanks& sum) {
  if (!options.uses_graph || !trainee.is_capturable() || !sum.is_capturable()) return StepGraph::Captured::no;
  return sum.is_alone() ? StepGraph::Captured::yes : StepGraph::Captured::beside_threads;
}

class Training final {
 public:
  Training(Trainee& trainee, const TrainOptions& options, const Ranks& ranks, const TrainWatch& watch)
      : trainee_(trainee),
        options_(options),
        watch_(watch),
        ranks_(ranks),
        spread_(trainee.spread()),
        part_(rows_part(trainee, ranks)),
        sum_(spread_ != nullptr ? SumOverRanks() : SumOverRanks(ranks, trainee.device())),
        batch_(batch_size(trainee, options, part_)),
        epoch_(trainee, batch_, part_),
        checkpoint_(trainee, options),
        graph_([this] { return step(); }, trainee.device(), captured(trainee, options, sum_)) {
    const auto number = torch::TensorOptions().device(trainee.device()).dtype(torch::kFloat64);
    count_ = torch::zeros({}, number);
    loss_ = torch::zeros({}, number);
  }

  TrainOutcome run() {
    if (options_.resume) checkpoint_.load(outcome_);
    began_ = Clock::now();
    earlier_seconds_ = outcome_.epochs.empty() ? 0 : outcome_.epochs.back().seconds;
    count_.fill_(static_cast<double>(done() * epoch_.steps()));
    checkpoint_.keep_good();
    while (done() < options_.epochs && !outcome_.stopped_early) {
      if (!run_epoch()) break;
    }
    if (outcome_.best_epoch != 0) checkpoint_.restore_best();
    return outcome_;
  }

 private:
  std::int64_t done() const { return static_cast<std::int64_t>(outcome_.epochs.size()); }

  torch::Tensor step() {
    StepContext context;
    context.rows = epoch_.next_rows();
    context.batch = batch_;
    context.share = 1.0 / part_.of;
    context.progress = count_ / static_cast<double>(options_.epochs * epoch_.steps());
    count_.add_(1);
    context.count = count_;
    context.noise = epoch_.noise();
    context.sum = &sum_;
    loss_.add_(trainee_.step(context));
    return loss_;
  }

  // False where the run ends with it.
  bool run_epoch() {
    const std::int64_t number = done() + 1;
    epoch_.begin(options_.seed, number);
    loss_.zero_();
    for (std::int64_t i = 0; i < epoch_.steps(); ++i) {
      if (RowFeed* feed = trainee_.feed()) feed->ready();
      graph_.run();
      if (RowFeed* feed = trainee_.feed()) feed->prefetch();
      if (watch_.should_stop && watch_.should_stop()) return interrupt();
    }
    EpochFigures figures{.epoch = number, .loss = total_loss() / static_cast<double>(epoch_.steps())};
    if (!std::isfinite(figures.loss)) return fail(number);
    trainee_.end_epoch(number);
    if (number % options_.judge_every == 0 || number == options_.epochs)
      figures.held_out = trainee_.held_out();
    figures.seconds = earlier_seconds_ + std::chrono::duration<double>(Clock::now() - began_).count();
    outcome_.epochs.push_back(figures);
    judge(figures);
    checkpoint_.keep_good();
    save_if_due(number == options_.epochs);
    if (watch_.on_epoch) watch_.on_epoch(figures);
    return true;
  }

  double total_loss() const {
    if (spread_ != nullptr) return spread_->mean(loss_.item<double>());
    torch::Tensor loss = loss_.clone();
    sum_.add_up(loss);
    return loss.item<double>();
  }

  // The first process writes; where members are spread the others give it theirs.
  void save() {
    if (ranks_.is_first() || spread_ != nullptr) checkpoint_.save(outcome_);
  }

  void save_if_due(bool is_last) {
    const bool is_due = checkpoint_.is_due(outcome_, is_last);
    if (spread_ != nullptr ? spread_->decided(is_due) : is_due) save();
  }

  void judge(const EpochFigures& figures) {
    if (options_.patience == 0 || std::isnan(figures.held_out)) return;
    const bool is_better =
        outcome_.best_epoch == 0 ||
        figures.held_out > outcome_.epochs[static_cast<std::size_t>(outcome_.best_epoch - 1)].held_out;
    if (is_better) {
      outcome_.best_epoch = figures.epoch;
      checkpoint_.keep_best();
    } else if (figures.epoch - outcome_.best_epoch >= options_.patience) {
      outcome_.stopped_early = true;
    }
  }

  bool interrupt() {
    checkpoint_.restore_good();
    save();
    outcome_.is_interrupted = true;
    return false;
  }

  bool fail(std::int64_t number) {
    const std::string here = trainee_.first_not_finite();
    const std::string place = spread_ != nullptr ? spread_->first_text(here) : here;
    outcome_.failure = "the loss ceased to be finite in epoch " + std::to_string(number) +
                       (place.empty() ? std::string() : "; it began in " + place);
    checkpoint_.restore_good();
    save();
    return false;
  }

  Trainee& trainee_;
  const TrainOptions& options_;
  const TrainWatch& watch_;
  const Ranks& ranks_;
  const MembersOverRanks* spread_;
  RowsPart part_;
  SumOverRanks sum_;
  std::int64_t batch_;
  Epoch epoch_;
  Checkpoint checkpoint_;
  StepGraph graph_;
  torch::Tensor count_, loss_;
  TrainOutcome outcome_;
  Clock::time_point began_;
  double earlier_seconds_ = 0;
};

}  // namespace

TrainOutcome train(Trainee& trainee, const TrainOptions& options, const Ranks& ranks,
                   const TrainWatch& watch) {
  return Training(trainee, options, ranks, watch).run();
}

}  // namespace kullback::deep
