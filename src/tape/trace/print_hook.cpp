#include "tape/trace/print_hook.hpp"

#include "tape/trace/value_text.hpp"

namespace kullback::tape {

bool PrintHook::take(const lang::Stmt& stmt) {
  const auto* print = stmt.as<lang::Print>();
  if (print == nullptr) return false;
  std::string line;
  for (const lang::Expr* item : print->items) {
    if (const auto* text = item->as<lang::StringConstant>()) {
      line += text->text;
    } else {
      append_text(tracer_.eval(*item), tracer_.builder(), line);
    }
  }
  printer_(line + "\n");
  return true;
}

}  // namespace kullback::tape
