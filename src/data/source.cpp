// A pass over all files counts the units and checks every value, on each machine the same; then the shard is
// read into memory, or in pieces each time. Of every 1024th unit the pass keeps where it begins, so that a
// shard begins at once.
#include "data/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/read/fault.hpp"
#include "data/read/format.hpp"
#include "data/read/open_format.hpp"

namespace kullback::data {

namespace {

constexpr std::uint64_t kStride = 1024;

struct FileUnits {
  std::filesystem::path path;
  std::uint64_t first = 0;  // number of its first unit in the whole data
  std::uint64_t count = 0;
  std::vector<Place> places = {};  // of its units 0, kStride, 2 kStride, ...
};

class FileSource final : public Source {
 public:
  FileSource(const SourceRequest& request, const std::vector<std::filesystem::path>& files,
             std::unique_ptr<Format> format)
      : format_(std::move(format)) {
    const bool gathers = !request.streams && format_->gathers();
    const bool keeps = !gathers && !request.streams && request.shards == 1 && !format_->needs_pass();
    if (gathers) {
      total_ = format_->count_units(files);
    } else {
      pass(files, keeps);
    }
    check_any(files.front());
    format_->end_pass();
    shape_ = format_->shape();
    shape_.units = total_;
    begin_ = total_ * request.shard / request.shards;
    end_ = total_ * (request.shard + 1) / request.shards;
    names_ = format_->unit_names();
    if (!names_.empty()) {
      names_.resize(end_);
      names_.erase(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(begin_));
    }
    is_in_memory_ = !request.streams;
    if (gathers) {
      data_.reset(shape_.kind, shape_.columns);
      format_->gather(files, begin_, end_, data_);
    } else if (is_in_memory_ && !keeps) {
      load();
    }
    if (is_in_memory_) {
      data_.set_columns(shape_.columns);
      data_.set_first(begin_);
      batch_ = data_.batch();
    }
    rewind();
  }

  const Shape& shape() const override { return shape_; }
  std::uint64_t units() const override { return end_ - begin_; }
  std::uint64_t first_unit() const override { return begin_; }
  const Batch* in_memory() const override { return is_in_memory_ ? &batch_ : nullptr; }
  const std::vector<std::string>& unit_names() const override { return names_; }

  bool read(std::size_t count, Buffer& into) override {
    into.reset(shape_.kind, shape_.columns);
    into.set_first(at_);
    const std::uint64_t stop = std::min<std::uint64_t>(end_, at_ + count);
    if (is_in_memory_) {
      for (; at_ < stop; ++at_) into.add(batch_, static_cast<std::size_t>(at_ - begin_));
    } else {
      read_files(stop, into);
    }
    return into.units() > 0;
  }

  void rewind() override {
    at_ = begin_;
    open_.reset();
  }

 private:
  void pass(const std::vector<std::filesystem::path>& files, bool keeps) {
    const Shape shape = format_->shape();
    data_.reset(shape.kind, shape.columns);
    for (const std::filesystem::path& path : files) {
      FileUnits file{path, total_};
      const std::unique_ptr<Units> units = format_->open(path);
      while (units->next(data_)) {
        if (file.count % kStride == 0) {
          file.places.push_back(units->place());
          if (!keeps) data_.clear();
          if (keeps && file.count == kStride) reserve(units->place(), units->file_size());
        }
        ++file.count;
      }
      total_ += file.count;
      files_.push_back(std::move(file));
    }
    if (!keeps) data_.clear();
  }

  void check_any(const std::filesystem::path& first) const {
    if (total_ == 0)
      refuse_file(first, fmt::format("there is no {} in it", format_->unit_word()),
                  "Data come after the first line.");
  }

  // For all of the file, as the first kStride units were.
  void reserve(Place place, std::uint64_t file_size) {
    const Batch batch = data_.batch();
    const double times =
        1.02 * static_cast<double>(file_size) / static_cast<double>(std::max<std::uint64_t>(1, place.offset));
    const auto scaled = [&](std::size_t now) {
      return static_cast<std::size_t>(times * static_cast<double>(now));
    };
    if (times > 1) data_.reserve(scaled(batch.units) + kStride, scaled(batch.values.size()) + kStride);
  }

  void load() {
    data_ = Buffer(shape_.kind, shape_.columns);
    if (shape_.kind == DataKind::table)
      data_.reserve(static_cast<std::size_t>(end_ - begin_),
                    static_cast<std::size_t>(end_ - begin_) * shape_.columns);
    rewind();
    read_files(end_, data_);
  }

  // Appends units at_ .. stop.
  void read_files(std::uint64_t stop, Buffer& into) {
    while (at_ < stop) {
      if (!open_) go_to(at_);
      const FileUnits& file = files_[open_file_];
      const std::uint64_t until = std::min(stop, file.first + file.count);
      for (; at_ < until; ++at_) {
        if (!open_->next(into)) refuse_file(file.path, "the file has changed while it was read");
      }
      if (at_ == file.first + file.count) open_.reset();
    }
  }

  void go_to(std::uint64_t unit) {
    open_file_ = 0;
    while (unit >= files_[open_file_].first + files_[open_file_].count) ++open_file_;
    const FileUnits& file = files_[open_file_];
    open_ = format_->open(file.path);
    const std::uint64_t within = unit - file.first;
    if (within == 0) return;
    open_->go(file.places[static_cast<std::size_t>(within / kStride)], within / kStride * kStride);
    Buffer skipped(shape_.kind, shape_.columns);
    for (std::uint64_t i = 0; i < within % kStride; ++i) open_->next(skipped);
  }

  std::unique_ptr<Format> format_;
  std::vector<FileUnits> files_;
  Shape shape_;
  std::uint64_t total_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::vector<std::string> names_;
  bool is_in_memory_ = false;
  Buffer data_;
  Batch batch_;
  std::uint64_t at_ = 0;  // the next unit
  std::unique_ptr<Units> open_;
  std::size_t open_file_ = 0;
};

// A folder stands for its files in the order of their names, hidden ones left out.
std::vector<std::filesystem::path> files_of(const SourceRequest& request) {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const std::filesystem::path& path : request.paths) {
    if (!std::filesystem::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const bool is_vocabulary = !request.vocabulary.empty() &&
                                 std::filesystem::equivalent(entry.path(), request.vocabulary, ignored);
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.') && !is_vocabulary)
        inside.push_back(entry.path());
    }
    if (inside.empty()) refuse_file(path, "there is no file in this folder", "Put the data files into it.");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  if (files.empty()) throw Error(ErrorKind::usage, "no data file is given.", "Name a file or a folder.");
  return files;
}

}  // namespace

std::unique_ptr<Source> open_source(const SourceRequest& request) {
  if (request.shards == 0 || request.shard >= request.shards)
    throw Error(ErrorKind::internal,
                fmt::format("shard {} of {} does not exist.", request.shard, request.shards));
  const std::vector<std::filesystem::path> files = files_of(request);
  return std::make_unique<FileSource>(request, files, open_format(request, files));
}

}  // namespace kullback::data
