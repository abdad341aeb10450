#include "lang/print.hpp"

#include "lang/print/doc.hpp"
#include "lang/print/expressions.hpp"
#include "lang/print/statements.hpp"

namespace kullback::lang {

std::string format(const ast::Tree& tree, const SourceMap& sources) {
  return layout::StatementPrinter(tree, sources).run();
}

std::string format(const ast::Expr& expr) {
  layout::Doc doc;
  layout::ExpressionPrinter(doc, nullptr).print(expr);
  return doc.render(0, 0, layout::kUnlimited);
}

}  // namespace kullback::lang
