// Files without a name, which go with the process, and numbers in them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kullback::model {

class FileDescriptor final {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// In the folder for temporary files ($TMPDIR). Throws Error cannot_write.
FileDescriptor make_temporary_file();
// At the end of it.
void write_all(int fd, const std::vector<double>& numbers);
// Throws Error bad_input where there is less; `name` is for the message.
void read_at(int fd, char* into, std::size_t bytes, std::size_t offset, const std::string& name);

}  // namespace kullback::model
