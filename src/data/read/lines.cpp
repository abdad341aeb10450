#include "data/read/lines.hpp"

#include <algorithm>
#include <cstring>

namespace kullback::data {

namespace {

constexpr std::size_t kBuffer = 1U << 18;
constexpr std::size_t kLongestLine = 1U << 28;

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

Lines::Lines(std::filesystem::path path, Quotes quotes)
    : path_(std::move(path)), bytes_(open_bytes(path_)), quotes_(quotes), buffer_(kBuffer + 1) {}

void Lines::go(Place place) {
  bytes_->seek(place.offset);
  offset_ = place.offset;
  number_ = place.number;
  at_ = end_ = 0;
  is_at_end_ = false;
}

// Moves what is left to the front and reads behind it. False where there is no more.
bool Lines::fill() {
  if (is_at_end_) return false;
  if (at_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
    offset_ += at_;
    end_ -= at_;
    at_ = 0;
  }
  if (end_ + 1 >= buffer_.size()) buffer_.resize((buffer_.size() - 1) * 2 + 1);
  if (end_ > kLongestLine)
    refuse_at({&path_, number_, false}, "the line has more than 268 million characters",
              "Is this a text file, and does each quote in it end?");
  const std::size_t room = buffer_.size() - 1 - end_;
  const std::size_t got = bytes_->read(buffer_.data() + end_, room);
  end_ += got;
  is_at_end_ = got < room;
  return got > 0;
}

std::size_t Lines::find_end_after(std::size_t from) {
  for (;;) {
    const void* found = std::memchr(buffer_.data() + from, '\n', end_ - from);
    if (found != nullptr) return static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
    const std::size_t searched = end_ - at_;
    if (!fill()) return end_;
    from = at_ + searched;
  }
}

std::size_t Lines::find_end() {
  std::size_t end = find_end_after(at_);
  if (quotes_ == Quotes::none || std::memchr(buffer_.data() + at_, '"', end - at_) == nullptr) return end;
  const std::uint64_t first = number_;
  std::size_t counted = 0;  // characters from at_ on
  std::size_t quotes = 0;
  for (;;) {
    const char* begin = buffer_.data() + at_;
    quotes += static_cast<std::size_t>(
        std::count(begin + counted, static_cast<const char*>(buffer_.data() + end), '"'));
    if (quotes % 2 == 0) return end;
    if (end == end_ && is_at_end_)
      refuse_at({&path_, first, false}, "a quote that begins in this line does not end",
                "Write a quote inside quotes twice: \"3\"\" pipe\".");
    ++number_;
    counted = end - at_;
    end = find_end_after(std::min(end + 1, end_));
  }
}

bool Lines::next_even_blank(std::string_view& line) {
  if (at_ == end_ && !fill()) return false;
  const std::uint64_t number = number_;
  const std::size_t end = find_end();
  current_ = {offset_ + at_, number};
  const char* begin = buffer_.data() + at_;
  std::size_t length = end - at_;
  buffer_[end] = '\n';
  at_ = std::min(end + 1, end_);
  ++number_;
  if (length > 0 && begin[length - 1] == '\r') --length;
  line = {begin, length};
  if (current_.offset == 0 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return true;
}

bool Lines::next(std::string_view& line) {
  while (next_even_blank(line)) {
    if (!is_blank(line)) return true;
  }
  return false;
}

}  // namespace kullback::data
