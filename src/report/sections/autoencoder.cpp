// What an autoencoder makes of its data: pictures that the training has written, and which latent variables
// are active (variance over rows of the posterior mean above 0.01; Burda, Grosse, Salakhutdinov 2016).
#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/pictures.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr double kActive = 0.01;

const PictureFile kPictures[] = {
    {"reconstructions.png", "Reconstructions",
     "Images above, and below each what the autoencoder makes of it."},
    {"samples.png", "Samples",
     "Images that the autoencoder draws: the decoder's means for draws of the prior."},
};

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
  if (result.kind() != run::Kind::vae) return {};
  const std::string pictures = pictures_json(result, kPictures);
  std::vector<double> variances;
  if (const JsonValue* summary = result.json("summary.json"))
    if (const JsonValue* all = summary->find("latent_variances"); all != nullptr && all->array() != nullptr)
      for (const JsonValue& one : *all->array())
        variances.push_back(one.number() != nullptr ? one.number()->value : 0);
  const std::string map = map_json(result);
  if (pictures == "[]" && variances.empty() && map.empty()) return {};
  JsonObject json;
  json.raw("pictures", pictures).raw("variances", json_numbers(variances, 4));
  if (!map.empty()) json.raw("map", map);
  return json.number("active_above", kActive).str();
}

}  // namespace kullback::report
