// Times to train at, and times at a given level of noise.
#pragma once

#include <torch/types.h>

#include <string>

#include "base/option.hpp"
#include "deep/diffusion/sde.hpp"

namespace kullback::deep::diffusion {

enum class TimesKind {
  automatic,  // until the data are known
  uniform,    // in t, or of the times that the SDE has
  log_ratio,  // log(sigma / alpha) is uniform
  lognormal,  // log(sigma / alpha) is normal with mean -0.5 and sd 1.2 (Karras et al. 2022, data of variance
              // 1)
};
inline constexpr auto kTimes = ChoiceOption("times", TimesKind::automatic, "auto|uniform|log-ratio|lognormal",
                                            "At which the network is trained; auto: lognormal of rows and of "
                                            "edm, uniform of images, log-ratio with --weighting likelihood");
// Throws Error usage where an SDE that has its own times is to be trained at others.
void check_times(TimesKind times, const std::string& sde);

struct DrawnTimes {
  torch::Tensor t;        // double [rows]
  torch::Tensor inverse;  // [rows]: over the density of t; 1 where it is uniform on [0, 1]
};

// log(sigma / alpha) of the coordinate as a function of t and back, by a table.
class RatioTable final {
 public:
  explicit RatioTable(const Sde& sde);

  double low() const { return low_; }  // log ratios at t_min and t_max
  double high() const { return high_; }
  torch::Tensor time(const torch::Tensor& log_ratio) const;

 private:
  mutable torch::Tensor times_, logs_;
  double low_, high_;
};

// From uniform numbers, double [rows].
DrawnTimes draw_times(const Sde& sde, TimesKind kind, const RatioTable& table, const torch::Tensor& uniform);

}  // namespace kullback::deep::diffusion
