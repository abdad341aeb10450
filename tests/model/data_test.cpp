// Data files in, and data against programs: what is read, what is refused and in which words.
#include "model/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text_source.hpp"
#include "lang/front_end.hpp"
#include "model/check_data.hpp"

namespace kullback::model {
namespace {

using Numbers = std::vector<double>;
using Dims = std::vector<std::size_t>;
constexpr double kInf = std::numeric_limits<double>::infinity();

DataValue json(const std::string& text) {
  const Data data = parse_json_data("{\"x\": " + text + "}", "data.json");
  return data.find("x") == nullptr ? DataValue{} : *data.find("x");
}

std::string error_of(const std::string& text) {
  try {
    parse_data(text, "data.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.message();
  }
  return "";
}

void expect_numbers(const Numbers& got, const Numbers& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else {
      EXPECT_EQ(got[i], expected[i]) << i;
    }
  }
}

// ---- JSON ----
TEST(Json, ReadsNumbersAndArrays) {
  struct Row {
    std::string text;
    DataKind kind;
    Dims dims;
    Numbers numbers;
  };
  const double nan = std::nan("");
  const std::vector<Row> rows = {
      {"3", DataKind::int_, {}, {3}},
      {"-7", DataKind::int_, {}, {-7}},
      {"3.0", DataKind::real, {}, {3}},
      {"1e3", DataKind::real, {}, {1000}},
      {"-2.5E-3", DataKind::real, {}, {-0.0025}},
      {"3000000000", DataKind::int_, {}, {3e9}},
      {"123456789012345678901234567890", DataKind::int_, {}, {1.2345678901234568e29}},
      {"[1, 2, 3]", DataKind::int_, {3}, {1, 2, 3}},
      {"[1, 2.5, 3]", DataKind::real, {3}, {1, 2.5, 3}},
      {"[[1, 2, 3], [4, 5, 6]]", DataKind::int_, {2, 3}, {1, 2, 3, 4, 5, 6}},
      {"[[[1], [2]], [[3], [4]], [[5], [6]]]", DataKind::int_, {3, 2, 1}, {1, 2, 3, 4, 5, 6}},
      {"[]", DataKind::int_, {0}, {}},
      {"[[], []]", DataKind::int_, {2, 0}, {}},
      {"[\"NaN\", \"Inf\", \"-Inf\", \"Infinity\", \"-Infinity\", \"+inf\", \"-inf\"]",
       DataKind::real,
       {7},
       {nan, kInf, -kInf, kInf, -kInf, kInf, -kInf}},
      {"[NaN, Infinity, -Infinity, Inf, -Inf , 1]", DataKind::real, {6}, {nan, kInf, -kInf, kInf, -kInf, 1}},
      {"NaN", DataKind::real, {}, {nan}},
      {"[[1.5, -2], [0, 1]]", DataKind::real, {2, 2}, {1.5, -2, 0, 1}},  // also two complex numbers
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const DataValue value = json(row.text);
    EXPECT_EQ(value.problem, "");
    EXPECT_EQ(value.kind, row.kind);
    EXPECT_EQ(value.dims, row.dims);
    expect_numbers(value.numbers, row.numbers);
  }
}

TEST(Json, ReadsTuples) {
  const DataValue tuple = json(R"({"1": 3, "2": [1.5, 2]})");
  ASSERT_EQ(tuple.kind, DataKind::tuple);
  EXPECT_EQ(tuple.dims, Dims{});
  ASSERT_EQ(tuple.slots.size(), 2U);
  expect_numbers(tuple.slots[0].numbers, {3});
  EXPECT_EQ(tuple.slots[1].dims, Dims{2});
  expect_numbers(tuple.slots[1].numbers, {1.5, 2});

  // Slots of an array of tuples are arrays over all of them; their order in an object does not matter.
  const DataValue array = json(R"([{"1": 1, "2": [1, 2]}, {"2": [3, 4], "1": 2.5}, {"1": 3, "2": [5, 6]}])");
  EXPECT_EQ(array.problem, "");
  EXPECT_EQ(array.dims, Dims{3});
  ASSERT_EQ(array.slots.size(), 2U);
  EXPECT_EQ(array.slots[0].kind, DataKind::real);
  EXPECT_EQ(array.slots[0].dims, Dims{3});
  expect_numbers(array.slots[0].numbers, {1, 2.5, 3});
  EXPECT_EQ(array.slots[1].kind, DataKind::int_);
  EXPECT_EQ(array.slots[1].dims, (Dims{3, 2}));
  expect_numbers(array.slots[1].numbers, {1, 2, 3, 4, 5, 6});

  const DataValue nested = json(R"({"1": [{"1": 1, "2": 2}, {"1": 3, "2": 4}], "2": 5})");
  EXPECT_EQ(nested.problem, "");
  ASSERT_EQ(nested.slots.size(), 2U);
  EXPECT_EQ(nested.slots[0].kind, DataKind::tuple);
  EXPECT_EQ(nested.slots[0].slots[1].dims, Dims{2});
  expect_numbers(nested.slots[0].slots[1].numbers, {2, 4});
}

TEST(Json, KeepsWhatIsWrongWithAValue) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"[[1, 2], [3]]", "is ragged: x[2] has 1 element, x[1] has 2"},
      {"[[[1, 2], [3, 4]], [[5, 6], [7]]]", "is ragged: x[2, 2] has 1 element, x[1, 1] has 2"},
      {"[[], [1]]", "is ragged: x[2] has 1 element, x[1] has 0"},
      {"[1, [2]]", "mixes numbers and arrays: x[2] is an array, x[1] is not"},
      {"[[1], 2]", "mixes numbers and arrays: x[2] is not an array"},
      {"[1, {\"1\": 2}]", "mixes numbers and tuples, the first at x[2]"},
      {"\"hello\"", "is not a number: \"hello\""},
      {"[1, true]", "is not a number at x[2]: true"},
      {"null", "is not a number: null"},
      {"1e400", "is not a number that a double can hold: 1e400"},
      {"{\"1\": 1, \"3\": 2}", "has the tuple x whose slots are not \"1\", \"2\", ..., each once"},
      {"[{\"1\": 1}, {\"1\": 2, \"2\": 3}]", "has the tuple x[2] whose slots are not those of x[1]"},
      {"{\"a\": 1}", "has the key \"a\" in the tuple x; slots are named \"1\", \"2\", ..."},
      {"[{\"1\": [1, 2]}, {\"1\": [3]}]", "is ragged: x[2].1 has 1 element, x[1].1 has 2"},
  };
  for (const auto& [text, problem] : rows) EXPECT_EQ(json(text).problem, problem) << text;
}

