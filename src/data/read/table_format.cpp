// Rows of CSV and NumPy files as units: of a table, of documents (a column is a word), of sequences.
#include "data/read/detect.hpp"
#include "data/read/format.hpp"
#include "data/read/rows.hpp"

namespace kullback::data {

namespace {

class RowUnits : public Units {
 public:
  explicit RowUnits(std::unique_ptr<Rows> rows) : rows_(std::move(rows)) {}
  Place place() const override { return rows_->place(); }
  void go(Place place, std::uint64_t) override { rows_->go(place); }
  std::uint64_t file_size() const override { return rows_->file_size(); }

 protected:
  std::unique_ptr<Rows> rows_;
};

class TableUnits final : public RowUnits {
 public:
  using RowUnits::RowUnits;
  bool next(Buffer& into) override {
    if (!rows_->next()) return false;
    into.add_row(rows_->cells());
    return true;
  }
};

// Of counts zeros are left out; of other values the missing ones.
class DenseDocuments final : public RowUnits {
 public:
  DenseDocuments(std::unique_ptr<Rows> rows, bool drops_zeros, bool allows_empty)
      : RowUnits(std::move(rows)), drops_zeros_(drops_zeros), allows_empty_(allows_empty) {}

  bool next(Buffer& into) override {
    if (!rows_->next()) return false;
    into.begin_unit();
    const std::span<const double> cells = rows_->cells();
    bool is_empty = true;
    for (std::size_t word = 0; word < cells.size(); ++word) {
      if (std::isnan(cells[word]) || (drops_zeros_ && cells[word] == 0)) continue;
      into.add_word(static_cast<std::uint32_t>(word), cells[word]);
      is_empty = false;
    }
    if (is_empty && !allows_empty_) refuse_empty(rows_->where());
    return true;
  }

 private:
  bool drops_zeros_;
  bool allows_empty_;
};

class SequenceUnits final : public RowUnits {
 public:
  using RowUnits::RowUnits;

  bool next(Buffer& into) override {
    if (!has_row_ && !rows_->next()) return false;
    begin_ = rows_->place();
    key_ = rows_->key();
    into.begin_unit();
    do {
      into.add_row(rows_->cells());
      has_row_ = rows_->next();
    } while (has_row_ && rows_->key() == key_);
    return true;
  }
  Place place() const override { return begin_; }
  void go(Place place, std::uint64_t) override {
    rows_->go(place);
    has_row_ = false;
  }

 private:
  Place begin_;
  std::string key_;
  bool has_row_ = false;  // of the next sequence
};

class TableFormat final : public Format {
 public:
  TableFormat(const SourceRequest& request, const std::filesystem::path& first)
      : request_(request),
        first_(first),
        columns_(request, first, names_in(first)),
        cells_(request, columns_.names(), columns_.has_target()) {}

  std::unique_ptr<Units> open(const std::filesystem::path& file) override {
    auto rows =
        is_numpy(file) ? open_npy_rows(file, columns_, cells_) : open_csv_rows(file, columns_, cells_);
    switch (request_.kind) {
      case DataKind::table: return std::make_unique<TableUnits>(std::move(rows));
      case DataKind::sequences: return std::make_unique<SequenceUnits>(std::move(rows));
      case DataKind::documents: break;
    }
    return std::make_unique<DenseDocuments>(std::move(rows), request_.needs_counts,
                                            request_.allows_empty_documents);
  }
  bool needs_pass() const override { return cells_.must_collect(); }
  void end_pass() override {
    cells_.end_collecting();
    if (request_.kind != DataKind::documents) cells_.check_columns(first_);
  }

  Shape shape() const override {
    return {.kind = request_.kind,
            .columns = columns_.names().size(),
            .names = columns_.names(),
            .levels = request_.kind == DataKind::documents ? decltype(Shape::levels){} : cells_.levels()};
  }
  std::string unit_word() const override { return "row"; }

 private:
  static std::vector<std::string> names_in(const std::filesystem::path& file) {
    return is_numpy(file) ? read_npy_header(file) : read_csv_header(file);
  }

  SourceRequest request_;
  std::filesystem::path first_;
  Columns columns_;
  Cells cells_;
};

}  // namespace

std::unique_ptr<Format> make_table_format(const SourceRequest& request,
                                          const std::vector<std::filesystem::path>& files) {
  return std::make_unique<TableFormat>(request, files.front());
}

}  // namespace kullback::data
