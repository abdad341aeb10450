#include "conjugate/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "conjugate/purpose.hpp"

namespace kullback::conjugate {

namespace {

constexpr double kFixedStrictness = 1e-4;
constexpr std::size_t kLeastPassesToAverage = 10;
constexpr double kPatience = 10;  // passes like the last in which a move must reach the bound before it

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint32_t as_word(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

}  // namespace

Start::Start(const Setting& setting, std::size_t number, Workers& workers)
    : setting_(setting),
      options_(setting.options),
      number_(number),
      workers_(workers),
      model_(setting.make()),
      robbins_monro_(options_.delay, options_.forgetting),
      adam_(options_.rate),
      began_(seconds_now()),
      saved_(began_) {
  Random random(options_.seed, as_word(number), static_cast<std::uint32_t>(Purpose::start));
  model_->begin(setting.sample, random);
  if (!setting.prior.empty()) {
    model_->set_state(setting.prior);
    model_->adopt_posterior_as_prior();
  }
  model_->prepare();
  first_state_ = model_->state();
  if (setting.source.in_memory() != nullptr && options_.method == Method::cavi) {
    local_.assign(static_cast<std::size_t>(setting.source.units()) * model_->local_size(), 0.0);
  }
}

double Start::seconds_since_start() const { return seconds_now() - began_; }

void Start::run() {
  if (outcome_.is_complete) return;
  switch (options_.method) {
    case Method::cavi: ascend(); break;
    case Method::svi: descend_noisily(); break;
    case Method::streaming: take_in_pieces(); break;
  }
  outcome_.state = model_->state();
  if (outcome_.is_complete && !options_.checkpoint.empty()) save();
}

void Start::full_pass() {
  statistics_ = source_pass(*model_, setting_.source, local_, workers_, [&](double part) {
    if (setting_.watch.on_progress) {
      setting_.watch.on_progress({.start = number_, .pass = outcome_.passes, .part = part});
    }
    return true;
  });
}

void Start::global_steps(const Statistics& statistics, Mover& mover) {
  for (std::size_t block = 0; block < model_->blocks(); ++block) {
    stop_if_asked();
    model_->global_step(block, statistics, mover);
  }
  stop_if_asked();
  model_->prepare();
}

void Start::add_trace(double elbo) {
  outcome_.trace.push_back(
      {.pass = outcome_.passes, .elbo = elbo, .seconds = earlier_seconds_ + seconds_since_start()});
}

// As in go_on.
bool Start::is_stopped() const {
  double flag[] = {setting_.watch.should_stop && setting_.watch.should_stop() ? 1.0 : 0.0};
  setting_.ranks.sum(flag);
  return flag[0] > 0;
}

bool Start::go_on(double part, double elbo) {
  const double units = static_cast<double>(setting_.source.shape().units);
  if (!std::isfinite(elbo)) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("start {}: the bound is not finite after {} passes.", number_ + 1, outcome_.passes),
        "Are some values extremely large? Standardise the columns, or use a wider prior.");
  }
  if (setting_.watch.on_progress) {
    setting_.watch.on_progress(
        {.start = number_, .pass = outcome_.passes, .part = part, .elbo_per_unit = elbo / units});
  }
  // All ranks must agree: one that was interrupted stops all; the first one's clock counts.
  const double now = seconds_now();
  const bool is_time = setting_.ranks.is_first() && now - saved_ > options_.save_every;
  double flags[] = {setting_.watch.should_stop && setting_.watch.should_stop() ? 1.0 : 0.0,
                    is_time ? 1.0 : 0.0};
  setting_.ranks.sum(flags);
  const bool stops = flags[0] > 0;
  if (!options_.checkpoint.empty() && (stops || flags[1] > 0)) {
    save();
    saved_ = seconds_now();
  }
  return !stops;
}

