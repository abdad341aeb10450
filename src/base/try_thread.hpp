// Threads where the system has them to give: under a limit on processes (ulimit -u) it may not. What they do
// heeds the StopRequest that their maker heeds.
#pragma once

#include <future>
#include <system_error>
#include <utility>
#include <vector>

#include "base/stop.hpp"

namespace kullback {

// The work, heeding what this thread heeds, wherever it is done.
template <class Work>
auto heeding_stop(Work work) {
  return [work = std::move(work), request = heeded_stop()]() mutable {
    const StopScope scope(request);
    return work();
  };
}

// False where no thread could be made: the work is left to those that there are.
template <class Thread, class Work>
bool try_start(std::vector<Thread>& threads, Work work) {
  try {
    threads.emplace_back(heeding_stop(std::move(work)));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// In a thread of its own where there is one, else when the result is wanted. (std::async with both policies
// has moved the work away when it comes to defer it.)
template <class Work>
auto async_where_possible(const Work& work) {
  try {
    return std::async(std::launch::async, heeding_stop(work));
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, heeding_stop(work));
  }
}

}  // namespace kullback
