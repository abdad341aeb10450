#include "lang/print/statements.hpp"

#include <algorithm>

// Each statement is one Doc, so that only comments between statements are placed here. A comment on the
// line of what stands before it stays there; one with a line of its own keeps it; a blank line between
// two items of the source stays one blank line.

namespace kullback::lang::layout {

namespace {

using namespace ast;

constexpr int kIndent = 2;
constexpr int kContinuation = 4;
constexpr std::uint32_t kEnd = static_cast<std::uint32_t>(-1);

const Block* block_of(const Stmt& stmt) { return stmt.annotations.empty() ? stmt.as<Block>() : nullptr; }

bool is_compound(const Stmt& stmt) {
  return stmt.as<If>() || stmt.as<While>() || stmt.as<For>() || stmt.as<ForEach>() || stmt.as<Block>() ||
         stmt.as<Profile>() || stmt.as<Function>();
}

std::string_view compound_text(Op op) {
  switch (op) {
    case Op::plus: return " += ";
    case Op::minus: return " -= ";
    case Op::times: return " *= ";
    case Op::divide: return " /= ";
    case Op::elt_times: return " .*= ";
    default: return " ./= ";
  }
}

}  // namespace

std::string StatementPrinter::run() {
  for (int kind = 0; kind < kBlockKinds; ++kind) {
    const ProgramBlock& block = tree_.blocks[kind];
    if (!block.present) continue;
    if (tree_.functions_only) {
      print_statements(block.statements);
    } else if (!is_foreign(block.span)) {
      print_block(block, to_string(static_cast<BlockKind>(kind)));
    }
  }
  write_comments(kEnd);
  end_line();
  return std::move(out_);
}

void StatementPrinter::print_block(const ProgramBlock& block, std::string_view name) {
  write_comments(block.span.begin);
  keep_blank_line(block.span.begin);
  write(name);
  write(" {");
  print_braced(block.statements, block.open.begin, block.span.end);
  write_trailing(block.span.end);
  end_line();
}

// From behind an opening brace, which stands at `open`, to the closing one; `end` is behind that.
void StatementPrinter::print_braced(Stmts statements, std::uint32_t open, std::uint32_t end) {
  last_end_ = std::max(last_end_, open + 1);
  at_block_start_ = true;
  write_header_comments(open + 1);
  write_trailing(open + 1);
  end_line();
  ++depth_;
  print_statements(statements);
  write_comments(end > 0 ? end - 1 : 0);
  end_line();
  --depth_;
  write("}");
  last_end_ = std::max(last_end_, end);
  at_block_start_ = false;
}

void StatementPrinter::print_statements(Stmts statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const Stmt* stmt = statements[i];
    if (is_foreign(stmt->span)) continue;
    const std::uint32_t begin = stmt->annotations.empty()
                                    ? stmt->span.begin
                                    : std::min(stmt->span.begin, stmt->annotations[0].span.begin);
    write_comments(begin);
    keep_blank_line(begin);
    print(*stmt);
    // An old declaration of several shapes, real x[3], y, is several statements of one span.
    const bool goes_on = i + 1 < statements.size() && statements[i + 1]->span == stmt->span;
    if (!goes_on) print_end(*stmt);
    end_line();
  }
}

void StatementPrinter::print(const Stmt& stmt) {
  for (const Name& annotation : stmt.annotations) {
    write("@");
    write(annotation.text);
    write(" ");
  }
  if (!is_compound(stmt)) {
    lay_out_simple(stmt);
    doc_.text(";");
    write_doc();
  } else if (stmt.as<If>()) {
    print_if(stmt);
  } else if (const auto* loop = stmt.as<While>()) {
    doc_.text("while (");
    doc_.open();
    pieces().print(*loop->condition);
    doc_.close();
    doc_.text(")");
    print_body(*loop->body);
  } else if (const auto* count = stmt.as<For>()) {
    lay_out_for(count->variable);
    pieces().print_range(*count->low, *count->high);
    doc_.text(")");
    print_body(*count->body);
  } else if (const auto* each = stmt.as<ForEach>()) {
    lay_out_for(each->variable);
    pieces().print(*each->container);
    doc_.text(")");
    print_body(*each->body);
  } else if (const auto* block = stmt.as<Block>()) {
    write("{");
    print_braced(block->statements, stmt.span.begin, stmt.span.end);
  } else if (const auto* profile = stmt.as<Profile>()) {
    print_profile(*profile, stmt);
  } else if (const auto* function = stmt.as<Function>()) {
    print_function(*function);
  }
}

// Comments that stood before the semicolon come behind it; those with a line of their own wait for what
// comes next.
void StatementPrinter::print_end(const Stmt& stmt) {
  last_end_ = std::max(last_end_, stmt.span.end);
  at_block_start_ = false;
  write_header_comments(stmt.span.end);
  write_trailing(stmt.span.end);
}

