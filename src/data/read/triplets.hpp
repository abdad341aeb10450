// Documents as lines (document, word, count), as UCI's bags of words, Matrix Market and ratings are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "data/read/fault.hpp"
#include "data/read/lines.hpp"

namespace kullback::data {

struct Triplet {
  std::uint64_t document = 0;  // in the file, from 0; with names: in all files
  std::uint32_t word = 0;
  double count = 0;
};

// The lines of one file, without those whose count is 0.
class Triplets {
 public:
  virtual ~Triplets() = default;
  virtual bool next(Triplet& into) = 0;
  virtual Where where() const = 0;
  virtual Place place() const = 0;
  virtual Place next_place() const = 0;
  virtual void go(Place place) = 0;
  virtual std::uint64_t file_size() const = 0;
  // How many documents the file's header says there are; 0 without one.
  virtual std::uint64_t documents() const { return 0; }
  // For messages: "17" or "'ann'".
  virtual std::string document_text(std::uint64_t document) const = 0;
};

}  // namespace kullback::data
