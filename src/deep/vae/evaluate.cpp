// Gaps (Cremer, Li and Duvenaud 2018), for q of the encoder and q* of the same family fitted to each row:
//   approximation gap  log p(x) - ELBO(q*):  what the family cannot express,
//   amortisation gap   ELBO(q*) - ELBO(q):   what the encoder loses against a fit to each row,
// and, between rows of the training data and others, generalisation gaps: the difference of the bound, of
// log p(x) (the decoder's part) and of the amortisation gap (the encoder's part).
// A latent variable is active where the variance over rows of its posterior mean is above 0.01 (Burda, Grosse
// and Salakhutdinov 2016).
#include "deep/vae/evaluate.hpp"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "deep/purpose.hpp"
#include "deep/vae/refine.hpp"
#include "deep/vae/vq_family.hpp"

namespace kullback::deep {

namespace {

constexpr double kActive = 0.01;
constexpr double kFlowStart = 0.1;  // sd of the flow's first numbers
constexpr std::int64_t kRowsAtOnce = 256;

// Sylvester layers on a Gaussian, for fits to single rows.
std::unique_ptr<LatentFamily> local_flow(const VaeSpec& spec) {
  const LatentFamilyRecord& record = *find_latent_family("sylvester");
  const OptionValues values =
      read_options(record.options, {{"flow_layers", "2"}, {"flow_reflections", "4"}}, record.name);
  std::unique_ptr<LatentFamily> family = record.make(values, spec);
  Layout none;
  family->add_slots(none);
  return family;
}

torch::Tensor flow_start(const Subject& subject, LatentFamily& own, const torch::Tensor& outputs,
                         std::int64_t numbers) {
  const torch::NoGradGuard no_gradient;
  const Moments moments = own.at(subject.vae.split(subject.flat), outputs, Mode::evaluate)->moments();
  const torch::Tensor normal = at::cat({moments.mean, moments.sd.clamp_min(1e-6).log()}, 1);
  const torch::Tensor context =
      torch::randn({normal.size(0), numbers - normal.size(1)}, normal.options()) * kFlowStart;
  return at::cat({normal, context}, 1);
}

RowEstimates difference(const RowEstimates& a, const RowEstimates& b) {
  return {a.value - b.value, at::sqrt(a.error.square() + b.error.square())};
}

class Evaluator final {
 public:
  Evaluator(const Vae& vae, const torch::Tensor& flat, const VaeEvaluateOptions& options)
      : vae_(vae), flat_(flat), options_(options) {}

  RowsEvaluation of(const VaeRows& rows, const std::string& name) {
    Subject subject{vae_, flat_, observe(vae_, flat_, rows, options_.seed), options_.seed};
    const torch::Tensor outputs = outputs_of(subject, name);
    say("importance weighting of the " + name + " rows");
    const Bounds bounds = importance_bounds(subject, vae_.family(), outputs, options_.samples);
    RowsEvaluation result{.rows = rows.size(),
                          .elbo = figure_of(bounds.elbo),
                          .log_likelihood = figure_of(bounds.log_likelihood)};
    const std::int64_t some = std::min(options_.gap_rows, rows.size());
    const bool has_codes = dynamic_cast<const VqFamily*>(&vae_.family()) != nullptr;
    if (some > 0 && (options_.uses_ais || (options_.wants_gaps && !has_codes))) {
      subject.rows = subject.rows.narrow(0, some);
      look_closer(subject, outputs.narrow(0, 0, some), bounds, name, result);
    }
    return result;
  }

  // [latent]
  torch::Tensor activity(const VaeRows& rows) const {
    const torch::NoGradGuard no_gradient;
    const Subject subject{vae_, flat_, observe(vae_, flat_, rows, options_.seed), options_.seed};
    const torch::Tensor mean =
        vae_.family().at(vae_.split(flat_), encoder_outputs(subject), Mode::evaluate)->moments().mean;
    return mean.var(0, true).to(torch::kFloat64).cpu();
  }

 private:
  void say(const std::string& what) const {
    if (options_.on_stage) options_.on_stage(what);
  }

