// Block Gibbs sampling of a machine with hidden units: all hidden given the visible, all visible given the
// hidden.
#include <limits>

#include "deep/energy/chain_sampler.hpp"

namespace kullback::deep {

namespace {

class Gibbs final : public ChainSampler {
 public:
  explicit Gibbs(const torch::TensorOptions& options) : one_(torch::ones({}, options)) {}

  ChainStep move(const ChainTarget& target, const torch::Tensor& x, bool /*adapts*/) override {
    return {.x = target.gibbs(x), .acceptance = one_};
  }
  double step_size() const override { return std::numeric_limits<double>::quiet_NaN(); }
  void visit(const VisitTensor&) override {}

 private:
  torch::Tensor one_;
};

}  // namespace

extern const ChainSamplerRecord kGibbsSampler;
const ChainSamplerRecord kGibbsSampler{
    .name = "gibbs",
    .summary = "all hidden units given the visible ones, then all visible given the hidden",
    .citation = "Geman, Geman 1984; Hinton 2002",
    .is_for_bits = true,
    .is_adjusted = true,
    .options = {},
    .make = [](const OptionValues&, std::int64_t, const torch::TensorOptions& options)
        -> std::unique_ptr<ChainSampler> { return std::make_unique<Gibbs>(options); }};

}  // namespace kullback::deep
