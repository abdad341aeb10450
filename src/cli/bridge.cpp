// A copy of the prebuilt stub (src/capi/bridge) with the program at its end: no compiler is needed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/program_files.hpp"
#include "cli/verb.hpp"
#include "lang/front_end.hpp"
#include "model/carried_program.hpp"

namespace kullback::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStub = "kullback-bridge.so";

struct BridgeArguments {
  std::string program;
  std::string out;
  std::vector<std::string> include_paths;
  bool force = false;
};

// Beside the program (where it was built), or where it is installed.
fs::path find_stub() {
  std::error_code none;
  const fs::path own = fs::read_symlink("/proc/self/exe", none).parent_path();
  const fs::path places[] = {own / kStub, own.parent_path() / "lib" / "kullback" / kStub,
                             own.parent_path() / "lib" / kStub};
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, none)) return place;
  }
  throw Error(ErrorKind::missing_file,
              fmt::format("{} is missing; it was looked for in {}, {} and {}.", kStub, own.string(),
                          places[1].parent_path().string(), places[2].parent_path().string()),
              "'tools/build.sh release kullback' builds it; it is installed with kullback.");
}

// The bytes to which the program is appended.
std::string read_stub() {
  const fs::path path = find_stub();
  if (model::carries_program(path)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: this is a library with a program inside, not the stub.", path.string()),
                "Build or install kullback again.");
  }
  std::string stub = read_file(path);
  if (!stub.starts_with("\x7f"
                        "ELF")) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: this is no shared library.", path.string()),
                "Build or install kullback again.");
  }
  return stub;
}

fs::path out_path(const BridgeArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  if (arguments.program == "-")
    throw Error(ErrorKind::usage, "a program from standard input has no name.",
                "Name the library: -o model.so");
  return fs::path(arguments.program).stem().string() + ".so";
}

void check_out(const fs::path& out, const BridgeArguments& arguments) {
  std::error_code none;
  if (!fs::exists(out, none)) return;
  if (fs::is_directory(out, none))
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: this is a folder; a file is needed.", out.string()));
  if (fs::equivalent(out, arguments.program, none))
    throw Error(ErrorKind::usage, fmt::format("{}: the library would replace the program.", out.string()),
                "Choose another name with -o.");
  if (arguments.force || model::carries_program(out)) return;
  throw Error(ErrorKind::cannot_write,
              fmt::format("{}: there is a file that 'kullback bridge' did not write.", out.string()),
              "--force replaces it.");
}

// What `check` warns of but no library could do: functions that the engine does not have.
bool cannot_run(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::error || diagnostic.code == "unsupported-function";
}

int run_bridge(const BridgeArguments& arguments) {
  if (is_functions_file(arguments.program))
    throw Error(ErrorKind::usage, fmt::format("{}: functions alone have no density.", arguments.program),
                "Name a whole program (.stan).");
  const fs::path out = out_path(arguments);
  SourceMap sources;
  const FileId file = add_program(sources, arguments.program);
  lang::FrontEndOptions options;
  options.include_paths.assign(arguments.include_paths.begin(), arguments.include_paths.end());
  lang::Understood understood = lang::understand(sources, file, options);
  std::erase_if(understood.diagnostics, [](const Diagnostic& d) { return !cannot_run(d); });
  if (!understood.diagnostics.empty()) {
    for (Diagnostic& diagnostic : understood.diagnostics) diagnostic.severity = Severity::error;
    print_diagnostics(understood.diagnostics, sources);
    return static_cast<int>(ErrorKind::bad_input);
  }
  check_out(out, arguments);
  const std::string library = read_stub() + model::pack_program(sources);
  replace_file(out, library);
  std::printf("%s: %s with BridgeStan's interface, %.1f MB\n", out.c_str(),
              std::string(sources.name(file)).c_str(), static_cast<double>(library.size()) / 1e6);
  return 0;
}

}  // namespace

Run add_bridge(const Command& verb) {
  const auto arguments = std::make_shared<BridgeArguments>();
  verb.add_option("program", arguments->program, "Stan program; - is standard input")
      .required()
      .type_name("MODEL");
  verb.add_option("-o,--out", arguments->out, "The library to write (default: MODEL.so, in this folder)")
      .type_name("FILE");
  verb.add_option("--include-path", arguments->include_paths,
                  "Folder to search for #include files (repeatable)")
      .type_name("DIR")
      .one_value_each();
  verb.add_flag("--force", arguments->force, "Replace a file that is no such library");
  return [arguments] { return run_bridge(*arguments); };
}

}  // namespace kullback::cli
