// One process at a time writes in the folder of a run. The kernel gives the lock back when the process ends,
// however it ends.
#pragma once

#include <filesystem>

namespace kullback::run {

inline constexpr const char* kLockFile = ".lock";

class FolderLock final {
 public:
  enum class WhereTaken { refuse, wait };

  // Throws Error cannot_write, with who has it, where another process does. On a file system without locks
  // (some clusters') nothing is locked.
  explicit FolderLock(const std::filesystem::path& folder, WhereTaken taken = WhereTaken::refuse);
  // The file goes with the lock.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  void folder_is_now(const std::filesystem::path& folder) { folder_ = folder; }

 private:
  std::filesystem::path folder_;
  int file_ = -1;
};

}  // namespace kullback::run
