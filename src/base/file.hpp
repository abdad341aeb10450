// Whole files in and out, with errors that name the file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace kullback {

// Throws Error missing_file, or bad_input for a folder or an unreadable file.
std::string read_file(const std::filesystem::path& path);
// The same piece by piece, for files that need not be in memory at once.
void read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& use);
// What read_file() throws for this errno.
[[noreturn]] void refuse_reading(const std::filesystem::path& path, int error_number);

// A text on the disk, beside the file it is for, until put_in_place(); goes with the object where that was
// not called. A link that has the name of the file is replaced: what it names is not written to. Both throw
// Error cannot_write, also where the name is that of a folder or a device.
class NewFile final {
 public:
  NewFile(std::filesystem::path path, std::string_view text);
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;

  void put_in_place();

 private:
  std::filesystem::path path_;
  std::filesystem::path beside_;  // empty once it is in place
};

// The file has either its old content or all of the new one, whatever happens: the text is written beside
// it, flushed to disk and renamed. Throws Error cannot_write.
void replace_file(const std::filesystem::path& path, std::string_view text);

// The same for a file of the user's that is edited: of a link, the file that it names.
void rewrite_file(const std::filesystem::path& path, std::string_view text);

// Without waiting for the disk: for files that stand in no one's way when a crash tears them. Throws Error
// cannot_write.
void write_file(const std::filesystem::path& path, std::string_view text);

// Adds to the end of a file, which is made where there is none, and flushes it to disk. Throws Error
// cannot_write, also where the name is that of a link.
void append_to_file(const std::filesystem::path& path, std::string_view text);

}  // namespace kullback
