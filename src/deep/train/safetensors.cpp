// The header is an object: "__metadata__" with strings, and for each tensor {"dtype": "F32", "shape": [..],
// "data_offsets": [begin, end]} relative to the end of the header. Numbers are little-endian and row-major,
// without gaps. The header is padded with spaces so that the numbers begin at a multiple of 8.
#include "deep/train/safetensors.hpp"

#include <array>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/json_value.hpp"

namespace kullback::deep {

namespace {

struct TypeName {
  torch::ScalarType type;
  const char* name;
};
constexpr std::array kTypes = {TypeName{torch::kFloat64, "F64"}, TypeName{torch::kFloat32, "F32"},
                               TypeName{torch::kFloat16, "F16"}, TypeName{torch::kBFloat16, "BF16"},
                               TypeName{torch::kInt64, "I64"},   TypeName{torch::kInt32, "I32"},
                               TypeName{torch::kInt16, "I16"},   TypeName{torch::kInt8, "I8"},
                               TypeName{torch::kUInt8, "U8"},    TypeName{torch::kBool, "BOOL"}};

std::string name_of(torch::ScalarType type) {
  for (const TypeName& known : kTypes)
    if (known.type == type) return known.name;
  throw Error(ErrorKind::internal, "a tensor has a type that safetensors do not know.");
}

std::size_t bytes_of(const torch::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
}

// Takes the tensors of one file apart, or says what is wrong.
class Reader final {
 public:
  Reader(const std::filesystem::path& path, const std::string& bytes) : path_(path), bytes_(bytes) {}

  TensorFile read() {
    std::uint64_t header_size = 0;
    if (bytes_.size() < sizeof header_size) refuse("is too short");
    std::memcpy(&header_size, bytes_.data(), sizeof header_size);
    if (header_size > bytes_.size() - sizeof header_size) refuse("ends within its header");
    data_ = sizeof header_size + header_size;
    const JsonValue header = parse_json(std::string_view(bytes_).substr(sizeof header_size, header_size),
                                        path_.string(), "The file is no safetensors file, or is damaged.");
    if (header.object() == nullptr) refuse("has a header that is no object");
    for (const auto& [name, value] : *header.object()) {
      if (name == "__metadata__") {
        read_metadata(value);
      } else {
        file_.tensors.emplace_back(name, tensor(name, value));
      }
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input, path_.string() + ": " + what + ".",
                "The file is no safetensors file, or is damaged.");
  }

  void read_metadata(const JsonValue& value) {
    if (value.object() == nullptr) refuse("has metadata that are no object");
    for (const auto& [name, text] : *value.object()) {
      if (text.string() == nullptr) refuse("has metadata '" + name + "' that are no text");
      file_.metadata[name] = *text.string();
    }
  }

  torch::Tensor tensor(const std::string& name, const JsonValue& value) const {
    const JsonValue* type_name = value.find("dtype");
    if (type_name == nullptr || type_name->string() == nullptr)
      refuse("does not say the type of '" + name + "'");
    std::optional<torch::ScalarType> type;
    for (const TypeName& known : kTypes)
      if (*type_name->string() == known.name) type = known.type;
    if (!type) refuse("has '" + name + "' of type " + *type_name->string() + ", which is not known here");
    const std::vector<std::uint64_t> sizes = counts(name, value, "shape"),
                                     offsets = counts(name, value, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > bytes_.size() - data_)
      refuse("ends within '" + name + "'");
    std::vector<std::int64_t> shape;
    unsigned __int128 needed = torch::elementSize(*type);
    for (const std::uint64_t size : sizes) {
      needed *= size;
      if (needed > bytes_.size()) break;
      shape.push_back(static_cast<std::int64_t>(size));
    }
    if (needed != offsets[1] - offsets[0]) refuse("has '" + name + "' with another size than its shape");
    torch::Tensor result = torch::empty(shape, *type);
    if (result.numel() > 0)
      std::memcpy(result.data_ptr(), bytes_.data() + data_ + offsets[0], bytes_of(result));
    return result;
  }

  std::vector<std::uint64_t> counts(const std::string& name, const JsonValue& value, const char* key) const {
    const JsonValue* list = value.find(key);
    if (list == nullptr || list->array() == nullptr)
      refuse("does not say the " + std::string(key) + " of '" + name + "'");
    std::vector<std::uint64_t> result;
    for (const JsonValue& item : *list->array()) {
      if (item.number() == nullptr || !item.number()->count)
        refuse("has a " + std::string(key) + " of '" + name + "' that is no count");
      result.push_back(*item.number()->count);
    }
    return result;
  }

  const std::filesystem::path& path_;
  const std::string& bytes_;
  std::size_t data_ = 0;  // where the numbers begin
  TensorFile file_;
};

}  // namespace

const torch::Tensor* TensorFile::find(const std::string& name) const {
  for (const auto& [known, tensor] : tensors)
    if (known == name) return &tensor;
  return nullptr;
}

std::string safetensors_bytes(const TensorFile& file) {
  std::string header = "{", data;
  if (!file.metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [name, value] : file.metadata)
      header += (header.back() == '{' ? "" : ",") + json_string(name) + ":" + json_string(value);
    header += "}";
  }
  for (const auto& [name, tensor] : file.tensors) {
    const torch::Tensor here = tensor.detach().to(torch::kCPU).contiguous();
    header += (header.size() == 1 ? "" : ",") + json_string(name) + ":{\"dtype\":\"" +
              name_of(here.scalar_type()) + "\",\"shape\":[";
    for (std::int64_t i = 0; i < here.dim(); ++i)
      header += (i == 0 ? "" : ",") + std::to_string(here.size(i));
    const std::size_t begin = data.size();
    data.append(static_cast<const char*>(here.data_ptr()), bytes_of(here));
    header += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(data.size()) + "]}";
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  const std::uint64_t size = header.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + header + data;
}

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  replace_file(path, safetensors_bytes(file));
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  return Reader(path, bytes).read();
}

}  // namespace kullback::deep
