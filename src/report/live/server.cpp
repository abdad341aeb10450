// One thread, sockets that never block. A connection goes through three phases: a request comes in, the
// answer goes out, and what the client still sends is thrown away until it closes, since closing before would
// tear the answer.
#include "report/live/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace kullback::report {

namespace {

constexpr int kLookEvery = 200;  // milliseconds
constexpr int kWaiting = 64;     // connections that the system keeps for us
constexpr std::chrono::milliseconds kGoodbye{1000};

[[noreturn]] void refuse_port(std::uint16_t port) {
  const int problem = errno;
  throw Error(ErrorKind::usage,
              fmt::format("port {} of 127.0.0.1 cannot be opened: {}.", port, std::strerror(problem)),
              "Choose another with --port, or leave it out.");
}

HttpAnswer plain_answer(int status, const std::string& sentence) {
  return {.status = status, .body = sentence + "\n"};
}

}  // namespace

Server::Server(std::uint16_t port, Targets targets, ServerLimits limits)
    : targets_(std::move(targets)), limits_(limits) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener_ < 0) refuse_port(port);
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (::bind(listener_, plain, size) != 0 || ::listen(listener_, kWaiting) != 0 ||
      ::getsockname(listener_, plain, &size) != 0) {
    const int problem = errno;
    ::close(listener_);
    errno = problem;
    refuse_port(port);
  }
  port_ = ntohs(address.sin_port);
}

Server::~Server() {
  for (const auto& [socket, connection] : connections_) ::close(socket);
  ::close(listener_);
}

void Server::run(const std::function<bool()>& should_stop) {
  while (!should_stop()) {
    std::vector<pollfd> watched;
    for (const auto& [socket, connection] : connections_) {
      const bool writes = connection.phase == Connection::Phase::answer;
      watched.push_back({socket, static_cast<short>(writes ? POLLOUT : POLLIN), 0});
    }
    if (connections_.size() < limits_.connections) watched.push_back({listener_, POLLIN, 0});
    if (::poll(watched.data(), watched.size(), kLookEvery) < 0 && errno != EINTR)
      throw Error(ErrorKind::internal, fmt::format("poll: {}.", std::strerror(errno)));
    for (const pollfd& one : watched) {
      if (one.fd == listener_) {
        if (one.revents != 0) accept_all();
      } else {
        advance(connections_.at(one.fd), one.revents != 0);
      }
    }
    std::erase_if(connections_, [](const auto& item) {
      const bool is_over = item.second.phase == Connection::Phase::over;
      if (is_over) ::close(item.first);
      return is_over;
    });
  }
}

void Server::accept_all() {
  while (connections_.size() < limits_.connections) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    connections_[socket] = {.socket = socket, .deadline = Clock::now() + limits_.request};
  }
}

void Server::advance(Connection& connection, bool is_ready) {
  using Phase = Connection::Phase;
  if (is_ready) {
    switch (connection.phase) {
      case Phase::request: receive(connection); break;
      case Phase::answer: send_some(connection); break;
      case Phase::goodbye: drain(connection); break;
      case Phase::over: return;
    }
  }
  if (connection.phase == Phase::over || Clock::now() < connection.deadline) return;
  if (connection.phase == Phase::request)
    reply(connection, plain_answer(408, "The request took too long."), {});
  else
    connection.phase = Phase::over;
}

void Server::receive(Connection& connection) {
  char buffer[4096];
  const ssize_t count = ::recv(connection.socket, buffer, sizeof buffer, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    connection.phase = Connection::Phase::over;
    return;
  }
  connection.in.append(buffer, static_cast<std::size_t>(count));
  const std::size_t end = connection.in.find("\r\n\r\n");
  if (std::min(end, connection.in.size()) > limits_.head_bytes)
    return reply(connection, plain_answer(431, "The request is too long."), {});
  if (end == std::string::npos) return;
  const std::optional<HttpRequest> request = parse_request(std::string_view(connection.in).substr(0, end));
  if (!request) return reply(connection, plain_answer(400, "This is no request."), {});
  reply(connection, answer_to(*request), *request);
}

HttpAnswer Server::answer_to(const HttpRequest& request) const {
  if (!is_own_host(request.host, port_))
    return plain_answer(403, fmt::format("This page is at http://127.0.0.1:{}/ only.", port_));
  if (request.method != "GET") return plain_answer(405, "Only GET is answered.");
  const auto target = targets_.find(request.target);
  if (target == targets_.end()) return plain_answer(404, "There is nothing here.");
  try {
    return target->second();
  } catch (const std::exception& error) {
    return plain_answer(500, error.what());
  }
}

void Server::reply(Connection& connection, const HttpAnswer& answer, const HttpRequest& request) {
  connection.out = answer_text(answer, request);
  connection.phase = Connection::Phase::answer;
  connection.deadline = Clock::now() + limits_.answer;
  send_some(connection);
}

void Server::send_some(Connection& connection) {
  while (connection.sent < connection.out.size()) {
    const ssize_t count = ::send(connection.socket, connection.out.data() + connection.sent,
                                 connection.out.size() - connection.sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      connection.phase = Connection::Phase::over;
      return;
    }
    connection.sent += static_cast<std::size_t>(count);
  }
  ::shutdown(connection.socket, SHUT_WR);
  connection.phase = Connection::Phase::goodbye;
  connection.deadline = Clock::now() + kGoodbye;
}

void Server::drain(Connection& connection) {
  char buffer[4096];
  const ssize_t count = ::recv(connection.socket, buffer, sizeof buffer, 0);
  const bool waits = count < 0 && (errno == EAGAIN || errno == EINTR);
  if (count == 0 || (count < 0 && !waits)) connection.phase = Connection::Phase::over;
}

}  // namespace kullback::report
