// E_b(x) = |x|^2 / 2 + b f(x) + dim log(2 pi) / 2, f a network with one output: a standard normal tilted by
// exp(-f). Networks grow no faster than linearly, so that Z is finite whatever the weights are, and Z_0 = 1.
// In one and two dimensions Z is a sum over a grid (the trapezoid rule, which is exponentially accurate for a
// smooth function that vanishes with its derivatives at the border).
#include "deep/net/net.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "deep/count_list.hpp"
#include "deep/energy/energy.hpp"

namespace kullback::deep {

namespace {

constexpr double kReach = 10;  // the grid goes from -10 to 10 sds of the base
constexpr std::int64_t kMostGridDim = 2;
constexpr std::int64_t kGridPoints = 251;  // of a coordinate

class NetEnergy final : public Energy {
 public:
  NetEnergy(const Settings& settings, const EnergySpec& spec) : dim_(spec.dim), options_(spec.options) {
    const Activation activation = activation_named(settings.text("activation"));
    const std::vector<std::int64_t> hidden =
        count_list("hidden", settings.text("hidden"), "Write --hidden 64,64 for two layers.");
    if (settings.choice("architecture", {"mlp", "conv"}) == 0) {
      net_ = mlp(layout_, "net", {.inputs = dim_, .hidden = hidden, .outputs = 1, .activation = activation});
      return;
    }
    if (!spec.is_image())
      throw Error(ErrorKind::usage, "--architecture conv needs images, and these rows are not.",
                  "Say how large the images are with --image 28x28, or choose --architecture mlp.");
    net_ = conv_net(
        layout_, "net",
        {.channels = spec.channels,
         .height = spec.height,
         .width = spec.width,
         .filters = count_list("filters", settings.text("filters"), "Write --filters 16,32 for two layers."),
         .hidden = hidden,
         .outputs = 1,
         .activation = activation});
  }

  std::int64_t dim() const override { return dim_; }
  const Layout& layout() const override { return layout_; }
  bool is_continuous() const override { return true; }

  torch::Tensor at(const Parameters& parameters, const torch::Tensor& x, double b) const override {
    const double constant = 0.5 * static_cast<double>(dim_) * std::log(2 * std::numbers::pi);
    const torch::Tensor base = 0.5 * x.square().sum(1) + constant;
    if (b == 0) return base;
    return base + b * net_.forward(parameters, x.unsqueeze(0)).squeeze(2).squeeze(0);
  }

  double base_log_partition() const override { return 0; }
  torch::Tensor base_draws(std::int64_t count, const Noise& noise) const override {
    return noise.normal({count, dim_}, options_, 0);
  }

  std::string exact_partition_by() const override { return dim_ <= kMostGridDim ? "quadrature" : ""; }

  torch::Tensor log_partition(const Parameters& parameters) const override {
    if (dim_ > kMostGridDim) return Energy::log_partition(parameters);
    const double width = 2 * kReach / static_cast<double>(kGridPoints - 1);
    return at::logsumexp(-(*this)(parameters, grid()).to(torch::kFloat64), 0) +
           static_cast<double>(dim_) * std::log(width);
  }

  std::string first_not_finite(const Parameters& parameters, const torch::Tensor& x) const override {
    return net_.first_not_finite(parameters, x.unsqueeze(0));
  }

 private:
  torch::Tensor grid() const {
    const torch::Tensor line = torch::linspace(-kReach, kReach, kGridPoints, options_);
    if (dim_ == 1) return line.unsqueeze(1);
    return at::stack({line.repeat_interleave(kGridPoints), line.repeat({kGridPoints})}, 1);
  }

  std::int64_t dim_;
  torch::TensorOptions options_;
  Layout layout_;
  Net net_;
};

}  // namespace

extern const EnergyRecord kNetEnergy;
const EnergyRecord kNetEnergy{
    .name = "net",
    .summary = "a network's output plus half the squared length: numbers and images",
    .needs_bits = false,
    .options = {{"hidden", "64,64", "units of each hidden layer: 64,64; none: linear"},
                {"architecture", "mlp", "mlp or conv"},
                {"filters", "16,32", "of the convolutions, each of which halves the image"},
                {"activation", "silu",
                 "identity, relu, leaky-relu, elu, gelu, silu, softplus, tanh, sigmoid"}},
    .make = [](const Settings& settings, const EnergySpec& spec) -> std::unique_ptr<Energy> {
      return std::make_unique<NetEnergy>(settings, spec);
    }};

}  // namespace kullback::deep
