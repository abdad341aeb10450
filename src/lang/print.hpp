// Printing a syntax tree: canonical layout with comments kept (format, modernize), and its raw shape
// (--dump ast).
#pragma once

#include <string>

#include "base/source.hpp"
#include "lang/ast.hpp"

namespace kullback::lang {

// The canonical program. format(parse(format(x))) == format(x). Nodes of included files are not printed:
// their #include directives are.
std::string format(const ast::Tree& tree, const SourceMap& sources);

std::string format(const ast::Expr& expr);  // on one line, for messages

std::string dump(const ast::Tree& tree, const SourceMap& sources);

}  // namespace kullback::lang
