// All passes over one program: parse, modernise, check, lint. What every user of the language calls.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"
#include "lang/ast.hpp"
#include "lang/program.hpp"

namespace kullback::lang {

struct FrontEndOptions {
  std::vector<std::filesystem::path> include_paths = {};
  bool functions_only = false;  // a .stanfunctions file
  bool lint = true;
};

struct Understood {
  ast::Tree tree;                          // in modern form
  std::unique_ptr<const Program> program;  // null where there were errors
  Diagnostics diagnostics;                 // in order of position
};

Understood understand(SourceMap& sources, FileId file, const FrontEndOptions& options = {});

}  // namespace kullback::lang
