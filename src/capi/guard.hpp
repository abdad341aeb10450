// The boundary: what is thrown inside becomes a status and a kb_error.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "capi/kullback.h"

struct kb_error {
  std::string text;
  std::string message;
  std::string hint;
};

namespace kullback::capi {

// A failure that is no kullback::Error: its text is more than message and hint, or its status is not one of
// theirs.
class Failure final : public std::exception {
 public:
  Failure(kb_status status, kb_error error) : status_(status), error_(std::move(error)) {}

  kb_status status() const { return status_; }
  const kb_error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  kb_status status_;
  kb_error error_;
};

// message, and the hint below it.
std::string text_of(const std::string& message, const std::string& hint);

// Of the exception that is being handled. Never throws.
kb_status report_exception(kb_error** error) noexcept;

// Throws Error usage, "FUNCTION: NAME is NULL.", where the pointer is.
void require(const void* pointer, const char* function, const char* name);

template <class Work>
kb_status guarded(kb_error** error, Work&& work) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    return report_exception(error);
  }
}

}  // namespace kullback::capi
