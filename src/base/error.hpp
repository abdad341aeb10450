// The three channels of failure: expected numerics are a returned Status (density/), the user's input
// is an Error or a list of Diagnostics, our own bug is an Error of kind internal.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/source.hpp"

namespace kullback {

// The values are the exit codes of the program (sysexits.h).
enum class ErrorKind {
  usage = 64,
  bad_input = 65,
  missing_file = 66,
  internal = 70,
  cannot_write = 73,
};

class Error final : public std::exception {
 public:
  Error(ErrorKind kind, std::string message, std::string hint = {})
      : kind_(kind), message_(std::move(message)), hint_(std::move(hint)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string message_;
  std::string hint_;
};

enum class Severity { error, warning, hint };

// One thing said about a source text. `code` is a short stable name ("unused-variable") that editors
// and tests use; `note` points at a second place, such as the earlier declaration.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;
  Span span;
  std::string message;
  std::string hint = {};
  struct Note {
    Span span;
    std::string message;
  };
  std::optional<Note> note = {};
};

using Diagnostics = std::vector<Diagnostic>;

bool has_errors(const Diagnostics& diagnostics);

}  // namespace kullback
