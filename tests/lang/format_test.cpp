// The formatter: rows of programs and their canonical form, and for every program in sight three properties:
// formatting twice changes nothing, the tree stays the same, each comment appears once and in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "lang/lexer.hpp"
#include "lang/parse.hpp"
#include "lang/print.hpp"

namespace kullback::lang {
namespace {

struct Program {
  SourceMap sources;
  Parsed parsed;

  explicit Program(const std::string& text, const ParseOptions& options = {}) {
    const FileId file = sources.add("test.stan", text);
    parsed = parse(sources, file, options);
  }
  bool is_valid() const { return !has_errors(parsed.diagnostics); }
  std::string formatted() const { return format(parsed.tree, sources); }
};

// The dump without positions.
std::string shape(const Program& program) {
  std::istringstream lines(dump(program.parsed.tree, program.sources));
  std::string text;
  for (std::string line; std::getline(lines, line);) text += line.substr(0, line.rfind(" @")) + "\n";
  return text;
}

std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) result.push_back(c);
  }
  return result;
}

std::vector<std::string> comments(const Program& program) {
  std::vector<std::string> texts;
  for (const ast::Comment& comment : program.parsed.tree.comments) texts.push_back(squeezed(comment.text));
  return texts;
}

void expect_properties(const std::string& text, const ParseOptions& options = {}) {
  const Program before(text, options);
  ASSERT_TRUE(before.is_valid()) << text;
  const std::string formatted = before.formatted();
  const Program after(formatted, options);
  ASSERT_TRUE(after.is_valid()) << text << "became\n" << formatted;
  EXPECT_EQ(shape(before), shape(after)) << text << "became\n" << formatted;
  EXPECT_EQ(comments(before), comments(after)) << text << "became\n" << formatted;
  EXPECT_EQ(formatted, after.formatted()) << text;
}

// `from` and `to` stand in a model block, indented by two.
struct Row {
  const char* name;
  const char* from;
  const char* to;
};

class FormatStatement : public testing::TestWithParam<Row> {};

TEST_P(FormatStatement, IsCanonical) {
  const std::string text = std::string("model {\n") + GetParam().from + "\n}\n";
  EXPECT_EQ(Program(text).formatted(), std::string("model {\n") + GetParam().to + "}\n");
  expect_properties(text);
}

std::string row_name(const testing::TestParamInfo<Row>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Expressions, FormatStatement,
                         testing::ValuesIn<Row>({
                             {"Operators", "x=a+b*-c^2 ./d;", "  x = a + b * -c ^ 2 ./ d;\n"},
                             {"Parentheses", "x=((a+b))*(c);", "  x = ((a + b)) * (c);\n"},
                             {"Prefixes", "x = a - - b + !c;", "  x = a - -b + !c;\n"},
                             {"Powers", "x = a^-b^c; x=(a^b)^c;", "  x = a ^ -b ^ c;\n  x = (a ^ b) ^ c;\n"},
                             {"Transpose", "x=a' * (b+c)';", "  x = a' * (b + c)';\n"},
                             {"Ternary", "x=a?b:c?d:e;", "  x = a ? b : c ? d : e;\n"},
                             {"Indexes", "x=y[i,2:,:3,:,][n-1:n+1];",
                              "  x = y[i, 2:, :3, :, ][n - 1 : n + 1];\n"},
                             {"Calls", "x=f( a,g() );", "  x = f(a, g());\n"},
                             {"Densities", "target+=normal_lpdf(y|0,1)+std_normal_lpdf(z|);",
                              "  target += normal_lpdf(y | 0, 1) + std_normal_lpdf(z | );\n"},
                             {"Literals", "x={1,2.5e3}; y=[1,2]; z=(1,{2}); w=3i;",
                              "  x = {1, 2.5e3};\n  y = [1, 2];\n  z = (1, {2});\n  w = 3i;\n"},
                             {"OneTuple", "x = (1, );", "  x = (1,);\n"},
                             {"TupleSlots", "x=y.1.2[3].10;", "  x = y.1.2[3].10;\n"},
                             {"Unpacking", "(a,b[1],c.1)=f();", "  (a, b[1], c.1) = f();\n"},
                         }),
                         row_name);

