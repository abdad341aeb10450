#include "deep/diffusion/fit/figure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "run/json_text.hpp"

namespace kullback::deep::diffusion {

double Figure::bits_per_dim(std::int64_t dims) const {
  return -mean / (static_cast<double>(dims) * std::numbers::ln2);
}

Figure figure_of(const torch::Tensor& rows) {
  const auto count = static_cast<double>(rows.size(0));
  return {.mean = rows.mean().item<double>(),
          .error = rows.size(0) > 1 ? rows.std().item<double>() / std::sqrt(count) : 0,
          .rows = rows.size(0)};
}

std::string summary_json(const Figure& bound, std::int64_t dims, std::int64_t train_rows,
                         std::int64_t held_out_rows) {
  using run::json_number;
  return fmt::format(
      "{{\n  \"train_rows\": {},\n  \"held_out_rows\": {},\n  \"bound_nats\": {},\n"
      "  \"bound_error\": {},\n  \"bits_per_dim\": {},\n  \"bound_rows\": {}\n}}\n",
      train_rows, held_out_rows, json_number(bound.mean), json_number(bound.error),
      json_number(bound.bits_per_dim(dims)), bound.rows);
}

}  // namespace kullback::deep::diffusion
