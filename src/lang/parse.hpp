// Source text to syntax tree. Never throws on bad text: diagnostics say what was wrong, and after an
// error parsing goes on at the next statement, so that one run reports all of a file's errors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"
#include "lang/ast.hpp"

namespace kullback::lang {

struct ParseOptions {
  std::vector<std::filesystem::path> include_paths = {};
  bool functions_only = false;  // a .stanfunctions file: function definitions without a block
};

struct Parsed {
  ast::Tree tree;
  Diagnostics diagnostics;  // syntax errors, and one warning for each old form that was accepted
};

// Included files are added to `sources`.
Parsed parse(SourceMap& sources, FileId file, const ParseOptions& options = {});

}  // namespace kullback::lang
