#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include "base/interrupt.hpp"
#include "cli/verb.hpp"
#include "report/live/frame.hpp"

namespace kullback::cli {

namespace {

constexpr std::chrono::milliseconds kLookEvery{500};
constexpr std::chrono::milliseconds kNap{50};

struct WatchArguments {
  std::string folder;
  bool once = false;
};

// The first of these that is set decides, as in setlocale(3).
bool shows_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    std::string text = value;
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

report::FrameStyle terminal_style() {
  report::FrameStyle style{.has_blocks = shows_utf8()};
  ::winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return style;
  style.width = std::min<std::size_t>(size.ws_col - 1U, 160);
  style.height = size.ws_row > 2 ? size.ws_row - 2U : 0;
  return style;
}

// Lines that are written over each other.
class Screen final {
 public:
  Screen() { std::fputs("\033[?25l", stdout); }  // no cursor
  ~Screen() {
    std::fputs("\033[?25h", stdout);
    std::fflush(stdout);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void show(const std::string& text) {
    if (lines_ > 0) fmt::print("\033[{}A", lines_);
    fmt::print("\r\033[J{}", text);
    std::fflush(stdout);
    lines_ = std::count(text.begin(), text.end(), '\n');
  }

 private:
  std::ptrdiff_t lines_ = 0;
};

bool may_change(const report::RunState& state) {
  return state.life == report::Life::running || state.life == report::Life::silent;
}

void follow(report::RunFollower& follower) {
  const InterruptGuard guard({.is_announced = false});
  Screen screen;
  while (!is_interrupted()) {
    const std::time_t now = std::time(nullptr);
    const report::RunState& state = follower.look(now);
    report::FrameStyle style = terminal_style();
    if (!may_change(state)) style.height = 0;
    screen.show(report::frame_text(state, style, now));
    if (!may_change(state)) return;
    const auto next = std::chrono::steady_clock::now() + kLookEvery;
    while (!is_interrupted() && std::chrono::steady_clock::now() < next) std::this_thread::sleep_for(kNap);
  }
}

int run_watch(const WatchArguments& arguments) {
  report::RunFollower follower(arguments.folder);
  if (!arguments.once && ::isatty(STDOUT_FILENO) != 0) {
    follow(follower);
    return 0;
  }
  const std::time_t now = std::time(nullptr);
  std::fputs(report::frame_text(follower.look(now), {.has_blocks = shows_utf8()}, now).c_str(), stdout);
  return 0;
}

}  // namespace

Run add_watch(const Command& verb) {
  const auto arguments = std::make_shared<WatchArguments>();
  verb.add_option("folder", arguments->folder, "Folder of a run, in progress or over")
      .required()
      .type_name("DIR");
  verb.add_flag("--once", arguments->once,
                "Print the status once and exit (the default when the output is not a terminal)");
  return [arguments] { return run_watch(*arguments); };
}

}  // namespace kullback::cli
