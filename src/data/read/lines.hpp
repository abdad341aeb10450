// Lines of a text file, one after another, in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "data/read/bytes.hpp"
#include "data/read/fault.hpp"

namespace kullback::data {

// Where a line begins: its first byte and its number (1-based).
struct Place {
  std::uint64_t offset = 0;
  std::uint64_t number = 1;
};

class Lines final {
 public:
  // In CSV a line end between quotes does not end the line.
  enum class Quotes { none, csv };
  explicit Lines(std::filesystem::path path, Quotes quotes = Quotes::none);

  // The next line that is not blank, without its end; after the last character of the view stands one that
  // is no digit. A byte-order mark is skipped. False at the end of the file. The view holds until the next
  // call.
  bool next(std::string_view& line);
  bool next_even_blank(std::string_view& line);
  // Of the line that `next` gave, and of what comes after it.
  Place place() const { return current_; }
  Place next_place() const { return {offset_ + at_, number_}; }
  void go(Place place);

  const std::filesystem::path& path() const { return path_; }
  Where where() const { return {&path_, current_.number, false}; }
  std::uint64_t file_size() const { return bytes_->size(); }

 private:
  // Position of the end of the line that begins at at_; reads on where it is not in the buffer.
  std::size_t find_end();
  std::size_t find_end_after(std::size_t from);
  bool fill();

  std::filesystem::path path_;
  std::unique_ptr<Bytes> bytes_;
  Quotes quotes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;        // in the buffer
  std::size_t end_ = 0;       // of what is in it
  std::uint64_t offset_ = 0;  // of the buffer in the file
  std::uint64_t number_ = 1;  // of the line at at_
  Place current_;
  bool is_at_end_ = false;
};

}  // namespace kullback::data
