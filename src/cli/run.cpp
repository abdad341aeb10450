// The command line: verbs in, exit codes out (DESIGN: 0, 64, 65, 66, 70, 73).
#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/stop.hpp"
#include "cli/deep.hpp"
#include "cli/verb.hpp"
#include "kullback_version.hpp"

namespace kullback::cli {

namespace {

std::string version() {
  std::string text = "kullback " + std::string(kVersion);
  if (kGitHash[0] != '\0') text += " (" + std::string(kGitHash) + ")";
  return text + ", Stan language 2.39, built with " + kCompiler;
}

// What other programs of the field call it.
constexpr shell::ForeignOption kForeignOptions[] = {
    {"--data", "", "The data file comes after the program: MODEL.stan DATA.json."},
    {"--adapt-delta", "--target-accept", "Here it is --target-accept."},
    {"--max-treedepth", "--max-depth", "Here it is --max-depth."},
    {"--iter", "--draws", "Here it is --draws, which does not count --warmup."},
    {"--iter-sampling", "--draws", "Here it is --draws."},
    {"--num-samples", "--draws", "Here it is --draws."},
    {"--iter-warmup", "--warmup", "Here it is --warmup."},
    {"--num-warmup", "--warmup", "Here it is --warmup."},
    {"--num-chains", "--chains", "Here it is --chains."},
    {"--parallel-chains", "--threads", "Here it is --threads."},
    {"--cores", "--threads", "Here it is --threads."},
    {"--output-dir", "--out", "Here it is --out."},
    {"--algorithm", "--method", "Here it is --method."},
    {"--tolerance", "--bound-tol", "How little the bound may rise before a fit ends is --bound-tol."},
    {"--adam-rate", "--rate", "Adam's rate is --rate."},
    {"--shape", "--prior-shape", "The shape of the gamma prior of rates is --prior-shape."},
};

int print_out_of_memory() {
  print_error("out of memory.",
              "Lower the counts among the options (--draws, --grad-draws, --particles, --paths), or the "
              "size of the data.");
  return static_cast<int>(ErrorKind::bad_input);
}

bool is_lack_of_threads(const std::exception& e) {
  const auto* refused = dynamic_cast<const std::system_error*>(&e);
  return refused != nullptr && refused->code() == std::errc::resource_unavailable_try_again;
}

}  // namespace

shell::Program program() {
  return {.name = "kullback",
          .starter = "kullback",
          .summary = "Approximate Bayesian inference for Stan programs, without a compiler.",
          .version = version(),
          .verbs =
              {
#define KULLBACK_VERB(name, summary) \
  {#name, summary, [](const Command& verb, const auto&) { return add_##name(verb); }},
#define KULLBACK_COMMON_VERB(name, summary) KULLBACK_VERB(name, summary)
#define KULLBACK_DEEP_VERB(name, summary) {#name, summary, {}},
#include "shell/verbs.def"
              },
          .foreign_options = kForeignOptions};
}

int main(int argc, char** argv) {
  try {
    const shell::Words words(argv + std::min(argc, 1), argv + argc);
    return is_for_deep(words) ? run_deep(words) : run_program(program(), words);
  } catch (const Error& e) {
    print_error(e.message(), e.hint());
    return static_cast<int>(e.kind());
  } catch (const Interrupted&) {
    print_error("interrupted before there was a result.", "");
    return kInterruptedCode;
  } catch (const std::length_error&) {  // of a container, beyond any memory
    return print_out_of_memory();
  } catch (const std::bad_alloc&) {
    return print_out_of_memory();
  } catch (const std::exception& e) {
    if (is_lack_of_threads(e)) {
      print_error("the system has no thread left to give.",
                  "Raise the limit on processes (ulimit -u shows it), or add --threads 1.");
      return static_cast<int>(ErrorKind::bad_input);
    }
    print_error(std::string("internal error: ") + e.what(),
                "Please report this with the input that caused it.");
    return static_cast<int>(ErrorKind::internal);
  }
}

}  // namespace kullback::cli