TEST(Json, RemembersTheFirstReal) {
  const DataValue value = json("[[1, 2], [3.0, 4.5]]");
  EXPECT_EQ(value.first_real, 2U);
  EXPECT_EQ(value.first_real_text, "3.0");
}

TEST(Json, RefusesTextsThatAreNoObject) {
  const std::string syntax = "this is not JSON: a comma, colon, bracket or value is missing or out of place.";
  EXPECT_EQ(error_of("[1, 2]"), "data.json:1:1: a JSON object is needed: { \"name\": value, ... }.");
  EXPECT_EQ(error_of("{\"a\": [1 2]}"), "data.json:1:10: " + syntax);
  EXPECT_EQ(error_of("{\n \"a\": 1,\n \"b\" 2\n}"), "data.json:3:6: " + syntax);
  EXPECT_EQ(error_of("{\"a\": 1"),
            "data.json:1:8: the text does not end with the closing brace of its object.");
  EXPECT_EQ(error_of("{\"a\": \"b"), "data.json:1:9: a string is not closed.");
  EXPECT_EQ(error_of("{\"a\": 1,\n\"a\": 2}"), "data.json:2:2: 'a' is given twice.");
  EXPECT_THROW(parse_json_data("", "data.json"), Error);
  for (const char* text :
       {"{\"a\": 1,}", "{\"a\": [1,]}", "{\"a\": }", "{a: 1}", "{\"a\": 1]", "{\"a\": [1}", "{"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(Json, DeepNestingIsRefused) {
  EXPECT_EQ(error_of("{\"a\": " + std::string(100000, '[') + std::string(100000, ']') + "}"),
            "data.json:1:207: arrays are nested too deeply.");
  std::string tuples;
  for (int i = 0; i < 100000; ++i) tuples += "{\"1\": ";
  EXPECT_NE(error_of("{\"a\": " + tuples + "1" + std::string(100000, '}') + "}"), "");
}

// A text that comes a few bytes at a time: every token is torn somewhere.
class Trickle final : public TextSource {
 public:
  Trickle(std::string_view text, std::size_t most) : text_(text), most_(most) {}
  std::size_t read(char* to, std::size_t most) override { return text_.read(to, std::min(most, most_)); }

 private:
  MemorySource text_;
  std::size_t most_;
};

TEST(Json, ReadsTextsInPieces) {
  const std::string text =
      " {\"N\": 3, \"x\": [[-1.25e-3, NaN], [\"-Inf\", 12345678901234567890]],\n \"na\\u006De\": [1, 2.0, 3],"
      " \"t\": {\"2\": [1], \"1\": true}, \"wörter\": \"a \\\" b\"}";
  const Data whole = parse_json_data(text, "data.json");
  ASSERT_EQ(whole.items().size(), 5U);
  for (const std::size_t most : {1U, 2U, 3U, 7U, 64U}) {
    Trickle source(text, most);
    const Data data = read_data(source, "data.json");
    ASSERT_EQ(data.items().size(), whole.items().size());
    for (std::size_t i = 0; i < whole.items().size(); ++i) {
      EXPECT_EQ(data.items()[i].name, whole.items()[i].name);
      EXPECT_EQ(data.items()[i].value.kind, whole.items()[i].value.kind);
      EXPECT_EQ(data.items()[i].value.problem, whole.items()[i].value.problem);
      EXPECT_EQ(data.items()[i].value.first_real_text, whole.items()[i].value.first_real_text);
      expect_numbers(data.items()[i].value.numbers, whole.items()[i].value.numbers);
    }
  }
  const std::string wrong = "{\n\"a\": [1, 2,\n  3 4]}";
  Trickle source(wrong, 1);
  try {
    read_data(source, "data.json");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), error_of(wrong));
    EXPECT_TRUE(error.message().starts_with("data.json:3:5: ")) << error.message();
  }
}

TEST(Json, NumbersAreTheNearestDoubles) {
  const std::vector<std::pair<std::string, double>> rows = {
      {"0.1", 0.1},
      {"-123456.789012", -123456.789012},
      {"9007199254740993", 9007199254740992.0},
      {"9007199254740992.5", 9007199254740992.0},
      {"0.30000000000000004", 0.1 + 0.2},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"4.9e-324", std::numeric_limits<double>::denorm_min()},
      {"1e-400", 0.0},
      {"1e22", 1e22},
      {"0.00000000000000000000000000000000000001", 1e-38},
  };
  for (const auto& [text, expected] : rows) {
    EXPECT_EQ(json(text).numbers, Numbers{expected}) << text;
    EXPECT_EQ(json("[" + text + "]").problem, "") << text;
  }
  EXPECT_TRUE(std::signbit(json("-0.0").numbers.front()));
  EXPECT_FALSE(std::signbit(json("-0").numbers.front()));  // an int
}

