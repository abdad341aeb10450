// The little of HTTP/1.1 that a page on this machine needs: GET, one answer for each connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kullback::report {

struct HttpRequest {
  std::string method = {};
  std::string target = {};
  std::string host = {};
  std::string known_tag = {};  // If-None-Match
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body = {};
  std::string tag = {};  // of the content; empty: none
};

// Of all that stands before the empty line. Nothing where it is no request: a line that is none, no Host or
// two of them, control characters.
std::optional<HttpRequest> parse_request(std::string_view head);

// Only names of this machine: a page elsewhere whose name was made to point here sends its own.
bool is_own_host(std::string_view host, std::uint16_t port);

// 304 without a body where the request knows the tag.
std::string answer_text(const HttpAnswer& answer, const HttpRequest& request);

}  // namespace kullback::report
