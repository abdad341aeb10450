// A format of data files: how units are taken from a file, and what is known after all were seen.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/read/lines.hpp"
#include "data/source.hpp"

namespace kullback::data {

// The units of one file in order.
class Units {
 public:
  virtual ~Units() = default;
  // Appends the next unit; false at the end of the file. Throws Error.
  virtual bool next(Buffer& into) = 0;
  // Where the unit that `next` gave begins.
  virtual Place place() const = 0;
  // To unit number `unit` of the file, which begins there.
  virtual void go(Place place, std::uint64_t unit) = 0;
  // In the units of Place::offset; 0 where it is not known.
  virtual std::uint64_t file_size() const = 0;
};

class Format {
 public:
  virtual ~Format() = default;
  virtual std::unique_ptr<Units> open(const std::filesystem::path& file) = 0;
  // Whether what units become depends on all of the data: then a first pass over all units sees only
  // provisional values.
  virtual bool needs_pass() const { return false; }
  // After the first pass.
  virtual void end_pass() {}
  // Where a unit may be scattered over the files it is gathered in memory: a first pass counts the units, a
  // second one takes units begin .. end.
  virtual bool gathers() const { return false; }
  virtual std::uint64_t count_units(const std::vector<std::filesystem::path>&) { return 0; }
  virtual void gather(const std::vector<std::filesystem::path>&, std::uint64_t, std::uint64_t, Buffer&) {}
  // Without the number of units.
  virtual Shape shape() const = 0;
  // What a unit is called: "row", "document".
  virtual std::string unit_word() const = 0;
  // Of documents in all files; empty where they have no names.
  virtual std::vector<std::string> unit_names() const { return {}; }
};

std::unique_ptr<Format> make_table_format(const SourceRequest& request,
                                          const std::vector<std::filesystem::path>& files);
std::unique_ptr<Format> make_lda_c_format(const SourceRequest& request);
// UCI bag of words and Matrix Market.
std::unique_ptr<Format> make_numbered_triplets(const SourceRequest& request);
// CSV with three columns, of which two are names.
std::unique_ptr<Format> make_named_triplets(const SourceRequest& request);

}  // namespace kullback::data
