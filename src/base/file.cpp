#include "base/file.hpp"

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

std::string read_file(const std::filesystem::path& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse_reading(path, errno);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get()))
    text.append(buffer, count);
  if (std::ferror(file.get()) != 0) refuse_reading(path, errno);
  return text;
}

NewFile::NewFile(std::filesystem::path path, std::string_view text)
    : path_(std::move(path)),
      target_(std::filesystem::exists(path_) ? std::filesystem::canonical(path_) : path_),
      beside_(target_.string() + ".new-" + std::to_string(::getpid())) {
  File file(std::fopen(beside_.c_str(), "wb"));
  if (!file) cannot_write(path_, errno);
  if (write_through(file.get(), text)) return;
  const int problem = errno;
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
  cannot_write(path_, problem);
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      beside_(std::exchange(other.beside_, {})) {}

NewFile::~NewFile() {
  std::error_code ignored;
  if (!beside_.empty()) std::filesystem::remove(beside_, ignored);
}

void NewFile::put_in_place() {
  std::error_code problem;
  const auto status = std::filesystem::status(target_, problem);
  if (std::filesystem::exists(status)) std::filesystem::permissions(beside_, status.permissions(), problem);
  std::filesystem::rename(beside_, target_, problem);
  if (problem) cannot_write(path_, problem.value());
  beside_.clear();
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  NewFile(path, text).put_in_place();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) cannot_write(path, errno);
  if (std::fclose(file.release()) != 0) cannot_write(path, errno);
}

void append_to_file(const std::filesystem::path& path, std::string_view text) {
  const File file(std::fopen(path.c_str(), "ab"));
  if (!file || !write_through(file.get(), text)) cannot_write(path, errno);
}

}  // namespace kullback
