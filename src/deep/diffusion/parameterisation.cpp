// Errors of D in other units: the noise's error is alpha / sigma times that of D, the score's alpha / sigma^2
// times, the velocity's (alpha^2 + sigma^2) / sigma times.
#include "deep/diffusion/parameterisation.hpp"

#include <array>

#include "deep/diffusion/records.hpp"

namespace kullback::deep::diffusion {

#define KULLBACK_PARAMETERISATION(record) extern const ParameterisationRecord record;
#include "deep/diffusion/parameterisations.def"
#undef KULLBACK_PARAMETERISATION

namespace {

constexpr double kCut = 5;  // Hang et al. 2023

torch::Tensor snr(const Level& at) { return (at.alpha / at.sigma).square(); }

const WeightingRecord k_by_noise = {"noise", "Errors of the noise",
                                    [](const Level& at, const torch::Tensor&) { return snr(at); }};
const WeightingRecord k_by_data = {"data", "Errors of the data", [](const Level& at, const torch::Tensor&) {
                                     return torch::ones_like(at.alpha);
                                   }};
const WeightingRecord k_by_velocity = {"velocity", "Errors of the velocity",
                                       [](const Level& at, const torch::Tensor&) {
                                         return ((at.alpha.square() + at.sigma.square()) / at.sigma).square();
                                       }};
const WeightingRecord k_by_edm = {"edm", "Errors of the network's output under EDM's preconditioning",
                                  [](const Level& at, const torch::Tensor&) { return snr(at) + 1; }};
// (G^2 / 2) |error of the score|^2: the loss bounds the negative log likelihood (Song, Durkan, Murray, Ermon
// 2021).
const WeightingRecord k_by_likelihood = {
    "likelihood", "Errors of the score times the diffusion: a bound on the log likelihood",
    [](const Level& at, const torch::Tensor& diffusion) {
      return diffusion / 2 * (at.alpha / at.sigma.square()).square();
    }};
const WeightingRecord k_by_snr_cut = {
    "min-snr", "Errors of the data times the signal-to-noise ratio, at most 5",
    [](const Level& at, const torch::Tensor&) { return snr(at).clamp_max(kCut); }};

}  // namespace

std::span<const ParameterisationRecord* const> parameterisations() {
  static const std::array kRecords = {
#define KULLBACK_PARAMETERISATION(record) &record,
#include "deep/diffusion/parameterisations.def"
#undef KULLBACK_PARAMETERISATION
  };
  return kRecords;
}

const ParameterisationRecord& parameterisation_named(const std::string& name) {
  return record_named(parameterisations(), name, "parameterisation");
}

std::span<const WeightingRecord* const> weightings() {
  static const std::array kRecords = {
#define KULLBACK_WEIGHTING(record) &record,
#include "deep/diffusion/weightings.def"
#undef KULLBACK_WEIGHTING
  };
  return kRecords;
}

const WeightingRecord& weighting_named(const std::string& name) {
  return record_named(weightings(), name, "weighting");
}

}  // namespace kullback::deep::diffusion
