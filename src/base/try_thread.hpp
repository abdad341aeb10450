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

// For std::async: in a thread of its own where there is one, else when the result is wanted.
inline constexpr std::launch kWhereThreadsAre = std::launch::async | std::launch::deferred;

}  // namespace kullback
