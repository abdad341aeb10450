#include "data/read/triplet_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/read/detect.hpp"

namespace kullback::data {

namespace {

[[noreturn]] void refuse_without_words(const std::filesystem::path& file, const std::string& document) {
  refuse_file(file, fmt::format("document {} has no words", document),
              "Delete it, or keep documents without words with --allow-empty.");
}

}  // namespace

// Documents one after another; numbered ones that have no line are empty.
class TripletUnits final : public Units {
 public:
  TripletUnits(std::filesystem::path file, std::unique_ptr<Triplets> triplets, TripletFormat& format)
      : file_(std::move(file)), triplets_(std::move(triplets)), format_(format) {}

  bool next(Buffer& into) override {
    if (!has_line_ && !is_at_end_) read_line();
    begin_ = has_line_ ? line_begin_ : triplets_->next_place();
    if (!format_.has_names() && (is_at_end_ || line_.document > unit_)) return add_empty(into);
    if (is_at_end_) return false;
    const std::uint64_t document = line_.document;
    const bool is_new = format_.has_names() ? format_.begins_new(document) : document == unit_;
    if (!is_new) refuse_unsorted(document);
    into.begin_unit();
    do {
      into.add_word(line_.word, line_.count);
      read_line();
    } while (has_line_ && line_.document == document);
    ++unit_;
    return true;
  }

  Place place() const override { return begin_; }
  void go(Place place, std::uint64_t unit) override {
    triplets_->go(place);
    unit_ = unit;
    has_line_ = is_at_end_ = false;
  }
  std::uint64_t file_size() const override { return triplets_->file_size(); }

 private:
  void read_line() {
    has_line_ = triplets_->next(line_);
    is_at_end_ = !has_line_;
    if (has_line_) line_begin_ = triplets_->place();
  }

  bool add_empty(Buffer& into) {
    if (unit_ >= triplets_->documents()) return false;
    if (!format_.allows_empty_) refuse_without_words(file_, triplets_->document_text(unit_));
    into.begin_unit();
    ++unit_;
    return true;
  }

  [[noreturn]] void refuse_unsorted(std::uint64_t document) const {
    refuse_at({&file_, line_begin_.number, false},
              fmt::format("document {} comes again after others", triplets_->document_text(document)),
              "Sort the lines by document, or read the data into memory instead of streaming them.");
  }

  std::filesystem::path file_;
  std::unique_ptr<Triplets> triplets_;
  TripletFormat& format_;
  Place begin_;
  Place line_begin_;
  Triplet line_;
  bool has_line_ = false;
  bool is_at_end_ = false;
  std::uint64_t unit_ = 0;  // the next, in the file
};

std::unique_ptr<Units> TripletFormat::open(const std::filesystem::path& file) {
  return std::make_unique<TripletUnits>(file, open_triplets(file), *this);
}

std::uint64_t TripletFormat::count_units(const std::vector<std::filesystem::path>& files) {
  sizes_.clear();
  for (const std::filesystem::path& file : files) {
    const std::unique_ptr<Triplets> triplets = open_triplets(file);
    const std::uint64_t first = has_names() ? 0 : sizes_.size();
    first_of_file_.push_back(first);
    sizes_.resize(
        std::max<std::size_t>(sizes_.size(), static_cast<std::size_t>(first + triplets->documents())));
    Triplet line;
    while (triplets->next(line)) {
      const auto document = static_cast<std::size_t>(first + line.document);
      if (document >= sizes_.size()) sizes_.resize(document + 1);
      ++sizes_[document];
    }
    for (std::size_t i = static_cast<std::size_t>(first); i < sizes_.size() && !allows_empty_; ++i) {
      if (sizes_[i] == 0) refuse_without_words(file, triplets->document_text(i - first));
    }
  }
  return sizes_.size();
}

void TripletFormat::gather(const std::vector<std::filesystem::path>& files, std::uint64_t begin,
                           std::uint64_t end, Buffer& into) {
  std::vector<std::size_t> offsets(static_cast<std::size_t>(end - begin) + 1, 0);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    offsets[i + 1] = offsets[i] + sizes_[static_cast<std::size_t>(begin) + i];
  std::vector<std::uint32_t> words(offsets.back());
  std::vector<double> counts(offsets.back());
  std::vector<std::size_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::unique_ptr<Triplets> triplets = open_triplets(files[f]);
    Triplet line;
    while (triplets->next(line)) {
      const std::uint64_t document = first_of_file_[f] + line.document;
      if (document < begin || document >= end) continue;
      const auto unit = static_cast<std::size_t>(document - begin);
      if (next[unit] == offsets[unit + 1]) refuse_file(files[f], "the file has changed while it was read");
      words[next[unit]] = line.word;
      counts[next[unit]++] = line.count;
    }
  }
  into.take_documents(std::move(offsets), std::move(words), std::move(counts));
}

}  // namespace kullback::data
