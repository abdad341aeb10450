// A run followed from its folder: torn lines, ends, deaths; frames; requests and the server.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "report/live/frame.hpp"
#include "report/live/http.hpp"
#include "report/live/run_state.hpp"
#include "report/live/server.hpp"
#include "run/folder.hpp"
#include "run/progress_log.hpp"

namespace kullback::report {
namespace {

namespace fs = std::filesystem;

class Live : public testing::Test {
 protected:
  Live() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("live-" + std::to_string(::getpid()) + test.name());
    fs::remove_all(folder_);
    record_.method = "nuts";
    record_.seed = 7;
    record_.chains = 2;
    record_.status = "running";
  }
  ~Live() override { fs::remove_all(folder_); }

  void begin() { run::RunFolder::begin(folder_, record_, "", false); }
  void add(const std::string& line) { append_to_file(run::current_folder(folder_) / "events.jsonl", line); }
  void start(std::uint64_t pid, const std::string& host) {
    add("{\"time\": \"2026-11-16T12:00:00Z\", \"event\": \"start\", \"pid\": " + std::to_string(pid) +
        ", \"host\": \"" + host + "\"}\n");
  }
  void progress(int second, double done, double value, int divergences = 0,
                const std::string& stage = "nuts") {
    char line[512];
    std::snprintf(
        line, sizeof line,
        "{\"time\": \"2026-11-16T12:00:%02dZ\", \"event\": \"progress\", \"seconds\": %d, \"every\": 1, "
        "\"stage\": \"%s\", \"gradients\": 1000, \"parts\": [{\"name\": \"chain 1\", \"done\": %g, "
        "\"total\": 2000, \"warmup\": false, \"divergences\": %d, \"value_name\": \"lp__\", \"value\": "
        "%g}]}\n",
        second, second, stage.c_str(), done, divergences, value);
    add(line);
  }

  static std::int64_t at(int second) { return time_of("2026-11-16T12:00:00Z") + second; }

