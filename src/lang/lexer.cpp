// Hand-written, longest match first. What Stan leaves open is settled here:
//  - `<-` stays two tokens; only the parser knows an old assignment from a comparison with a negative.
//  - `#` starts an old comment unless it is `#include`.
//  - Any bytes may stand in comments; elsewhere a byte outside ASCII is an error, reported once per run.
#include "lang/lexer.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/file.hpp"
#include "base/utf8.hpp"

namespace kullback::lang {

namespace {

constexpr std::size_t kMaxIncludeDepth = 64;
constexpr int kMaxErrors = 100;  // after so many this is no program

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word_char(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }
bool is_newline(char c) { return c == '\n' || c == '\r'; }

// For each first character the punctuation that begins with it, longest first.
constexpr std::size_t kMostAlike = 6;
using Alike = std::array<Punct, kMostAlike>;

constexpr std::array<Alike, 128> sort_punctuation() {
  std::array<Alike, 128> table{};
  for (std::size_t length = 3; length > 0; --length) {
    for (int i = 1; i <= static_cast<int>(Punct::at); ++i) {
      const auto punct = static_cast<Punct>(i);
      if (to_string(punct).size() != length) continue;
      Alike& alike = table[static_cast<unsigned char>(to_string(punct)[0])];
      std::size_t free = 0;
      while (alike[free] != Punct::none) ++free;
      alike[free] = punct;
    }
  }
  return table;
}
constexpr std::array<Alike, 128> kPunctuation = sort_punctuation();

class Lexer final {
 public:
  Lexer(SourceMap& sources, const std::vector<std::filesystem::path>& include_paths, Arena& arena)
      : sources_(sources), include_paths_(include_paths), arena_(arena) {}

  Lexed run(FileId file) {
    lex_file(file);
    const auto size = static_cast<std::uint32_t>(sources_.text(file).size());
    lexed_.tokens.push_back({TokenKind::end, Punct::none, {file, size, size}});
    return std::move(lexed_);
  }

 private:
  SourceMap& sources_;
  const std::vector<std::filesystem::path>& include_paths_;
  Arena& arena_;
  Lexed lexed_;
  std::vector<std::filesystem::path> open_files_;

  FileId file_ = 0;
  std::string_view text_;
  std::size_t at_ = 0;
  int errors_ = 0;

  Span span_from(std::size_t begin) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void error(std::string code, Span span, std::string message, std::string hint = {}) {
    lexed_.diagnostics.push_back(
        {Severity::error, std::move(code), span, std::move(message), std::move(hint)});
    ++errors_;
  }

  void lex_file(FileId file) {
    const FileId outer_file = file_;
    const std::string_view outer_text = text_;
    const std::size_t outer_at = at_;
    file_ = file;
    text_ = sources_.text(file);
    at_ = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    open_files_.emplace_back(std::string(sources_.name(file)));
    if (is_text()) {
      while (at_ < text_.size() && errors_ < kMaxErrors) lex_one();
    }
    open_files_.pop_back();
    file_ = outer_file;
    text_ = outer_text;
    at_ = outer_at;
  }

  // Refuses what is no program at all with one error instead of thousands.
  bool is_text() {
    if (text_.size() >= 0x7FFFFFFFU) {
      error("file-too-large", {file_, 0, 0}, "The file has 2 GiB or more; a program may have less.");
      return false;
    }
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      error("not-utf8", {file_, 0, 2}, "The file is UTF-16; a Stan program is UTF-8 text.",
            "Save it as UTF-8, for example with: iconv -f UTF-16 -t UTF-8");
      return false;
    }
    if (const std::size_t nul = text_.find('\0'); nul != std::string_view::npos) {
      at_ = nul + 1;
      error("not-text", span_from(nul), "The file has a NUL byte here; a Stan program is text.",
            "Is this a compiled model or another binary file?");
      return false;
    }
    return true;
  }

  void lex_one() {
    const char c = peek();
    if (is_blank(c) || is_newline(c)) {
      ++at_;
    } else if (is_letter(c)) {
      lex_word();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      lex_number();
    } else if (c == '"') {
      lex_string();
    } else if (looking_at("//")) {
      lex_line_comment(2);
    } else if (looking_at("/*")) {
      lex_block_comment();
    } else if (c == '#') {
      lex_hash();
    } else if (!lex_punctuation()) {
      lex_unknown();
    }
  }

  void push(TokenKind kind, std::size_t begin, Punct punct = Punct::none) {
    lexed_.tokens.push_back({kind, punct, span_from(begin)});
  }

  void lex_word() {
    const std::size_t begin = at_;
    while (is_word_char(peek())) ++at_;
    push(TokenKind::word, begin);
  }

