#include "cli/program_files.hpp"

#include <cstdio>

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
  print(render(diagnostics, sources));
}

void deliver(const std::string& path, const std::string& text, bool in_place) {
  if (!in_place) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  if (path == "-") {
    throw Error(ErrorKind::usage, "--in-place needs a file, not standard input.", "Drop --in-place.");
  }
  rewrite_file(path, text);
}

}  // namespace kullback::cli