  // By the family's own network where it has one, else as in fits to single rows.
  torch::Tensor outputs_of(const Subject& subject, const std::string& name) const {
    const torch::Tensor outputs = encoder_outputs(subject);
    if (options_.refining_steps == 0) return outputs;
    say("refining the posteriors of the " + name + " rows");
    if (dynamic_cast<const RefiningFamily*>(&vae_.family()) != nullptr) return iterated(subject, outputs);
    LocalOptions steps = options_.local;
    steps.steps = options_.refining_steps;
    return fit_locally(subject, vae_.family(), outputs, steps);
  }

  torch::Tensor iterated(const Subject& subject, const torch::Tensor& outputs) const {
    const Parameters parameters = vae_.split(flat_);
    std::vector<torch::Tensor> pieces;
    for (std::int64_t first = 0; first < outputs.size(0); first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, outputs.size(0) - first);
      const Observed rows = subject.rows.narrow(first, count);
      const Pass pass{.vae = vae_,
                      .parameters = parameters,
                      .x = rows.x,
                      .label = rows.label,
                      .progress = {},
                      .noise = Noise(),
                      .mode = Mode::evaluate};
      const Iterates iterates =
          iterate(pass, outputs.narrow(0, first, count), options_.refining_steps, options_.local.samples);
      pieces.push_back(iterates.outputs.back().detach());
    }
    return at::cat(pieces);
  }

  void look_closer(const Subject& subject, const torch::Tensor& outputs, const Bounds& bounds,
                   const std::string& name, RowsEvaluation& result) const {
    const std::int64_t some = subject.rows.size();
    const auto first = [&](const RowEstimates& all) {
      return RowEstimates{all.value.narrow(0, 0, some), all.error.narrow(0, 0, some)};
    };
    RowEstimates log_likelihood = first(bounds.log_likelihood);
    const RowEstimates elbo = first(bounds.elbo);
    result.gap_rows = some;
    if (options_.uses_ais) {
      say("annealing of " + std::to_string(some) + " " + name + " rows");
      const AisResult ais = ais_log_likelihood(subject, options_.ais);
      result.ais = figure_of(ais.log_likelihood);
      result.acceptance = ais.acceptance;
      if (result.ais->mean > figure_of(log_likelihood).mean) log_likelihood = ais.log_likelihood;
    }
    result.gap_log_likelihood = figure_of(log_likelihood);
    result.gap_elbo = figure_of(elbo);
    if (!options_.wants_gaps) return;

    say("fits to " + std::to_string(some) + " single " + name + " rows");
    const torch::Tensor fitted = fit_locally(subject, vae_.family(), outputs, options_.local);
    const RowEstimates local = importance_bounds(subject, vae_.family(), fitted, options_.samples).elbo;
    result.local_elbo = figure_of(local);
    result.approximation_gap = figure_of(difference(log_likelihood, local));
    result.amortisation_gap = figure_of(difference(local, elbo));

    const std::unique_ptr<LatentFamily> flow = local_flow(vae_.spec());
    const torch::Tensor start = flow_start(subject, vae_.family(), fitted, flow->encoder_outputs());
    const torch::Tensor bent = fit_locally(subject, *flow, start, options_.local);
    const RowEstimates flow_elbo = importance_bounds(subject, *flow, bent, options_.samples).elbo;
    result.flow_elbo = figure_of(flow_elbo);
    result.flow_gap = figure_of(difference(log_likelihood, flow_elbo));
  }