INSTANTIATE_TEST_SUITE_P(
    Statements, FormatStatement,
    testing::ValuesIn<Row>({
        {"OnePerLine", "x=1; y += 2; z ./= 3;", "  x = 1;\n  y += 2;\n  z ./= 3;\n"},
        {"OldForms", "x <- 1; increment_log_prob(x);", "  x = 1;\n  target += x;\n"},
        {"Distribution", "y~normal(0,1)T[0,];", "  y ~ normal(0, 1) T[0, ];\n"},
        {"Loops", "for(i in 1:N) x[i]=i; for (v in xs) { y += v; } while(1) break;",
         "  for (i in 1:N)\n    x[i] = i;\n  for (v in xs) {\n    y += v;\n  }\n  while (1)\n    break;\n"},
        {"RangeOfSums", "for (i in 1:N-1) ;", "  for (i in 1 : N - 1)\n    ;\n"},
        {"IfChain", "if(a) x=1; else if(b) {x=2;} else {x=3;}",
         "  if (a)\n    x = 1;\n  else if (b) {\n    x = 2;\n  } else {\n    x = 3;\n  }\n"},
        {"NestedIf", "if (a) if (b) x=1; else x=2;",
         "  if (a)\n    if (b)\n      x = 1;\n    else\n      x = 2;\n"},
        {"Output", "print(\"x = \",x); reject(\"no\"); fatal_error(\"never\");",
         "  print(\"x = \", x);\n  reject(\"no\");\n  fatal_error(\"never\");\n"},
        {"Profile", "profile(\"p\"){x=1;}", "  profile(\"p\") {\n    x = 1;\n  }\n"},
        {"Annotation", "@silent   x=1;", "  @silent x = 1;\n"},
        {"Declarations", "real x=1,y; array [ 2,N ] vector[3] z; int k[4];",
         "  real x = 1, y;\n  array[2, N] vector[3] z;\n  array[4] int k;\n"},
        {"SplitDeclaration", "real x[3], y; // both", "  array[3] real x;\n  real y; // both\n"},
        {"BlankLines", "\n\nx = 1;\n\n\n\ny = 2;\nz = 3;\n\n", "  x = 1;\n\n  y = 2;\n  z = 3;\n"},
    }),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    LongLines, FormatStatement,
    testing::ValuesIn<Row>({
        {"Sum",
         "log_density = log_density + binomial_lpmf(successes[n] | trials[n], theta[n]) + normal_lpdf(z | 0, "
         "1);",
         "  log_density = log_density + binomial_lpmf(successes[n] | trials[n], theta[n])\n"
         "                + normal_lpdf(z | 0, 1);\n"},
        {"Arguments",
         "weight ~ normal(intercept[group[n]] + slope[group[n]] * height[n] + effect * treatment[n], "
         "sigma[group[n]]);",
         "  weight ~ normal(intercept[group[n]] + slope[group[n]] * height[n]\n"
         "                  + effect * treatment[n], sigma[group[n]]);\n"},
        {"TooFarRight",
         "matrix[rows_of_the_design, columns_of_the_design] design_matrix = to_matrix(first_column, "
         "second_column);",
         "  matrix[rows_of_the_design, columns_of_the_design] design_matrix =\n"
         "      to_matrix(first_column, second_column);\n"},
        {"Condition",
         "if (first_long_condition > 3 && second_long_condition < 4 || third_long_condition == 7) x = 1;",
         "  if (first_long_condition > 3 && second_long_condition < 4\n"
         "      || third_long_condition == 7)\n    x = 1;\n"},
    }),
    row_name);