// Where the first q(theta) says next to nothing a part of the units is enough to leave it: the first pass is
// steps of svi, with rho_t = 1 / t, so that all parts count the same in the end.
void Start::take_first_steps() {
  if (options_.first_steps < 2 || setting_.source.in_memory() == nullptr) return;
  const std::uint64_t units = setting_.source.shape().units;
  const auto size = static_cast<std::size_t>((units + options_.first_steps - 1) / options_.first_steps);
  RobbinsMonroMover mover(1, 1);
  Buffer batch(setting_.source.shape().kind, setting_.source.shape().columns);
  for (std::uint64_t step = 0; step < options_.first_steps; ++step) {
    sample_minibatch(step, size, batch);
    Statistics noisy = local_pass(*model_, batch.batch(), {}, workers_);
    sum_over(setting_.ranks, noisy);
    mover.set_step(step);
    if (noisy.units > 0) global_steps(noisy, mover);
  }
  ++outcome_.passes;
}

void Start::measure() {
  if (statistics_.values.empty() || !model_->has_fixed_statistics()) {
    full_pass();
    sum_over(setting_.ranks, statistics_);
  }
  const double before = outcome_.elbo;
  const double elbo = total(model_->elbo(statistics_));
  const double size = std::max(std::abs(elbo), statistics_.units);
  // Where a pass does not touch the data it costs nothing to be strict.
  const double tolerance = options_.bound_tol * (model_->has_fixed_statistics() ? kFixedStrictness : 1);
  const bool is_first = outcome_.trace.empty();
  outcome_.elbo = elbo;
  add_trace(elbo);
  if (!is_first) outcome_.largest_fall = std::max(outcome_.largest_fall, (before - elbo) / size);
  outcome_.is_converged = !is_first && elbo - before < tolerance * size;
}

// A move, and passes after it while the bound before it is within reach: blocks follow the move step by step.
// Until it is reached the trace keeps it, since that is what the fit would go back to.
Start::Move Start::try_move() {
  const std::vector<double> state = model_->state();
  if (!model_->propose(statistics_, refused_)) return Move::none;
  const StartOutcome outcome = outcome_;
  const Statistics statistics = statistics_;
  const std::vector<double> local = local_;
  const Move move = climb_back();
  if (move == Move::taken) {
    refused_ = 0;
    return move;
  }
  if (move == Move::refused) ++refused_;
  if (move == Move::stopped) outcome_ = outcome;
  model_->set_state(state);
  model_->prepare();
  statistics_ = statistics;
  local_ = local;
  return move;
}

Start::Move Start::climb_back() {
  ExactMover mover;
  double last = -std::numeric_limits<double>::infinity();
  model_->prepare();
  while (true) {
    full_pass();
    sum_over(setting_.ranks, statistics_);
    ++outcome_.passes;
    const double elbo = total(model_->elbo(statistics_));
    const bool is_taken = elbo > outcome_.elbo;
    if (is_taken) outcome_.elbo = elbo;
    add_trace(outcome_.elbo);
    if (is_taken) return Move::taken;
    const bool is_near = outcome_.elbo - elbo < kPatience * (elbo - last);
    if (!is_near || outcome_.passes >= most_passes()) return Move::refused;
    if (options_.method == Method::cavi && is_stopped()) return Move::stopped;
    last = elbo;
    global_steps(statistics_, mover);
  }
}

// Moves at the end of svi have as many passes as its noisy steps.
std::size_t Start::most_passes() const {
  return options_.method == Method::cavi ? options_.passes : 2 * options_.passes + options_.polish;
}

void Start::ascend() {
  ExactMover mover;
  if (!is_resumed_) {
    take_first_steps();
    measure();
  }
  while (outcome_.passes < most_passes()) {
    if (!go_on(0, outcome_.elbo)) return;
    if (outcome_.is_converged) {
      const Move move = try_move();
      if (move == Move::none) break;
      if (move != Move::taken) continue;
    }
    global_steps(statistics_, mover);
    ++outcome_.passes;
    measure();
  }
  outcome_.is_complete = true;
}