  const Vae& vae_;
  const torch::Tensor& flat_;
  const VaeEvaluateOptions& options_;
};

CodeUse use_of_codes(const Vae& vae, const torch::Tensor& flat, const VqFamily& family, const VaeRows& rows,
                     std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  const Subject subject{vae, flat, observe(vae, flat, rows, seed), seed};
  const torch::Tensor chosen = family.codes_of(vae.split(flat), encoder_outputs(subject));
  return code_use(at::bincount(chosen.flatten(), {}, family.spec().codes));
}

void diagnose(VaeEvaluation& evaluation) {
  const auto latent = static_cast<std::int64_t>(evaluation.activity.size());
  if (evaluation.codes) {
    const CodeUse& codes = *evaluation.codes;
    if (2 * codes.dead > codes.codes) {
      evaluation.findings.push_back(
          {.code = "dead-codes",
           .message = fmt::format("{} of {} codes are never used.", codes.dead, codes.codes),
           .evidence = fmt::format("the perplexity of their use is {:.1f}", codes.perplexity),
           .advice = "Give fewer --codes, or a larger --code-restart."});
    }
    return;
  }
  if (evaluation.active == 0) {
    evaluation.findings.push_back(
        {.code = "collapse",
         .message = "no latent variable is used: the posterior has collapsed to the prior.",
         .evidence = fmt::format("posterior means of all {} have variances below {}", latent, kActive),
         .advice = "Try --objective annealed, a --floor, or a weaker decoder."});
  } else if (2 * evaluation.active < latent) {
    evaluation.findings.push_back(
        {.code = "inactive-units",
         .message =
             fmt::format("{} of {} latent variables are not used.", latent - evaluation.active, latent),
         .evidence = fmt::format("their posterior means have variances below {}", kActive),
         .advice = "A smaller --latent gives the same model; --objective annealed or iwae may use more."});
  }
}

}  // namespace

torch::Tensor fit_locally(const Subject& subject, LatentFamily& family, const torch::Tensor& start,
                          const LocalOptions& options) {
  Random random(subject.seed, 0, static_cast<std::uint32_t>(Purpose::evaluation), 3);
  at::manual_seed(random());
  const Parameters parameters = subject.vae.split(subject.flat.detach());
  std::vector<torch::Tensor> fitted;
  const std::int64_t at_once = std::max<std::int64_t>(options.piece / options.samples, 1);
  for (std::int64_t first = 0; first < start.size(0); first += at_once) {
    const std::int64_t count = std::min(at_once, start.size(0) - first);
    const Observed rows = subject.rows.narrow(first, count);
    torch::Tensor outputs = start.narrow(0, first, count).detach().clone();
    Adam adam(outputs, {.rate = options.rate});
    const auto number = outputs.options().dtype(torch::kFloat64);
    for (std::int64_t i = 0; i < options.steps; ++i) {
      const at::AutoGradMode with_gradient(true);
      const torch::Tensor now = outputs.detach().requires_grad_();
      const auto q = family.at(parameters, now, Mode::evaluate);
      const Terms terms = subject.vae.terms(parameters, rows.x, rows.label, *q, Noise(),
                                            {.samples = options.samples, .closed_kl = true});
      const torch::Tensor bound =
          terms.kl.defined() ? terms.log_likelihood.mean(0) - terms.kl : terms.log_weight().mean(0);
      const torch::Tensor gradient = torch::autograd::grad({-bound.sum()}, {now})[0];
      const double progress = static_cast<double>(i) / static_cast<double>(options.steps);
      adam.step(outputs, gradient, torch::full({}, static_cast<double>(i + 1), number),
                rate_scale(Schedule::cosine, torch::full({}, progress, number)));
    }
    fitted.push_back(outputs);
  }
  return at::cat(fitted);
}

VaeEvaluation evaluate_vae(const Vae& vae, const torch::Tensor& flat, const VaeRows& test,
                           const VaeRows& train, const VaeEvaluateOptions& options) {
  Evaluator evaluator(vae, flat, options);
  VaeEvaluation result{.samples = options.samples, .refining_steps = options.refining_steps};
  result.test = evaluator.of(test, "test");
  if (train.x.defined()) {
    const std::int64_t count = std::min(train.size(), test.size());
    result.train =
        evaluator.of({.x = train.x.narrow(0, 0, count),
                      .label = train.label.defined() ? train.label.narrow(0, 0, count) : torch::Tensor()},
                     "training");
  }
  const torch::Tensor activity = evaluator.activity(test);
  for (std::int64_t i = 0; i < activity.size(0); ++i) result.activity.push_back(activity[i].item<double>());
  result.active = std::count_if(result.activity.begin(), result.activity.end(),
                                [](double variance) { return variance > kActive; });
  if (const auto* codes = dynamic_cast<const VqFamily*>(&vae.family()))
    result.codes = use_of_codes(vae, flat, *codes, test, options.seed);
  diagnose(result);
  return result;
}

}  // namespace kullback::deep
