// The parser: rows of programs with the errors and warnings they must give, and shapes of trees.
#include "lang/parse.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/source.hpp"

namespace kullback::lang {
namespace {

struct Result {
  SourceMap sources;
  Parsed parsed;
};

Result parse_text(const std::string& text, bool functions_only = false) {
  Result result;
  const FileId file = result.sources.add("test.stan", text);
  result.parsed = parse(result.sources, file, {.functions_only = functions_only});
  return result;
}

// "code@line" of every diagnostic, separated by blanks.
std::string codes(const Result& result) {
  std::string text;
  for (const Diagnostic& d : result.parsed.diagnostics) {
    const Position p = result.sources.position(d.span.file, d.span.begin);
    text += (text.empty() ? "" : " ") + d.code + "@" + std::to_string(p.line);
  }
  return text;
}

// The expression as nested prefix notation, to see how operators bind.
std::string shape(const ast::Expr& e) {
  if (const auto* v = e.as<ast::Variable>()) return std::string(v->name.text);
  if (const auto* n = e.as<ast::IntLiteral>()) return std::string(n->text);
  if (const auto* n = e.as<ast::RealLiteral>()) return std::string(n->text);
  if (const auto* n = e.as<ast::ImagLiteral>()) return std::string(n->text) + "i";
  if (const auto* p = e.as<ast::Paren>()) return shape(*p->inner);
  if (const auto* p = e.as<ast::Prefix>())
    return "(" + std::string(to_string(p->op)) + " " + shape(*p->operand) + ")";
  if (const auto* p = e.as<ast::Postfix>())
    return "(" + shape(*p->operand) + " " + std::string(to_string(p->op)) + ")";
  if (const auto* b = e.as<ast::Binary>()) {
    return "(" + std::string(to_string(b->op)) + " " + shape(*b->left) + " " + shape(*b->right) + ")";
  }
  if (const auto* t = e.as<ast::Ternary>()) {
    return "(? " + shape(*t->condition) + " " + shape(*t->yes) + " " + shape(*t->no) + ")";
  }
  if (const auto* t = e.as<ast::TupleGet>()) return shape(*t->base) + "." + std::to_string(t->slot);
  if (const auto* i = e.as<ast::Indexed>())
    return shape(*i->base) + "[" + std::to_string(i->indices.size()) + "]";
  if (const auto* c = e.as<ast::Call>()) return std::string(c->function.text) + "()";
  if (const auto* t = e.as<ast::TupleLiteral>()) return "tuple" + std::to_string(t->elements.size());
  return "?";
}

struct ShapeRow {
  const char* expression;
  const char* shape;
};

TEST(ParseExpression, OperatorsBindAsInStan) {
  const ShapeRow rows[] = {
      {"a + b * c", "(+ a (* b c))"},
      {"a - b - c", "(- (- a b) c)"},
      {"a ^ b ^ c", "(^ a (^ b c))"},
      {"-a ^ 2", "(- (^ a 2))"},
      {"2 ^ -a * b", "(* (^ 2 (- a)) b)"},
      {"-a * b", "(* (- a) b)"},
      {"!a == b", "(== (! a) b)"},
      {"a * b %/% c", "(* a (%/% b c))"},
      {"a \\ b * c", "(* (\\ a b) c)"},
      {"a * b'", "(* a (b '))"},
      {"a'^2", "(^ (a ') 2)"},
      {"a || b && c", "(|| a (&& b c))"},
      {"a < b == c", "(== (< a b) c)"},
      {"a ? b : c ? d : e", "(? a b (? c d e))"},
      {"a .* b ./ c", "(./ (.* a b) c)"},
      {"x.1.2[3]", "x.1.2[1]"},
      {"x[1, , 2:, :3][]", "x[4][1]"},
      {"1.*a", "(* 1. a)"},
      {".5e-3 + 1_000.5", "(+ .5e-3 1_000.5)"},
      {"2.5i", "2.5i"},
      {"(a, )", "tuple1"},
      {"a<-b", "(< a (- b))"},
  };
  for (const ShapeRow& row : rows) {
    const Result r = parse_text("model { z = " + std::string(row.expression) + "; }");
    ASSERT_EQ(codes(r), "") << row.expression;
    const ast::Stmt* statement = r.parsed.tree.block(ast::BlockKind::model).statements.front();
    EXPECT_EQ(shape(*statement->as<ast::Assign>()->value), row.shape) << row.expression;
  }
}

struct CodeRow {
  const char* program;
  const char* codes;
};

TEST(Parse, AcceptsEveryFormOfTheLanguage) {
  const char* programs[] = {
      "functions { void f(data array[,] real x, tuple(int, vector) t) { return; } real g(real x); }",
      "data { int<lower=0> N; array[N, 2] vector<lower=0, upper=1>[N] x; ; }",
      "parameters { simplex[3] a; cholesky_factor_cov[3, 2] L; cov_matrix[2] S; vector<offset=1, "
      "multiplier=2>[2] z; }",
      "transformed data { tuple(real, array[2] int) t = (1.5, {1, 2}); tuple(int, ) u = (1, ); }",
      "model { y ~ normal(0, 1) T[, 3]; target += 1; {a, b} ~ normal(0, 1); profile(\"p\") { x = 1; } }",
      "transformed parameters { jacobian += 1; (a, b.1) = f(); x[1] .*= 2; }",
      "model { for (n in 1:N) for (m in xs) { if (n) continue; else break; } while (1) ; }",
      "model { print(\"a\", 1); reject(\"b\"); fatal_error(x); real T = target(); }",
      "generated quantities { real y = normal_rng(0, 1); matrix[2, 2] m = [[1, 2], [3, 4]]'; }",
      "\xEF\xBB\xBFmodel { }\r\n",
      "model { real x; @note real y; }",
      "/* block */ // line\nmodel { }",
  };
  for (const char* program : programs) {
    const Result r = parse_text(program);
    EXPECT_FALSE(has_errors(r.parsed.diagnostics)) << program << "\n" << codes(r);
  }
}

TEST(Parse, SaysWhatIsWrongAndWhere) {
  const CodeRow rows[] = {
      {"", "empty-program@1"},
      {"// nothing\n", "empty-program@2"},
      {"model {\n  real x\n  real y;\n}", "syntax@3"},
      {"model {\n  x = 1 +;\n  y = * 2;\n  z = 3;\n}", "syntax@2 syntax@3"},
      {"model {\n  x = (1;\n}\n", "syntax@2"},
      {"model { if x > 1 y = 2; }", "syntax@1"},
      {"model {\n", "unclosed@2"},
      {"model { } }", "syntax@1"},
      {"model { }\ndata { }", "block-order@2"},
      {"data { }\ndata { }", "block-repeated@2"},
      {"parameter { }", "syntax@1"},
      {"data { int x = 3; }", "syntax@1"},
      {"data { x = 3; }", "syntax@1"},
      {"model { real<lower=0> x; }", "local-constraint@1"},
      {"model { simplex[3] x; }", "local-constraint@1"},
      {"parameters { vector x; }", "syntax@1"},
      {"parameters { matrix[3] x; }", "syntax@1"},
      {"parameters { real for; }", "reserved-word@1"},
      {"model { 3 = x; }", "not-assignable@1"},
      {"model { f(x) = 3; }", "not-assignable@1"},
      {"model { x = \"s\"; }", "syntax@1"},
      {"model { x = $; }", "unexpected-character@1 syntax@1"},
      {"model { print(\"abc); }", "unterminated-string@1 syntax@1 unclosed@1"},
      {"model { } /* never closed", "unterminated-comment@1"},
      {"#include\n", "include-name@1"},
      {"#include missing.stan\nmodel { }", "include-missing@1"},
      {"model { x = 2 ** 3; }", "syntax@1"},
      {"model { normal_lpdf(y | 0, 1); }", "syntax@1"},
      {"functions { real f(real<lower=0> x); }", "syntax@1"},
      {"functions { foo(real x) { } }", "syntax@1"},
      {"\xFF\xFEm", "not-utf8@1"},
      {"model { real é; }", "unexpected-character@1 syntax@1"},
  };
  for (const CodeRow& row : rows) {
    const Result r = parse_text(row.program);
    EXPECT_EQ(codes(r), row.codes) << row.program;
    for (const Diagnostic& d : r.parsed.diagnostics) EXPECT_FALSE(d.message.empty());
  }
}

TEST(Parse, RefusesNulBytes) {
  const Result r = parse_text(std::string("model {\0}", 9));
  EXPECT_EQ(codes(r), "not-text@1");
}

TEST(Parse, TakesOldFormsWithOneWarningEach) {
  const CodeRow rows[] = {
      {"data { int x[3]; }", "old-array@1"},
      {"functions { real[,] f(int[] x) { return y; } }", "old-array@1 old-array@1"},
      {"model { x <- 3; }", "old-assignment@1"},
      {"model { increment_log_prob(3); }", "old-increment@1"},
      {"model { lp__ <- lp__ + 3; }", "old-increment@1"},
      {"# comment\nmodel { }", "old-comment@1"},
  };
  for (const CodeRow& row : rows) EXPECT_EQ(codes(parse_text(row.program)), row.codes) << row.program;
}

TEST(Parse, OldSizesBelongToTheirOwnName) {
  const Result r = parse_text("model { real x[2], y, z[3, 4]; }");
  const auto statements = r.parsed.tree.block(ast::BlockKind::model).statements;
  ASSERT_EQ(statements.size(), 3U);
  EXPECT_EQ(statements[0]->as<ast::Declare>()->type->array_rank, 1);
  EXPECT_EQ(statements[1]->as<ast::Declare>()->type->array_rank, 0);
  EXPECT_EQ(statements[2]->as<ast::Declare>()->type->array_rank, 2);
}

TEST(Parse, LpIsTakenOffTheLeftEndOfTheSum) {
  const Result r = parse_text("model { lp__ <- lp__ + a - b; lp__ <- lp__ - a; }");
  const auto statements = r.parsed.tree.block(ast::BlockKind::model).statements;
  const auto* target = statements[0]->as<ast::TargetPlus>();
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(shape(*target->value), "(- a b)");
  EXPECT_EQ(r.sources.text(target->value->span), "a - b");
  EXPECT_EQ(statements[1]->as<ast::TargetPlus>(), nullptr);
}

TEST(Parse, FunctionFilesHoldNoBlocks) {
  EXPECT_EQ(codes(parse_text("real f(real x) { return x; }", true)), "");
  EXPECT_EQ(codes(parse_text("functions { real f(real x) { return x; } }", true)), "functions-file@1");
}

TEST(Parse, DeepNestingIsAnErrorNotACrash) {
  const std::string open(100000, '(');
  for (const std::string& body :
       {"x = " + open + "1", "x = " + std::string(100000, '-') + "1;", std::string(100000, '{'),
        "x = y" + std::string(100000, '\''), "if (1) " + std::string(10000, '{'),
        std::string("x = ") + std::string(100000, '[')}) {
    const Result r = parse_text("model { " + body + " }");
    EXPECT_TRUE(has_errors(r.parsed.diagnostics));
    EXPECT_LE(r.parsed.diagnostics.size(), 102U);
  }
}

TEST(Parse, LongChainsAreNotNesting) {
  std::string sum = "model { x = 1";
  for (int i = 0; i < 50000; ++i) sum += " + 1";
  EXPECT_EQ(codes(parse_text(sum + "; }")), "");
  std::string chain = "model { if (1) x = 1;";
  for (int i = 0; i < 5000; ++i) chain += " else if (2) x = 2;";
  EXPECT_EQ(codes(parse_text(chain + " }")), "");
  EXPECT_EQ(codes(parse_text(chain + " else if (2) x = 2; }")), "nesting-too-deep@1");
}

// Each `else if` stands inside the one before, and so does all that stands in it.
TEST(Parse, ElseIfsInElseIfsCountTogether) {
  std::string chain = "if (1) x = 1;";
  for (int i = 0; i < 3000; ++i) chain += " else if (2) x = 2;";
  EXPECT_EQ(codes(parse_text("model { " + chain + " " + chain + " }")), "");
  EXPECT_EQ(codes(parse_text("model { " + chain + " else if (3) { " + chain + " } }")), "nesting-too-deep@1");
}

TEST(Parse, AMillionBadCharactersAreNotAMillionErrors) {
  std::string text = "model { ";
  for (int i = 0; i < 1000000; ++i) text += "& ";
  EXPECT_LE(parse_text(text).parsed.diagnostics.size(), 102U);
}

TEST(Parse, StopsAfterAHundredErrors) {
  std::string text = "model {\n";
  for (int i = 0; i < 1000; ++i) text += "x = ;\n";
  const Result r = parse_text(text + "}");
  EXPECT_EQ(r.parsed.diagnostics.size(), 101U);
  EXPECT_EQ(r.parsed.diagnostics.back().code, "too-many-errors");
}

}  // namespace
}  // namespace kullback::lang
