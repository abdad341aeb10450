// The report of a run on this machine, for a browser: the page, and what the run is doing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace kullback::report {

struct ServeRequest {
  std::filesystem::path folder = {};
  std::uint16_t port = 0;  // 0: any that is free
  std::function<bool()> should_stop;
  std::function<void(std::uint16_t port)> on_ready;  // the address is open
};

// GET / is the page, GET /state the state as JSON; there is nothing else. Throws Error.
void serve(const ServeRequest& request);

}  // namespace kullback::report