  fs::path folder_;
  run::RunRecord record_;
};

// timegm's values: 2026-11-16 is day 20773 after 1970.
TEST(Times, AreSecondsSince1970) {
  EXPECT_EQ(time_of("1970-01-01T00:00:10Z"), 10);
  EXPECT_EQ(time_of("2026-11-16T12:00:00Z"), 20773LL * 86400 + 43200);
  EXPECT_EQ(time_of("yesterday"), 0);
  EXPECT_EQ(utc_text(43200), "12:00:00 UTC");
}

TEST_F(Live, WrongFoldersAreOneSentence) {
  const auto message = [](const fs::path& path) {
    try {
      RunFollower follower(path);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("none");
  };
  EXPECT_NE(message("/nowhere/at/all").find("there is no such folder"), std::string::npos);
  fs::create_directories(folder_);
  EXPECT_NE(message(folder_).find("holds no run"), std::string::npos);
  write_file(folder_ / "file", "x");
  EXPECT_NE(message(folder_ / "file").find("is a file"), std::string::npos);
}

TEST_F(Live, FollowsARunLineByLine) {
  begin();
  start(static_cast<std::uint64_t>(::getpid()), "elsewhere");
  RunFollower follower(folder_);
  EXPECT_EQ(follower.look(at(1)).life, Life::running);
  progress(2, 100, -50);
  progress(4, 300, -40, 3);
  add("{\"time\": \"2026-11-16T12:00:05Z\", \"event\": \"prog");  // torn, for now
  const RunState& state = follower.look(at(5));
  ASSERT_EQ(state.parts.size(), 1U);
  EXPECT_EQ(state.parts[0].values, (std::vector<double>{-50, -40}));
  EXPECT_EQ(state.parts[0].done, 300);
  EXPECT_EQ(state.divergences, 3U);
  // 100 steps a second, 1700 to go.
  ASSERT_TRUE(state.seconds_left);
  EXPECT_DOUBLE_EQ(*state.seconds_left, 17);
  add("ress\", \"seconds\": 5, \"every\": 1, \"stage\": \"nuts\", \"parts\": []}\n");
  EXPECT_EQ(follower.look(at(5)).seconds, 5);
}

TEST_F(Live, ALineTornByACrashIsPassedOver) {
  begin();
  start(1, "elsewhere");
  add("{\"time\": \"2026-11-1\n");
  progress(3, 10, -1);
  RunFollower follower(folder_);
  EXPECT_EQ(follower.look(at(4)).parts.size(), 1U);
}

TEST_F(Live, ASilentRunAndADeadProcess) {
  begin();
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);  // its number is free: no process has it
  start(static_cast<std::uint64_t>(child), host);
  progress(2, 100, -50);
  RunFollower follower(folder_);
  EXPECT_EQ(follower.look(at(3)).life, Life::running);  // what has just written is alive
  EXPECT_EQ(follower.look(at(60)).life, Life::died);
  const std::string frame = frame_text(follower.look(at(60)), {}, at(60));
  EXPECT_NE(frame.find("no sign of life since 12:00:02 UTC"), std::string::npos) << frame;
  EXPECT_NE(frame.find("is gone"), std::string::npos) << frame;

  add("{\"time\": \"2026-11-16T12:01:00Z\", \"event\": \"resume\", \"pid\": " + std::to_string(::getpid()) +
      ", \"host\": \"" + host + "\"}\n");
  EXPECT_EQ(follower.look(at(61)).life, Life::running);
  EXPECT_EQ(follower.look(at(600)).life, Life::silent);  // this process lives, and has said nothing
  add("{\"time\": \"2026-11-16T12:10:00Z\", \"event\": \"interrupted\"}\n");
  EXPECT_EQ(follower.look(at(601)).life, Life::over);
  EXPECT_EQ(follower.look(at(601)).status, "interrupted");
}

TEST_F(Live, AnotherMethodBeginsAnew) {
  begin();
  start(1, "elsewhere");
  progress(1, 10, -1, 0, "laplace");
  add("{\"time\": \"2026-11-16T12:00:02Z\", \"event\": \"judging\", \"method\": \"laplace\"}\n");
  add("{\"time\": \"2026-11-16T12:00:03Z\", \"event\": \"rung\", \"method\": \"laplace\", \"verdict\": \"not "
      "met\", "
      "\"gradients\": 12}\n");
  RunFollower follower(folder_);
  EXPECT_EQ(follower.look(at(3)).doing, "judging laplace");
  progress(4, 20, -9, 0, "nuts");
  const RunState& state = follower.look(at(4));
  EXPECT_EQ(state.parts[0].values, std::vector<double>{-9});
  ASSERT_EQ(state.tried.size(), 1U);
  EXPECT_EQ(state.tried[0].verdict, "not met");
}

TEST_F(Live, AFolderThatIsReplacedBeginsAnew) {
  begin();
  start(1, "elsewhere");
  progress(1, 10, -1);
  RunFollower follower(folder_);
  EXPECT_EQ(follower.look(at(1)).parts.size(), 1U);
  run::RunFolder::begin(folder_, record_, "", true);
  start(1, "elsewhere");
  EXPECT_TRUE(follower.look(at(2)).parts.empty());
}

TEST_F(Live, ManyValuesAreThinned) {
  begin();
  start(1, "elsewhere");
  for (int i = 0; i < 3000; ++i) progress(i % 60, i, i);
  RunFollower follower(folder_);
  const RunState& state = follower.look(at(59));
  EXPECT_LT(state.parts[0].values.size(), 512U);
  EXPECT_GT(state.parts[0].values.size(), 200U);
  EXPECT_EQ(state.parts[0].values[0], 0);
  EXPECT_GT(state.parts[0].last(), 2900);
}

TEST_F(Live, TheEndShowsWhatTheFilesHold) {
  record_.status = "complete";
  record_.seconds = 3.5;
  record_.findings = {{"ess", "Few draws.", "", "More draws."}};
  begin();
  start(1, "elsewhere");
  write_file(folder_ / "chain-1.csv", "# x\nlp__,mu\n-3,1\n# y\n-2,1\n");
  add("{\"time\": \"2026-11-16T12:00:09Z\", \"event\": \"finish\"}\n");
  RunFollower follower(folder_);
  const RunState& state = follower.look(at(100));
  EXPECT_EQ(state.life, Life::over);
  ASSERT_EQ(state.parts.size(), 1U);
  EXPECT_EQ(state.parts[0].values, (std::vector<double>{-3, -2}));
  const std::string frame = frame_text(state, {}, at(100));
  EXPECT_NE(frame.find("complete after 3.5 s"), std::string::npos) << frame;
  EXPECT_NE(frame.find("Few draws."), std::string::npos) << frame;
}

TEST_F(Live, ATrainingThatWasInterruptedIsNotWhole) {
  record_.kind = run::Kind::diffusion;
  record_.status = "interrupted";
  begin();
  start(1, "elsewhere");
  write_file(folder_ / "training.csv", "epoch,loss,held_out,seconds\n1,5,-4,0\n2,4,-3,1\n");
  add("{\"event\": \"progress\", \"stage\": \"training\", \"parts\": [{\"name\": \"epochs\", \"done\": 2, "
      "\"total\": 8, \"value_name\": \"loss\", \"value\": 4}, {\"name\": \"held out\", \"value_name\": "
      "\"bound\", "
      "\"value\": -3}]}\n{\"event\": \"interrupted\"}\n");
  RunFollower follower(folder_);
  const RunState& state = follower.look(at(100));
  ASSERT_EQ(state.parts.size(), 2U);
  EXPECT_EQ(state.parts[0].done, 2);
  EXPECT_EQ(state.parts[0].total, 8);
  EXPECT_EQ(state.parts[0].values, (std::vector<double>{5, 4}));
  EXPECT_EQ(state.parts[1].value_name, "bound");
}

TEST_F(Live, TheLogIsWhatTheFollowerReads) {
  begin();
  add("{\"time\": \"2026-11-16T12:00:00Z\", \"event\": \"start\", " + run::process_fields() + "}\n");
  run::ProgressLog log(folder_);
  EXPECT_FALSE(log.is_due());
  log.write(
      {.stage = "nuts",
       .parts = {{.name = "chain \"1\"", .done = 3, .total = 9, .gradients = 5, .value_name = "lp__"}}});
  EXPECT_FALSE(log.is_due());
  RunFollower follower(folder_);
  const RunState& state = follower.look(at(0));
  EXPECT_EQ(state.pid, static_cast<std::uint64_t>(::getpid()));
  EXPECT_EQ(state.parts.at(0).name, "chain \"1\"");
  EXPECT_EQ(state.parts.at(0).total, 9);
  EXPECT_TRUE(std::isnan(state.parts.at(0).values.at(0)));  // none yet
  EXPECT_NE(to_json(state).find("\"values\":[null]"), std::string::npos);
}

TEST(Frames, SparklinesHaveTheShapeOfTheirValues) {
  EXPECT_EQ(sparkline(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7}, 8, true), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline(std::vector<double>{0, 7}, 8, false), "_#");
  EXPECT_EQ(sparkline(std::vector<double>{0, 0, 7, 7}, 2, false), "_#");  // means of pairs
  EXPECT_EQ(sparkline(std::vector<double>{3, 3, 3}, 8, false), "+++");
  EXPECT_EQ(sparkline(std::vector<double>{NAN, 1, 2}, 8, false), " _#");
  EXPECT_EQ(sparkline(std::vector<double>{}, 8, true), "");
  // One far value does not flatten the rest.
  std::vector<double> values{-1e9};
  for (int i = 0; i < 40; ++i) values.push_back(i);
  EXPECT_EQ(sparkline(values, 41, false).back(), '#');
  EXPECT_NE(sparkline(values, 41, false)[10], sparkline(values, 41, false)[30]);
}

