// Whole files in and out, with errors that name the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kullback {

// Throws Error missing_file, or bad_input for a folder or an unreadable file.
std::string read_file(const std::filesystem::path& path);
// What read_file() throws for this errno.
[[noreturn]] void refuse_reading(const std::filesystem::path& path, int error_number);

// A text on the disk, beside the file it is for, until put_in_place(); goes with the object where that was
// not called. Both throw Error cannot_write.
class NewFile final {
 public:
  NewFile(std::filesystem::path path, std::string_view text);
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;

  void put_in_place();

 private:
  std::filesystem::path path_;    // as it was given
  std::filesystem::path target_;  // what a link names
  std::filesystem::path beside_;  // empty once it is in place
};

// The file has either its old content or all of the new one, whatever happens: the text is written beside
// it, flushed to disk and renamed. Throws Error cannot_write.
void replace_file(const std::filesystem::path& path, std::string_view text);

// Without waiting for the disk: for files that stand in no one's way when a crash tears them. Throws Error
// cannot_write.
void write_file(const std::filesystem::path& path, std::string_view text);

// Adds to the end of a file, which is made where there is none, and flushes it to disk. Throws Error
// cannot_write.
void append_to_file(const std::filesystem::path& path, std::string_view text);

}  // namespace kullback
