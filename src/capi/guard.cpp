#include "capi/guard.hpp"

#include <fmt/format.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "kullback_version.hpp"

namespace kullback::capi {

namespace {

kb_status hand_over(kb_status status, kb_error told, kb_error** error) {
  if (error != nullptr) *error = new kb_error(std::move(told));
  return status;
}

kb_status hand_over(kb_status status, const std::string& message, const std::string& hint, kb_error** error) {
  return hand_over(status, {text_of(message, hint), message, hint}, error);
}

}  // namespace

std::string text_of(const std::string& message, const std::string& hint) {
  return hint.empty() ? message : fmt::format("{}\n  hint: {}", message, hint);
}

kb_status report_exception(kb_error** error) noexcept {
  try {
    try {
      throw;
    } catch (const Failure& failure) {
      return hand_over(failure.status(), failure.error(), error);
    } catch (const Interrupted&) {
      return hand_over(KB_CANCELLED, "the run was stopped.", "", error);
    } catch (const Error& e) {
      return hand_over(static_cast<kb_status>(e.kind()), e.message(), e.hint(), error);
    } catch (const std::bad_alloc&) {
      return hand_over(KB_BAD_INPUT, "out of memory.",
                       "Lower the counts among the options, or the size of the data.", error);
    } catch (const std::length_error&) {  // of a container, beyond any memory
      return hand_over(KB_BAD_INPUT, "out of memory.",
                       "Lower the counts among the options, or the size of the data.", error);
    } catch (const std::exception& e) {
      const auto* refused = dynamic_cast<const std::system_error*>(&e);
      if (refused != nullptr && refused->code() == std::errc::resource_unavailable_try_again)
        return hand_over(KB_BAD_INPUT, "the system has no thread left to give.",
                         "Raise the limit on processes, or ask for fewer threads.", error);
      return hand_over(KB_INTERNAL, fmt::format("internal error: {}", e.what()),
                       "Please report this with the input that caused it.", error);
    } catch (...) {
      return hand_over(KB_INTERNAL, "internal error.", "Please report this with the input that caused it.",
                       error);
    }
  } catch (...) {  // no memory for the message either
    return KB_INTERNAL;
  }
}

void require(const void* pointer, const char* function, const char* name) {
  if (pointer == nullptr) throw Error(ErrorKind::usage, fmt::format("{}: {} is NULL.", function, name));
}

}  // namespace kullback::capi

int kb_abi(void) { return KB_ABI; }
const char* kb_version(void) { return kullback::kVersion; }

const char* kb_error_text(const kb_error* error) { return error != nullptr ? error->text.c_str() : ""; }
const char* kb_error_message(const kb_error* error) { return error != nullptr ? error->message.c_str() : ""; }
const char* kb_error_hint(const kb_error* error) { return error != nullptr ? error->hint.c_str() : ""; }
void kb_error_free(kb_error* error) { delete error; }
