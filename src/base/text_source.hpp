// A text that is read in pieces, so that it need not fit into memory.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace kullback {

class TextSource {
 public:
  virtual ~TextSource() = default;
  // Puts at most so many bytes there and returns their number; 0 at the end.
  virtual std::size_t read(char* to, std::size_t most) = 0;
};

class MemorySource final : public TextSource {
 public:
  explicit MemorySource(std::string_view text) : rest_(text) {}
  std::size_t read(char* to, std::size_t most) override;

 private:
  std::string_view rest_;
};

// Throws Error as read_file() does.
class FileSource final : public TextSource {
 public:
  explicit FileSource(std::filesystem::path path);
  std::size_t read(char* to, std::size_t most) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// Shows each piece that is read to a second reader, which works on a thread of its own.
class WatchedSource final : public TextSource {
 public:
  using Watch = std::function<void(std::string_view)>;
  WatchedSource(TextSource& source, Watch watch);
  ~WatchedSource() override;  // waits until all was shown
  std::size_t read(char* to, std::size_t most) override;

 private:
  struct Shown;
  TextSource& source_;
  std::unique_ptr<Shown> shown_;
};

}  // namespace kullback
