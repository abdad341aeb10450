#include "base/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/error.hpp"

namespace kullback {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void cannot_read(const std::filesystem::path& path, int error_number) {
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

std::string read_file(const std::filesystem::path& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) cannot_read(path, errno);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get()))
    text.append(buffer, count);
  if (std::ferror(file.get()) != 0) cannot_read(path, errno);
  return text;
}

void replace_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path target =
      std::filesystem::exists(path) ? std::filesystem::canonical(path) : path;
  const std::filesystem::path beside = target.string() + ".new-" + std::to_string(::getpid());
  File file(std::fopen(beside.c_str(), "wb"));
  if (!file) cannot_write(path, errno);
  const bool written = write_through(file.get(), text);
  const int problem = errno;
  file.reset();
  std::error_code renamed;
  if (written) {
    std::error_code ignored;
    const auto status = std::filesystem::status(target, ignored);
    if (std::filesystem::exists(status)) std::filesystem::permissions(beside, status.permissions(), ignored);
    std::filesystem::rename(beside, target, renamed);
  }
  if (!written || renamed) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    cannot_write(path, written ? renamed.value() : problem);
  }
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
