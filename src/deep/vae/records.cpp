#include <array>

#include "deep/vae/decoder_likelihood.hpp"
#include "deep/vae/latent_family.hpp"
#include "deep/vae/latent_prior.hpp"
#include "deep/vae/objective.hpp"

namespace kullback::deep {

#define KULLBACK_LATENT_FAMILY(record) extern const LatentFamilyRecord record;
#include "deep/vae/families.def"
#undef KULLBACK_LATENT_FAMILY
#define KULLBACK_DECODER_LIKELIHOOD(record) extern const DecoderLikelihoodRecord record;
#include "deep/vae/likelihoods.def"
#undef KULLBACK_DECODER_LIKELIHOOD
#define KULLBACK_LATENT_PRIOR(record) extern const LatentPriorRecord record;
#include "deep/vae/priors.def"
#undef KULLBACK_LATENT_PRIOR
#define KULLBACK_VAE_OBJECTIVE(record) extern const VaeObjectiveRecord record;
#include "deep/vae/objectives.def"
#undef KULLBACK_VAE_OBJECTIVE

namespace {

template <class Record>
const Record* find(std::span<const Record* const> records, std::string_view name) {
  for (const Record* record : records)
    if (record->name == name) return record;
  return nullptr;
}

}  // namespace

std::span<const LatentFamilyRecord* const> latent_families() {
  static const std::array kRecords = {
#define KULLBACK_LATENT_FAMILY(record) &record,
#include "deep/vae/families.def"
#undef KULLBACK_LATENT_FAMILY
  };
  return kRecords;
}

std::span<const DecoderLikelihoodRecord* const> decoder_likelihoods() {
  static const std::array kRecords = {
#define KULLBACK_DECODER_LIKELIHOOD(record) &record,
#include "deep/vae/likelihoods.def"
#undef KULLBACK_DECODER_LIKELIHOOD
  };
  return kRecords;
}

std::span<const LatentPriorRecord* const> latent_priors() {
  static const std::array kRecords = {
#define KULLBACK_LATENT_PRIOR(record) &record,
#include "deep/vae/priors.def"
#undef KULLBACK_LATENT_PRIOR
  };
  return kRecords;
}

std::span<const VaeObjectiveRecord* const> vae_objectives() {
  static const std::array kRecords = {
#define KULLBACK_VAE_OBJECTIVE(record) &record,
#include "deep/vae/objectives.def"
#undef KULLBACK_VAE_OBJECTIVE
  };
  return kRecords;
}

const LatentFamilyRecord* find_latent_family(std::string_view name) { return find(latent_families(), name); }
const DecoderLikelihoodRecord* find_decoder_likelihood(std::string_view name) {
  return find(decoder_likelihoods(), name);
}
const LatentPriorRecord* find_latent_prior(std::string_view name) { return find(latent_priors(), name); }
const VaeObjectiveRecord* find_vae_objective(std::string_view name) { return find(vae_objectives(), name); }

}  // namespace kullback::deep
