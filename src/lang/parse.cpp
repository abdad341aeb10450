// Tokens, errors and recovery, and the program's blocks.
#include "lang/parse.hpp"

#include <algorithm>
#include <optional>

#include "base/text_kind.hpp"
#include "lang/parser.hpp"

namespace kullback::lang {

using ast::BlockKind;

namespace ast {

std::string_view to_string(BlockKind kind) {
  constexpr std::string_view kNames[] = {
      "functions",           "data", "transformed data", "parameters", "transformed parameters", "model",
      "generated quantities"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace ast

namespace {

// The tokens between the braces of a block are never read past this many at once when recovering.
constexpr std::string_view kBlockOrder =
    "The order is functions, data, transformed data, parameters, transformed parameters, model, "
    "generated quantities.";

std::optional<BlockKind> one_word_block(std::string_view word) {
  if (word == "functions") return BlockKind::functions;
  if (word == "data") return BlockKind::data;
  if (word == "parameters") return BlockKind::parameters;
  if (word == "model") return BlockKind::model;
  return std::nullopt;
}

// What people write for a block's name.
std::string_view block_suggestion(std::string_view word) {
  if (word == "function") return "functions";
  if (word == "parameter") return "parameters";
  if (word == "transformed_data") return "transformed data";
  if (word == "transformed_parameters") return "transformed parameters";
  if (word == "generated_quantities") return "generated quantities";
  if (word == "models") return "model";
  return {};
}

}  // namespace

Parser::Parser(const SourceMap& sources, Lexed lexed, ast::Tree& tree)
    : sources_(sources),
      tokens_(std::move(lexed.tokens)),
      diagnostics_(std::move(lexed.diagnostics)),
      tree_(tree) {
  errors_ = static_cast<int>(std::count_if(diagnostics_.begin(), diagnostics_.end(), [](const Diagnostic& d) {
    return d.severity == Severity::error;
  }));
}

Parser::Nest::Nest(Parser& parser) : parser_(parser) {
  if (++parser_.depth_ > kMaxNesting) {
    --parser_.depth_;
    parser_.fail("nesting-too-deep", parser_.peek().span,
                 "Nested more than " + std::to_string(kMaxNesting) + " levels deep here.",
                 "Give parts of the expression or statement a name of their own.");
  }
}

// ---- tokens ----

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token Parser::take() {
  const Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::at_word(std::string_view word, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::word && text(peek(ahead)) == word;
}

bool Parser::at_type(std::size_t ahead) const {
  if (peek(ahead).kind != TokenKind::word || !is_type_word(text(peek(ahead)))) return false;
  return !at_word("array", ahead) || ahead > 0 || array_begins_type();
}

bool Parser::at_old_assignment() const {
  return at(Punct::less) && at(Punct::minus, 1) && peek().span.end == peek(1).span.begin &&
         peek().span.file == peek(1).span.file;
}

bool Parser::accept(Punct punct) {
  if (!at(punct)) return false;
  take();
  return true;
}

Token Parser::expect(Punct punct, std::string_view context) {
  if (at(punct)) return take();
  fail_expected("'" + std::string(to_string(punct)) + "' " + std::string(context));
}

// A statement that lacks its semicolon but is followed by a new line is reported and taken as complete.
void Parser::expect_semicolon(std::string_view after_what) {
  if (accept(Punct::semicolon)) return;
  const std::string message =
      "Expected ';' after " + std::string(after_what) + ", but found " + found() + ".";
  const bool complete = begins_new_line() || at(Punct::right_brace) || at_end();
  if (!complete) fail("syntax", peek().span, message);
  report("syntax", peek().span, message, "Add ';' at the end of the statement before.");
}

bool Parser::begins_new_line() const {
  const Span before = previous().span;
  const Span next = peek().span;
  if (before.file != next.file) return true;
  const std::string_view between = sources_.text(next.file).substr(before.end, next.begin - before.end);
  return between.find_first_of("\n\r") != std::string_view::npos;
}

std::string Parser::found() const {
  const Token& token = peek();
  if (token.kind == TokenKind::end) return "the end of the file";
  std::string_view shown = text(token);
  if (shown.size() > 40) return "'" + std::string(shown.substr(0, 37)) + "...'";
  return "'" + std::string(shown) + "'";
}

// ---- errors ----

void Parser::report(std::string code, Span span, std::string message, std::string hint) {
  ++errors_;
  if (errors_ > kMaxErrors) return;
  diagnostics_.push_back({Severity::error, std::move(code), span, std::move(message), std::move(hint)});
  if (errors_ == kMaxErrors) {
    diagnostics_.push_back({Severity::error, "too-many-errors", span,
                            "More than " + std::to_string(kMaxErrors) + " errors; the rest is not shown."});
  }
}

void Parser::fail(std::string code, Span span, std::string message, std::string hint) {
  report(std::move(code), span, std::move(message), std::move(hint));
  throw SyntaxError{};
}

void Parser::fail_expected(std::string_view what, std::string hint) {
  fail("syntax", peek().span, "Expected " + std::string(what) + ", but found " + found() + ".",
       std::move(hint));
}

void Parser::warn_old(std::string code, Span span, std::string message, std::string modern) {
  diagnostics_.push_back(
      {Severity::warning, std::move(code), span, std::move(message), "Write " + std::move(modern)});
}

// Skips past the next ';' of this nesting level, or to the '}' that closes it. Always moves on from `start`.
void Parser::recover(std::size_t start) {
  if (errors_ >= kMaxErrors) {
    at_ = tokens_.size() - 1;
    return;
  }
  // An error at a closing brace: the statement ended there.
  while (!at_end()) {
    if (at(Punct::right_brace)) break;
    if (at(Punct::semicolon)) {
      take();
      return;
    }
    if (at(Punct::left_brace)) {
      skip_balanced();
      if (begins_new_line()) return;
      continue;
    }
    take();
  }
  if (at_ == start && at(Punct::right_brace)) return;
}

void Parser::skip_balanced() {
  int open = 0;
  do {
    if (at(Punct::left_brace)) ++open;
    if (at(Punct::right_brace)) --open;
    take();
  } while (open > 0 && !at_end());
}

// ---- program ----

bool Parser::at_block(BlockKind& kind, std::size_t& words) const {
  if (peek().kind != TokenKind::word) return false;
  words = 1;
  if (const auto one = one_word_block(text(peek()))) {
    kind = *one;
    return true;
  }
  words = 2;
  if (at_word("transformed") && (at_word("data", 1) || at_word("parameters", 1))) {
    kind = at_word("data", 1) ? BlockKind::transformed_data : BlockKind::transformed_parameters;
    return true;
  }
  kind = BlockKind::generated_quantities;
  return at_word("generated") && at_word("quantities", 1);
}

void Parser::parse_program() {
  if (at_end() && errors_ == 0) {
    report("empty-program", peek().span, "The program has no blocks.",
           "A program needs at least one block, such as model { }.");
  }
  while (!at_end() && errors_ < kMaxErrors) {
    const std::size_t start = at_;
    try {
      parse_block();
    } catch (const SyntaxError&) {
      // Go on at the next thing that looks like a block.
      BlockKind kind{};
      std::size_t words = 0;
      if (at_ == start) take();
      while (!at_end() && !(at_block(kind, words) && at(Punct::left_brace, words))) take();
    }
  }
}

void Parser::parse_block() {
  BlockKind kind{};
  std::size_t words = 0;
  if (!at_block(kind, words)) {
    const std::string_view suggestion = peek().kind == TokenKind::word ? block_suggestion(text(peek())) : "";
    if (at(Punct::right_brace)) fail("syntax", peek().span, "This '}' closes nothing.");
    fail_expected("a block", suggestion.empty() ? std::string(kBlockOrder)
                                                : "Did you mean '" + std::string(suggestion) + "'?");
  }
  const Token first = peek();
  ast::ProgramBlock& block = tree_.block(kind);
  if (block.present) {
    fail("block-repeated", first.span,
         "The program already has a block '" + std::string(to_string(kind)) + "'.",
         "Put its statements into the first one.");
  }
  for (int later = static_cast<int>(kind) + 1; later < ast::kBlockKinds; ++later) {
    if (!tree_.blocks[later].present) continue;
    fail("block-order", first.span,
         "Block '" + std::string(to_string(kind)) + "' must stand before block '" +
             std::string(to_string(static_cast<BlockKind>(later))) + "'.",
         std::string(kBlockOrder));
  }
  for (std::size_t i = 0; i < words; ++i) take();
  block.present = true;
  block.open = expect(Punct::left_brace, "to open the block '" + std::string(to_string(kind)) + "'").span;
  parse_block_body(kind, block);
  if (!accept(Punct::right_brace))
    report_unclosed(block.open, "block '" + std::string(to_string(kind)) + "'");
  block.span = span_since(first);
}

void Parser::parse_block_body(BlockKind kind, ast::ProgramBlock& block) {
  Stmts statements;
  switch (kind) {
    case BlockKind::functions:
      while (!at_end() && !at(Punct::right_brace)) parse_function(statements);
      break;
    case BlockKind::data:
    case BlockKind::parameters: statements = parse_declarations_only(); break;
    default: statements = parse_statements(kind != BlockKind::model);
  }
  block.statements = list(statements);
}

void Parser::report_unclosed(Span open, std::string_view what) {
  report("unclosed", peek().span,
         "Expected '}' to close the " + std::string(what) + ", but found " + found() + ".");
  if (errors_ <= kMaxErrors) diagnostics_.back().note = Diagnostic::Note{open, "It is opened here."};
}

void Parser::parse_functions_only() {
  Stmts functions;
  if (at_word("functions") && at(Punct::left_brace, 1)) {
    fail("functions-file", peek().span, "A .stanfunctions file holds function definitions without a block.",
         "Drop 'functions {' and the closing brace, or name the file .stan.");
  }
  while (!at_end() && errors_ < kMaxErrors) {
    if (at(Punct::right_brace)) {
      report("syntax", peek().span, "This '}' closes nothing.");
      take();
      continue;
    }
    parse_function(functions);
  }
  ast::ProgramBlock& block = tree_.block(BlockKind::functions);
  block.present = true;
  block.statements = list(functions);
}

// Data or a picture in place of a program: one error in place of many.
static void say_what_it_is(const SourceMap& sources, FileId file, Diagnostics& diagnostics) {
  const std::string_view text = sources.text(file);
  const TextKind kind = text_kind(text);
  const std::string name(text_kind_name(text));
  const bool is_known_binary = kind == TextKind::binary && name != "binary";
  if (kind != TextKind::json && kind != TextKind::table && kind != TextKind::r_dump && !is_known_binary)
    return;
  diagnostics = {{Severity::error,
                  "not-a-program",
                  {file, 0, 1},
                  "This is " + name + ", not a Stan program.",
                  "The program comes first, then the data: MODEL.stan DATA.json.",
                  {}}};
}

Parsed parse(SourceMap& sources, FileId file, const ParseOptions& options) {
  Parsed parsed;
  parsed.tree.file = file;
  parsed.tree.functions_only = options.functions_only;
  Lexed lexed = lex(sources, file, options.include_paths, *parsed.tree.arena);
  parsed.tree.comments = std::move(lexed.comments);
  Parser parser(sources, std::move(lexed), parsed.tree);
  try {
    if (options.functions_only) {
      parser.parse_functions_only();
    } else {
      parser.parse_program();
    }
  } catch (const SyntaxError&) {
    // Reported already.
  }
  parsed.diagnostics = parser.take_diagnostics();
  if (has_errors(parsed.diagnostics)) say_what_it_is(sources, file, parsed.diagnostics);
  return parsed;
}

}  // namespace kullback::lang
