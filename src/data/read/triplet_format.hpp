// What formats of triplets have in common: documents that stand together are streamed, others gathered in
// memory.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "data/read/format.hpp"
#include "data/read/triplets.hpp"

namespace kullback::data {

class TripletFormat : public Format {
 public:
  explicit TripletFormat(bool allows_empty) : allows_empty_(allows_empty) {}

  std::unique_ptr<Units> open(const std::filesystem::path& file) override;
  bool gathers() const override { return true; }
  std::uint64_t count_units(const std::vector<std::filesystem::path>& files) override;
  void gather(const std::vector<std::filesystem::path>& files, std::uint64_t begin, std::uint64_t end,
              Buffer& into) override;
  std::string unit_word() const override { return "document"; }

 protected:
  virtual std::unique_ptr<Triplets> open_triplets(const std::filesystem::path& file) = 0;
  // Whether documents have names, so that several files may speak of one.
  virtual bool has_names() const = 0;
  // Streaming, first pass: a document begins. False where it was there before.
  virtual bool begins_new(std::uint64_t document) = 0;

 private:
  friend class TripletUnits;

  bool allows_empty_;
  std::vector<std::uint32_t> sizes_;          // of documents
  std::vector<std::uint64_t> first_of_file_;  // document
};

}  // namespace kullback::data
