#include "run/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "run/record.hpp"

namespace kullback::run {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, const std::string& what, const std::string& hint) {
  throw Error(ErrorKind::cannot_write, folder.string() + ": " + what + ".", hint);
}

std::string own_name() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  return fmt::format("process {} on {}, since {}", ::getpid(), host, utc_now());
}

std::string text_of(int file) {
  char text[512];
  const ssize_t size = ::pread(file, text, sizeof text, 0);
  return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
}

// False where the file system has no locks.
bool lock(int file, const fs::path& folder, FolderLock::WhereTaken taken) {
  const int how = taken == FolderLock::WhereTaken::wait ? LOCK_EX : LOCK_EX | LOCK_NB;
  while (::flock(file, how) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOSYS || errno == ENOLCK || errno == EOPNOTSUPP) return false;
    if (errno != EWOULDBLOCK) refuse(folder, fmt::format("cannot be locked: {}", std::strerror(errno)), "");
    refuse(folder, "a run is at work in this folder: " + text_of(file),
           fmt::format("'kullback watch {}' shows how far it is; wait for it, or end it first.",
                       folder.string()));
  }
  return true;
}

// Not where the one before removed it while this process was waiting to open it.
bool is_in_place(int file, const fs::path& path) {
  struct ::stat held {
  }, named{};
  return ::fstat(file, &held) == 0 && ::lstat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, WhereTaken taken) : folder_(folder) {
  const fs::path path = folder / kLockFile;
  for (;;) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0)
      refuse(folder, fmt::format("cannot be written in: {}", std::strerror(errno)),
             "Is there the right to write in it, and room on the disk?");
    try {
      if (!lock(file_, folder, taken) || is_in_place(file_, path)) break;
    } catch (const Error&) {
      ::close(file_);
      throw;
    }
    ::close(file_);
  }
  const std::string name = own_name();
  const bool is_named = ::ftruncate(file_, 0) == 0 &&
                        ::pwrite(file_, name.data(), name.size(), 0) == static_cast<ssize_t>(name.size());
  const int problem = errno;
  if (is_named) return;
  ::close(file_);
  refuse(folder, fmt::format("cannot be written in: {}", std::strerror(problem)), "Is the disk full?");
}

FolderLock::~FolderLock() {
  std::error_code none;
  if (is_in_place(file_, folder_ / kLockFile)) fs::remove(folder_ / kLockFile, none);
  ::flock(file_, LOCK_UN);  // also of copies that a fork of this process holds
  ::close(file_);
}

}  // namespace kullback::run
