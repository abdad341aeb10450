#include "cli/rewrite.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/program_files.hpp"
#include "lang/modernize.hpp"
#include "lang/parse.hpp"
#include "lang/print.hpp"

namespace kullback::cli {

namespace {

struct RewriteArguments {
  std::string file;
  std::vector<std::string> include_paths;
  bool in_place = false;
};

int rewrite(const RewriteArguments& arguments, Rewrite what) {
  SourceMap sources;
  const FileId file = add_program(sources, arguments.file);
  lang::ParseOptions options;
  options.include_paths.assign(arguments.include_paths.begin(), arguments.include_paths.end());
  options.functions_only = is_functions_file(arguments.file);
  lang::Parsed parsed = lang::parse(sources, file, options);
  if (has_errors(parsed.diagnostics)) {
    std::erase_if(parsed.diagnostics, [](const Diagnostic& d) { return d.severity != Severity::error; });
    print_diagnostics(parsed.diagnostics, sources);
    return static_cast<int>(ErrorKind::bad_input);
  }
  if (what == Rewrite::modernize) lang::modernize(parsed.tree);
  deliver(arguments.file, lang::format(parsed.tree, sources), arguments.in_place);
  return 0;
}

}  // namespace

Run add_rewrite(const Command& verb, Rewrite what) {
  const auto arguments = std::make_shared<RewriteArguments>();
  verb.add_option("file", arguments->file, "Stan program; - is standard input").required().type_name("FILE");
  verb.add_option("--include-path", arguments->include_paths,
                  "Folder to search for #include files (repeatable)")
      .type_name("DIR")
      .one_value_each();
  verb.add_flag("--in-place", arguments->in_place, "Replace the file instead of printing");
  return [arguments, what] { return rewrite(*arguments, what); };
}

}  // namespace kullback::cli
