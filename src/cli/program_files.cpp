#include "cli/program_files.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "base/file.hpp"
#include "base/render.hpp"

namespace kullback::cli {

namespace {

std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, stdin)) text.append(buffer, count);
  return text;
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

FileId add_program(SourceMap& sources, const std::string& path) {
  if (path == "-") return sources.add("standard input", read_standard_input());
  return sources.add(path, read_file(path));
}

bool is_functions_file(const std::string& path) { return path.ends_with(".stanfunctions"); }

void print_diagnostics(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::map<std::string, int> old_forms;
  for (const Diagnostic& d : diagnostics) {
    if (d.code.starts_with("old-")) ++old_forms[d.code];
  }
  for (Diagnostic d : diagnostics) {
    if (d.code.starts_with("old-")) {
      const int count = std::exchange(old_forms[d.code], 0);
      if (count == 0) continue;
      if (count > 1)
        d.hint += "\nand so in " + std::to_string(count - 1) + " more places; kullback modernize does it.";
    }
    print(render(d, sources));
  }
}

void deliver(const std::string& path, const std::string& text, bool in_place) {
  if (!in_place) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  if (path == "-") {
    throw Error(ErrorKind::usage, "--in-place needs a file, not standard input.", "Drop --in-place.");
  }
  replace_file(path, text);
}

}  // namespace kullback::cli
