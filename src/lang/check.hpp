// The checker: syntax tree in, typed Program and diagnostics out. All errors of a file are reported, none
// twice: an expression that failed has no type and silences whatever depends on it.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.hpp"
#include "lang/ast.hpp"
#include "lang/program.hpp"

namespace kullback::lang {

struct CheckOptions {
  std::string_view model_name = {};  // a variable may not have the model's name; empty: no such rule
  bool allow_undefined_functions = false;
};

struct Checked {
  std::unique_ptr<const Program> program;  // null where there were errors
  Diagnostics diagnostics;
};

Checked check(const ast::Tree& tree, const CheckOptions& options = {});

}  // namespace kullback::lang
