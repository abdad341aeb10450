// A schedule that is learned (Kingma, Salimans, Poole, Ho 2021): g(t) = log(sigma^2 / alpha^2) rises from g_0
// to g_1, both learned by the bound, along a broken line whose shares of the way (softmax of 64 numbers) are
// learned to make the bound's estimate vary least. alpha^2 = sigmoid(-g), sigma^2 = sigmoid(g); the drift is
// -sigma^2 g' / 2 and the squared diffusion sigma^2 g'.
#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/diffusion/sdes/one_block.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kFirstLogRatio = NumberOption(
    "first_log_ratio", -10, "Log of noise over signal (variances) at the beginning, before training");
constexpr auto kLastLogRatio =
    NumberOption("last_log_ratio", 5, "Log of noise over signal (variances) at the end, before training");

constexpr std::int64_t kPieces = 64;

class Learned final : public Sde {
 public:
  Learned(double first, double last)
      : first_(first),
        last_(last),
        ends_(torch::tensor({first, last}, torch::kFloat64)),
        shares_(torch::full({kPieces}, 1.0 / static_cast<double>(kPieces), torch::kFloat64)) {}

  Coefficients at(const torch::Tensor& t) const override {
    move_to(t.device());
    const auto pieces = static_cast<double>(kPieces);
    const torch::Tensor whole = (ends_[1] - ends_[0]).abs();  // rises whatever training does to them
    const torch::Tensor before = at::cumsum(shares_, 0) - shares_;
    const torch::Tensor index = (t * pieces).floor().clamp(0, pieces - 1).to(torch::kInt64);
    const torch::Tensor share = shares_.index_select(0, index);
    const torch::Tensor within = t * pieces - index.to(t.scalar_type());
    const torch::Tensor g = ends_[0] + whole * (before.index_select(0, index) + share * within);
    const torch::Tensor slope = whole * share * pieces, variance = at::sigmoid(g);
    return one_block(variance * slope / -2, variance * slope, at::sigmoid(-g).sqrt(), variance);
  }
  double t_min() const override { return 0; }

  void add_parameters(Layout& layout) override {
    ends_slot_ = layout.add({.name = "schedule.ends", .shape = {2}});
    shares_slot_ = layout.add({.name = "schedule.shares", .shape = {kPieces}});
  }
  std::unique_ptr<Sde> with(const Parameters& parameters) const override {
    auto result = std::make_unique<Learned>(*this);
    result->ends_ = parameters[ends_slot_].squeeze(0).to(torch::kFloat64);
    result->shares_ = at::softmax(parameters[shares_slot_].squeeze(0).to(torch::kFloat64), 0);
    return result;
  }
  void start(const Parameters& parameters) const override {
    parameters[ends_slot_].select(1, 0).fill_(first_);
    parameters[ends_slot_].select(1, 1).fill_(last_);
  }
  std::vector<std::size_t> variance_slots() const override { return {shares_slot_}; }

 private:
  void move_to(const torch::Device& device) const {
    ends_ = ends_.to(device);
    shares_ = shares_.to(device);
  }

  double first_, last_;
  mutable torch::Tensor ends_, shares_;
  std::size_t ends_slot_ = 0, shares_slot_ = 0;
};

constexpr const OptionRecord* kOptions[] = {&kFirstLogRatio, &kLastLogRatio};

}  // namespace

extern const SdeRecord k_learned;
const SdeRecord k_learned = {
    .name = "learned",
    .summary = "Variance-preserving with a schedule that is learned with the network",
    .options = kOptions,
    .make = [](const OptionValues& values) -> std::unique_ptr<Sde> {
      const double first = values[kFirstLogRatio], last = values[kLastLogRatio];
      if (first >= last)
        throw Error(ErrorKind::usage,
                    fmt::format("--first-log-ratio {} is not below --last-log-ratio {}.", first, last),
                    "Noise must grow: -10 and 5.");
      return std::make_unique<Learned>(first, last);
    }};

}  // namespace kullback::deep::diffusion
