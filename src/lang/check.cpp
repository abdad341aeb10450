#include "lang/check.hpp"

#include "lang/check/checker.hpp"

namespace kullback::lang {

Checked check(const ast::Tree& tree, const CheckOptions& options) { return Checker(tree, options).run(); }

}  // namespace kullback::lang