  // digits ('_' digits)*
  void skip_digits() {
    while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) ++at_;
  }

  bool skip_exponent() {
    if (peek() != 'e' && peek() != 'E') return false;
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (!is_digit(peek(1 + sign))) return false;
    at_ += 1 + sign;
    skip_digits();
    return true;
  }

  void lex_number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::int_literal;
    if (peek() == '.') {
      ++at_;
      skip_digits();
      kind = skip_exponent() ? TokenKind::real_literal : TokenKind::dot_literal;
    } else {
      skip_digits();
      if (peek() == '.') {
        ++at_;
        if (is_digit(peek())) skip_digits();
        kind = TokenKind::real_literal;
      }
      if (skip_exponent()) kind = TokenKind::real_literal;
    }
    if (peek() == 'i' && !is_word_char(peek(1))) {
      ++at_;
      kind = TokenKind::imag_literal;
    }
    push(kind, begin);
  }

  void lex_string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && peek() != '"' && !is_newline(peek())) ++at_;
    if (peek() != '"' || at_ >= text_.size()) {
      error("unterminated-string", span_from(begin), "This string has no closing quote on its line.",
            "Add \" at its end; a string may not contain a line break.");
    } else {
      ++at_;
    }
    const Span span = span_from(begin);
    if (!is_valid_utf8(sources_.text(span)))
      error("not-utf8", span, "This string is not valid UTF-8.", kUtf8Hint);
    push(TokenKind::string_literal, begin);
  }

  static constexpr const char* kUtf8Hint =
      "Save the file as UTF-8, for example with: iconv -f LATIN1 -t UTF-8";

  void lex_line_comment(std::size_t marker) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_newline(peek())) ++at_;
    std::string_view text = text_.substr(begin, at_ - begin);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    const Span span = span_from(begin);
    if (marker == 1) {
      text = arena_.copy("//" + std::string(text.substr(1)));
      lexed_.diagnostics.push_back({Severity::warning, "old-comment", span,
                                    "'#' began a comment in old Stan; today '//' does.",
                                    "Write " + std::string(text)});
    }
    keep_comment(ast::Comment::Kind::line, span, text);
  }

  void lex_block_comment() {
    const std::size_t begin = at_;
    const std::size_t close = text_.find("*/", at_ + 2);
    if (close == std::string_view::npos) {
      at_ = begin + 2;
      error("unterminated-comment", span_from(begin), "This comment is never closed.",
            "Add */ where it ends.");
      at_ = text_.size();
      return;
    }
    at_ = close + 2;
    keep_comment(ast::Comment::Kind::block, span_from(begin), text_.substr(begin, at_ - begin));
  }

  void keep_comment(ast::Comment::Kind kind, Span span, std::string_view text) {
    if (!is_valid_utf8(text)) {
      lexed_.diagnostics.push_back(
          {Severity::warning, "not-utf8", span, "This comment is not valid UTF-8.", kUtf8Hint});
      text = arena_.copy(replace_invalid_utf8(text));
    }
    lexed_.comments.push_back({kind, span, text});
  }

  void lex_hash() {
    constexpr std::string_view kInclude = "#include";
    if (looking_at(kInclude) && (is_blank(peek(kInclude.size())) || is_newline(peek(kInclude.size())) ||
                                 peek(kInclude.size()) == '"' || peek(kInclude.size()) == '<')) {
      lex_include(kInclude.size());
    } else {
      lex_line_comment(1);
    }
  }

  // #include name | "name" | <name>
  void lex_include(std::size_t keyword_size) {
    const std::size_t begin = at_;
    at_ += keyword_size;
    while (is_blank(peek()) || is_newline(peek())) ++at_;
    const char open = peek();
    const bool quoted = open == '"' || open == '<';
    const char close = open == '<' ? '>' : open;
    if (quoted) ++at_;
    const std::size_t name_begin = at_;
    while (at_ < text_.size() && !is_newline(peek()) && (quoted ? peek() != close : !is_blank(peek()))) ++at_;
    const std::string name(text_.substr(name_begin, at_ - name_begin));
    if (quoted && peek() == close) ++at_;
    const Span span = span_from(begin);
    lexed_.comments.push_back({ast::Comment::Kind::include, span, sources_.text(span)});
    if (name.empty()) {
      error("include-name", span, "#include names no file.", "Write #include name.stan");
      return;
    }
    include(name, span);
  }

  void include(const std::string& name, Span span) {
    if (open_files_.size() >= kMaxIncludeDepth) {
      error("include-depth", span,
            "Includes are nested more than " + std::to_string(kMaxIncludeDepth) + " files deep.");
      return;
    }
    if (const std::optional<FileId> known = known_include(span)) {
      lex_file(*known);
      return;
    }
    const std::optional<std::filesystem::path> path = find_include(name);
    if (!path) {
      error("include-missing", span,
            "The included file '" + name + "' was found in none of: " + searched() + ".",
            "Give the folder that holds '" + below_folder(name).string() + "' with --include-path.");
      return;
    }
    if (std::find(open_files_.begin(), open_files_.end(), *path) != open_files_.end()) {
      error("include-circular", span, "'" + name + "' includes itself: " + include_chain() + name + ".",
            "Move the shared part into a file of its own.");
      return;
    }
    try {
      lex_file(sources_.add_included(path->string(), read_file(*path), span));
    } catch (const Error& e) {
      error("include-unreadable", span, e.message());
    }
  }

  // A program that carries its files with it needs no disk.
  std::optional<FileId> known_include(Span place) const {
    for (FileId file = 0; file < sources_.size(); ++file) {
      const Span* at = sources_.included_at(file);
      if (at != nullptr && *at == place) return file;
    }
    return std::nullopt;
  }

  // stanc joins folder, slash and name: "/pre/license.stan", as packages made by rstantools write it, is
  // below an include path, and never at the root of the file system.
  static std::filesystem::path below_folder(const std::string& name) {
    return std::filesystem::path(name).relative_path();
  }

  std::optional<std::filesystem::path> find_include(const std::string& name) const {
    for (const std::filesystem::path& folder : search_folders()) {
      const std::filesystem::path candidate = (folder / below_folder(name)).lexically_normal();
      std::error_code ignored;
      if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    }
    return std::nullopt;
  }

  // The folder of the including file, that of the program (a package names its parts from there), then the
  // include paths.
  std::vector<std::filesystem::path> search_folders() const {
    std::vector<std::filesystem::path> folders{open_files_.back().parent_path()};
    const std::filesystem::path of_program = open_files_.front().parent_path();
    if (of_program != folders.front()) folders.push_back(of_program);
    folders.insert(folders.end(), include_paths_.begin(), include_paths_.end());
    return folders;
  }

  std::string searched() const {
    std::string text;
    for (const std::filesystem::path& folder : search_folders()) {
      if (!text.empty()) text += ", ";
      text += folder.empty() ? std::string(".") : folder.string();
    }
    return text;
  }

  std::string include_chain() const {
    std::string chain;
    for (const std::filesystem::path& file : open_files_) chain += file.string() + " -> ";
    return chain;
  }

  bool lex_punctuation() {
    const std::size_t begin = at_;
    const auto first = static_cast<unsigned char>(peek());
    if (first >= kPunctuation.size()) return false;
    for (const Punct punct : kPunctuation[first]) {
      if (punct == Punct::none) return false;
      if (!looking_at(to_string(punct))) continue;
      at_ += to_string(punct).size();
      push(TokenKind::punctuation, begin, punct);
      return true;
    }
    return false;
  }

  // A run of bytes that mean nothing: one error for all of them.
  void lex_unknown() {
    const std::size_t begin = at_;
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    const bool non_ascii = !is_ascii(peek());
    ++at_;
    while (at_ < text_.size() && non_ascii && !is_ascii(peek())) ++at_;
    const Span span = span_from(begin);
    const std::string_view found = sources_.text(span);
    if (!is_valid_utf8(found)) {
      error("not-utf8", span, "This is not valid UTF-8 text.", kUtf8Hint);
    } else if (non_ascii) {
      error("unexpected-character", span, "'" + std::string(found) + "' is not part of the language.",
            "Names are made of the letters a-z and A-Z, digits and _.");
    } else if (is_word_char(found[0])) {  // a leading underscore
      while (is_word_char(peek())) ++at_;
      error("unexpected-character", span_from(begin), "A name must begin with a letter.",
            "Drop the leading underscore.");
      lexed_.tokens.push_back({TokenKind::word, Punct::none, span_from(begin)});
    } else {
      error("unexpected-character", span, "'" + printable(found[0]) + "' is not part of the language.");
    }
  }

  static std::string printable(char c) {
    if (c >= 0x20 && c < 0x7F) return std::string(1, c);
    constexpr char kHex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    return std::string("\\x") + kHex[byte / 16] + kHex[byte % 16];
  }
};

}  // namespace

Lexed lex(SourceMap& sources, FileId file, const std::vector<std::filesystem::path>& include_paths,
          Arena& arena) {
  return Lexer(sources, include_paths, arena).run(file);
}

}  // namespace kullback::lang
