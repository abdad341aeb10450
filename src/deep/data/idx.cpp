#include "deep/data/idx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "data/read/bytes.hpp"

namespace kullback::deep {

namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;
constexpr std::size_t kPiece = std::size_t{1} << 24;  // a header that lies must not take all memory

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what, std::string hint) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", path.string(), what), std::move(hint));
}

std::uint8_t byte(const std::string& text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

std::string type_name(std::uint8_t type) {
  switch (type) {
    case 0x09: return "signed bytes";
    case 0x0B: return "16-bit integers";
    case 0x0C: return "32-bit integers";
    case 0x0D: return "32-bit floats";
    case 0x0E: return "64-bit floats";
    default: return fmt::format("numbers of the unknown type {}", static_cast<int>(type));
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text;
}

std::string read_head(data::Bytes& bytes, std::size_t count, const std::filesystem::path& path) {
  std::string head(count, '\0');
  const std::size_t found = bytes.read(head.data(), count);
  if (found == count) return head;
  refuse(path, "ends in its header", "The file was cut off; get it again.");
}

// As many as there are, one more than `count` at most.
std::vector<std::uint8_t> read_content(data::Bytes& bytes, std::uint64_t count) {
  std::vector<std::uint8_t> content;
  while (content.size() <= count) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, count + 1 - content.size()));
    const std::size_t before = content.size();
    content.resize(before + wanted);
    const std::size_t found = bytes.read(reinterpret_cast<char*>(content.data()) + before, wanted);
    content.resize(before + found);
    if (found < wanted) break;
  }
  return content;
}

}  // namespace

bool is_idx(const std::filesystem::path& path) {
  try {
    const std::string head = data::first_bytes(path, 4);
    if (head.size() < 4 || byte(head, 0) != 0 || byte(head, 1) != 0) return false;
    return byte(head, 2) >= 0x08 && byte(head, 2) <= 0x0E && byte(head, 3) >= 1 && byte(head, 3) <= 8;
  } catch (const Error&) {
    return false;
  }
}

IdxArray read_idx(const std::filesystem::path& path) {
  const auto bytes = data::open_bytes(path);
  const std::string head = read_head(*bytes, 4, path);
  if (byte(head, 0) != 0 || byte(head, 1) != 0)
    refuse(path, "is no IDX file: it does not begin with two zero bytes",
           "Give the IDX files of MNIST or alike.");
  if (byte(head, 2) != kUnsignedByte)
    refuse(path, fmt::format("holds {}; images and labels are unsigned bytes", type_name(byte(head, 2))),
           "Save the numbers as .npy or CSV instead.");
  const std::size_t dimensions = byte(head, 3);
  if (dimensions == 0) refuse(path, "has no dimensions", "The file is damaged; get it again.");
  const std::string lengths = read_head(*bytes, 4 * dimensions, path);
  IdxArray array;
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::uint64_t length = 0;
    for (std::size_t j = 0; j < 4; ++j) length = length << 8 | byte(lengths, 4 * i + j);
    array.shape.push_back(static_cast<std::int64_t>(length));
    if (length == 0) refuse(path, "holds nothing: one of its lengths is 0", "Give a file with images.");
    if (count > std::numeric_limits<std::uint64_t>::max() / 2 / length)
      refuse(path, fmt::format("says that it is {}, which no file can be", shape_text(array.shape)),
             "The file is damaged; get it again.");
    count *= length;
  }
  array.bytes = read_content(*bytes, count);
  if (array.bytes.size() != count)
    refuse(path,
           fmt::format("says that it is {} ({} bytes), but {} bytes follow its header",
                       shape_text(array.shape), count,
                       array.bytes.size() < count ? std::to_string(array.bytes.size())
                                                  : "more than " + std::to_string(count)),
           "The file was cut off or is damaged; get it again.");
  return array;
}

}  // namespace kullback::deep
