// Where data come from: files read once into memory, or streamed in pieces; a shard of them on each machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/batch.hpp"

namespace kullback::data {

class Source {
 public:
  virtual ~Source() = default;
  // Of the whole data, the same on all machines.
  virtual const Shape& shape() const = 0;
  // Of this shard.
  virtual std::uint64_t units() const = 0;
  virtual std::uint64_t first_unit() const = 0;
  // All of the shard where it is in memory; null where it streams.
  virtual const Batch* in_memory() const = 0;
  // The next units of the shard in order, at most `units` of them, replacing what is in `into`; false at the
  // end.
  virtual bool read(std::size_t units, Buffer& into) = 0;
  virtual void rewind() = 0;
  // Of the shard's documents, where the data have names for them ("user 17"); empty otherwise.
  virtual const std::vector<std::string>& unit_names() const = 0;
};

// What a reader must be told.
struct SourceRequest {
  std::vector<std::filesystem::path> paths =
      {};  // files, or one folder of files read in the order of their names
  DataKind kind = DataKind::table;
  bool takes_missing = false;
  std::string missing_takers = {};     // how a user names models that do; empty: none is suggested
  bool takes_categories = false;       // columns without decimals become numbers of levels
  bool only_text_is_category = false;  // of takes_categories: columns of numbers alone stay numbers
  bool needs_counts = false;
  bool needs_values = false;  // each column of numbers has one at least
  bool allows_empty_documents = false;
  std::string target = {};          // column to put last; empty: none. With `like` it may be missing: NaN
  bool target_is_category = false;  // it becomes the number of its level: classes of a classifier
  std::vector<std::string> ignored = {};  // columns to leave out
  std::string sequence = {};  // column whose change begins a new sequence; empty: each file is one
  std::filesystem::path vocabulary = {};  // words, one per line; empty: none
  bool streams = false;                   // keep little in memory
  std::size_t shard = 0;                  // this one
  std::size_t shards = 1;                 // of so many, contiguous and as equal as can be
  // For new data of a fitted model: columns must have these names (others are ignored) and levels.
  const Shape* like = nullptr;
};

// Throws Error that names file, line and column.
std::unique_ptr<Source> open_source(const SourceRequest& request);

}  // namespace kullback::data
