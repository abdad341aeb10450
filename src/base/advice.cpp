#include "base/advice.hpp"

#include <cstdlib>

namespace kullback {

namespace {

constexpr char kMark = '`';

bool begins_span(std::string_view rest) { return rest.starts_with("`--") || rest.starts_with("`kullback "); }

}  // namespace

std::string without_marks(std::string_view text) {
  std::string plain;
  bool is_inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens = !is_inside && begins_span(text.substr(i));
    if (opens || (is_inside && text[i] == kMark))
      is_inside = opens;
    else
      plain += text[i];
  }
  return plain;
}

std::string for_terminal(std::string_view text) {
  const char* client = std::getenv("KULLBACK_CLIENT");
  const bool keeps_marks = client != nullptr && std::string_view(client) == "python";
  return keeps_marks ? std::string(text) : without_marks(text);
}

}  // namespace kullback