INSTANTIATE_TEST_SUITE_P(
    Comments, FormatStatement,
    testing::ValuesIn<Row>({
        {"OwnLine", "// one\n\n\n// two\nx = 1;\n// three", "  // one\n\n  // two\n  x = 1;\n  // three\n"},
        {"EndOfLine", "x = 1;     // one\ny = 2; /* two */ // three\n",
         "  x = 1; // one\n  y = 2; /* two */ // three\n"},
        {"OneLineForTwo", "x = 1; y = 2; // of y", "  x = 1;\n  y = 2; // of y\n"},
        {"Leading", "x = 1; /* of y */ y = 2;", "  x = 1;\n  /* of y */ y = 2;\n"},
        {"BeforeSemicolon", "x = 1 // one\n;", "  x = 1; // one\n"},
        {"Old", "x = 1; # one", "  x = 1; // one\n"},
        {"InArguments", "x = f(a, // first\n b /* second */, c\n// last\n);",
         "  x = f(a, // first\n        b, /* second */ c\n        // last\n        );\n"},
        {"InSum", "x = a + // first\n b // second\n + /* third */ c;",
         "  x = a + // first\n      b // second\n      + /* third */ c;\n"},
        {"InChoice", "x = a // if\n ? b // yes\n : c; // no",
         "  x = a // if\n      ? b // yes\n      : c; // no\n"},
        {"BehindHeader", "for (i in 1:N) // all\n{ x = 1; }\nfor (i in 1:N) // each\n x = 1;",
         "  for (i in 1:N) { // all\n    x = 1;\n  }\n  for (i in 1:N) // each\n    x = 1;\n"},
        {"AroundElse", "if (a) { x = 1; } // one\n// two\nelse // three\n{ x = 2; }",
         "  if (a) {\n    x = 1;\n  } // one\n  // two\n  else { // three\n    x = 2;\n  }\n"},
        {"EmptyBlock", "{ // nothing\n}", "  { // nothing\n  }\n"},
        {"BlockMoves", "{\n        /* one\n           two */\n        x = 1; }",
         "  {\n    /* one\n       two */\n    x = 1;\n  }\n"},
        {"Stars", "/**\n* one\n  * two\n*/\nx = 1;", "  /**\n   * one\n   * two\n   */\n  x = 1;\n"},
    }),
    row_name);

TEST(Format, Program) {
  const std::string text = R"(// A program.
functions{ real f( real x,data array[ , ] int y ){return x;}
void g_lp(real x); }
data{int<lower = 0>N; tuple(int,array[N] real) t; real<lower=0,upper = 1>p[N];

matrix<offset = 1,multiplier=2>[ N,3]m;}
parameters{} // none
model{})";
  EXPECT_EQ(Program(text).formatted(), R"(// A program.
functions {
  real f(real x, data array[,] int y) {
    return x;
  }
  void g_lp(real x);
}
data {
  int<lower=0> N;
  tuple(int, array[N] real) t;
  array[N] real<lower=0, upper=1> p;

  matrix<offset=1, multiplier=2>[N, 3] m;
}
parameters {
} // none
model {
}
)");
  expect_properties(text);
}

TEST(Format, FunctionsOnly) {
  const ParseOptions options{.functions_only = true};
  const std::string text = "// one\nreal f(){return 1;} // two\n\nreal g();";
  EXPECT_EQ(Program(text, options).formatted(), "// one\nreal f() {\n  return 1;\n} // two\n\nreal g();\n");
  expect_properties(text, options);
}

TEST(Format, IncludesStayAndTheirTextDoesNotCome) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "format_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "prior.stan") << "// inside\nx ~ normal(0, 1);\n";
  const ParseOptions options{.include_paths = {folder}};
  const std::string text = "model {\nreal x;\n#include prior.stan\nx ~ normal(1,1);\n}\n";
  const Program program(text, options);
  EXPECT_EQ(program.formatted(), "model {\n  real x;\n  #include prior.stan\n  x ~ normal(1, 1);\n}\n");
  EXPECT_EQ(Program(program.formatted(), options).formatted(), program.formatted());
}

