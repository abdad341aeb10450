#include "lang/operators.hpp"

namespace kullback::lang {

namespace {

struct OperatorRecord {
  std::string_view text;
  int binding;
};

// In the order of Op. The levels are Stan's; unary operators stand between 8 and 10.
constexpr OperatorRecord kOperators[] = {
    {"+", 6},   {"-", 6},  {"*", 7},  {"/", 7},  {"%/%", 8},
    {"%", 7},   {"\\", 8}, {".*", 7}, {"./", 7}, {"^", 10},
    {".^", 10}, {"||", 2}, {"&&", 3}, {"==", 4}, {"!=", 4},
    {"<", 5},   {"<=", 5}, {">", 5},  {">=", 5}, {"!", kPrefixBinding},
    {"'", 11},
};

const OperatorRecord& record(Op op) { return kOperators[static_cast<int>(op)]; }

}  // namespace

std::string_view to_string(Op op) { return record(op).text; }

int binding(Op op) { return record(op).binding; }

bool is_right_associative(Op op) { return op == Op::pow || op == Op::elt_pow; }

bool is_comparison(Op op) { return op >= Op::equal && op <= Op::greater_equal; }

bool is_logical(Op op) { return op == Op::or_ || op == Op::and_ || is_comparison(op); }

}  // namespace kullback::lang
