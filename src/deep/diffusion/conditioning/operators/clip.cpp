// Saturation: numbers beyond the range of the instrument are seen at its ends. Not linear.
#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kLow = NumberOption("low", 0, "The lowest number that can be seen");
constexpr auto kHigh = NumberOption("high", 1, "The highest");

class Clip final : public Operator {
 public:
  Clip(RowShape takes, double low, double high) : Operator(takes), low_(low), high_(high) {}

  bool is_linear() const override { return false; }
  torch::Tensor forward(const torch::Tensor& x) const override { return x.clamp(low_, high_); }

 private:
  double low_, high_;
};

std::unique_ptr<Operator> make(const OptionValues& values, const RowShape& takes) {
  const double low = values[kLow], high = values[kHigh];
  if (!(low < high))
    throw Error(ErrorKind::usage, fmt::format("--low {} is not below --high {}.", low, high),
                "They are the ends of what can be seen, in the data's units.");
  return std::make_unique<Clip>(takes, low, high);
}

constexpr const OptionRecord* kOptions[] = {&kLow, &kHigh};

}  // namespace

extern const OperatorRecord k_clip;
const OperatorRecord k_clip = {.name = "clip",
                               .summary = "Saturation: numbers beyond a range are seen at its ends",
                               .options = kOptions,
                               .make = make};

}  // namespace kullback::deep::diffusion
