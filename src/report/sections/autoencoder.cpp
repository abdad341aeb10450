// What an autoencoder makes of its data: pictures that the training has written, and which latent variables
// are active (variance over rows of the posterior mean above 0.01; Burda, Grosse, Salakhutdinov 2016).
#include <limits>
#include <span>

#include "report/base64.hpp"
#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kMostBytes = 600 << 10;  // of one picture
constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
constexpr double kActive = 0.01;

struct Picture {
  std::string_view file;
  std::string_view title;
  std::string_view alt;
};

constexpr Picture kPictures[] = {
    {"reconstructions.png", "Reconstructions",
     "Images above, and below each what the autoencoder makes of it."},
    {"samples.png", "Samples",
     "Images that the autoencoder draws: the decoder's means for draws of the prior."},
};

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

std::string map_json(const Result& result) {
  const NumberTable* map = result.numbers("latent_map.csv");
  const auto* x = map != nullptr ? map->find("x") : nullptr;
  const auto* y = map != nullptr ? map->find("y") : nullptr;
  if (x == nullptr || y == nullptr) return {};
  JsonObject json;
  json.raw("x", json_numbers(*x, 4)).raw("y", json_numbers(*y, 4));
  if (const auto* label = map->find("label")) json.raw("label", json_numbers(*label));
  return json.str();
}

}  // namespace

std::string autoencoder_section(const Result& result) {
  if (result.kind() != "vae") return {};
  std::vector<std::string> pictures;
  for (const Picture& picture : kPictures) {
    const std::optional<std::string> bytes = result.text(picture.file, kWhole);
    if (!bytes || bytes->size() > kMostBytes || !is_png(*bytes)) continue;
    pictures.push_back(JsonObject()
                           .text("title", picture.title)
                           .text("alt", picture.alt)
                           .text("name", picture.file.substr(0, picture.file.find('.')))
                           .text("png", base64(as_bytes(*bytes)))
                           .str());
  }
  std::vector<double> variances;
  if (const JsonValue* summary = result.json("summary.json"))
    if (const JsonValue* all = summary->find("latent_variances"); all != nullptr && all->array() != nullptr)
      for (const JsonValue& one : *all->array())
        variances.push_back(one.number() != nullptr ? one.number()->value : 0);
  const std::string map = map_json(result);
  if (pictures.empty() && variances.empty() && map.empty()) return {};
  JsonObject json;
  json.raw("pictures", json_array(pictures)).raw("variances", json_numbers(variances, 4));
  if (!map.empty()) json.raw("map", map);
  return json.number("active_above", kActive).str();
}

}  // namespace kullback::report