void StatementPrinter::print_profile(const Profile& profile, const Stmt& stmt) {
  doc_.text("profile(");
  pieces().print(*profile.label);
  doc_.text(") {");
  write_doc();
  const std::uint32_t close = comments_.next_token(profile.label->span.end);
  print_braced(profile.statements, comments_.next_token(close + 1), stmt.span.end);
}

void StatementPrinter::print_function(const Function& function) {
  ExpressionPrinter out = pieces();
  out.print_type(*function.result);
  doc_.text(" ");
  out.print_name(function.name);
  doc_.text("(");
  doc_.open();
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (i > 0) {
      doc_.text(",");
      doc_.line();
    }
    out.flush(parameter.type->span, ExpressionPrinter::Gap::space);
    if (parameter.data_only) doc_.text("data ");
    out.print_type(*parameter.type);
    doc_.text(" ");
    out.print_name(parameter.name);
  }
  doc_.close();
  doc_.text(")");
  if (function.body == nullptr) {
    doc_.text(";");
    write_doc();
  } else {
    print_body(*function.body);
  }
}

// An else-if chain is a list, however deep its tree.
void StatementPrinter::print_if(const Stmt& first) {
  const Stmt* stmt = &first;
  while (const auto* branch = stmt->as<If>()) {
    doc_.text("if (");
    doc_.open();
    pieces().print(*branch->condition);
    doc_.close();
    doc_.text(")");
    print_body(*branch->yes);
    if (branch->no == nullptr) return;
    print_else(*branch->yes, *branch->no);
    stmt = branch->no;
    if (!stmt->annotations.empty()) break;
  }
  print_body(*stmt);
}

// Everything between the two branches up to the word itself; then the header of the second.
void StatementPrinter::print_else(const Stmt& yes, const Stmt& no) {
  const bool chained = no.as<If>() && no.annotations.empty();
  const std::uint32_t at = chained ? no.span.begin : comments_.next_token(yes.span.end);
  const bool commented = comments_.peek(at) != nullptr;
  if (commented) {
    write_trailing(yes.span.end);
    end_line();
    write_comments(at);
  }
  if (commented || block_of(yes) == nullptr) {
    start_line();
    doc_.text("else");
  } else {
    doc_.text(" else");
  }
  if (chained) doc_.text(" ");
  last_end_ = std::max(last_end_, at);
}

// The header is laid out and waits in doc_.
void StatementPrinter::print_body(const Stmt& body) {
  if (const Block* block = block_of(body)) {
    doc_.text(" {");
    write_doc();
    print_braced(block->statements, body.span.begin, body.span.end);
    return;
  }
  write_doc();
  at_block_start_ = true;
  write_header_comments(body.span.begin);
  end_line();
  ++depth_;
  const Stmt* one[] = {&body};
  print_statements(one);
  --depth_;
}

// ---- simple statements ----

void StatementPrinter::lay_out_simple(const Stmt& stmt) {
  if (const auto* assign = stmt.as<Assign>()) {
    lay_out_assign(*assign);
  } else if (const auto* call = stmt.as<CallStmt>()) {
    pieces().print(*call->call);
  } else if (const auto* tilde = stmt.as<Tilde>()) {
    lay_out_tilde(*tilde);
  } else if (const auto* increment = stmt.as<TargetPlus>()) {
    lay_out_value("target += ", *increment->value);
  } else if (const auto* adjustment = stmt.as<JacobianPlus>()) {
    lay_out_value("jacobian += ", *adjustment->value);
  } else if (stmt.as<Break>()) {
    doc_.text("break");
  } else if (stmt.as<Continue>()) {
    doc_.text("continue");
  } else if (const auto* print = stmt.as<Print>()) {
    lay_out_call("print(", print->items);
  } else if (const auto* reject = stmt.as<Reject>()) {
    lay_out_call("reject(", reject->items);
  } else if (const auto* fatal = stmt.as<FatalError>()) {
    lay_out_call("fatal_error(", fatal->items);
  } else if (const auto* result = stmt.as<Return>()) {
    if (result->value == nullptr) {
      doc_.text("return");
    } else {
      lay_out_value("return ", *result->value);
    }
  } else if (const auto* declare = stmt.as<Declare>()) {
    lay_out_declare(*declare);
  }
}

void StatementPrinter::lay_out_value(std::string_view before, const Expr& value) {
  doc_.text(before);
  doc_.open_value();
  pieces().print(value);
  doc_.close();
}

void StatementPrinter::lay_out_assign(const Assign& assign) {
  pieces().print(*assign.target);
  lay_out_value(assign.compound ? compound_text(assign.op) : " = ", *assign.value);
}

