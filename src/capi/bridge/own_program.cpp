// The file is read while the library is being loaded: later it may have been replaced, or the working
// directory, in which the loader found it, may be another one.
#include "capi/bridge/own_program.hpp"

#include <dlfcn.h>

#include <cctype>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/render.hpp"
#include "lang/front_end.hpp"
#include "lang/visit.hpp"
#include "model/carried_program.hpp"

namespace kullback::capi {

namespace {

struct OwnFile {
  std::optional<SourceMap> sources;
  std::optional<Error> problem;  // where there are none
};

OwnFile read_own_file() {
  OwnFile file;
  try {
    Dl_info own{};
    if (dladdr(reinterpret_cast<const void*>(&read_own_file), &own) == 0 || own.dli_fname == nullptr)
      throw Error(ErrorKind::missing_file, "the loader does not know the file of this library.");
    file.sources = model::unpack_program(own.dli_fname);
  } catch (const Error& error) {
    file.problem = error;
  } catch (const std::exception& error) {
    file.problem = Error(ErrorKind::internal, error.what());
  }
  return file;
}

OwnFile& own_file() {
  static OwnFile file = read_own_file();
  return file;
}

__attribute__((constructor)) void read_at_load() { own_file(); }

bool prints(const lang::Stmt& root) {
  bool found = false;
  lang::for_each_stmt(root,
                      [&](const lang::Stmt& stmt) { found = found || stmt.as<lang::Print>() != nullptr; });
  return found;
}

Printing printing_of(const lang::Program& program) {
  bool in_functions = false;
  for (const lang::Function* function : program.functions)
    in_functions = in_functions || (function->body != nullptr && prints(*function->body));
  const auto in = [&](lang::BlockKind block) {
    bool found = in_functions;
    for (const lang::Stmt* stmt : program.block(block)) found = found || prints(*stmt);
    return found;
  };
  return {in(lang::BlockKind::transformed_data), in(lang::BlockKind::transformed_parameters),
          in(lang::BlockKind::model), in(lang::BlockKind::generated_quantities)};
}

std::string name_of(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string() + "_model";
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

OwnProgram understand_own_file() {
  if (own_file().problem) throw Error(*own_file().problem);
  OwnProgram own{*own_file().sources, nullptr, {}, {}};
  lang::Understood understood = lang::understand(own.sources, 0, {.lint = false});
  if (!understood.program) {
    std::string text;
    for (const Diagnostic& diagnostic : understood.diagnostics) text += render(diagnostic, own.sources);
    throw Error(ErrorKind::bad_input, text);
  }
  own.program = std::move(understood.program);
  own.name = name_of(std::string(own.sources.name(0)));
  own.printing = printing_of(*own.program);
  return own;
}

}  // namespace

const OwnProgram& own_program() {
  static const OwnProgram own = understand_own_file();
  return own;
}

}  // namespace kullback::capi
