// A server of HTTP for this machine alone: 127.0.0.1, GET of known targets, nothing from the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "report/live/http.hpp"

namespace kullback::report {

struct ServerLimits {
  std::size_t head_bytes = 8192;
  std::size_t connections = 32;             // more wait until one has ended
  std::chrono::milliseconds request{5000};  // until a request is complete
  std::chrono::milliseconds answer{10000};  // until an answer is taken
};

class Server final {
 public:
  // What a target gives; it may take its time, while others wait.
  using Targets = std::map<std::string, std::function<HttpAnswer()>, std::less<>>;

  // Port 0: any that is free. Throws Error usage where it is taken.
  Server(std::uint16_t port, Targets targets, ServerLimits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }
  // Until should_stop says so, asked several times a second. What a target throws becomes an answer 500.
  void run(const std::function<bool()>& should_stop);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    enum class Phase { request, answer, goodbye, over };
    int socket = -1;
    Phase phase = Phase::request;
    std::string in = {};
    std::string out = {};
    std::size_t sent = 0;
    Clock::time_point deadline = {};
  };

  void accept_all();
  void advance(Connection& connection, bool is_ready);
  void receive(Connection& connection);
  void reply(Connection& connection, const HttpAnswer& answer, const HttpRequest& request);
  void send_some(Connection& connection);
  void drain(Connection& connection);
  HttpAnswer answer_to(const HttpRequest& request) const;

  Targets targets_;
  ServerLimits limits_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::map<int, Connection> connections_;  // by socket
};

}  // namespace kullback::report
