// Some of the data: a view of rows of a table, of documents or of sequences, all called units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kullback::data {

enum class DataKind {
  table,      // a unit is a row of `columns` cells
  documents,  // a unit is a list of (index, count): the words of a document, the ratings of a user
  sequences,  // a unit is a run of rows of `columns` cells
};

// What a model must know of the data before it sees any.
struct Shape {
  DataKind kind = DataKind::table;
  std::size_t columns = 0;              // of the table; of documents: the size of the vocabulary
  std::vector<std::string> names = {};  // of the columns or words
  std::vector<std::vector<std::string>> levels = {};  // of columns of categories; empty for numbers
  std::uint64_t units = 0;                            // in all shards together
};

// A part of a sequence stands for its inner rows only: the first `before` and last `after` rows are context.
// A part whose first inner row is not the first of its sequence has at least one row before it.
struct Margin {
  std::size_t before = 0;
  std::size_t after = 0;
  bool is_inside = false;  // the sequence has rows before all of these
  double share = 1;        // of the inner rows in all of the sequence
};

// Owns nothing. Unit u of a table is values[u * columns ..]; of documents (indices, values)[offsets[u] ..
// offsets[u + 1]); of sequences the rows offsets[u] .. offsets[u + 1] of the table in `values`.
struct Batch {
  DataKind kind = DataKind::table;
  std::size_t units = 0;
  std::size_t columns = 0;
  std::uint64_t first = 0;                      // number of the first unit in the whole data
  std::span<const double> values = {};          // cells (NaN: missing) or counts
  std::span<const std::size_t> offsets = {};    // units + 1; need not begin at 0; empty for a table
  std::span<const std::uint32_t> indices = {};  // of documents, below `columns`
  std::span<const double> weights = {};         // of units; empty: all 1. A minibatch has others
  std::span<const Margin> margins = {};         // of units that are parts of sequences; empty: all are whole

  double weight(std::size_t unit) const { return weights.empty() ? 1.0 : weights[unit]; }
  Margin margin(std::size_t unit) const { return margins.empty() ? Margin{} : margins[unit]; }
  std::span<const double> row(std::size_t row) const { return values.subspan(row * columns, columns); }
  // Rows of all units of a table or of sequences.
  std::size_t rows() const;
  // Units begin .. end of this.
  Batch part(std::size_t begin, std::size_t end) const;
};

// A batch that owns what it shows.
class Buffer final {
 public:
  explicit Buffer(DataKind kind = DataKind::table, std::size_t columns = 0)
      : kind_(kind), columns_(columns) {}

  void clear();
  // Empties it for units of another shape, keeping the memory.
  void reset(DataKind kind, std::size_t columns);
  // Room for so many units with so many values in all.
  void reserve(std::size_t units, std::size_t values);
  // A copy of one unit of `from`, with its weight times `weight`.
  void add(const Batch& from, std::size_t unit, double weight = 1.0);
  // Rows begin .. end of a sequence that is whole in `from`, the margins among them.
  void add_rows(const Batch& from, std::size_t unit, std::size_t begin, std::size_t end, Margin margin,
                double weight);
  // A row of a table; an element of the last document; a row of the last sequence.
  void add_row(std::span<const double> cells);
  void add_word(std::uint32_t index, double count);
  // Begins the next document or sequence.
  void begin_unit();
  // Documents all at once: offsets begin at 0 and end at the number of elements.
  void take_documents(std::vector<std::size_t> offsets, std::vector<std::uint32_t> indices,
                      std::vector<double> counts);
  // Of documents, where the vocabulary is known only after the last.
  void set_columns(std::size_t columns) { columns_ = columns; }
  void set_first(std::uint64_t first) { first_ = first; }

  std::size_t units() const;
  Batch batch() const;

  // For other machines.
  std::string to_bytes() const;
  void add_bytes(const std::string& bytes);

 private:
  DataKind kind_;
  std::size_t columns_;
  std::uint64_t first_ = 0;
  std::vector<double> values_;
  std::vector<std::size_t> offsets_;  // the last is where the next element goes
  std::vector<std::uint32_t> indices_;
  std::vector<double> weights_;
  std::vector<Margin> margins_;  // as many as units, or none
  bool has_weights_ = false;
};

}  // namespace kullback::data