void Start::sample_minibatch(std::uint64_t step, std::size_t size, Buffer& batch) const {
  const Batch& shard = *setting_.source.in_memory();
  Random random(options_.seed, as_word(number_), static_cast<std::uint32_t>(Purpose::minibatch),
                as_word(step));
  batch.clear();
  if (importance_ != nullptr) {
    importance_->sample(shard, size, random, batch);
  } else {
    model_->sample_minibatch(shard, setting_.source.shape().units, size, random, batch);
  }
}

// The next units of a stream, of each rank its part; at the end of a pass begins again.
bool Start::read_batch(std::uint64_t step, Buffer& batch) {
  const std::size_t share =
      std::max<std::size_t>(1, options_.batch / static_cast<std::size_t>(setting_.ranks.size()));
  const std::uint64_t per_pass = (setting_.source.shape().units + options_.batch - 1) / options_.batch;
  if (step % per_pass == 0) setting_.source.rewind();
  return setting_.source.read(share, batch);
}

void Start::descend_noisily() {
  const std::uint64_t units = setting_.source.shape().units;
  const std::uint64_t per_pass = (units + options_.batch - 1) / options_.batch;
  const bool is_stream = setting_.source.in_memory() == nullptr;
  if (!is_stream && options_.sampling == UnitSampling::importance) {
    importance_ = std::make_unique<ImportanceSampler>(*setting_.source.in_memory(), setting_.source.shape(),
                                                      setting_.ranks);
  }
  Buffer batch(setting_.source.shape().kind, setting_.source.shape().columns);
  // A stream that is resumed goes on where it was.
  if (is_stream) {
    for (std::uint64_t skipped = step_ / per_pass * per_pass; skipped < step_; ++skipped)
      read_batch(skipped, batch);
  }
  const std::uint64_t last = per_pass * options_.passes;
  for (; step_ < last;) {
    if (is_stream) {
      if (!read_batch(step_, batch)) batch.clear();
    } else {
      sample_minibatch(step_, options_.batch, batch);
    }
    Statistics noisy = local_pass(*model_, batch.batch(), {}, workers_);
    sum_over(setting_.ranks, noisy);
    if (is_stream && noisy.units > 0) {
      const double scale = static_cast<double>(units) / noisy.units;
      for (double& value : noisy.values) value *= scale;
      noisy.local *= scale;
      noisy.units *= scale;
    }
    if (noisy.units > 0) {
      pass_sum_ += total(model_->elbo(noisy));
      ++pass_steps_;
      robbins_monro_.set_step(step_);
      adam_.set_step(step_);
      global_steps(noisy, options_.step_rule == StepRule::adam ? static_cast<Mover&>(adam_) : robbins_monro_);
    }
    ++step_;
    average_tail(last);
    const double mean = pass_steps_ > 0 ? pass_sum_ / static_cast<double>(pass_steps_) : 0;
    if (step_ % per_pass == 0) {
      ++outcome_.passes;
      add_trace(mean);
      pass_sum_ = 0;
      pass_steps_ = 0;
    }
    outcome_.elbo = mean;
    if (!go_on(static_cast<double>(step_ % per_pass) / static_cast<double>(per_pass), mean)) return;
  }
  take_average();
  ExactMover exact;
  for (std::size_t pass = 0; !is_stream && pass < options_.polish; ++pass) {
    full_pass();
    sum_over(setting_.ranks, statistics_);
    global_steps(statistics_, exact);
    ++outcome_.passes;
  }
  full_pass();
  sum_over(setting_.ranks, statistics_);
  outcome_.elbo = total(model_->elbo(statistics_));
  add_trace(outcome_.elbo);
  if (!is_stream && options_.polish > 0) settle();
  outcome_.is_converged = true;
  outcome_.is_complete = true;
}

// Noise keeps alive what exact updates would remove.
void Start::settle() {
  ExactMover exact;
  const auto pass = [&] {
    global_steps(statistics_, exact);
    ++outcome_.passes;
    measure();
  };
  bool has_moved = false;
  while (outcome_.passes < most_passes()) {
    const Move move = try_move();
    if (move == Move::none) break;
    if (move == Move::refused) continue;
    has_moved = true;
    pass();
  }
  for (std::size_t left = has_moved ? options_.polish : 0; left > 0; --left) pass();
}

