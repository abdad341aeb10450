#include "data/read/bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "data/read/fault.hpp"

namespace kullback::data {

namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 22;  // bytes between two looks at who wants to stop

class PlainBytes final : public Bytes {
 public:
  PlainBytes(std::filesystem::path path, int fd, std::uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  ~PlainBytes() override { ::close(fd_); }
  PlainBytes(const PlainBytes&) = delete;
  PlainBytes& operator=(const PlainBytes&) = delete;

  std::size_t read(char* into, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      stop_if_asked();
      const std::size_t part = std::min(count - done, kMostAtOnce);
      const ssize_t got = ::pread(fd_, into + done, part, static_cast<off_t>(offset_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse_file(path_, std::string("cannot be read: ") + std::strerror(errno));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
      offset_ += static_cast<std::uint64_t>(got);
    }
    return done;
  }
  void seek(std::uint64_t offset) override { offset_ = offset; }
  std::uint64_t size() const override { return size_; }
  bool is_compressed() const override { return false; }

 private:
  std::filesystem::path path_;
  int fd_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_;
};

class GzipBytes final : public Bytes {
 public:
  explicit GzipBytes(std::filesystem::path path)
      : path_(std::move(path)), file_(::gzopen(path_.c_str(), "rb")) {
    if (file_ == nullptr) refuse_file(path_, "cannot be read");
    ::gzbuffer(file_, 1U << 18);
  }
  ~GzipBytes() override { ::gzclose(file_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(char* into, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      stop_if_asked();
      const auto part = static_cast<unsigned>(std::min(count - done, kMostAtOnce));
      const int got = ::gzread(file_, into + done, part);
      if (got < 0) refuse_damaged();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    if (done < count) {
      int status = Z_OK;
      ::gzerror(file_, &status);
      if (status != Z_OK && status != Z_STREAM_END) refuse_damaged();
    }
    return done;
  }
  void seek(std::uint64_t offset) override {
    if (::gzseek(file_, static_cast<z_off_t>(offset), SEEK_SET) < 0) refuse_damaged();
  }
  std::uint64_t size() const override { return 0; }
  bool is_compressed() const override { return true; }

 private:
  [[noreturn]] void refuse_damaged() const {
    refuse_file(path_, "the compressed data are damaged or cut off", "Copy or compress the file again.");
  }

  std::filesystem::path path_;
  gzFile file_;
};

std::unique_ptr<Bytes> open_gzip(const std::filesystem::path& path) {
  return std::make_unique<GzipBytes>(path);
}

[[noreturn]] void cannot_open(const std::filesystem::path& path, int problem) {
  const bool missing = problem == ENOENT || problem == ENOTDIR;
  std::error_code ignored;
  std::string hint = missing && path.is_relative()
                         ? "The path begins in " + std::filesystem::current_path(ignored).string() + "."
                     : problem == EACCES ? "Its permissions must allow reading."
                                         : "";
  throw Error(missing ? ErrorKind::missing_file : ErrorKind::bad_input,
              path.string() + ": cannot be read: " + std::strerror(problem) + ".", std::move(hint));
}

}  // namespace

std::unique_ptr<Bytes> open_bytes(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) cannot_open(path, errno);
  struct stat about = {};
  const bool known = ::fstat(fd, &about) == 0;
  auto plain = std::make_unique<PlainBytes>(path, fd, known ? static_cast<std::uint64_t>(about.st_size) : 0);
  if (known && S_ISDIR(about.st_mode)) refuse_file(path, "is a folder, but a file is needed");
  if (known && !S_ISREG(about.st_mode))
    refuse_file(path, "is no ordinary file", "Data are read more than once: write them to a file first.");
  unsigned char magic[2] = {};
  plain->read(reinterpret_cast<char*>(magic), 2);
  plain->seek(0);
  if (magic[0] == 0x1F && magic[1] == 0x8B) return open_gzip(path);
  return plain;
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  std::string text(count, '\0');
  text.resize(open_bytes(path)->read(text.data(), count));
  return text;
}

}  // namespace kullback::data
