// Text to tokens and comments, with #include files spliced in where they are named.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"
#include "lang/ast.hpp"
#include "lang/token.hpp"

namespace kullback::lang {

struct Lexed {
  std::vector<Token> tokens;  // ends with one token of kind end
  std::vector<ast::Comment> comments;
  Diagnostics diagnostics;
};

// Texts that are not in the sources (rewritten comments) are kept in the arena.
Lexed lex(SourceMap& sources, FileId file, const std::vector<std::filesystem::path>& include_paths,
          Arena& arena);

}  // namespace kullback::lang
