// Pictures of what an energy or a diffusion model draws, as the training has written them.
#include "report/json_object.hpp"
#include "report/pictures.hpp"
#include "report/section.hpp"

namespace kullback::report {

std::string generated_section(const Result& result) {
  const bool is_energy = result.kind() == run::Kind::ebm;
  if (!is_energy && !is_diffusion(result)) return {};
  const PictureFile files[] = {
      {"density.png", "The density",
       "The learned density in the plane, the darker the denser, with draws from it."},
      {"samples.png", "Samples",
       is_energy ? "Draws of the model, by Markov chains." : "Draws of the model, by the reverse process."},
      {"process.png", "From noise to data",
       "The reverse process: each row is one draw, on its way from noise (left) to data (right)."},
      {"new_samples.png", "New samples", "What 'kullback sample' drew last."}};
  const std::string pictures = pictures_json(result, files);
  return pictures == "[]" ? "" : JsonObject().raw("pictures", pictures).str();
}

}  // namespace kullback::report
