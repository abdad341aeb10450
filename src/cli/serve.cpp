#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/interrupt.hpp"
#include "cli/verb.hpp"
#include "report/live/live_page.hpp"

namespace kullback::cli {

namespace {

struct ServeArguments {
  std::string folder;
  std::uint16_t port = 0;
};

int run_serve(const ServeArguments& arguments) {
  const InterruptGuard guard({.is_announced = false});
  report::serve({.folder = arguments.folder,
                 .port = arguments.port,
                 .should_stop = is_interrupted,
                 .on_ready = [&](std::uint16_t port) {
                   fmt::print("http://127.0.0.1:{}/ shows {}. Ctrl-C ends it.\n", port, arguments.folder);
                   std::fflush(stdout);
                 }});
  return 0;
}

}  // namespace

Run add_serve(const Command& verb) {
  const auto arguments = std::make_shared<ServeArguments>();
  verb.add_option("folder", arguments->folder, "Folder of a run, in progress or over")
      .required()
      .type_name("DIR");
  verb.add_option("--port", arguments->port, "Port of 127.0.0.1 (default: any that is free)").range(1, 65535);
  return [arguments] { return run_serve(*arguments); };
}

}  // namespace kullback::cli
