// Behind the library: the files one after another, each as numbers (is it included, where, the lengths of its
// name and text), name and text; then a trailer of 40 bytes. Numbers are as this machine writes them: a
// library is for one kind of machine anyway.
#include "model/carried_program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/error.hpp"

namespace kullback::model {

namespace {

constexpr char kBegin[8] = {'k', 'u', 'l', 'l', 'b', 'a', 'c', 'k'};
constexpr char kEnd[8] = {'p', 'r', 'o', 'g', 'r', 'a', 'm', '\n'};
constexpr std::uint64_t kForm = 1;

struct Trailer {
  char begin[8];
  std::uint64_t form;
  std::uint64_t size;  // of the files
  std::uint64_t hash;
  char end[8];
};
static_assert(sizeof(Trailer) == 40);

struct FileHead {
  std::uint32_t is_included;
  Span included_at;
  std::uint32_t name_size;
  std::uint32_t text_size;
};
static_assert(sizeof(FileHead) == 24);

// FNV-1a.
std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

template <class T>
void append_bytes(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The last `size` bytes in front of the last `behind`; false where there are fewer.
bool read_tail(std::FILE* file, std::size_t behind, std::size_t size, void* bytes) {
  const long offset = -static_cast<long>(behind + size);
  return std::fseek(file, offset, SEEK_END) == 0 && std::fread(bytes, 1, size, file) == size;
}

bool read_trailer(std::FILE* file, Trailer& trailer) {
  return read_tail(file, 0, sizeof trailer, &trailer) &&
         std::memcmp(trailer.begin, kBegin, sizeof kBegin) == 0 &&
         std::memcmp(trailer.end, kEnd, sizeof kEnd) == 0;
}

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", file.string(), what),
              "Write the library again with 'kullback bridge MODEL.stan'.");
}

std::string read_files(const std::filesystem::path& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    throw Error(ErrorKind::missing_file,
                fmt::format("{}: cannot be read: {}.", path.string(), std::strerror(errno)));
  Trailer trailer{};
  if (!read_trailer(file.get(), trailer)) refuse(path, "there is no Stan program in this library");
  if (trailer.form != kForm) {
    refuse(path, fmt::format("the program in this library has form {}, but form {} is needed", trailer.form,
                             kForm));
  }
  std::error_code problem;
  const std::uintmax_t whole = std::filesystem::file_size(path, problem);
  std::string files;
  if (!problem && trailer.size <= whole) files.resize(trailer.size);
  if (files.size() != trailer.size || !read_tail(file.get(), sizeof trailer, files.size(), files.data()) ||
      hash_of(files) != trailer.hash)
    refuse(path, "the program in this library is damaged");
  return files;
}

// Takes what it gives from the front of the bytes; false where there is too little.
class Unpacker final {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  bool is_done() const { return rest_.empty(); }

  bool take(std::size_t size, std::string_view& part) {
    if (rest_.size() < size) return false;
    part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  bool take(FileHead& head) {
    std::string_view part;
    if (!take(sizeof head, part)) return false;
    std::memcpy(&head, part.data(), sizeof head);
    return true;
  }

 private:
  std::string_view rest_;
};

}  // namespace

std::string pack_program(const SourceMap& sources) {
  std::string bytes;
  for (FileId file = 0; file < sources.size(); ++file) {
    const Span* at = sources.included_at(file);
    append_bytes(bytes, FileHead{at != nullptr ? 1U : 0U, at != nullptr ? *at : Span{},
                                 static_cast<std::uint32_t>(sources.name(file).size()),
                                 static_cast<std::uint32_t>(sources.text(file).size())});
    bytes += sources.name(file);
    bytes += sources.text(file);
  }
  Trailer trailer{{}, kForm, bytes.size(), hash_of(bytes), {}};
  std::memcpy(trailer.begin, kBegin, sizeof kBegin);
  std::memcpy(trailer.end, kEnd, sizeof kEnd);
  append_bytes(bytes, trailer);
  return bytes;
}

bool carries_program(const std::filesystem::path& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  Trailer trailer{};
  return file != nullptr && read_trailer(file.get(), trailer);
}

SourceMap unpack_program(const std::filesystem::path& path) {
  const std::string files = read_files(path);
  Unpacker unpacker(files);
  SourceMap sources;
  while (!unpacker.is_done()) {
    FileHead head{};
    std::string_view name;
    std::string_view text;
    if (!unpacker.take(head) || !unpacker.take(head.name_size, name) || !unpacker.take(head.text_size, text))
      refuse(path, "the program in this library is damaged");
    if (head.is_included != 0) {
      sources.add_included(std::string(name), std::string(text), head.included_at);
    } else {
      sources.add(std::string(name), std::string(text));
    }
  }
  if (sources.size() == 0) refuse(path, "the program in this library is empty");
  return sources;
}

}  // namespace kullback::model
