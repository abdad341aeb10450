#include "capi/relay.hpp"

namespace kullback::capi {

namespace {

constexpr std::chrono::milliseconds kEvery{100};

}  // namespace

void Relay::run(const Work& work) {
  if (watch_ == nullptr) return work({});
  const std::jthread worker([&] { do_work(work); });
  std::unique_lock lock(mutex_);
  for (bool is_over = false; !is_over;) {
    is_over = woken_.wait_for(lock, kEvery, [this] { return is_over_; });
    shown_ = progress_;
    lock.unlock();
    call();
    lock.lock();
  }
  if (failure_) std::rethrow_exception(failure_);
}

void Relay::do_work(const Work& work) {
  const StopScope scope(&stop_);
  std::exception_ptr failure;
  try {
    work({.on_progress = [this](const run::RunProgress& progress) { note(progress); },
          .should_stop = [this] { return stop_.is_asked(); }});
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  is_over_ = true;
  woken_.notify_one();
}

void Relay::note(const run::RunProgress& progress) {
  if (progress.parts.empty()) return;  // a stage that counts nothing: what was last said stays
  const std::lock_guard lock(mutex_);
  progress_.clear();
  for (const run::PartProgress& p : progress.parts) {
    progress_.push_back({.chain = progress_.size(),
                         .chains = progress.parts.size(),
                         .done = static_cast<std::uint64_t>(p.done),
                         .total = static_cast<std::uint64_t>(p.total),
                         .is_warming_up = p.is_warming_up ? 1 : 0,
                         .gradients = p.gradients,
                         .divergences = p.divergences,
                         .seconds = 0});
  }
}

void Relay::call() {
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  for (kb_progress& p : shown_) p.seconds = seconds;
  if (watch_(shown_.data(), shown_.size(), user_) != 0) stop_.ask();
}

}  // namespace kullback::capi
