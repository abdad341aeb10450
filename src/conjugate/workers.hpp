// Threads that share the tasks of a pass over the data.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kullback::conjugate {

class Workers final {
 public:
  // The calling thread counts as one of them.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t threads() const { return others_.size() + 1; }
  // task(0) .. task(count - 1), each once, in any order. What one throws is thrown here when all have ended.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void wait_for_work();
  void take_tasks(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t running_ = 0;
  bool ends_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> others_;
};

}  // namespace kullback::conjugate
