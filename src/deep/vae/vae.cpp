#include "deep/vae/vae.hpp"

#include <utility>

#include "base/error.hpp"
#include "deep/vae/networks.hpp"

namespace kullback::deep {

Vae::Vae(VaeSpec spec, std::unique_ptr<LatentFamily> family, std::unique_ptr<DecoderLikelihood> likelihood,
         std::unique_ptr<LatentPrior> prior)
    : spec_(std::move(spec)),
      family_(std::move(family)),
      likelihood_(std::move(likelihood)),
      prior_(std::move(prior)) {
  encoder_ = encoder_net(layout_, spec_, family_->encoder_outputs());
  family_->add_slots(layout_);
  encoder_size_ = layout_.size();
  const std::int64_t decoded = prior_->decoded() == 0 ? spec_.latent : prior_->decoded();
  decoder_ = decoder_net(layout_, spec_, decoded, likelihood_->outputs_per_pixel());
  likelihood_->add_slots(layout_);
  prior_->add_slots(layout_);
  if (!spec_.is_brief) return;
  encoder_.use_bfloat16();
  decoder_.use_bfloat16();
}

torch::Tensor Vae::fresh(const torch::Tensor& rows, std::uint64_t seed) const {
  const torch::NoGradGuard no_gradient;
  torch::Tensor flat = fresh_parameters(layout_, 1, seed, rows.options());
  const Parameters parameters = split(flat);
  family_->start(parameters);
  prior_->start(parameters, rows);
  const torch::Tensor bias = likelihood_->start_bias(rows);
  const Affine& last = *decoder_.affines().back();
  if (bias.defined() && last.kind == Affine::Kind::linear) parameters[last.bias].copy_(bias.unsqueeze(0));
  return flat;
}

torch::Tensor Vae::encoder_input(const torch::Tensor& x, const torch::Tensor& label) const {
  if (!label.defined()) return x.unsqueeze(0);
  const std::int64_t copies = label_inputs(spec_) / spec_.labels;
  return at::cat({x, copies == 1 ? label : label.repeat_interleave(copies, 1)}, 1).unsqueeze(0);
}

torch::Tensor Vae::decoder_input(const torch::Tensor& z, const torch::Tensor& label) const {
  torch::Tensor input = prior_->decoded() == 0 ? z : z.narrow(2, 0, prior_->decoded());
  if (label.defined())
    input = at::cat({input, label.unsqueeze(0).expand({z.size(0), label.size(0), label.size(1)})}, 2);
  return input.reshape({1, -1, input.size(2)});
}

torch::Tensor Vae::encode(const Parameters& parameters, const torch::Tensor& x,
                          const torch::Tensor& label) const {
  return encoder_.forward(parameters, encoder_input(x, label)).squeeze(0);
}

std::unique_ptr<LatentPosterior> Vae::posterior(const Parameters& parameters, const torch::Tensor& x,
                                                const torch::Tensor& label, Mode mode) const {
  return family_->at(parameters, encode(parameters, x, label), mode);
}

torch::Tensor Vae::decode(const Parameters& parameters, const torch::Tensor& z,
                          const torch::Tensor& label) const {
  const torch::Tensor outputs = decoder_.forward(parameters, decoder_input(z, label));
  return outputs.view({z.size(0), z.size(1), -1});
}

torch::Tensor Vae::log_likelihood(const Parameters& parameters, const torch::Tensor& x,
                                  const torch::Tensor& label, const torch::Tensor& z) const {
  return likelihood_->log_density(parameters, decode(parameters, z, label), x);
}

torch::Tensor Vae::log_prior(const Parameters& parameters, const torch::Tensor& z) const {
  return prior_->log_density(*this, parameters, z);
}

torch::Tensor Vae::log_joint(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& label,
                             const torch::Tensor& z) const {
  return log_likelihood(parameters, x, label, z) + log_prior(parameters, z);
}

Terms Vae::terms(const Parameters& parameters, const torch::Tensor& x, const torch::Tensor& label,
                 const LatentPosterior& posterior, const Noise& noise, const TermsRequest& request) const {
  if (request.gradient != DrawGradient::total && !family_->has_density()) {
    throw Error(ErrorKind::usage,
                "this posterior family can be sampled but its density cannot be evaluated elsewhere, which "
                "the objective needs.",
                "Choose --posterior gaussian, or --objective vae or iwae with --gradient plain.");
  }
  Terms terms;
  if (request.closed_kl && prior_->is_standard()) terms.kl = posterior.kl_to_standard();
  const bool needs_density = !terms.kl.defined();
  LatentDraws draws =
      posterior.rsample(request.samples, noise, needs_density && request.gradient == DrawGradient::total);
  terms.penalty = draws.penalty;
  terms.z = request.gradient == DrawGradient::score ? draws.z.detach() : draws.z;
  terms.log_likelihood = log_likelihood(parameters, x, label, terms.z);
  if (!needs_density) return terms;
  terms.log_prior = log_prior(parameters, terms.z);
  switch (request.gradient) {
    case DrawGradient::total: terms.log_q = draws.log_q; break;
    case DrawGradient::path: terms.log_q = posterior.stopped()->log_density(terms.z); break;
    case DrawGradient::score: terms.log_q = posterior.log_density(terms.z); break;
  }
  return terms;
}

}  // namespace kullback::deep
