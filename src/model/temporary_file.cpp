#include "model/temporary_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace kullback::model {

namespace {

[[noreturn]] void cannot_write() {
  throw Error(ErrorKind::cannot_write,
              fmt::format("a temporary file for rows cannot be written: {}.", std::strerror(errno)),
              "Set TMPDIR to a folder on a disk with room for the data.");
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor make_temporary_file() {
  std::string path = (std::filesystem::temp_directory_path() / "kullback-rows-XXXXXX").string();
  FileDescriptor fd(::mkstemp(path.data()));
  if (fd.get() < 0) cannot_write();
  ::unlink(path.c_str());
  return fd;
}

void write_all(int fd, const std::vector<double>& numbers) {
  const char* from = reinterpret_cast<const char*>(numbers.data());
  for (std::size_t left = numbers.size() * sizeof(double); left > 0;) {
    const ssize_t done = ::write(fd, from, left);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) cannot_write();
    from += done;
    left -= static_cast<std::size_t>(done);
  }
}

void read_at(int fd, char* into, std::size_t bytes, std::size_t offset, const std::string& name) {
  while (bytes > 0) {
    const ssize_t done = ::pread(fd, into, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: rows could not be read: {}.", name.empty() ? "temporary file" : name,
                              done < 0 ? std::strerror(errno) : "the file has become shorter"));
    into += done;
    bytes -= static_cast<std::size_t>(done);
    offset += static_cast<std::size_t>(done);
  }
}

}  // namespace kullback::model
