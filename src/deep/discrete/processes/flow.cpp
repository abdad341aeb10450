// Flow matching in its variational form (Eijkelboom et al. 2024, CatFlow): with x one-hot and e normal,
// z_t = t x + (1 - t) e from noise at t = 0 to data at t = 1. A network gives q(x | z_t), independent over
// columns, and learns by the cross entropy; all that the flow needs is its mean m(z, t), for
//   dz / dt = (m(z, t) - z) / (1 - t).
// The bound is that of the stochastic process with the same marginals (eta = 1): with r = t / (1 - t), the
// ratio of signal to noise,
//   log p(x) >= -int_0^R |x - m|^2 r dr + E log q(x | z at R),
// where the latter draws the row from what is left of the noise: at R = 12 nothing that hides a category.
#include <cmath>

#include "deep/discrete/categories.hpp"

namespace kullback::deep::discrete {

namespace {

constexpr double kLastRatio = 12;

class Flow final : public Process {
 public:
  explicit Flow(const Setting& setting) : categories_(setting) {}

  std::int64_t inputs() const override { return categories_.most(); }
  std::int64_t outputs() const override { return categories_.most(); }

  NetInput seen(const torch::Tensor& state, const torch::Tensor& t) const override {
    const torch::Tensor scale = (t.square() + (1 - t).square()).rsqrt();
    return {.x = state * wide(scale), .c = (at::logit(t, 1e-4) / -4).to(categories_.number().dtype())};
  }

  torch::Tensor meant(const torch::Tensor& raw, const torch::Tensor&, const torch::Tensor&) const override {
    return categories_.log_chances(raw);
  }

  torch::Tensor loss(const Denoiser& denoiser, const torch::Tensor& x, const Noise& noise) const override {
    const torch::Tensor t = noise.uniform({x.size(0)}, times(), 0);
    return -Categories::at(denoiser.at(noised(categories_.one_hot(x), t, noise), t), x).sum(1);
  }

  torch::Tensor bound(const Denoiser& denoiser, const torch::Tensor& x, const torch::Tensor& uniform,
                      const Noise& noise) const override {
    const torch::Tensor data = categories_.one_hot(x);
    const torch::Tensor ratio = kLastRatio * uniform, t = ratio / (1 + ratio);
    const torch::Tensor away = data - mean(denoiser, noised(data, t, noise), t);
    const torch::Tensor of_path = kLastRatio * ratio.to(away.scalar_type()) * away.square().sum({1, 2});
    const torch::Tensor last = torch::full_like(t, kLastRatio / (1 + kLastRatio));
    const torch::Tensor of_end = Categories::at(denoiser.at(noised(data, last, noise), last), x).sum(1);
    return of_end - of_path;
  }

  std::int64_t bound_evaluations() const override { return 2; }

  torch::Tensor draw(const Denoiser& denoiser, std::int64_t rows, const DrawOptions& options) const override {
    const auto size = {rows, categories_.most(), categories_.dims()};
    torch::Tensor state = torch::randn(size, categories_.number()), log_chances;
    for (std::int64_t step = 0; step < options.steps; ++step) {
      const double t = static_cast<double>(step) / static_cast<double>(options.steps);
      log_chances = denoiser.at(state, torch::full({rows}, t, times()));
      if (step + 1 == options.steps) break;
      const double next = static_cast<double>(step + 1) / static_cast<double>(options.steps);
      state = moved(state, log_chances.exp().transpose(1, 2), {t, next, options.eta});
      if (after_step(options, step + 1, options.steps, log_chances.argmax(2))) break;
    }
    const torch::Tensor x =
        categories_.draw(log_chances, torch::rand({rows, categories_.dims()}, categories_.number()));
    after_step(options, options.steps, options.steps, x);
    return x;
  }

 private:
  struct Step {
    double t, next, eta;
  };

  torch::TensorOptions times() const { return categories_.number().dtype(torch::kFloat64); }
  torch::Tensor wide(const torch::Tensor& time) const {
    return time.to(categories_.number().dtype()).view({-1, 1, 1});
  }

  torch::Tensor noised(const torch::Tensor& data, const torch::Tensor& t, const Noise& noise) const {
    return wide(t) * data + wide(1 - t) * noise.normal(data.sizes(), data.options(), 0);
  }

  static torch::Tensor mean(const Denoiser& denoiser, const torch::Tensor& state, const torch::Tensor& t) {
    return denoiser.at(state, t).exp().transpose(1, 2);
  }

  // z at `next` given z at t and the data at their mean: with eta = 0 along the flow (an Euler step of it),
  // with eta = 1 as a draw of the stochastic process.
  static torch::Tensor moved(const torch::Tensor& state, const torch::Tensor& mean, const Step& step) {
    const double sigma = 1 - step.t, next_sigma = 1 - step.next;
    const double kept = step.t / step.next;  // of the signal, from `next` back to t
    const double fresh = (sigma * sigma - kept * kept * next_sigma * next_sigma) / (sigma * sigma);
    const double variance = step.eta * step.eta * fresh * next_sigma * next_sigma;
    const torch::Tensor noise = (state - step.t * mean) / sigma;
    const torch::Tensor moved = step.next * mean + std::sqrt(next_sigma * next_sigma - variance) * noise;
    return variance > 0 ? moved + std::sqrt(variance) * torch::randn_like(state) : moved;
  }

  Categories categories_;
};

}  // namespace

extern const ProcessRecord k_flow;
const ProcessRecord k_flow{
    .name = "flow",
    .summary = "one-hot rows are mixed with normal noise; the chances of the categories give the velocity",
    .citation = "Eijkelboom et al. 2024",
    .has_eta = true,
    .options = {},
    .make = [](const OptionValues&, const Setting& setting) -> std::unique_ptr<Process> {
      return std::make_unique<Flow>(setting);
    }};

}  // namespace kullback::deep::discrete
