// How good a trained autoencoder is: log likelihood of rows by importance weighting and by annealing, what
// its bound loses and where, which latent variables are used.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/finding.hpp"
#include "deep/vae/quantise.hpp"
#include "deep/vae/training.hpp"
#include "deep/vae/vae.hpp"

namespace kullback::deep {

// Rows as they are observed (binarised once by a seed), [rows, pixels]; one-hot labels or undefined.
struct Observed {
  torch::Tensor x;
  torch::Tensor label = {};

  std::int64_t size() const { return x.size(0); }
  Observed narrow(std::int64_t first, std::int64_t count) const;
};
// Seeds LibTorch's generators.
Observed observe(const Vae& vae, const torch::Tensor& flat, const VaeRows& rows, std::uint64_t seed);

struct Subject {
  const Vae& vae;
  const torch::Tensor& flat;  // [1, size]
  Observed rows;
  std::uint64_t seed = 0;
};

// Estimates of rows and their Monte Carlo standard errors: float64 [rows] on the CPU.
struct RowEstimates {
  torch::Tensor value;
  torch::Tensor error;
};

struct Bounds {
  RowEstimates elbo;
  RowEstimates log_likelihood;  // log mean weight: below log p(x) on average
};

// Numbers of q(z | x) to evaluate: the encoder's, [rows, encoder outputs].
torch::Tensor encoder_outputs(const Subject& subject);
// In pieces of at most so many decoded rows.
Bounds importance_bounds(const Subject& subject, LatentFamily& family, const torch::Tensor& outputs,
                         std::int64_t samples, std::int64_t piece = 50000);

struct AisOptions {
  std::int64_t temperatures = 500;
  std::int64_t chains = 16;
  std::int64_t leapfrogs = 10;
  std::int64_t piece = 20000;  // chains times rows at once
};
struct AisResult {
  RowEstimates log_likelihood;
  double acceptance = 0;  // of all transitions
};
// Throws Error usage for codes.
AisResult ais_log_likelihood(const Subject& subject, const AisOptions& options);

struct LocalOptions {
  std::int64_t steps = 500;
  std::int64_t samples = 10;
  double rate = 0.02;
  std::int64_t piece = 100000;
};
// q(z | x) of the family fitted to each row alone by its ELBO, from `start` on: [rows, encoder outputs].
torch::Tensor fit_locally(const Subject& subject, LatentFamily& family, const torch::Tensor& start,
                          const LocalOptions& options);

// Mean over rows, its standard error as other rows of the kind would change it, and the part of that which is
// Monte Carlo noise.
struct Figure {
  double mean = 0;
  double error = 0;
  double monte_carlo = 0;
};
Figure figure_of(const RowEstimates& rows);

struct RowsEvaluation {
  std::int64_t rows = 0;
  Figure elbo = {};
  Figure log_likelihood = {};
  // Of the first gap_rows rows. log p(x) there is the larger of the means by importance and by annealing.
  std::int64_t gap_rows = 0;
  std::optional<Figure> ais = {};
  double acceptance = 0;
  std::optional<Figure> gap_log_likelihood = {}, gap_elbo = {};
  std::optional<Figure> local_elbo = {}, flow_elbo = {};
  std::optional<Figure> approximation_gap = {}, amortisation_gap = {}, flow_gap = {};
};

struct VaeEvaluation {
  std::int64_t samples = 0;
  std::int64_t refining_steps = 0;
  RowsEvaluation test = {};
  std::optional<RowsEvaluation> train = {};
  std::vector<double> activity = {};  // of each latent variable: variance over rows of its posterior mean
  std::int64_t active = 0;            // of them above 0.01
  std::optional<CodeUse> codes = {};  // of vector quantisation
  Findings findings = {};
};

struct VaeEvaluateOptions {
  std::int64_t samples = 5000;
  std::int64_t gap_rows = 100;  // 0: neither gaps nor annealing
  bool uses_ais = false;
  bool wants_gaps = true;
  std::int64_t refining_steps = 0;  // of q(z | x), for each row, before all else
  AisOptions ais = {};
  LocalOptions local = {};
  std::uint64_t seed = 0;
  std::function<void(const std::string& what)> on_stage = {};
};

// train.x may be undefined: then no generalisation gap is known. As many of its rows as of test are taken.
VaeEvaluation evaluate_vae(const Vae& vae, const torch::Tensor& flat, const VaeRows& test,
                           const VaeRows& train, const VaeEvaluateOptions& options);

// For people, and as JSON.
std::string evaluation_table(const VaeEvaluation& evaluation);
std::string evaluation_json(const VaeEvaluation& evaluation);

}  // namespace kullback::deep
