// Threads where the system has them to give: under a limit on processes (ulimit -u) it may not.
#pragma once

#include <future>
#include <system_error>
#include <utility>
#include <vector>

namespace kullback {

// False where no thread could be made: the work is left to those that there are.
template <class Thread, class Work>
bool try_start(std::vector<Thread>& threads, Work&& work) {
  try {
    threads.emplace_back(std::forward<Work>(work));
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
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

}  // namespace kullback
