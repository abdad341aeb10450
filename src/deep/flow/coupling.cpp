// Affine coupling (Dinh, Sohl-Dickstein and Bengio 2017): one part of z stays and moves the other,
//   y_b = z_b exp(s(z_a)) + t(z_a),  log det = sum s,  with s bounded by 2 tanh.
// Layers take turns in which part moves; both directions cost the same.
#include "base/error.hpp"
#include "deep/flow/flow.hpp"
#include "deep/flow/linear.hpp"

namespace kullback::deep {

namespace {

constexpr double kBound = 2;  // of log-scales
constexpr double kFirstOutput = 0.1;

class Coupling final : public FlowLayer {
 public:
  Coupling(Layout& layout, const std::string& prefix, const NeuralFlowSpec& spec, bool is_swapped)
      : spec_(spec), is_swapped_(is_swapped) {
    const std::int64_t first = spec.dim / 2, second = spec.dim - first;
    kept_ = is_swapped ? second : first;
    const std::int64_t inputs = kept_ + spec.context, moved = spec.dim - kept_;
    net_[0] = add_linear(layout, prefix + ".1", {inputs, spec.hidden, inputs});
    net_[1] = add_linear(layout, prefix + ".2", {spec.hidden, spec.hidden, spec.hidden});
    net_[2] = add_linear(layout, prefix + ".3", {spec.hidden, 2 * moved, spec.hidden, kFirstOutput});
  }

  std::int64_t context() const override { return spec_.context; }

  Flowed forward(const Parameters& parameters, const torch::Tensor& z,
                 const torch::Tensor& context) const override {
    const Halves halves = halves_of(z);
    const Change change = change_by(parameters, halves.kept, context);
    return {joined(halves.kept, halves.moved * at::exp(change.log_scale) + change.shift),
            change.log_scale.sum(-1)};
  }

  bool has_inverse() const override { return true; }

  Flowed inverse(const Parameters& parameters, const torch::Tensor& z,
                 const torch::Tensor& context) const override {
    const Halves halves = halves_of(z);
    const Change change = change_by(parameters, halves.kept, context);
    return {joined(halves.kept, (halves.moved - change.shift) * at::exp(-change.log_scale)),
            -change.log_scale.sum(-1)};
  }

 private:
  struct Halves {
    torch::Tensor kept, moved;
  };
  struct Change {
    torch::Tensor log_scale, shift;
  };

  Halves halves_of(const torch::Tensor& z) const {
    const std::int64_t moved = spec_.dim - kept_;
    if (is_swapped_) return {z.narrow(-1, moved, kept_), z.narrow(-1, 0, moved)};
    return {z.narrow(-1, 0, kept_), z.narrow(-1, kept_, moved)};
  }

  torch::Tensor joined(const torch::Tensor& kept, const torch::Tensor& moved) const {
    return is_swapped_ ? at::cat({moved, kept}, -1) : at::cat({kept, moved}, -1);
  }

  Change change_by(const Parameters& parameters, const torch::Tensor& kept,
                   const torch::Tensor& context) const {
    torch::Tensor h = kept;
    if (spec_.context > 0) {
      std::vector<std::int64_t> shape = kept.sizes().vec();
      shape.back() = spec_.context;
      h = at::cat({kept, context.expand(shape)}, -1);
    }
    h = at::silu(apply_linear(net_[0], parameters, h));
    h = at::silu(apply_linear(net_[1], parameters, h));
    const std::vector<torch::Tensor> outputs = apply_linear(net_[2], parameters, h).chunk(2, -1);
    return {kBound * at::tanh(outputs[0] / kBound), outputs[1]};
  }

  NeuralFlowSpec spec_;
  bool is_swapped_;
  std::int64_t kept_ = 0;
  LinearSlots net_[3];
};

}  // namespace

Flow coupling_flow(Layout& layout, const std::string& prefix, const NeuralFlowSpec& spec) {
  if (spec.dim < 2) {
    throw Error(ErrorKind::usage, "a coupling flow needs at least two latent dimensions.",
                "Give a larger --latent, or another prior.");
  }
  std::vector<std::unique_ptr<FlowLayer>> all;
  for (std::int64_t i = 0; i < spec.layers; ++i)
    all.push_back(std::make_unique<Coupling>(layout, prefix + "." + std::to_string(i + 1), spec, i % 2 == 1));
  return Flow(std::move(all), Flow::ContextUse::shared);
}

}  // namespace kullback::deep
