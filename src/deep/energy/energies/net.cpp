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
#include "deep/counts.hpp"
#include "deep/energy/energy.hpp"
#include "deep/net/options.hpp"

namespace kullback::deep {

namespace {

constexpr auto kHidden = TextOption("hidden", "64,64", "Units of each hidden layer: 64,64; none: linear");
enum class NetKind { mlp, conv };
constexpr auto kArchitecture =
    ChoiceOption("architecture", NetKind::mlp, "mlp|conv", "Of the network; conv: convolutions, of images");
constexpr auto kFilters =
    TextOption("filters", "16,32", "Of the convolutions, each of which halves the image");

constexpr double kReach = 10;  // the grid goes from -10 to 10 sds of the base
constexpr std::int64_t kMostGridDim = 2;
constexpr std::int64_t kGridPoints = 251;  // of a coordinate

class NetEnergy final : public Energy {
 public:
  NetEnergy(const OptionValues& values, const EnergySpec& spec) : dim_(spec.dim), options_(spec.options) {
    const Activation activation = values[kSiluActivation];
    const std::vector<std::int64_t> hidden = counts_of(values, kHidden);
    if (values[kArchitecture] == NetKind::mlp) {
      net_ = mlp(layout_, "net", {.inputs = dim_, .hidden = hidden, .outputs = 1, .activation = activation});
      return;
    }
    if (!spec.is_image())
      throw Error(ErrorKind::usage, "--architecture conv needs images, and these rows are not.",
                  "Say how large the images are with --image 28x28, or choose --architecture mlp.");
    net_ = conv_net(layout_, "net",
                    {.channels = spec.channels,
                     .height = spec.height,
                     .width = spec.width,
                     .filters = counts_of(values, kFilters),
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

constexpr const OptionRecord* kOptions[] = {&kHidden, &kArchitecture, &kFilters, &kSiluActivation};

}  // namespace

extern const EnergyRecord kNetEnergy;
const EnergyRecord kNetEnergy{
    .name = "net",
    .summary = "a network's output plus half the squared length: numbers and images",
    .needs_bits = false,
    .options = kOptions,
    .make = [](const OptionValues& values, const EnergySpec& spec) -> std::unique_ptr<Energy> {
      return std::make_unique<NetEnergy>(values, spec);
    }};

}  // namespace kullback::deep
