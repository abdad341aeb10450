// Glauber dynamics (Varma et al. 2024, GGM): sweeps over the columns; at each visit the value stays or is
// replaced by one that is equally likely to be any. After k of S visits a value is still that of the data
// with chance 1 - k / S, so a value that survived k stays with chance (S - k - 1) / (S - k), and after the
// last sweep all is noise. With p_t the law of the state before visit t, of column i, the reverse is a heat
// bath: draw x_i from p_t(x_i | all other columns). It is exact, whatever x_i was.
//
// A network learns p_t(x_i | others) with column i hidden. Either it predicts the value (cross entropy), or,
// as in the paper, it tells values of the data from noise: with equal chances of both, a value a is noise
// with odds u / p_t(a | others), u the chance of a as noise.
//
// The bound: as p_t and p_{t+1} have the same law of the other columns,
//   log p_t(x) = log p_{t+1}(x') + log p_t(x_i | others) - log p_{t+1}(x'_i | others)
// for any x' that differs from x in column i only, with p_{t+1}(x'_i | .) = stay p_t(x'_i | .) + (1 - stay)
// u. Drawing x'_i from the latter and adding up over the visits gives a lower bound for any conditionals (the
// mean log ratio of the path forth and the path back), and log p(x) itself, without noise, for exact ones.
#include <cmath>

#include "deep/counts.hpp"
#include "deep/discrete/categories.hpp"