void StatementPrinter::lay_out_tilde(const Tilde& tilde) {
  pieces().print(*tilde.variate);
  doc_.text(" ~ ");
  pieces().print_name(tilde.distribution);
  lay_out_call("(", tilde.arguments);
  if (tilde.truncation.present) lay_out_truncation(tilde.truncation);
}

void StatementPrinter::lay_out_truncation(const Truncation& truncation) {
  doc_.text(" T[");
  doc_.open();
  if (truncation.lower != nullptr) pieces().print(*truncation.lower);
  doc_.text(",");
  doc_.line();
  if (truncation.upper != nullptr) pieces().print(*truncation.upper);
  doc_.close();
  doc_.text("]");
}

void StatementPrinter::lay_out_call(std::string_view word, std::span<Expr* const> items) {
  doc_.text(word);
  doc_.open();
  pieces().print_list(items);
  doc_.close();
  doc_.text(")");
}

void StatementPrinter::lay_out_declare(const Declare& declare) {
  ExpressionPrinter out = pieces();
  out.print_type(*declare.type);
  doc_.text(" ");
  const bool many = declare.variables.size() > 1;
  if (many) doc_.open();
  for (std::size_t i = 0; i < declare.variables.size(); ++i) {
    if (i > 0) {
      doc_.text(",");
      doc_.line();
    }
    out.print_name(declare.variables[i].name);
    if (declare.variables[i].value != nullptr) lay_out_value(" = ", *declare.variables[i].value);
  }
  if (many) doc_.close();
}

void StatementPrinter::lay_out_for(const Name& variable) {
  doc_.text("for (");
  pieces().print_name(variable);
  doc_.text(" in ");
}

void StatementPrinter::write_doc() {
  const int indent = depth_ * kIndent;
  write(doc_.render(line_open_ ? column_ : indent, indent + kContinuation));
  doc_ = Doc();
}

// ---- comments, blank lines and lines ----

// Comments that belong to a header line: those before `before` that do not begin a line.
void StatementPrinter::write_header_comments(std::uint32_t before) {
  while (const PlacedComment* comment = comments_.peek(before)) {
    if (!line_open_ || comment->starts_line || comment->kind == Comment::Kind::include) return;
    write_comment(*comment);
  }
}

// Comments behind what ends at `end`, on its line and before anything else.
void StatementPrinter::write_trailing(std::uint32_t end) {
  const std::uint32_t from = std::max(end, last_end_);
  const std::uint32_t next = comments_.next_token(from);
  std::uint32_t last = from;
  while (line_open_) {
    const PlacedComment* comment = comments_.peek(next);
    if (comment == nullptr || comment->begin < from || !comment->ends_line) return;
    if (comment->kind == Comment::Kind::include || comments_.line_ends(last, comment->begin) > 0) return;
    last = comment->end;
    write_comment(*comment);
  }
}

// All comments before `before`, on lines of their own.
void StatementPrinter::write_comments(std::uint32_t before) {
  while (const PlacedComment* comment = comments_.peek(before)) {
    start_line();
    keep_blank_line(comment->begin);
    write_comment(*comment);
    if (!leading_) end_line();
    at_block_start_ = false;
  }
}

// Behind what stands on the line, if anything does. A block comment before code on its line is left there.
void StatementPrinter::write_comment(const PlacedComment& comment) {
  if (line_open_ && !leading_) write(" ");
  const int column = line_open_ ? column_ : depth_ * kIndent;
  const std::vector<std::string> lines = reindent_comment(comment.text, comment.column, column);
  write(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    out_.push_back('\n');
    out_.append(lines[i]);
    column_ = display_width(lines[i]);
  }
  last_end_ = std::max(last_end_, comment.end);
  const bool leads = comment.kind == Comment::Kind::block && !(comment.ends_line && comment.is_last);
  if (leads) {
    write(" ");
    leading_ = true;
  } else if (comment.owns_line() || comment.kind == Comment::Kind::line) {
    end_line();
  }
  comments_.take();
}

void StatementPrinter::keep_blank_line(std::uint32_t begin) {
  if (at_block_start_ || line_open_ || begin <= last_end_) return;
  if (comments_.line_ends(last_end_, begin) > 1) out_.push_back('\n');
}

void StatementPrinter::write(std::string_view text) {
  if (text.empty()) return;
  if (!line_open_) {
    column_ = depth_ * kIndent;
    out_.append(static_cast<std::size_t>(column_), ' ');
  }
  line_open_ = true;
  leading_ = false;
  out_.append(text);
  const std::size_t last_line = text.rfind('\n');
  if (last_line == std::string_view::npos) {
    column_ += display_width(text);
  } else {
    column_ = display_width(text.substr(last_line + 1));
  }
}

void StatementPrinter::end_line() {
  if (!line_open_) return;
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  out_.push_back('\n');
  line_open_ = false;
  leading_ = false;
}

void StatementPrinter::start_line() {
  if (!leading_) end_line();
}

}  // namespace kullback::lang::layout