TEST(Frames, NoOrdersReachTheTerminal) {
  RunState state;
  state.folder = "fit\033[2J";
  state.record.method =
      "nuts\xC2\x9B"
      "31m";
  state.parts.push_back(
      {.name = "chain\r\n1\a", .done = 1, .total = 2, .value_name = "lp\x7F", .values = {1, 2}});
  for (const bool has_blocks : {true, false}) {
    const std::string frame = frame_text(state, {.has_blocks = has_blocks}, 0);
    for (const char c : frame) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << frame;
    EXPECT_EQ(frame.find("\xC2\x9B"), std::string::npos);
    EXPECT_EQ(frame.find('\x7F'), std::string::npos);
  }
}

TEST(Frames, LinesAreNoLongerThanTheTerminal) {
  RunState state;
  state.folder = std::string(300, 'x');
  for (int i = 0; i < 100; ++i)
    state.parts.push_back({.name = "chain " + std::to_string(i),
                           .done = 5,
                           .total = 10,
                           .value_name = "lp__",
                           .values = {1, 2, 3}});
  for (const std::size_t width : {40U, 80U, 160U}) {
    const std::string frame = frame_text(state, {.width = width, .height = 20, .has_blocks = false}, 0);
    EXPECT_LE(std::count(frame.begin(), frame.end(), '\n'), 20);
    for (std::size_t at = 0; at < frame.size();) {
      const std::size_t end = frame.find('\n', at);
      EXPECT_LE(end - at, width);
      at = end + 1;
    }
  }
}

TEST(Frames, Durations) {
  EXPECT_EQ(duration_text(0.34), "0.3 s");
  EXPECT_EQ(duration_text(59), "59 s");
  EXPECT_EQ(duration_text(185), "3 min 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
  EXPECT_EQ(duration_text(NAN), "an unknown time");
}

TEST(Http, Requests) {
  const auto good = parse_request("GET /state HTTP/1.1\r\nhost: localhost:80 \r\nIf-None-Match: \"a\"");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->target, "/state");
  EXPECT_EQ(good->host, "localhost:80");
  EXPECT_EQ(good->known_tag, "\"a\"");
  for (const char* bad :
       {"", "GET", "GET /", "GET / HTTP/2", "GET  HTTP/1.1\r\nHost: x", "GET / x HTTP/1.1\r\nHost: x",
        "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: a\r\nHost: b", "GET / HTTP/1.1\r\nHost a",
        "GET / HTTP/1.1\r\nHost : a", "GET / HTTP/1.1\r\nHost: a\nX: b", "GET / HTTP/1.1\r\n: a\r\nHost: x"})
    EXPECT_FALSE(parse_request(bad)) << bad;
}

