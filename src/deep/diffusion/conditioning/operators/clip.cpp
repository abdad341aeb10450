// Saturation: numbers beyond the range of the instrument are seen at its ends. Not linear.
#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

namespace {

class Clip final : public Operator {
 public:
  Clip(RowShape takes, double low, double high) : Operator(takes), low_(low), high_(high) {}

  bool is_linear() const override { return false; }
  torch::Tensor forward(const torch::Tensor& x) const override { return x.clamp(low_, high_); }

 private:
  double low_, high_;
};

std::unique_ptr<Operator> make(const Settings& settings, const RowShape& takes) {
  const double low = settings.number("low"), high = settings.number("high");
  if (!(low < high))
    throw Error(ErrorKind::usage, fmt::format("--low {} is not below --high {}.", low, high),
                "They are the ends of what can be seen, in the data's units.");
  return std::make_unique<Clip>(takes, low, high);
}

}  // namespace

extern const OperatorRecord k_clip;
const OperatorRecord k_clip = {
    .name = "clip",
    .summary = "Saturation: numbers beyond a range are seen at its ends",
    .options = {{"low", "0", "the lowest number that can be seen"}, {"high", "1", "the highest"}},
    .make = make};

}  // namespace kullback::deep::diffusion
