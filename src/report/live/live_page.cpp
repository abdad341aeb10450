#include "report/live/live_page.hpp"

#include <ctime>
#include <string>

#include "base/content_hash.hpp"
#include "report/assets.hpp"
#include "report/live/run_state.hpp"
#include "report/live/server.hpp"
#include "report/page.hpp"
#include "run/record.hpp"

namespace kullback::report {

namespace {

HttpAnswer tagged(std::string type, std::string body) {
  std::string tag = content_hash(body);
  return {.type = std::move(type), .body = std::move(body), .tag = std::move(tag)};
}

}  // namespace

void serve(const ServeRequest& request) {
  RunFollower follower(request.folder);
  follower.look(std::time(nullptr));
  const std::string script(asset("shell/live.js"));
  const auto page = [&] {
    return tagged("text/html; charset=utf-8", page_html(Result(request.folder), {.live_script = script}));
  };
  const auto state = [&] { return tagged("application/json", to_json(follower.look(std::time(nullptr)))); };
  Server server(request.port, {{"/", page}, {"/state", state}});
  request.on_ready(server.port());
  server.run(request.should_stop);
}

}  // namespace kullback::report