// Noisy steps end near the optimum, not at it; the mean of the last ones is nearer (Polyak & Juditsky 1992).
// It is inside the family, whose natural parameters are a convex set. In a few passes the steps are still on
// their way, and a mean would hold them back.
void Start::average_tail(std::uint64_t last) {
  if (options_.passes < kLeastPassesToAverage || 2 * step_ <= last) return;
  if (averages_.empty()) averages_.resize(model_->blocks());
  ++averaged_;
  for (std::size_t block = 0; block < averages_.size(); ++block) {
    const std::span<const double> natural = model_->natural(block);
    std::vector<double>& mean = averages_[block];
    mean.resize(natural.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += (natural[i] - mean[i]) / static_cast<double>(averaged_);
    }
  }
}

void Start::take_average() {
  if (averages_.empty()) return;
  for (std::size_t block = 0; block < averages_.size(); ++block) {
    std::copy(averages_[block].begin(), averages_[block].end(), model_->natural(block).begin());
  }
  model_->prepare();
}

void Start::take_in_pieces() {
  const std::uint64_t units = setting_.source.shape().units;
  const std::uint64_t pieces = (units + options_.batch - 1) / options_.batch;
  const Batch* shard = setting_.source.in_memory();
  ExactMover mover;
  Buffer buffer(setting_.source.shape().kind, setting_.source.shape().columns);
  if (shard == nullptr) {
    for (std::uint64_t skipped = 0; skipped < step_; ++skipped) read_batch(skipped, buffer);
  }
  for (; step_ < pieces;) {
    Batch piece;
    if (shard == nullptr) {
      if (!read_batch(step_, buffer)) buffer.clear();
      piece = buffer.batch();
    } else {
      const std::uint64_t end = shard->first + shard->units;
      const std::uint64_t from = std::clamp(step_ * options_.batch, shard->first, end);
      const std::uint64_t to = std::clamp((step_ + 1) * options_.batch, shard->first, end);
      piece = shard->part(static_cast<std::size_t>(from - shard->first),
                          static_cast<std::size_t>(to - shard->first));
    }
    std::vector<double> local(piece.units * model_->local_size());
    double before = 0;
    for (std::size_t update = 0; update < options_.inner; ++update) {
      Statistics statistics = local_pass(*model_, piece, local, workers_);
      sum_over(setting_.ranks, statistics);
      const double elbo = total(model_->elbo(statistics));
      const double size = std::max(std::abs(elbo), statistics.units);
      const bool is_last = update > 0 && elbo - before < options_.bound_tol * size;
      before = elbo;
      global_steps(statistics, mover);
      if (is_last) break;
    }
    model_->adopt_posterior_as_prior();
    model_->prepare();
    ++step_;
    pass_sum_ += before;
    if (!go_on(static_cast<double>(step_) / static_cast<double>(pieces), pass_sum_)) return;
  }
  ++outcome_.passes;
  evaluate_with_first_prior();
  outcome_.is_converged = true;
  outcome_.is_complete = true;
}

// The pieces' priors were posteriors; the bound is that of the whole data under the prior of the fit.
void Start::evaluate_with_first_prior() {
  std::vector<std::vector<double>> naturals;
  for (std::size_t block = 0; block < model_->blocks(); ++block) {
    const std::span<const double> natural = model_->natural(block);
    naturals.emplace_back(natural.begin(), natural.end());
  }
  model_->set_state(first_state_);
  for (std::size_t block = 0; block < model_->blocks(); ++block) {
    std::copy(naturals[block].begin(), naturals[block].end(), model_->natural(block).begin());
  }
  model_->prepare();
  full_pass();
  sum_over(setting_.ranks, statistics_);
  outcome_.elbo = total(model_->elbo(statistics_));
  add_trace(outcome_.elbo);
}

}  // namespace kullback::conjugate
