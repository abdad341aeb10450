// The command line: verbs in, exit codes out, as of kullback (0, 64, 65, 66, 70, 73, 130).
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "deep/cli/options.hpp"
#include "deep/cli/verb.hpp"
#include "kullback_version.hpp"

namespace kullback::deep::cli {

namespace {

std::string version() {
  std::string text = "kullback-deep " + std::string(kVersion);
  if (kGitHash[0] != '\0') text += " (" + std::string(kGitHash) + ")";
  return text + ", LibTorch " + TORCH_VERSION + ", built with " + kCompiler;
}

// LibTorch says more than a user can use; its first line is what happened.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool is_out_of_memory(const c10::Error& error) {
  const std::string what = error.what_without_backtrace();
  return what.find("out of memory") != std::string::npos ||
         what.find("DefaultCPUAllocator") != std::string::npos;
}

shell::Program program() {
  return {.name = "kullback-deep",
          .starter = "kullback",
          .summary = "Bayesian deep learning: networks that know what they do not know.",
          .version = version(),
          .verbs = {
#define KULLBACK_DEEP_VERB(name, summary) {#name, summary, add_##name},
#define KULLBACK_COMMON_VERB(name, summary) KULLBACK_DEEP_VERB(name, summary)
#include "shell/verbs.def"
          }};
}

}  // namespace

void use_threads(const OptionValues& values, const Ranks& ranks) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t shared = std::max(1U, cores / static_cast<unsigned>(ranks.size()));
  at::set_num_threads(static_cast<int>(values.given(option::kThreads).value_or(shared)));
}

int run_on_ranks(int (*work)(const Ranks& ranks, const Arguments& arguments), const Arguments& arguments) {
  const Ranks ranks;
  try {
    return work(ranks, arguments);
  } catch (const Error& error) {
    if (ranks.size() == 1) throw;
    print_error(error.message(), error.hint());
    ranks.abort(static_cast<int>(error.kind()));  // the others would wait for this one
    throw;
  }
}

int main(int argc, char** argv) {
  try {
    return run_program(program(), {argv + std::min(argc, 1), argv + argc});
  } catch (const Error& e) {
    print_error(e.message(), e.hint());
    return static_cast<int>(e.kind());
  } catch (const std::bad_alloc&) {
    print_error("out of memory.", "Lower --members, --draws, --hidden or --batch, or the size of the data.");
    return static_cast<int>(ErrorKind::bad_input);
  } catch (const c10::Error& e) {
    if (is_out_of_memory(e)) {
      print_error("out of memory: " + first_line(e.what_without_backtrace()),
                  "Lower --members, --draws, --hidden or --batch, or the size of the data.");
      return static_cast<int>(ErrorKind::bad_input);
    }
    print_error("internal error: " + first_line(e.what_without_backtrace()),
                "Please report this with the input that caused it.");
    return static_cast<int>(ErrorKind::internal);
  } catch (const std::exception& e) {
    print_error(std::string("internal error: ") + first_line(e.what()),
                "Please report this with the input that caused it.");
    return static_cast<int>(ErrorKind::internal);
  }
}

}  // namespace kullback::deep::cli
