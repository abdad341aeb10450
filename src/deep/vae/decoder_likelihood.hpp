// p(x | z): what the decoder's outputs say of a row.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/net/layout.hpp"
#include "deep/train/noise.hpp"
#include "deep/vae/spec.hpp"

namespace kullback::deep {

// Rows are [rows, pixels]: images in [0, 1] (levels / 255), other data standardised. The decoder's outputs
// are [samples, rows, outputs_per_pixel() * pixels], a block of `pixels` for each kind of output.
class DecoderLikelihood {
 public:
  virtual ~DecoderLikelihood() = default;

  virtual std::int64_t outputs_per_pixel() const = 0;
  // Slots of parameters besides the decoder's outputs, such as the log of a noise; called once, before all
  // else.
  virtual void add_slots(Layout& /*layout*/) {}
  // What of the data is explained, [rows, pixels]: the rows themselves, or a random binarisation of them.
  virtual torch::Tensor observe(const torch::Tensor& rows, const Noise& /*noise*/) const { return rows; }
  // log p(x | z), summed over pixels: [samples, rows].
  virtual torch::Tensor log_density(const Parameters& parameters, const torch::Tensor& outputs,
                                    const torch::Tensor& x) const = 0;
  // Of each pixel, [samples, rows, pixels].
  virtual torch::Tensor mean(const Parameters& parameters, const torch::Tensor& outputs) const = 0;
  virtual torch::Tensor sample(const Parameters& parameters, const torch::Tensor& outputs,
                               const Noise& noise) const = 0;
  // The last bias of the decoder, [outputs_per_pixel() * pixels], that fits the mean of the rows; undefined:
  // 0.
  virtual torch::Tensor start_bias(const torch::Tensor& /*rows*/) const { return {}; }
};

struct DecoderLikelihoodRecord {
  std::string_view name;
  std::string_view summary;
  bool needs_unit_range = false;  // rows in [0, 1]
  OptionTable options;
  std::unique_ptr<DecoderLikelihood> (*make)(const OptionValues& values, const VaeSpec& spec);
};

// In the order of deep/vae/likelihoods.def.
std::span<const DecoderLikelihoodRecord* const> decoder_likelihoods();
const DecoderLikelihoodRecord* find_decoder_likelihood(std::string_view name);

}  // namespace kullback::deep