TEST(Json, KeepsTheOrderOfTheFile) {
  const Data data = parse_data(" \n{\"b\": 1, \"a\\u0062\": 2, \".remark\": \"text\"}", "data.json");
  ASSERT_EQ(data.items().size(), 3U);
  EXPECT_EQ(data.items()[0].name, "b");
  EXPECT_EQ(data.items()[1].name, "ab");
  EXPECT_NE(data.find("ab"), nullptr);
  EXPECT_EQ(data.find("c"), nullptr);
}

// ---- R dump ----
TEST(Rdump, ReadsValues) {
  struct Row {
    std::string text;
    DataKind kind;
    Dims dims;
    Numbers numbers;
  };
  const std::vector<Row> rows = {
      {"x <- 3", DataKind::int_, {}, {3}},
      {"x = 3L", DataKind::int_, {}, {3}},
      {"\"x\" <- -3.5", DataKind::real, {}, {-3.5}},
      {"`x` <- 1e3", DataKind::real, {}, {1000}},
      {"x <- 1e+05L", DataKind::int_, {}, {100000}},
      {"x <- c(1, 2L, 3)", DataKind::int_, {3}, {1, 2, 3}},
      {"x <-\nc(1.5,\n-Inf, Inf)", DataKind::real, {3}, {1.5, -kInf, kInf}},
      {"x <- c(1)", DataKind::int_, {1}, {1}},
      {"x <- c()", DataKind::int_, {0}, {}},
      {"x <- integer(0)", DataKind::int_, {0}, {}},
      {"x <- double(0)", DataKind::int_, {0}, {}},
      {"x <- numeric(2)", DataKind::real, {2}, {0, 0}},
      {"x <- 2:5", DataKind::int_, {4}, {2, 3, 4, 5}},
      {"x <- 3:1", DataKind::int_, {3}, {3, 2, 1}},
      {"x <- c(1:3, 7L)", DataKind::int_, {4}, {1, 2, 3, 7}},
      {"x <- structure(c(1, 2, 3, 4, 5, 6), .Dim = c(2L, 3L))", DataKind::int_, {2, 3}, {1, 3, 5, 2, 4, 6}},
      {"x <- structure(1:6, .Dim = 3:2)", DataKind::int_, {3, 2}, {1, 4, 2, 5, 3, 6}},
      {"x <- structure(1:8, .Dim = c(2, 2, 2))", DataKind::int_, {2, 2, 2}, {1, 5, 3, 7, 2, 6, 4, 8}},
      {"x <- structure(c(1, 2), .Dim = c(1L, 2L), .Dimnames = list(NULL, c(\"a)\", \"b\")))",
       DataKind::int_,
       {1, 2},
       {1, 2}},
      {"x <- structure(integer(0), .Dim = c(0L, 3L))", DataKind::int_, {0, 3}, {}},
      {"# a remark\ny <- 1; x <- 4 # another", DataKind::int_, {}, {4}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const Data data = parse_data(row.text, "data.R");
    const DataValue* value = data.find("x");
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value->kind, row.kind);
    EXPECT_EQ(value->dims, row.dims);
    expect_numbers(value->numbers, row.numbers);
  }
  EXPECT_EQ(parse_rdump("x <- structure(c(1, 2, 3.5, 4), .Dim = c(2, 2))", "d.R").find("x")->first_real, 1U);
}

