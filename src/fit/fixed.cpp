// A program without parameters: there is nothing to infer, but generated quantities are drawn.
#include "fit/fixed.hpp"

#include <array>
#include <utility>

namespace kullback::fit {

namespace {

class Fixed final : public infer::Algorithm {
 public:
  Fixed(density::LogDensity& density, const infer::Options& options)
      : density_(density), draws_(options[infer::option::kDraws]) {}

  bool step(infer::Draws& draws) override {
    if (done_ >= draws_) return false;
    double log_density = 0;
    density::Status status{};
    density_.evaluate({1, nullptr, &log_density, nullptr, &status});
    draws.log_density.push_back(log_density);
    ++done_;
    return true;
  }

  infer::Progress progress() const override { return {.done = done_, .total = draws_}; }
  void archive(infer::Archive& archive) override { archive.value(done_); }

 private:
  density::LogDensity& density_;
  std::uint64_t draws_;
  std::uint64_t done_ = 0;
};

std::unique_ptr<infer::Algorithm> make(density::LogDensity& density, const infer::Options& options,
                                       infer::Start) {
  return std::make_unique<Fixed>(density, options);
}

}  // namespace

const infer::Method& fixed_method() {
  static constexpr const OptionRecord* kOptions[] = {&infer::option::kDraws};
  static const infer::Method method{
      .name = "fixed_param",
      .summary = "no parameters: generated quantities only",
      .use_when = "A program has no parameters; it is chosen by itself.",
      .citation = "",
      .options = kOptions,
      .stats = {},
      .make = make,
  };
  return method;
}

}  // namespace kullback::fit