namespace kullback::deep::discrete {

namespace {

constexpr auto kSweeps = CountOption("sweeps", 8, "Over the columns, from data to noise").from(1).to(10'000);
enum class HeatBathLoss { prediction, classification };
constexpr auto kHeatBathLoss = ChoiceOption(
    "heat_bath_loss", HeatBathLoss::prediction, "prediction|classification",
    "How conditionals are learned: by prediction of the value, or by classification as data or noise");
constexpr const OptionRecord* kOptions[] = {&kSweeps, &kHeatBathLoss};

class Glauber final : public Process {
 public:
  Glauber(const Setting& setting, std::int64_t sweeps, bool classifies)
      : categories_(setting), sweeps_(sweeps), classifies_(classifies) {
    const torch::Tensor index = torch::arange(dims(), setting.number.dtype(torch::kInt64));
    columns_ = index.unsqueeze(0);
    log_uniform_ = -categories_.values().to(setting.number).log();
  }

  std::int64_t inputs() const override { return categories_.most(); }
  std::int64_t outputs() const override { return categories_.most(); }

  // t is the number of the sweep; the column is the one that is hidden.
  NetInput seen(const torch::Tensor& state, const torch::Tensor& t) const override {
    const torch::Tensor c = (t + 0.5) * (4.0 / static_cast<double>(sweeps_)) - 2;
    return {.x = categories_.one_hot(state), .c = c.to(categories_.number().dtype())};
  }

  torch::Tensor meant(const torch::Tensor& raw, const torch::Tensor&, const torch::Tensor&) const override {
    return categories_.log_chances(raw);
  }

  // At one visit for each row, all equally likely.
  torch::Tensor loss(const Denoiser& denoiser, const torch::Tensor& x, const Noise& noise) const override {
    const std::int64_t rows = x.size(0);
    const torch::Tensor visit =
        (noise.uniform({rows}, times(), 0) * static_cast<double>(sweeps_ * dims())).to(torch::kInt64);
    const torch::Tensor sweep = at::floor_divide(visit, dims()),
                        column = visit.remainder(dims()).unsqueeze(1);
    const torch::Tensor state = noised(x, sweep.unsqueeze(1) + (columns_ < column).to(torch::kInt64), noise);
    const torch::Tensor value = state.gather(1, column);
    const torch::Tensor hidden = state.masked_fill(columns_ == column, categories_.hidden());
    const torch::Tensor log_chances = at_column(denoiser.at(hidden, sweep.to(torch::kFloat64)), column);
    const auto each = static_cast<double>(dims());
    if (!classifies_) return -each * log_chances.gather(1, value).squeeze(1);
    return each * classification(log_chances, {column, value}, noise);
  }

  torch::Tensor bound(const Denoiser& denoiser, const torch::Tensor& x, const torch::Tensor&,
                      const Noise& noise) const override {
    torch::Tensor state = x.clone();
    torch::Tensor sum = torch::zeros({x.size(0)}, categories_.number());
    for (std::int64_t sweep = 0; sweep < sweeps_; ++sweep) {
      const double stay = 1 - 1 / static_cast<double>(sweeps_ - sweep);
      for (std::int64_t column = 0; column < dims(); ++column) {
        const torch::Tensor log_chances = conditional(denoiser, state, sweep, column);
        const torch::Tensor after =
            at::log((stay * log_chances.exp() + (1 - stay) * present(column)).clamp_min(1e-38));
        const torch::Tensor value = drawn(after, column, noise.uniform({x.size(0)}, categories_.number(), 0));
        sum = sum + log_chances.gather(1, state.select(1, column).unsqueeze(1)).squeeze(1) -
              after.gather(1, value.unsqueeze(1)).squeeze(1);
        state.select(1, column).copy_(value);
      }
    }
    return sum + log_uniform_.sum();
  }

  std::int64_t bound_evaluations() const override { return sweeps_ * dims(); }

  torch::Tensor draw(const Denoiser& denoiser, std::int64_t rows, const DrawOptions& options) const override {
    const auto numbers = categories_.number();
    torch::Tensor state = categories_.draw_uniform(torch::rand({rows, dims()}, numbers));
    std::int64_t done = 0;
    for (std::int64_t sweep = sweeps_; sweep-- > 0;) {
      for (std::int64_t column = dims(); column-- > 0;) {
        const torch::Tensor log_chances = conditional(denoiser, state, sweep, column);
        state.select(1, column).copy_(drawn(log_chances, column, torch::rand({rows}, numbers)));
        if (after_step(options, ++done, sweeps_ * dims(), state)) return state;
      }
    }
    return state;
  }

  std::int64_t steps_taken(std::int64_t) const override { return sweeps_ * dims(); }

 private:
  struct Place {
    torch::Tensor column, value;  // int64 [rows, 1]
  };

  std::int64_t dims() const { return categories_.dims(); }
  torch::TensorOptions times() const { return categories_.number().dtype(torch::kFloat64); }

  // After `visits` [rows, dims] of each column.
  torch::Tensor noised(const torch::Tensor& x, const torch::Tensor& visits, const Noise& noise) const {
    const torch::Tensor keep = 1 - visits.to(categories_.number().dtype()) / static_cast<double>(sweeps_);
    const torch::Tensor is_kept = noise.uniform(x.sizes(), categories_.number(), 0) < keep;
    return at::where(is_kept, x, categories_.draw_uniform(noise.uniform(x.sizes(), categories_.number(), 0)));
  }

  // log_chances [rows, dims, most]; of a column of each row, [rows, most].
  torch::Tensor at_column(const torch::Tensor& log_chances, const torch::Tensor& column) const {
    return log_chances.gather(1, column.unsqueeze(2).expand({-1, 1, categories_.most()})).squeeze(1);
  }

  // -log of the chance that a value is rightly called data or noise, where half of them are noise.
  torch::Tensor classification(const torch::Tensor& log_chances, const Place& place,
                               const Noise& noise) const {
    const std::int64_t rows = log_chances.size(0);
    const torch::Tensor is_noise = noise.uniform({rows, 1}, categories_.number(), 0) < 0.5;
    const torch::Tensor other =
        categories_.draw_uniform(noise.uniform({rows, dims()}, categories_.number(), 0))
            .gather(1, place.column);
    const torch::Tensor seen = at::where(is_noise, other, place.value);
    const torch::Tensor log_odds =
        log_chances.gather(1, seen) - log_uniform_.unsqueeze(0).expand({rows, -1}).gather(1, place.column);
    return at::softplus(at::where(is_noise, log_odds, -log_odds)).squeeze(1);
  }

  // log p(x_i | others), [rows, most].
  torch::Tensor conditional(const Denoiser& denoiser, const torch::Tensor& state, std::int64_t sweep,
                            std::int64_t column) const {
    torch::Tensor hidden = state.clone();
    hidden.select(1, column).fill_(categories_.hidden());
    const torch::Tensor t = torch::full({state.size(0)}, static_cast<double>(sweep), times());
    return denoiser.at(hidden, t).select(1, column);
  }

  // The chances of the values of a column as noise, [1, most].
  torch::Tensor present(std::int64_t column) const {
    const torch::Tensor count = categories_.values().narrow(0, column, 1).unsqueeze(1);
    const torch::Tensor is_there = torch::arange(categories_.most(), count.options()).unsqueeze(0) < count;
    return is_there.to(categories_.number().dtype()) / count;
  }

  torch::Tensor drawn(const torch::Tensor& log_chances, std::int64_t column,
                      const torch::Tensor& uniform) const {
    const torch::Tensor below = log_chances.exp().cumsum(1) <= uniform.unsqueeze(1);
    return at::minimum(below.sum(1), categories_.values().narrow(0, column, 1) - 1);
  }

  Categories categories_;
  std::int64_t sweeps_;
  bool classifies_;
  torch::Tensor columns_, log_uniform_;
};

}  // namespace

extern const ProcessRecord k_glauber;
const ProcessRecord k_glauber{
    .name = "glauber",
    .summary = "sweeps of single-column updates: values stay or become noise, and the reverse is a heat bath",
    .citation = "Varma et al. 2024",
    .has_steps = false,
    .options = kOptions,
    .make = [](const OptionValues& values, const Setting& setting) -> std::unique_ptr<Process> {
      return std::make_unique<Glauber>(setting, count_of(values, kSweeps),
                                       values[kHeatBathLoss] == HeatBathLoss::classification);
    }};

}  // namespace kullback::deep::discrete