TEST(Rdump, KeepsWhatIsNoNumber) {
  const Data data = parse_rdump("x <- c(1, NA)\ny <- c(\"a\", \"b\")\nz <- TRUE\nw <- 2", "data.R");
  EXPECT_EQ(data.find("x")->problem, "is not a number, at place 2: NA");
  EXPECT_EQ(data.find("y")->problem, "is not a number, at place 1: \"a\"");
  EXPECT_EQ(data.find("z")->problem, "is not a number, at place 1: TRUE");
  EXPECT_EQ(data.find("w")->problem, "");
}

TEST(Rdump, SaysWhereItIsWrong) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"x 3", "data.json:1:3: '<-' is needed after the name 'x'."},
      {"x <- ", "data.json:1:6: a number is needed here."},
      {"x <- c(1, 2", "data.json:1:12: ')' is needed here."},
      {"x <- 1\nx <- 2", "data.json:2:1: 'x' is given twice."},
      {"x <- structure(1:3, .Dim = c(2, 2))", "data.json:1:35: the .Dim is for 4 numbers, but there are 3."},
      {"x <- y + 1", "data.json:1:6: a number is needed here."},
      {"x <- 1e999", "data.json:1:6: this number does not fit a double."},
      {"x <- 1:1000000000", "data.json:1:18: this range is too long."},
      {"x <- 1:1e2", "data.json:1:11: a range goes from an integer to an integer."},
  };
  for (const auto& [text, message] : rows) EXPECT_EQ(error_of(text), message) << text;
  std::string deep = "x <- ";
  for (int i = 0; i < 100000; ++i) deep += "c(";
  EXPECT_NE(error_of(deep), "");
}

