// Blackout diffusion (Santos et al. 2023): each unit of a count dies at rate 1, so that given the data x the
// count n is Binomial(x, p) with p = exp(-t), and 0 in the end. Reversed, units are born: given x, at rate
// (x - n) p / (1 - p) in t, that is (x - n) / (1 - p) in p, and without it at that rate with x - n at its
// mean y(n, p). Two processes of births with rates d / (1 - p) and y / (1 - p) differ by
//   log p(x) >= -int_0^1 E [y - d + d log(d / y)] dp / (1 - p),   d = x - n,
// with nothing to add at the ends: at p = 0 all counts are 0, at p = 1 they are the data. With the exact y it
// is log p(x) itself. (The paper's code has the weight dp without 1 / (1 - p), which has the same minimum.)
//
// The time is t = log(p / (1 - p)), as in the paper, in which the integral is p dt [...]. It is drawn such
// that p / (1 - p) is that of p = 1 - (1 - v)^2, v uniform, over sqrt(M), M the largest count: at both ends
// as the root of the mean square of what is integrated. What is known of it on average given x, E d = x (1 -
// p), takes the place of d where it stands alone or with log(1 - p), a part of log y.
//
// Networks give y = (M - n) s(f + log(1 - p)) with s the logistic function: f = 0 is right where each of M
// units was there with chance 1/2.
#include <algorithm>
#include <cmath>
#include <limits>

#include "deep/discrete/binomial.hpp"
#include "deep/discrete/process.hpp"

namespace kullback::deep::discrete {

namespace {

class Blackout final : public Process {
 public:
  explicit Blackout(const Setting& setting)
      : number_(setting.number),
        most_(setting.space.most() - 1),
        dims_(setting.space.dims()),
        largest_((torch::tensor(setting.space.values, torch::kInt64) - 1).to(setting.number.device())),
        shift_(-std::log(static_cast<double>(std::max<std::int64_t>(most_, 1))) / 2) {}

  std::int64_t inputs() const override { return 2; }
  std::int64_t outputs() const override { return 1; }

  // The count as a share of the largest, and as an estimate of the data's.
  NetInput seen(const torch::Tensor& state, const torch::Tensor& t) const override {
    const torch::Tensor n = state.to(number_.dtype()), whole = largest_.to(number_.dtype()).clamp_min(1);
    const torch::Tensor alive = at::sigmoid(t).to(number_.dtype()).unsqueeze(1) * whole;
    return {.x = at::stack({2 * n / whole - 1, n / (alive + 1)}, 1),
            .c = (t / 6).clamp(-2, 2).to(number_.dtype())};
  }

  torch::Tensor meant(const torch::Tensor& raw, const torch::Tensor& state,
                      const torch::Tensor& t) const override {
    const torch::Tensor dead = at::log_sigmoid(-t).to(raw.scalar_type()).view({-1, 1, 1});
    return (largest_ - state).unsqueeze(2) * at::sigmoid(raw + dead);
  }

  torch::Tensor bound(const Denoiser& denoiser, const torch::Tensor& x, const torch::Tensor& uniform,
                      const Noise& noise) const override {
    const torch::Tensor left = 1 - uniform.clamp(1e-9, 1 - 1e-6), square = left.square();
    const torch::Tensor t = at::log((1 - square) / square) + shift_, p = at::sigmoid(t);
    const torch::Tensor weight = 2 * p / (left * (1 - square));
    const torch::Tensor state = draw_binomial(x, p, most_, noise);
    const torch::Tensor y = denoiser.at(state, t).squeeze(2).clamp_min(1e-30);
    const torch::Tensor d = (x - state).to(y.scalar_type());
    const auto column = [&](const torch::Tensor& of_time) {
      return of_time.to(y.scalar_type()).unsqueeze(1);
    };
    const torch::Tensor log_dead = column(at::log_sigmoid(-t)), expected = x * column(1 - p);
    const torch::Tensor each =
        y - expected - expected * log_dead + at::xlogy(d, d) - d * (y.log() - log_dead);
    return each.sum(1) * -weight.to(y.scalar_type());
  }

  // In each step so many of the births that are expected in all happen as would if they were certain
  // (binomial bridges). The number that is expected is rounded at random, to keep its mean.
  torch::Tensor draw(const Denoiser& denoiser, std::int64_t rows, const DrawOptions& options) const override {
    const auto times = number_.dtype(torch::kFloat64);
    torch::Tensor state = torch::zeros({rows, dims_}, number_.dtype(torch::kInt64));
    for (std::int64_t step = 0; step < options.steps; ++step) {
      const double t = time(step, options.steps), p = alive(t), next = alive(time(step + 1, options.steps));
      const torch::Tensor y = denoiser.at(state, torch::full({rows}, t, times)).squeeze(2);
      const torch::Tensor expected = (y + torch::rand_like(y)).floor().to(torch::kInt64);
      const torch::Tensor births = at::minimum(expected.clamp_min(0), largest_ - state);
      const double chance = std::clamp((next - p) / (1 - p), 0.0, 1.0);
      state = state + draw_binomial(births, torch::full({rows}, chance, times), most_, Noise());
      if (after_step(options, step + 1, options.steps, state)) break;
    }
    return state;
  }

 private:
  // Equally many steps in each part of the times that are trained at, from p = 0 to p = 1.
  double time(std::int64_t step, std::int64_t steps) const {
    const double left = 1 - static_cast<double>(step) / static_cast<double>(steps);
    return std::log((1 - left * left) / (left * left)) + shift_;
  }
  static double alive(double t) { return 1 / (1 + std::exp(-t)); }

  torch::TensorOptions number_;
  std::int64_t most_, dims_;
  torch::Tensor largest_;
  double shift_;
};

}  // namespace

extern const ProcessRecord k_blackout;
const ProcessRecord k_blackout{
    .name = "blackout",
    .summary = "counts fall to 0 one by one (a pure death process)",
    .citation = "Santos et al. 2023",
    .takes_counts = true,
    .options = {},
    .make = [](const OptionValues&, const Setting& setting) -> std::unique_ptr<Process> {
      return std::make_unique<Blackout>(setting);
    }};

}  // namespace kullback::deep::discrete
