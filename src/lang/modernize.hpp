// Old functions and densities in their modern form, in place: normal_log(y, m, s) becomes
// normal_lpdf(y | m, s), cov_exp_quad becomes gp_exp_quad_cov, if_else(c, a, b) becomes c ? a : b, and so
// on. The parser has already replaced old syntax. Each replacement is one warning.
#pragma once

#include "base/error.hpp"
#include "lang/ast.hpp"

namespace kullback::lang {

Diagnostics modernize(ast::Tree& tree);

}  // namespace kullback::lang