TEST(Format, Expression) {
  const Program program("model { x = a + // comment\n f(b,\n c)[1:2]; }");
  const auto* assign = program.parsed.tree.block(ast::BlockKind::model).statements[0]->as<ast::Assign>();
  EXPECT_EQ(format(*assign->value), "a + f(b, c)[1:2]");
}

constexpr const char* kDense = R"(functions {
  real f_lpdf(vector y, data array[] real x, int k) {
    for (i in 1:k) if (y[i] > x[i]) return x[i] ^ 2; else return -1;
    return y[1] ? 2 : 3;
  }
}
data { int<lower=0, upper=9> N; array[N, 2] vector<lower=0>[N - 1] v; }
parameters { real<offset=1, multiplier=2> mu; }
model {
  profile("p") { mu ~ normal(v[1, 2][3], 1) T[0, 2]; }
  while (N > 1 && !N) { (N, mu) = (1, {2, 3}); print("x", mu); }
  target += f_lpdf(v[1, 1] | {1.0}, N) - mu' * [1, 2]' %/% 3;
}
)";

// A comment of every kind at every place where one may stand.
TEST(Format, CommentsAnywhere) {
  const char* kinds[] = {"// c\n", "\n// c\n", "/* c */", " /* c */\n", "\n/* c\n  d */\n", "/* c */ // d\n"};
  SourceMap sources;
  Arena arena;
  const std::string text = kDense;
  const Lexed lexed = lex(sources, sources.add("dense.stan", text), {}, arena);
  for (const Token& token : lexed.tokens) {
    for (const char* kind : kinds) {
      expect_properties(std::string(text).insert(token.span.begin, kind));
      if (HasFailure()) return;
    }
  }
}

// The same program on one line, and with each token on a line of its own.
TEST(Format, LayoutOfTheSourceDoesNotMatter) {
  SourceMap sources;
  Arena arena;
  const std::string text = kDense;
  const Lexed lexed = lex(sources, sources.add("dense.stan", text), {}, arena);
  std::string one_line, many_lines;
  for (const Token& token : lexed.tokens) {
    const std::string word(sources.text(token.span));
    one_line += word + " ";
    many_lines += word + "\r\n";
  }
  const std::string expected = Program(text).formatted();
  EXPECT_EQ(Program(one_line).formatted(), expected);
  EXPECT_EQ(Program(many_lines).formatted(), expected);
}

TEST(Format, Examples) {
  for (const auto& entry : std::filesystem::directory_iterator(KULLBACK_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".stan") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    expect_properties(text.str());
  }
}

TEST(Format, LongChains) {
  std::string sum = "x", branches = "if (n == 0) n = 1;", indexes = "y";
  for (int i = 0; i < 50000; ++i) {
    sum += i % 2 == 0 ? " + x" : " - x";
    if (i < 4999) branches += " else if (n == 1) n = 2;";
  }
  for (int i = 0; i < 300; ++i) indexes += "[1]";
  const Program program("model { target += " + sum + "; " + branches + " x = " + indexes + "; }");
  ASSERT_TRUE(program.is_valid());
  const Program again(program.formatted());
  ASSERT_TRUE(again.is_valid());
  EXPECT_EQ(again.formatted(), program.formatted());
  EXPECT_EQ(shape(again), shape(program));
}

TEST(Dump, EveryNode) {
  const Program program(
      "data { array[2] int<lower=0> n; }\nmodel {\n  target += -n[1] * 2.5 + f(1 | 3);\n}\n");
  EXPECT_EQ(dump(program.parsed.tree, program.sources), R"(block data @1:1
  declare @1:8
    type int @1:8
      array sizes
        int 2 @1:14
      lower
        int 0 @1:27
    name n @1:30
block model @2:1
  target += @3:3
    binary @3:13
      binary @3:13
        prefix - @3:13
          postfix @3:14
            variable n @3:14
            indexes
              single
                int 1 @3:16
        *
        real 2.5 @3:21
      +
      call| f @3:27
        int 1 @3:29
        int 3 @3:33
)");
}

}  // namespace
}  // namespace kullback::lang
