// Minibatches. A trace whose numbers know the row of the data they come from is taken apart:
//   log density = global terms + sum over rows n of the terms of row n,
// where what a row needs of its own (operations, constants, slots of parameters) has one of a few forms, the
// classes. A tape for B rows holds B copies of these forms; other rows are put in by exchanging constants and
// slot numbers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tape/passes/trace.hpp"
#include "tape/record/row_tag.hpp"
#include "tape/tape.hpp"

namespace kullback::tape {

struct RowTrace {
  Trace trace;
  std::size_t row_count = 0;
  std::vector<RowTag> constants;   // by constant
  std::vector<RowTag> pinned;      // by slot: parameters that belong to rows, and what belongs to one by its
                                   // index or the condition it stands under
  std::vector<Span> target_spans;  // by term of the target
};

RowTrace copy_row_trace(const Builder& builder, std::span<const RowTag> parameter_tags);

// An equivalent trace whose instructions have elements of one row each, as far as the functions allow; the
// target's terms are those of one row each, as far as they are sums.
RowTrace split_rows(const RowTrace& trace);
void split_row_target(RowTrace& trace);  // the second half of it

// By slot.
std::vector<RowTag> find_tags(const RowTrace& trace);

// Where rows meet in something other than a sum of terms.
struct RowConflict {
  Span span;
  RowTag rows;
  std::string what;  // "in 'normal'"
};
std::optional<RowConflict> find_conflict(const RowTrace& trace);
// True where one of the numbers depends on both the parameters [first, first + size) and a row of the data.
bool meets_rows(const RowTrace& trace, std::size_t first, std::size_t size);

// ---- rows as data ----

struct RowReference {
  enum class Kind : std::uint8_t { constant, external, local };
  Kind kind = Kind::constant;
  std::uint32_t at = 0;  // column of the class's constants or externals; slot among the row's own
};

struct RowInstruction {
  RawInstruction raw;
  std::vector<std::uint32_t> operand_sizes;
  std::vector<RowReference> references;  // of all operands, one after another
  std::vector<math::Shape> shapes;
  std::uint32_t result = 0;  // first of its local slots
};

struct RowClass {
  std::vector<std::uint32_t> rows;
  std::vector<RowInstruction> instructions;
  std::uint32_t local_count = 0;
  struct Term {
    RowReference value;
    double weight = 1;
  };
  std::vector<Term> terms;
  struct Comparison {
    Guard::Relation relation;
    bool outcome;
    RowReference left;
    RowReference right;
  };
  std::vector<Comparison> guards;
  // Row-major: a line for each row.
  std::vector<double> constants;
  std::vector<Id> externals;  // parameters and slots of the global trace; where none varies, maybe one line
  std::vector<bool> constant_varies;  // by column: not the same in all rows
  std::vector<bool> external_varies;
};

// How many terms of a statement are scaled.
struct StatementTerms {
  Span span;
  std::size_t of_rows = 0;
  std::size_t global = 0;
};

// Numbers of rows that are not in memory.
class RowLines {
 public:
  virtual ~RowLines() = default;
  // The constants of these rows, row after row.
  virtual void read(std::span<const std::uint32_t> rows, double* constants) const = 0;
};

struct RowProgram {
  std::size_t row_count = 0;
  Trace global;  // without the rows' terms
  double global_constant = 0;
  std::vector<RowClass> classes;
  std::vector<std::uint32_t> class_of;     // by row
  std::vector<std::uint32_t> line_of;      // by row: its line in the class
  std::vector<double> row_constants;       // by row: terms that are numbers
  std::vector<StatementTerms> statements;  // in order of their place
  // Where it is not null there is one class, whose `constants` are those of its first row only, and no
  // external varies.
  std::shared_ptr<const RowLines> lines;
};

// The trace must be without conflict.
RowProgram make_row_program(const RowTrace& trace);

// ---- tapes for so many rows of each class ----

class RowTape final {
 public:
  // counts: rows of each class.
  RowTape(const RowProgram& program, std::span<const std::uint32_t> counts);

  const std::vector<std::uint32_t>& counts() const { return counts_; }
  std::shared_ptr<const Tape> tape() const { return tape_; }
  // As many rows of each class as it was made for. Workspaces must rebind.
  void choose(std::span<const std::uint32_t> rows);

 private:
  // For a number of the row that will be in this place.
  struct StandIn {
    std::uint32_t row_class = 0;
    std::uint32_t place = 0;  // among the rows of its class
    std::uint32_t column = 0;
  };
  // Where on the tape a stand-in was found.
  template <class T>
  struct Location {
    T* at = nullptr;
    StandIn for_what;
  };
  // The same, with places counted through all classes.
  struct Number {
    double* at = nullptr;
    std::uint32_t place = 0;
    std::uint32_t column = 0;
  };
  class Maker;

  void find_locations(std::uint32_t holes);
  void count_places(const std::vector<Location<double>>& found);
  void find_numbers(std::span<const std::uint32_t> rows);

  const RowProgram& program_;
  std::vector<std::uint32_t> counts_;
  std::shared_ptr<Tape> tape_;
  double base_constant_ = 0;
  std::vector<StandIn> constants_;
  std::vector<StandIn> externals_;
  std::vector<Number> numbers_;  // row by row
  std::vector<Location<std::uint32_t>> slots_;
  std::vector<std::uint32_t> slot_of_;              // slots of the global trace -> of the tape
  std::vector<std::vector<std::uint32_t>> chosen_;  // by class: lines
  std::vector<const double*> numbers_of_;           // by place: its row's constants
  std::vector<double> lines_;                       // where the program has none
};

}  // namespace kullback::tape
