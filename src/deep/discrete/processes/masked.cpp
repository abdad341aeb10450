// Masked diffusion (Sahoo et al. 2024; Shi et al. 2024): columns are hidden one after another, at times that
// are alike for all. With a share 1 - alpha of the columns hidden at time t, the bound is
//   log p(x) >= int alpha' / (1 - alpha) E sum over hidden columns of -log p(x_i | those not hidden) dt
// whatever the schedule alpha. The time tells nothing that the number k of hidden columns does not, so it is
// integrated out: int dt / t times the chance of k hidden columns at t is 1 / k, and with k equally likely
// from 1 to D
//   log p(x) >= E D / k sum over k hidden columns of log p(x_i | those not hidden).
// That is the mean over all orders of the columns of what an autoregressive model has in that order: with the
// exact conditionals it is log p(x) itself, of every row.
#include <algorithm>
#include <tuple>

#include "deep/discrete/categories.hpp"

namespace kullback::deep::discrete {

namespace {

class Masked final : public Process {
 public:
  explicit Masked(const Setting& setting) : categories_(setting) {}

  std::int64_t inputs() const override { return categories_.most(); }
  std::int64_t outputs() const override { return categories_.most(); }

  NetInput seen(const torch::Tensor& state, const torch::Tensor& t) const override {
    return {.x = categories_.one_hot(state), .c = torch::zeros_like(t, categories_.number())};
  }

  torch::Tensor meant(const torch::Tensor& raw, const torch::Tensor&, const torch::Tensor&) const override {
    return categories_.log_chances(raw);
  }

  torch::Tensor bound(const Denoiser& denoiser, const torch::Tensor& x, const torch::Tensor& uniform,
                      const Noise& noise) const override {
    const std::int64_t dims = categories_.dims();
    const torch::Tensor count = ((uniform * dims).to(torch::kInt64) + 1).clamp_max(dims);  // hidden
    const torch::Tensor order = noise.uniform(x.sizes(), categories_.number(), 0);
    const torch::Tensor last = std::get<0>(order.sort(1)).gather(1, (count - 1).unsqueeze(1));
    const torch::Tensor is_hidden = order <= last;
    const torch::Tensor state = x.masked_fill(is_hidden, categories_.hidden());
    const torch::Tensor share = count.to(torch::kFloat64) / static_cast<double>(dims);
    const torch::Tensor each = Categories::at(denoiser.at(state, share), x);
    return (each * is_hidden).sum(1) / share.to(each.scalar_type());
  }

  // Columns are shown in a random order, about equally many in each step. Those of one step are drawn
  // independently given the earlier ones; with a step for each column there is no error of steps.
  torch::Tensor draw(const Denoiser& denoiser, std::int64_t rows, const DrawOptions& options) const override {
    const std::int64_t dims = categories_.dims(), steps = steps_taken(options.steps);
    const torch::Tensor order = std::get<1>(torch::rand({rows, dims}, categories_.number()).sort(1));
    const torch::Tensor rank = std::get<1>(order.sort(1));
    torch::Tensor state = torch::full_like(rank, categories_.hidden());
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::int64_t first = dims * step / steps, end = dims * (step + 1) / steps;
      const torch::Tensor share =
          torch::full({rows}, 1 - static_cast<double>(first) / static_cast<double>(dims),
                      categories_.number().dtype(torch::kFloat64));
      const torch::Tensor drawn =
          categories_.draw(denoiser.at(state, share), torch::rand({rows, dims}, categories_.number()));
      state = at::where((rank >= first).logical_and(rank < end), drawn, state);
      if (after_step(options, step + 1, steps, state)) break;
    }
    return state;
  }

  std::int64_t steps_taken(std::int64_t asked) const override {
    return std::clamp<std::int64_t>(asked, 1, categories_.dims());
  }

 private:
  Categories categories_;
};

}  // namespace

extern const ProcessRecord k_masked;
const ProcessRecord k_masked{
    .name = "masked",
    .summary = "columns are hidden one after another",
    .citation = "Sahoo et al. 2024; Shi et al. 2024",
    .options = {},
    .make = [](const OptionValues&, const Setting& setting) -> std::unique_ptr<Process> {
      return std::make_unique<Masked>(setting);
    }};

}  // namespace kullback::deep::discrete
