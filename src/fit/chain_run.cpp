#include "fit/chain_run.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/stop.hpp"
#include "fit/kept_chains.hpp"
#include "run/folder.hpp"

namespace kullback::fit {

namespace {

using Clock = std::chrono::steady_clock;

// Between looks at the clock and notes for the display.
constexpr std::chrono::microseconds kNoteEvery{2000};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

using Sizes = std::array<std::size_t, 5>;

Sizes sizes_of(const infer::Draws& draws) {
  return {draws.theta.size(), draws.log_density.size(), draws.log_q.size(), draws.log_weight.size(),
          draws.stats.size()};
}

void shrink(infer::Draws& draws, const Sizes& sizes) {
  std::vector<double>* const numbers[] = {&draws.theta, &draws.log_density, &draws.log_q, &draws.log_weight,
                                          &draws.stats};
  for (std::size_t i = 0; i < sizes.size(); ++i) numbers[i]->resize(sizes[i]);
}

}  // namespace

ChainRun::ChainRun(const Request& request, density::LogDensity& density, infer::Start start)
    : request_(request), number_(start.chain) {
  if (!request.out.empty())
    partial_.emplace(run::partial_folder(request.out, request.rung), start.chain,
                     request.method->stats.size());
  result_.draws.dim = density.dim();
  algorithm_ = request.method->make(density, request.options, std::move(start));
  if (request.resume) restore();
  note_progress();
}

void ChainRun::restore() {
  ChainState state;
  const bool is_there = partial_ ? partial_->load(state, result_.draws)
                                 : request_.kept->load(request_.rung, number_, state, result_.draws);
  if (!is_there) return;
  infer::Archive archive(std::move(state.algorithm));
  algorithm_->archive(archive);
  if (!archive.is_complete()) {
    throw Error(ErrorKind::bad_input,
                run::partial_folder(request_.out).string() + ": the saved state is not one of this method.",
                "Was it written by another version of kullback? Fit again, into another folder.");
  }
  result_.is_finished = state.is_finished && !request_.keeps_state;
  result_.warmup_seconds = state.warmup_seconds;
  result_.sampling_seconds = state.sampling_seconds;
}

// A step that is cut counts as not taken: its draws go, and what was saved before stays what is saved.
void ChainRun::step() {
  infer::Draws& draws = result_.draws;
  const Sizes before = sizes_of(draws);
  try {
    result_.is_finished = !algorithm_->step(draws);
  } catch (const Interrupted&) {
    shrink(draws, before);
    is_torn_ = true;
  }
}

void ChainRun::run(const std::atomic<bool>& stop) {
  Clock::time_point last = Clock::now();
  Clock::time_point saved = last;
  bool is_warming_up = progress_.is_warming_up;
  while (!result_.is_finished && !stop.load(std::memory_order_relaxed) && !is_stop_asked()) {
    step();
    if (is_torn_) break;
    const Clock::time_point now = Clock::now();
    if (now - last < kNoteEvery && !result_.is_finished) continue;
    (is_warming_up ? result_.warmup_seconds : result_.sampling_seconds) += seconds_between(last, now);
    last = now;
    note_progress();
    is_warming_up = progress_.is_warming_up;
    if (partial_ && seconds_between(saved, now) > request_.checkpoint_seconds) {
      save();
      saved = Clock::now();
    }
  }
  if (request_.keeps_state || (partial_ && !result_.is_finished)) save();
  describe();
}

void ChainRun::describe() {
  result_.gradients = progress_.gradients;
  result_.adaptation = algorithm_->adaptation();
  result_.mode = algorithm_->mode();
  result_.trace = algorithm_->trace();
  try {
    result_.facts = algorithm_->facts();
    result_.findings = algorithm_->findings();
  } catch (const Interrupted&) {  // some evaluate the density
  }
}

void ChainRun::save() {
  if (is_torn_) return;
  const Unhurried writing;
  infer::Archive archive;
  algorithm_->archive(archive);
  ChainState state{archive.numbers(), result_.is_finished, result_.warmup_seconds, result_.sampling_seconds};
  if (partial_)
    partial_->save(state, result_.draws);
  else
    request_.kept->keep(request_.rung, number_, std::move(state), result_.draws);
}

void ChainRun::note_progress() {
  const std::lock_guard lock(mutex_);
  progress_ = algorithm_->progress();
  const std::vector<double>& log_density = result_.draws.log_density;
  if (std::isnan(progress_.value) && !log_density.empty()) progress_.value = log_density.back();
}

infer::Progress ChainRun::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

}  // namespace kullback::fit