TEST(Http, OnlyNamesOfThisMachine) {
  EXPECT_TRUE(is_own_host("127.0.0.1:8123", 8123));
  EXPECT_TRUE(is_own_host("LOCALHOST:8123", 8123));
  EXPECT_TRUE(is_own_host("localhost", 80));
  for (const char* other : {"evil.example:8123", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8123.evil.example",
                            "localhost.evil.example:8123", "[::1]:8123", "", "0.0.0.0:8123"})
    EXPECT_FALSE(is_own_host(other, 8123)) << other;
}

// One exchange over a real socket; empty where the server closed without a word.
std::string exchange(std::uint16_t port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return "no connection";
  ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  char buffer[4096];
  for (ssize_t count; (count = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
    answer.append(buffer, static_cast<std::size_t>(count));
  ::close(socket);
  return answer;
}

class RunningServer final {
 public:
  explicit RunningServer(ServerLimits limits = {})
      : server_(0,
                {{"/", [] { return HttpAnswer{.body = std::string(3'000'000, 'x'), .tag = "t"}; }},
                 {"/state", [] { return HttpAnswer{.type = "application/json", .body = "{}", .tag = "v1"}; }},
                 {"/bad", []() -> HttpAnswer { throw Error(ErrorKind::bad_input, "it is damaged."); }}},
                limits),
        thread_([this] { server_.run([this] { return stop_.load(); }); }) {}
  ~RunningServer() {
    stop_ = true;
    thread_.join();
  }

  std::uint16_t port() const { return server_.port(); }
  std::string ask(const std::string& line, const std::string& more = {}) const {
    return exchange(port(),
                    line + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) + "\r\n" + more + "\r\n");
  }

 private:
  std::atomic<bool> stop_{false};
  Server server_;
  std::thread thread_;
};

TEST(Serving, TwoTargetsAndNothingElse) {
  const RunningServer server;
  EXPECT_TRUE(server.ask("GET /state").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(server.ask("GET /state").ends_with("\r\n\r\n{}"));
  EXPECT_GT(server.ask("GET /").size(), 3'000'000U);
  EXPECT_TRUE(server.ask("GET /state", "If-None-Match: \"v1\"\r\n").starts_with("HTTP/1.1 304 "));
  for (const char* target : {"/index.html", "/../run.json", "/..%2frun.json", "/state/", "/state?x", "//",
                             "http://127.0.0.1/", "*"})
    EXPECT_TRUE(server.ask(std::string("GET ") + target).starts_with("HTTP/1.1 404 ")) << target;
  for (const char* method : {"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"})
    EXPECT_TRUE(server.ask(std::string(method) + " /state").starts_with("HTTP/1.1 405 ")) << method;
  EXPECT_TRUE(server.ask("GET /bad").starts_with("HTTP/1.1 500 "));
  EXPECT_TRUE(server.ask("GET /bad").ends_with("it is damaged.\n"));
  EXPECT_EQ(server.ask("GET /state").find("Access-Control"), std::string::npos);
}

TEST(Serving, OtherHostsAreRefused) {
  const RunningServer server;
  EXPECT_TRUE(
      exchange(server.port(), "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(exchange(server.port(), "GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(exchange(server.port(), "nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST(Serving, LongAndSlowRequestsEnd) {
  const RunningServer server({.head_bytes = 1000, .request = std::chrono::milliseconds(300)});
  EXPECT_TRUE(exchange(server.port(), "GET / HTTP/1.1\r\nX: " + std::string(100'000, 'x'))
                  .starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(exchange(server.port(), "GET / HTTP/1.1\r\nHost:").starts_with("HTTP/1.1 408 "));
}

TEST(Serving, ManyIdleConnectionsDoNotKeepOthersOut) {
  const RunningServer server({.connections = 4, .request = std::chrono::milliseconds(300)});
  std::vector<int> idle;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < 12; ++i) {
    idle.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(::connect(idle.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_TRUE(server.ask("GET /state").starts_with("HTTP/1.1 200 "));
  for (const int socket : idle) ::close(socket);
}

TEST(Serving, APortThatIsTakenIsSaid) {
  const Server first(0, {});
  try {
    const Server second(first.port(), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(error.message().find("cannot be opened"), std::string::npos);
  }
}

}  // namespace
}  // namespace kullback::report
