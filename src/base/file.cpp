#include "base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace kullback {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void cannot_write(const std::filesystem::path& path, int error_number) {
  throw Error(ErrorKind::cannot_write,
              path.string() + ": cannot be written: " + std::strerror(error_number) + ".");
}

// A device, as /dev/null or what /dev/stdout names, would be replaced by the file.
void check_can_be_file(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return;
  throw Error(ErrorKind::cannot_write,
              path.string() +
                  (std::filesystem::is_directory(status) ? ": is a folder" : ": is no regular file") +
                  "; a file is to be written there.",
              "Give another name.");
}

// To the disk, not only to the system's cache. False: errno says why.
bool write_through(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0 &&
         ::fsync(::fileno(file)) == 0;
}

}  // namespace

void refuse_reading(const std::filesystem::path& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string();
  const std::string hint = error_number == EISDIR          ? "A file is needed, not a folder."
                           : error_number == EACCES        ? "Its permissions must allow reading."
                           : missing && path.is_relative() ? "The path begins in " + here + "."
                                                           : "";
  throw Error(missing ? ErrorKind::missing_file : ErrorKind::bad_input,
              path.string() + ": cannot be read: " + std::strerror(error_number) + ".", hint);
}

void read_pieces(const std::filesystem::path& path, const std::function<void(std::string_view)>& use) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse_reading(path, errno);
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) use({buffer, count});
  if (std::ferror(file.get()) != 0) refuse_reading(path, errno);
}

std::string read_file(const std::filesystem::path& path) {
  std::string text;
  read_pieces(path, [&text](std::string_view piece) { text.append(piece); });
  return text;
}

NewFile::NewFile(std::filesystem::path path, std::string_view text)
    : path_(std::move(path)), beside_(path_.string() + ".new-" + std::to_string(::getpid())) {
  check_can_be_file(path_);
  File file(std::fopen(beside_.c_str(), "wb"));
  if (!file) cannot_write(path_, errno);
  if (write_through(file.get(), text)) return;
  const int problem = errno;
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
  cannot_write(path_, problem);
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)), beside_(std::exchange(other.beside_, {})) {}

NewFile::~NewFile() {
  std::error_code ignored;
  if (!beside_.empty()) std::filesystem::remove(beside_, ignored);
}

void NewFile::put_in_place() {
  std::error_code problem;
  const auto status = std::filesystem::symlink_status(path_, problem);
  if (std::filesystem::is_regular_file(status))
    std::filesystem::permissions(beside_, status.permissions(), problem);
  std::filesystem::rename(beside_, path_, problem);
  if (problem) cannot_write(path_, problem.value());
  beside_.clear();
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  NewFile(path, text).put_in_place();
}

void rewrite_file(const std::filesystem::path& path, std::string_view text) {
  std::error_code none;
  const std::filesystem::path file = std::filesystem::canonical(path, none);
  replace_file(none ? path : file, text);
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) cannot_write(path, errno);
  if (std::fclose(file.release()) != 0) cannot_write(path, errno);
}

void append_to_file(const std::filesystem::path& path, std::string_view text) {
  const int number = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (number < 0) cannot_write(path, errno);
  const File file(::fdopen(number, "ab"));
  if (!file || !write_through(file.get(), text)) cannot_write(path, errno);
}

}  // namespace kullback
