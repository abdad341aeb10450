#include "base/text_source.hpp"

#include <algorithm>
#include <cerrno>
#include <future>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "base/stop.hpp"

namespace kullback {

std::size_t MemorySource::read(char* to, std::size_t most) {
  const std::size_t count = rest_.copy(to, most);
  rest_.remove_prefix(count);
  return count;
}

FileSource::FileSource(std::filesystem::path path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
  if (!file_) refuse_reading(path_, errno);
}

std::size_t FileSource::read(char* to, std::size_t most) {
  stop_if_asked();
  const std::size_t count = std::fread(to, 1, most, file_.get());
  if (count < most && std::ferror(file_.get()) != 0) refuse_reading(path_, errno);
  return count;
}

struct WatchedSource::Shown {
  Watch watch;
  std::string piece;
  std::future<void> done;
};

WatchedSource::WatchedSource(TextSource& source, Watch watch)
    : source_(source), shown_(std::make_unique<Shown>()) {
  shown_->watch = std::move(watch);
}

WatchedSource::~WatchedSource() {
  if (shown_->done.valid()) shown_->done.wait();
}

std::size_t WatchedSource::read(char* to, std::size_t most) {
  const std::size_t count = source_.read(to, most);
  if (shown_->done.valid()) shown_->done.get();
  shown_->piece.assign(to, count);
  // A short text is not worth a thread; where no thread can be made, this one does it.
  constexpr std::size_t kShort = std::size_t{1} << 16;
  const auto how = count < kShort ? std::launch::deferred : std::launch::async | std::launch::deferred;
  shown_->done = std::async(how, [shown = shown_.get()] { shown->watch(shown->piece); });
  return count;
}

}  // namespace kullback
