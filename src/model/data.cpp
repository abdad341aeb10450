#include "model/data.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text_kind.hpp"
#include "base/text_source.hpp"
#include "model/text_place.hpp"

namespace kullback::model {

std::size_t element_count(const std::vector<std::size_t>& dims) {
  std::size_t count = 1;
  for (const std::size_t dim : dims) {
    if (dim == 0) return 0;
    const bool overflows = count > std::numeric_limits<std::size_t>::max() / dim;
    count = overflows ? std::numeric_limits<std::size_t>::max() : count * dim;
  }
  return count;
}

DataValue* Data::find(std::string_view name) {
  const auto place = places_.find(std::string(name));
  return place == places_.end() ? nullptr : &items_[place->second].value;
}

const DataValue* Data::find(std::string_view name) const { return const_cast<Data*>(this)->find(name); }

bool Data::add(std::string name, DataValue value) {
  if (!places_.emplace(name, items_.size()).second) return false;
  items_.push_back({std::move(name), std::move(value)});
  return true;
}

std::string index_text(std::size_t offset, const std::vector<std::size_t>& dims) {
  if (dims.empty()) return {};
  std::string text;
  for (std::size_t d = dims.size(); d-- > 0;) {
    text = std::to_string(offset % dims[d] + 1) + (text.empty() ? "" : ", ") + text;
    offset /= dims[d];
  }
  return "[" + text + "]";
}

bool is_variable_name(std::string_view name) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_inner);
}

void refuse_text(std::string_view name, std::string_view text, std::size_t offset, const std::string& message,
                 const std::string& hint) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), is_start);
  refuse_place(name, static_cast<std::size_t>(line), static_cast<std::size_t>(column), message, hint);
}

void refuse_place(std::string_view name, std::size_t line, std::size_t column, const std::string& message,
                  const std::string& hint) {
  throw Error(ErrorKind::bad_input,
              std::string(name) + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + message,
              hint);
}

namespace {

void check_may_be_data(std::string_view text, const std::string& name) {
  const TextKind kind = text_kind(text);
  if (kind != TextKind::stan && kind != TextKind::table && kind != TextKind::binary) return;
  const std::string what(text_kind_name(text));
  const char* hint = "Data are a JSON object such as {\"N\": 2, \"y\": [1.5, 2.5]}.";
  if (kind == TextKind::table)
    hint = "Write its columns as JSON: {\"N\": 2, \"y\": [1.5, 2.5]}; Python takes a data frame as it is.";
  if (what.starts_with("compressed")) hint = "Unpack it first.";
  throw Error(ErrorKind::bad_input,
              name + ": is " + what + ", but data are needed: a JSON object or an R dump.", hint);
}

// A text with its first piece put back.
class JoinedSource final : public TextSource {
 public:
  JoinedSource(std::string_view first, TextSource& rest) : first_(first), rest_(rest) {}
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = first_.read(to, most);
    return count > 0 ? count : rest_.read(to, most);
  }

 private:
  MemorySource first_;
  TextSource& rest_;
};

bool looks_like_json(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

Data parse_data(std::string_view text, std::string name) {
  check_may_be_data(text, name);
  return looks_like_json(text) ? parse_json_data(text, std::move(name)) : parse_rdump(text, std::move(name));
}

Data read_data(TextSource& source, std::string name) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string text;
  std::size_t size = 0;
  const auto read_piece = [&] {
    text.resize(size + kPiece);
    const std::size_t count = source.read(text.data() + size, kPiece);
    size += count;
    text.resize(size);
    return count > 0;
  };
  while (read_piece()) {
    if (looks_like_json(text)) {
      JoinedSource whole(text, source);
      return parse_json_data(whole, std::move(name));
    }
  }
  return parse_data(text, std::move(name));
}

Data read_data(const std::filesystem::path& path) {
  FileSource file(path);
  if (path.extension() != ".json") return read_data(file, path.string());
  std::string first(std::size_t{1} << 16, '\0');
  first.resize(file.read(first.data(), first.size()));
  check_may_be_data(first, path.string());
  JoinedSource whole(first, file);
  return parse_json_data(whole, path.string());
}

}  // namespace kullback::model
