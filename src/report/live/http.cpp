#include "report/live/http.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kullback::report {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(kLineEnd), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + kLineEnd.size(), rest.size()));
  return line;
}

bool has_control(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

// "GET /state HTTP/1.1"
bool take_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last == first) return false;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  const bool is_word = request.target.find(' ') == std::string::npos && !request.target.empty();
  return is_word && (version == "HTTP/1.1" || version == "HTTP/1.0");
}

std::string_view reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 431: return "Request Header Fields Too Large";
    default: return "Internal Server Error";
  }
}

}  // namespace

std::optional<HttpRequest> parse_request(std::string_view head) {
  HttpRequest request;
  const std::string_view first = next_line(head);
  if (has_control(first) || !take_request_line(first, request)) return std::nullopt;
  bool has_host = false;
  while (!head.empty()) {
    const std::string_view line = next_line(head);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || has_control(line)) return std::nullopt;
    const std::string name = lowered(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name.find_first_of(" \t") != std::string::npos) return std::nullopt;
    if (name == "host") {
      if (has_host) return std::nullopt;
      has_host = true;
      request.host = value;
    } else if (name == "if-none-match") {
      request.known_tag = value;
    }
  }
  if (!has_host) return std::nullopt;
  return request;
}

bool is_own_host(std::string_view host, std::uint16_t port) {
  const std::string lower = lowered(host);
  const std::string end = fmt::format(":{}", port);
  for (const char* name : {"localhost", "127.0.0.1"}) {
    if (lower == name + end) return true;
    if (port == 80 && lower == name) return true;
  }
  return false;
}

std::string answer_text(const HttpAnswer& answer, const HttpRequest& request) {
  const std::string tag = answer.tag.empty() ? "" : "\"" + answer.tag + "\"";
  const bool is_known = answer.status == 200 && !tag.empty() && request.known_tag == tag;
  const int status = is_known ? 304 : answer.status;
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", status, reason(status));
  if (!is_known)
    text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", answer.type, answer.body.size());
  if (!tag.empty()) text += "ETag: " + tag + "\r\n";
  if (status == 405) text += "Allow: GET\r\n";
  // no-cache: a copy is kept, and asked for each time whether it still holds.
  text +=
      "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\nConnection: "
      "close\r\n\r\n";
  return is_known ? text : text + answer.body;
}

}  // namespace kullback::report
