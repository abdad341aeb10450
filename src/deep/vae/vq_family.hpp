// q(z | x) that puts each part of z on the nearest of some codes.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "deep/vae/latent_family.hpp"
#include "deep/vae/quantise.hpp"

namespace kullback::deep {

inline constexpr auto kCodes = CountOption("codes", 512, "Codes of the book").from(2).to(10'000'000);
inline constexpr auto kCodeSize =
    CountOption("code_size", "Latent variables of a code (default: all in --latent)").from(1);
// Throws Error usage where the code has more than there are, or they are no multiple of it.
std::int64_t code_size_of(const OptionValues& values, std::int64_t latent);

struct VqSpec {
  std::int64_t parts = 1;      // of z, each on a code
  std::int64_t part_size = 1;  // latent variables of a part
  std::int64_t codes = 512;
  PastCodes past = PastCodes::rotation;
  double commitment = 0.25;
  // Codes as running means of the points that choose them; false: moved by the gradient of their distance.
  bool uses_means = true;
  double decay = 0.99;
  double restart = 0.05;  // a code with less than this part of its fair share moves to a point; 0: never
};

class VqFamily final : public LatentFamily {
 public:
  explicit VqFamily(VqSpec spec) : spec_(spec) {}

  std::int64_t encoder_outputs() const override { return spec_.parts * spec_.part_size; }
  void add_slots(Layout& layout) override;
  void start(const Parameters& parameters) override;
  std::unique_ptr<LatentPosterior> at(const Parameters& parameters, const torch::Tensor& outputs,
                                      Mode mode) override;
  bool has_density() const override { return false; }
  bool mixes_rows() const override { return spec_.uses_means; }

  const VqSpec& spec() const { return spec_; }
  // [codes, part_size]
  torch::Tensor codebook(const Parameters& parameters) const { return parameters[slot_].squeeze(0); }
  // Of z or of the encoder's outputs, [..., latent]: int64 [..., parts].
  torch::Tensor codes_of(const Parameters& parameters, const torch::Tensor& z) const;

 private:
  void move_codes(const Parameters& parameters, const torch::Tensor& points,
                  const torch::Tensor& chosen) const;

  VqSpec spec_;
  std::size_t slot_ = 0;
  std::size_t counts_ = 0, sums_ = 0;  // running, slots without a gradient: [codes], [codes, part_size]
};

}  // namespace kullback::deep