// ---- against a program ----
struct Checked {
  SourceMap sources;
  lang::Understood understood;
  CheckedData result;

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Diagnostic& diagnostic : result.diagnostics) {
      all.push_back((diagnostic.severity == Severity::error ? "" : "warning: ") + diagnostic.message);
    }
    return all;
  }

  const DataValue* find(std::string_view name) const {
    for (const lang::Stmt* statement : understood.program->block(lang::BlockKind::data)) {
      const auto* declare = statement->as<lang::Declare>();
      if (declare != nullptr && declare->variable->name == name)
        return result.values.find(*declare->variable);
    }
    return nullptr;
  }
};

std::unique_ptr<Checked> check(const std::string& declarations, const std::string& data) {
  auto checked = std::make_unique<Checked>();
  const FileId file = checked->sources.add("model.stan", "data {\n" + declarations + "\n}\n");
  checked->understood = lang::understand(checked->sources, file, {.lint = false});
  if (!checked->understood.program) {
    ADD_FAILURE() << declarations << ": " << checked->understood.diagnostics.at(0).message;
    return checked;
  }
  checked->result = check_data(*checked->understood.program, parse_data(data, "data.json"), checked->sources,
                               evaluate_simple);
  return checked;
}

using Messages = std::vector<std::string>;

TEST(CheckData, AcceptsAndLaysOut) {
  const auto checked = check(
      "  int<lower=0> N;\n  int K;\n  vector[N] y;\n  matrix[N, K] X;\n  array[K] matrix[2, 2] A;\n"
      "  array[N] int<lower=1, upper=K> g;\n  real z;\n  complex c;\n  complex_matrix[2, 2] C;\n"
      "  tuple(int, vector[K]) t;\n  array[2] tuple(real, matrix[K, K]) at;\n  array[N + 1, K * 2 - 2] real "
      "R;",
      R"({"N": 3, "K": 2, "y": [1, 2, 3], "X": [[1, 2], [3, 4], [5, 6]], "A": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
          "g": [1, 2, 1], "z": 4, "c": [1, -2], "C": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
          "t": {"1": 7, "2": [0.5, 1]},
          "at": [{"1": 1, "2": [[1, 2], [3, 4]]}, {"1": 2, "2": [[5, 6], [7, 8]]}],
          "R": [[1, 2], [3, 4], [5, 6], [7, 8]]})");
  EXPECT_EQ(checked->messages(), Messages{});
  EXPECT_EQ(checked->find("N")->kind, DataKind::int_);
  EXPECT_EQ(checked->find("X")->dims, (Dims{3, 2}));
  expect_numbers(checked->find("X")->numbers, {1, 3, 5, 2, 4, 6});
  expect_numbers(checked->find("A")->numbers, {1, 3, 2, 4, 5, 7, 6, 8});
  EXPECT_EQ(checked->find("z")->kind, DataKind::real);
  EXPECT_EQ(checked->find("c")->kind, DataKind::complex);
  expect_numbers(checked->find("c")->numbers, {1, -2});
  EXPECT_EQ(checked->find("C")->dims, (Dims{2, 2}));
  expect_numbers(checked->find("C")->numbers, {1, 2, 5, 6, 3, 4, 7, 8});
  expect_numbers(checked->find("t")->slots[1].numbers, {0.5, 1});
  EXPECT_EQ(checked->find("at")->slots[1].dims, (Dims{2, 2, 2}));
  expect_numbers(checked->find("at")->slots[1].numbers, {1, 3, 2, 4, 5, 7, 6, 8});
  EXPECT_EQ(data_error(checked->result.diagnostics), std::nullopt);
}

TEST(CheckData, EmptyContainersMayBeAbsentOrWrittenAnyWay) {
  const std::string program =
      "  int N;\n  vector[N] y;\n  matrix[N, 3] X;\n  array[2, N] int g;\n  array[N] tuple(int, real) t;\n"
      "  array[N] simplex[3] s;\n  vector<lower=0>[N] b;";
  const auto absent = check(program, R"({"N": 0})");
  EXPECT_EQ(absent->messages(), Messages{});
  EXPECT_EQ(absent->find("X")->dims, (Dims{0, 3}));
  EXPECT_EQ(absent->find("t")->slots.size(), 2U);
  EXPECT_EQ(
      check(program, R"({"N": 0, "y": [], "X": [], "g": [[], []], "t": [], "s": [], "b": []})")->messages(),
      Messages{});
  EXPECT_EQ(check("  int N;\n  vector[N] y;", R"({"N": 0, "y": [1]})")->messages(),
            Messages{"data.json: 'y' has 1 element; model.stan:3:3 declares vector[N] with N = 0."});
}

