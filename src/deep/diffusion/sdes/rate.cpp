// The cosine schedule (Nichol, Dhariwal 2021): alpha^2 = cos^2(pi/2 (t + s) / (1 + s)) / cos^2(pi/2 s / (1 +
// s)), s = 0.008. At t = 1 it is 0 and the rate infinite; a table of 1000 steps whose shares fall by at most
// the factor 0.001 each, as theirs, is neither.
#include "deep/diffusion/sdes/rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kullback::deep::diffusion {

namespace {

std::vector<double> cosine_shares() {
  constexpr int kSteps = 1000;
  const auto share = [](double t) {
    const double c = std::cos((t + 0.008) / 1.008 * std::numbers::pi / 2);
    return c * c;
  };
  std::vector<double> shares = {1};
  for (int i = 1; i <= kSteps; ++i) {
    const double factor = share(static_cast<double>(i) / kSteps) / share((i - 1.0) / kSteps);
    shares.push_back(shares.back() * std::max(factor, 1e-3));
  }
  return shares;
}

// Numbers of a file, separated by commas or white space.
std::vector<double> read_shares(const std::string& file) {
  const std::string text = read_file(file);
  std::vector<double> shares = {1};
  for (std::size_t begin = 0; begin < text.size();) {
    begin = text.find_first_not_of(" \t\r\n,", begin);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,", begin), text.size());
    double value = 0;
    const auto [stop, status] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (status != std::errc() || stop != text.data() + end)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: '{}' is no number.", file, text.substr(begin, end - begin)),
                  "A schedule is a list of shares of signal, such as 0.99 0.95 0.8 0.3 0.001.");
    shares.push_back(value);
    begin = end;
  }
  return shares;
}

}  // namespace

TableRate::TableRate(const std::vector<double>& shares, const std::string& name)
    : steps_(static_cast<double>(shares.size()) - 1) {
  if (shares.size() < 2)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: a schedule needs at least one share of signal.", name));
  for (std::size_t i = 1; i < shares.size(); ++i) {
    if (shares[i] > 0 && shares[i] < shares[i - 1]) continue;
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: share {} of the schedule is {} after {}; shares of signal must fall from 1 and "
                    "stay above 0.",
                    name, i, shares[i], shares[i - 1]),
        "A share is alpha^2, the part of the variance that is signal; sort them, and leave out equal "
        "ones.");
  }
  std::vector<double> integral, rate;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    integral.push_back(-std::log(shares[i]));
    if (i > 0) rate.push_back((integral[i] - integral[i - 1]) * steps_);
  }
  integral_ = torch::tensor(integral, torch::kFloat64);
  rate_ = torch::tensor(rate, torch::kFloat64);
}

torch::Tensor TableRate::place(const torch::Tensor& t) const {
  return (t * steps_).floor().clamp(0, steps_ - 1).to(torch::kInt64);
}

void TableRate::move_to(const torch::Device& device) const {
  rate_ = rate_.to(device);
  integral_ = integral_.to(device);
}

torch::Tensor TableRate::at(const torch::Tensor& t) const {
  move_to(t.device());
  return rate_.index_select(0, place(t.flatten())).view_as(t);
}

torch::Tensor TableRate::integral(const torch::Tensor& t) const {
  const torch::Tensor index = place(t.flatten());
  const torch::Tensor within = t.flatten() - index.to(t.scalar_type()) / steps_;
  move_to(t.device());
  return (integral_.index_select(0, index) + rate_.index_select(0, index) * within).view_as(t);
}

std::unique_ptr<Rate> rate_of(const OptionValues& values) {
  const std::string name(values[kNoiseSchedule]);
  if (name == "cosine") return std::make_unique<TableRate>(cosine_shares(), "cosine");
  if (name != "linear") return std::make_unique<TableRate>(read_shares(name), name);
  const double from = values[kBetaMin], to = values[kBetaMax];
  if (from + to < 4)
    throw Error(
        ErrorKind::usage,
        fmt::format("--beta-min {} and --beta-max {} leave more than an eighth of the signal at the end.",
                    from, to),
        "Give a larger --beta-max, such as 20.");
  return std::make_unique<LinearRate>(from, to);
}

}  // namespace kullback::deep::diffusion
