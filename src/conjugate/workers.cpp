#include "conjugate/workers.hpp"

#include <utility>

#include "base/try_thread.hpp"

namespace kullback::conjugate {

Workers::Workers(std::size_t threads) {
  while (others_.size() + 1 < threads && try_start(others_, [this] { wait_for_work(); })) {
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Workers::take_tasks(std::unique_lock<std::mutex>& lock) {
  ++running_;
  while (next_ < count_ && !failure_) {
    const std::size_t mine = next_++;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task_)(mine);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
  }
  if (--running_ == 0) changed_.notify_all();
}

void Workers::wait_for_work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || (task_ != nullptr && next_ < count_ && !failure_); });
    if (ends_) return;
    take_tasks(lock);
  }
}

void Workers::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  next_ = 0;
  count_ = count;
  failure_ = nullptr;
  if (count > 1) changed_.notify_all();
  take_tasks(lock);
  changed_.wait(lock, [this] { return running_ == 0; });
  task_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace kullback::conjugate