TEST(CheckData, NamesBothPlaces) {
  struct Row {
    std::string declaration;
    std::string data;
    Messages messages;
  };
  const std::vector<Row> rows = {
      {"  int N;\n  vector[N] y;",
       R"({"N": 4, "y": [1, 2, 3]})",
       {"data.json: 'y' has 3 elements; model.stan:3:3 declares vector[N] with N = 4."}},
      {"  int N;\n  matrix[N, 3] y;",
       R"({"N": 2, "y": [[1, 2], [3, 4]]})",
       {"data.json: 'y' has dimensions [2, 2], not [2, 3]; model.stan:3:3 declares matrix[N, 3] with N = "
        "2."}},
      {"  int N;\n  array[N - 1, N] real y;",
       R"({"N": 2, "y": 5})",
       {"data.json: 'y' is a single value, not one of dimensions [1, 2]; model.stan:3:3 declares array[N - "
        "1, N] real "
        "with N - 1 = 1, N = 2."}},
      {"  real x;",
       R"({"x": [1]})",
       {"data.json: 'x' has dimensions [1], not none; model.stan:2:3 declares real."}},
      {"  int N;", R"({"N": 3.0})", {"data.json: 'N' is 3.0, not an integer; model.stan:2:3 declares int."}},
      {"  array[2, 2] int N;",
       R"({"N": [[1, 2], [3, 1e2]]})",
       {"data.json: 'N[2, 2]' is 1e2, not an integer; model.stan:2:3 declares array[2, 2] int."}},
      {"  int N;",
       R"({"N": 3000000000})",
       {"data.json: 'N' is 3000000000, beyond the integers of Stan, -2147483648 to 2147483647; "
        "model.stan:2:3 declares "
        "int."}},
      {"  int N;\n  real y;",
       R"({})",
       {"data.json: 'N' is missing; model.stan:2:3 declares int.",
        "data.json: 'y' is missing; model.stan:3:3 declares real."}},
      {"  int<lower=0> N;",
       R"({"N": -1})",
       {"data.json: 'N' is -1, but must be at least 0; model.stan:2:3 declares int<lower=0>."}},
      {"  int K;\n  array[3] int<lower=1, upper=K> g;",
       R"({"K": 2, "g": [1, 3, 4]})",
       {"data.json: 'g[2]' is 3, but must be at most 2 (the first of 2); model.stan:3:3 declares array[3] "
        "int<lower=1, upper=K>."}},
      {"  matrix<lower=0>[2, 3] y;",
       R"({"y": [[1, 2, 3], [4, -5, 6]]})",
       {"data.json: 'y[2, 2]' is -5, but must be at least 0; model.stan:2:3 declares matrix<lower=0>[2, "
        "3]."}},
      {"  array[2] row_vector<upper=1>[2] y;",
       R"({"y": [[1, 1], [1, 2]]})",
       {"data.json: 'y[2, 2]' is 2, but must be at most 1; model.stan:2:3 declares array[2] "
        "row_vector<upper=1>[2]."}},
      {"  vector[2] L;\n  vector<lower=L>[2] y;",
       R"({"L": [0, 5], "y": [1, 4]})",
       {"data.json: 'y[2]' is 4, but must be at least 5; model.stan:3:3 declares vector<lower=L>[2]."}},
      {"  array[2] simplex[2] s;",
       R"({"s": [[0.5, 0.5], [0.5, 0.75]]})",
       {"data.json: 's[2]' sums to 1.25, but must sum to 1; model.stan:2:3 declares array[2] simplex[2]."}},
      {"  cov_matrix[2] S;",
       R"({"S": [[1, 0.5], [0.25, 1]]})",
       {"data.json: 'S[1, 2]' is 0.5, but must equal the element across the diagonal, which is 0.25; "
        "model.stan:2:3 "
        "declares cov_matrix[2]."}},
      {"  vector[3] y;",
       R"({"y": [[1, 2], [3]]})",
       {"data.json: 'y' is ragged: y[2] has 1 element, y[1] has 2; model.stan:2:3 declares vector[3]."}},
      {"  real y;", R"({"y": {"1": 1}})", {"data.json: 'y' is a tuple; model.stan:2:3 declares real."}},
      {"  tuple(int, real<lower=0>) t;",
       R"({"t": {"1": 1.5, "2": -2}})",
       {"data.json: 't.1' is 1.5, not an integer; model.stan:2:3 declares tuple(int, real<lower=0>).",
        "data.json: 't.2' is -2, but must be at least 0; model.stan:2:3 declares tuple(int, "
        "real<lower=0>)."}},
      {"  complex z;",
       R"({"z": 1.5})",
       {"data.json: 'z' is a single value, not one of dimensions [2]; model.stan:2:3 declares complex."}},
      {"  int N;\n  vector[N] y;",
       R"({"N": -3, "y": []})",
       {"data.json: 'y' cannot have the size N = -3, a size is at least 0; model.stan:3:3 declares vector[N] "
        "with N = "
        "-3."}},
      {"  array[2] int n;\n  vector[n[2]] y;",
       R"({"n": [5, 3], "y": [1, 2]})",
       {"data.json: 'y' has 2 elements; model.stan:3:3 declares vector[n[2]] with n[2] = 3."}},
      {"  real y;",
       R"({"y": 1, "z": 2, ".note": "x"})",
       {"warning: data.json: 'z' is not declared in the data block; it is not used."}},
      // What depends on a wrong value is not reported again.
      {"  int N;\n  vector[N] y;\n  real z;",
       R"({"N": 2.5, "y": [1, 2], "z": "a"})",
       {"data.json: 'N' is 2.5, not an integer; model.stan:2:3 declares int.",
        "data.json: 'z' is not a number: \"a\"; model.stan:4:3 declares real."}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.declaration + " " + row.data);
    EXPECT_EQ(check(row.declaration, row.data)->messages(), row.messages);
  }
}

