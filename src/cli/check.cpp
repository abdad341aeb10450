#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/render.hpp"
#include "cli/program_files.hpp"
#include "cli/verb.hpp"
#include "lang/front_end.hpp"
#include "lang/print.hpp"
#include "lang/print_program.hpp"

namespace kullback::cli {

namespace {

struct CheckArguments {
  std::vector<std::string> files;
  std::vector<std::string> include_paths;
  std::string dump;
  bool json = false;
  bool summary = false;
  bool no_warnings = false;
};

class Checker final {
 public:
  explicit Checker(const CheckArguments& arguments) : arguments_(arguments) {}

  int run() {
    for (const std::string& path : arguments_.files) check(path);
    if (arguments_.json) std::printf("[%s]\n", json_.c_str());
    return code_;
  }

 private:
  void fail_with(ErrorKind kind) { code_ = std::max(code_, static_cast<int>(kind)); }

  void check(const std::string& path) {
    SourceMap sources;
    FileId file = 0;
    try {
      file = add_program(sources, path);
    } catch (const Error& e) {
      print_error(e.message(), e.hint());
      fail_with(e.kind());
      return;
    }
    lang::FrontEndOptions options;
    options.include_paths.assign(arguments_.include_paths.begin(), arguments_.include_paths.end());
    options.functions_only = is_functions_file(path);
    options.lint = !arguments_.no_warnings;
    lang::Understood understood = lang::understand(sources, file, options);
    if (arguments_.no_warnings) {
      std::erase_if(understood.diagnostics,
                    [](const Diagnostic& d) { return d.severity != Severity::error; });
    }
    say(understood.diagnostics, sources);
    if (has_errors(understood.diagnostics)) fail_with(ErrorKind::bad_input);
    show(path, understood, sources);
  }

  void say(const Diagnostics& diagnostics, const SourceMap& sources) {
    if (!arguments_.json) {
      print_diagnostics(diagnostics, sources);
      return;
    }
    for (const Diagnostic& d : diagnostics)
      json_ += (json_.empty() ? "\n " : ",\n ") + render_json(d, sources);
  }

  void show(const std::string& path, const lang::Understood& understood, const SourceMap& sources) const {
    if (arguments_.dump == "ast") std::fputs(lang::dump(understood.tree, sources).c_str(), stdout);
    if (!understood.program) return;
    if (arguments_.dump == "program") std::fputs(lang::dump(*understood.program).c_str(), stdout);
    if (arguments_.summary) std::printf("%s\n%s", path.c_str(), lang::summary(*understood.program).c_str());
  }

  const CheckArguments& arguments_;
  std::string json_;
  int code_ = 0;
};

}  // namespace

Run add_check(const Command& verb) {
  const auto arguments = std::make_shared<CheckArguments>();
  verb.add_option("files", arguments->files, "Stan programs (.stan, .stanfunctions); - is standard input")
      .required()
      .type_name("FILE...");
  verb.add_option("--include-path", arguments->include_paths,
                  "Folder to search for #include files (repeatable)")
      .type_name("DIR")
      .one_value_each();
  verb.add_option("--dump", arguments->dump, "Print the syntax tree or the typed program")
      .type_name("ast|program")
      .one_of({"ast", "program"});
  const AddedOption json =
      verb.add_flag("--json", arguments->json, "Print all diagnostics as JSON on standard output");
  verb.add_flag("--summary", arguments->summary, "Print what was understood of each program").excludes(json);
  verb.add_flag("--no-warnings", arguments->no_warnings, "Report errors only");
  return [arguments] { return Checker(*arguments).run(); };
}

}  // namespace kullback::cli
