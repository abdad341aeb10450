// print() statements while a program is traced. Without a hook they do nothing.
#pragma once

#include <functional>
#include <string>

#include "tape/trace/tracer.hpp"

namespace kullback::tape {

using Printer = std::function<void(const std::string& line)>;  // with its newline

class PrintHook final : public StatementHook {
 public:
  PrintHook(Tracer& tracer, Printer printer) : tracer_(tracer), printer_(std::move(printer)) {}

  bool take(const lang::Stmt& stmt) override;

 private:
  Tracer& tracer_;
  Printer printer_;
};

}  // namespace kullback::tape