TEST(CheckData, WarnsOnceOfAllThatIsNotDeclared) {
  std::string data = R"({"y": 1)";
  for (int i = 0; i < 6; ++i) data += ", \"z" + std::to_string(i) + "\": 0";
  EXPECT_EQ(
      check("  real y;", data + "}")->messages(),
      std::vector<std::string>{"warning: data.json: 'z0', 'z1', 'z2', 'z3', 'z4' and 'z5' are not declared "
                               "in the data block; they are not used."});
  for (int i = 6; i < 30000; ++i) data += ", \"z" + std::to_string(i) + "\": 0";
  EXPECT_EQ(
      check("  real y;", data + "}")->messages(),
      std::vector<std::string>{"warning: data.json: 'z0', 'z1', 'z2', 'z3', 'z4' and 29995 more are not "
                               "declared in the data block; they are not used."});
}

TEST(CheckData, SuggestsANearName) {
  const auto checked = check("  int num_obs;", R"({"num_obz": 3})");
  ASSERT_EQ(checked->result.diagnostics.size(), 2U);
  EXPECT_EQ(checked->result.diagnostics[0].hint, "The data have 'num_obz'.");
  EXPECT_EQ(checked->result.diagnostics[0].code, "data-missing");
  EXPECT_EQ(checked->result.diagnostics[1].code, "data-extra");
}

TEST(CheckData, JoinsAllErrorsIntoOne) {
  const auto checked = check("  int N;\n  real y;", R"({"w": 1})");
  const std::optional<Error> error = data_error(checked->result.diagnostics);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(error->message(),
            "data.json: 'N' is missing; model.stan:2:3 declares int.\n"
            "data.json: 'y' is missing; model.stan:3:3 declares real.");
}

TEST(CheckData, DumpFilesToo) {
  const auto checked = check("  int N;\n  matrix[N, 2] X;", "N <- 3\nX <- structure(1:6, .Dim = c(3, 2))");
  EXPECT_EQ(checked->messages(), Messages{});
  expect_numbers(checked->find("X")->numbers, {1, 2, 3, 4, 5, 6});
}

}  // namespace
}  // namespace kullback::model
