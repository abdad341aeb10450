#include "capi/relay.hpp"

namespace kullback::capi {

namespace {

constexpr std::chrono::milliseconds kEvery{100};

}  // namespace

fit::Watch Relay::as_watch() {
  if (watch_ == nullptr) return {};
  return {.on_progress = [this](const std::vector<infer::Progress>& chains) { tell(chains); },
          .should_stop = [this] { return should_stop(); }};
}

void Relay::tell(const std::vector<infer::Progress>& chains) {
  progress_.clear();
  for (const infer::Progress& p : chains) {
    progress_.push_back({.chain = progress_.size(),
                         .chains = chains.size(),
                         .done = p.done,
                         .total = p.total,
                         .is_warming_up = p.is_warming_up ? 1 : 0,
                         .gradients = p.gradients,
                         .divergences = p.divergences,
                         .seconds = 0});
  }
  call();
}

// Threads of a certificate ask too: they get the last answer.
bool Relay::should_stop() {
  const bool is_due = std::this_thread::get_id() == owner_ && Clock::now() - called_ >= kEvery;
  if (is_due && !is_stopped_) call();
  return is_stopped_;
}

void Relay::call() {
  called_ = Clock::now();
  const double seconds = std::chrono::duration<double>(called_ - began_).count();
  for (kb_progress& p : progress_) p.seconds = seconds;
  if (watch_(progress_.data(), progress_.size(), user_) != 0) is_stopped_ = true;
}

}  // namespace kullback::capi
