// Independent normals with a network that improves their numbers (Marino, Yue and Mandt 2018): it reads the
// estimate and the gradient of the ELBO to it, each normalised over the row, and moves through a gate:
//   next = g * estimate + (1 - g) * proposal.
#include "deep/counts.hpp"
#include "deep/flow/linear.hpp"
#include "deep/vae/refine.hpp"

namespace kullback::deep {

namespace {

constexpr auto kRefineHidden =
    CountOption("refine_hidden", 200, "Units of the network that refines the posterior").from(1).to(100000);

constexpr double kStay = 2;  // the gate is mostly open to the old estimate at first

torch::Tensor normalised(const torch::Tensor& x) {
  const torch::Tensor centered = x - x.mean(1, true);
  return centered / at::sqrt(centered.square().mean(1, true) + 1e-8);
}

class Iterative final : public RefiningFamily {
 public:
  Iterative(std::unique_ptr<LatentFamily> normal, std::int64_t hidden)
      : normal_(std::move(normal)), hidden_(hidden) {}

  std::int64_t encoder_outputs() const override { return normal_->encoder_outputs(); }

  void add_slots(Layout& layout) override {
    const std::int64_t numbers = encoder_outputs();
    first_ = add_linear(layout, "posterior.refine.1", {2 * numbers, hidden_, 2 * numbers, 1.4});
    second_ = add_linear(layout, "posterior.refine.2", {hidden_, hidden_, hidden_, 1.4});
    last_ = add_linear(layout, "posterior.refine.3", {hidden_, 2 * numbers, hidden_, 0.1});
  }

  std::unique_ptr<LatentPosterior> at(const Parameters& parameters, const torch::Tensor& outputs,
                                      Mode mode) override {
    return normal_->at(parameters, outputs, mode);
  }

  torch::Tensor refined(const Parameters& parameters, const torch::Tensor& outputs,
                        const torch::Tensor& gradient) const override {
    torch::Tensor h = at::cat({normalised(outputs), normalised(gradient)}, 1).unsqueeze(0);
    h = at::elu(apply_linear(first_, parameters, h));
    h = at::elu(apply_linear(second_, parameters, h));
    const std::vector<torch::Tensor> halves = apply_linear(last_, parameters, h).squeeze(0).chunk(2, 1);
    const torch::Tensor gate = at::sigmoid(halves[1] + kStay);
    return gate * outputs + (1 - gate) * halves[0];
  }

 private:
  std::unique_ptr<LatentFamily> normal_;
  std::int64_t hidden_;
  LinearSlots first_, second_, last_;
};

constexpr const OptionRecord* kOptions[] = {&kRefineHidden};

}  // namespace

extern const LatentFamilyRecord kIterativeFamily;
const LatentFamilyRecord kIterativeFamily{
    .name = "iterative",
    .summary = "independent normals and a network that improves them from the gradient of the bound",
    .use_when = "With --objective iterative: the amortisation gap is large.",
    .citation = "Marino, Yue, Mandt 2018, Iterative amortized inference",
    .options = kOptions,
    .make = [](const OptionValues& values, const VaeSpec& spec) -> std::unique_ptr<LatentFamily> {
      const LatentFamilyRecord& normal = *find_latent_family("gaussian");
      return std::make_unique<Iterative>(normal.make({}, spec), count_of(values, kRefineHidden));
    }};

}  // namespace kullback::deep
