#include "run/kinds.hpp"

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "run/record.hpp"

namespace kullback::run {

namespace {

// In the order of the enumeration.
constexpr KindRecord kKinds[] = {
    {Kind::posterior, "posterior", "a fit of a program", "kullback fit", Reader::draws,
     "model.stan data.json chain-#.csv weighted.csv mode.csv posterior.nc trace.csv certificate.json "
     "certificate-weights.csv"},
    {Kind::predictions, "predictions", "predictions", "kullback predict", Reader::any_model,
     "model.stan chain-#.csv weighted.csv posterior.nc predictions.csv metrics.json responsibilities.csv "
     "documents.csv states.csv scores.csv users.csv"},
    {Kind::simulation, "simulation", "simulated data", "kullback simulate", Reader::draws,
     "model.stan chain-#.csv posterior.nc data-#.json params-#.json"},
    {Kind::calibration, "calibration", "a calibration", "kullback calibrate", Reader::own,
     "model.stan calibration.json"},
    {Kind::mixture, "mixture", "a mixture", "kullback mixture", Reader::conjugate,
     "model.json state.npy trace.csv sample.csv components.csv covariances.csv levels.csv "
     "responsibilities.csv"},
    {Kind::topics, "topics", "a topic model", "kullback topics", Reader::conjugate,
     "model.json state.npy trace.csv sample.csv topic_weights.csv topics.csv topic_words.csv documents.csv"},
    {Kind::hmm, "hmm", "a hidden Markov model", "kullback hmm", Reader::conjugate,
     "model.json state.npy trace.csv sample.csv summary_of_states.csv transitions.csv emissions.csv "
     "means.csv covariances.csv variances.csv rates.csv states.csv"},
    {Kind::factors, "factors", "a factor model", "kullback factors", Reader::conjugate,
     "model.json state.npy trace.csv sample.csv loadings.csv columns.csv factors.csv items.csv scores.csv "
     "users.csv"},
    {Kind::regress, "regress", "a regression", "kullback regress", Reader::conjugate,
     "model.json state.npy trace.csv sample.csv coefficients.csv noise.csv predictions.csv"},
    {Kind::bnn, "bnn", "a network", "kullback bnn", Reader::deep,
     "network.json weights.safetensors training.csv held_out.csv", "checkpoint.safetensors"},
    {Kind::vae, "vae", "an autoencoder", "kullback vae", Reader::deep,
     "model.json weights.safetensors training.csv latents.png latent_map.csv "
     "reconstructions.png samples.png",
     "checkpoint.safetensors evaluation.json latents.csv decoded.csv new_samples.csv new_samples.png"},
    {Kind::ebm, "ebm", "an energy", "kullback ebm", Reader::deep,
     "model.json weights.safetensors training.csv chains.csv samples.png density.png",
     "checkpoint.safetensors new_samples.csv new_samples.png loglik.csv loglik.json"},
    {Kind::diffusion, "diffusion", "a diffusion model", "kullback diffusion", Reader::deep,
     "model.json weights.safetensors training.csv samples.png process.png",
     "checkpoint.safetensors new_samples.csv new_samples.png loglik.csv loglik.json"},
    {Kind::score, "score", "a score network", "kullback score", Reader::deep,
     "model.json weights.safetensors training.csv samples.png process.png",
     "checkpoint.safetensors new_samples.csv new_samples.png loglik.csv loglik.json"},
    {Kind::discrete_diffusion, "discrete-diffusion", "a diffusion model of discrete states",
     "kullback diffusion --states", Reader::deep,
     "model.json weights.safetensors training.csv samples.png process.png",
     "checkpoint.safetensors new_samples.csv new_samples.png loglik.csv loglik.json"},
};

}  // namespace

std::span<const KindRecord> kinds() { return kKinds; }

const KindRecord& record_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const KindRecord* find_kind(std::string_view name) {
  const auto* const at = std::find_if(std::begin(kKinds), std::end(kKinds),
                                      [&](const KindRecord& kind) { return kind.name == name; });
  return at == std::end(kKinds) ? nullptr : at;
}

std::string_view name_of(Kind kind) { return record_of(kind).name; }
bool is_deep(Kind kind) { return record_of(kind).reader == Reader::deep; }
bool is_conjugate(Kind kind) { return record_of(kind).reader == Reader::conjugate; }

bool holds_draws(const std::filesystem::path& folder, const RunRecord& record) {
  switch (record_of(record.kind).reader) {
    case Reader::draws: return true;
    case Reader::any_model: return std::filesystem::exists(folder / "chain-1.csv");
    case Reader::own:
    case Reader::conjugate:
    case Reader::deep: return false;
  }
  return false;
}

}  // namespace kullback::run
