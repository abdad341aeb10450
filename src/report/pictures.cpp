#include "report/pictures.hpp"

#include <filesystem>
#include <limits>
#include <vector>

#include "report/base64.hpp"
#include "report/json_object.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;  // of one picture
constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

}  // namespace

std::string pictures_json(const Result& result, std::span<const PictureFile> files) {
  std::vector<std::string> pictures;
  for (const PictureFile& file : files) {
    const std::optional<std::string> bytes = result.text(file.file, kWhole);
    if (!bytes || !is_png(*bytes)) continue;
    JsonObject json;
    json.text("title", file.title).text("alt", file.alt).text("file", file.file);
    json.text("name", std::filesystem::path(file.file).stem().string());
    if (bytes->size() > kMostBytes)
      json.count("bytes", bytes->size());
    else
      json.text("png", base64(as_bytes(*bytes)));
    pictures.push_back(json.str());
  }
  return json_array(pictures);
}

}  // namespace kullback::report
