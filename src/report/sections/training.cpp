// training.csv of a deep model: the loss and the held-out figure after each epoch; of an energy chains.csv,
// too.
#include <algorithm>
#include <cmath>

#include "report/json_object.hpp"
#include "report/json_read.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kPoints = 500;

std::vector<double> thinned(const std::vector<double>& values) {
  if (values.size() <= kPoints) return values;
  std::vector<double> some;
  for (std::size_t k = 0; k < kPoints; ++k) some.push_back(values[k * (values.size() - 1) / (kPoints - 1)]);
  return some;
}

std::string held_out_name(const Result& result) {
  return result.kind() == run::Kind::vae || is_diffusion(result) ? "held-out bound"
                                                                 : "held-out log likelihood";
}

// Mean energies of rows and of chains, and how many proposals were accepted.
std::string chains_json(const Result& result) {
  const NumberTable* table = result.numbers("chains.csv");
  if (table == nullptr) return {};
  JsonObject json;
  for (const char* name : {"epoch", "energy_data", "energy_chains", "acceptance"}) {
    const auto* column = table->find(name);
    if (column == nullptr || column->empty()) return {};
    json.raw(name, json_numbers(thinned(*column)));
  }
  return json.str();
}

}  // namespace

std::string training_section(const Result& result) {
  const NumberTable* training = result.numbers("training.csv");
  if (training == nullptr) return {};
  const auto *epoch = training->find("epoch"), *loss = training->find("loss");
  if (epoch == nullptr || loss == nullptr || epoch->empty()) return {};
  JsonObject json;
  json.text("held_out_name", held_out_name(result));
  json.raw("epoch", json_numbers(thinned(*epoch))).raw("loss", json_numbers(thinned(*loss)));
  const auto* held_out = training->find("held_out");
  const bool has_any = held_out != nullptr && std::any_of(held_out->begin(), held_out->end(),
                                                          [](double x) { return std::isfinite(x); });
  if (has_any) json.raw("held_out", json_numbers(thinned(*held_out)));
  if (const JsonValue* summary = result.json("summary.json"))
    if (const double best = number_in(*summary, "best_epoch"); best > 0) json.number("best_epoch", best);
  if (const std::string chains = chains_json(result); !chains.empty()) json.raw("chains", chains);
  return json.str();
}

}  // namespace kullback::report
