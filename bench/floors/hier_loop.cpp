// log p = -mu^2/50 - tau^2/8 - sum ((a - mu)/tau)^2/2 - G log tau - b^2/50 - sigma^2/8
//         - sum ((y - a[g] - b x)/sigma)^2/2 - N log sigma + log tau + log sigma.
// The observations only enter through their residuals r: the sums of r by group, of r x and of r^2.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "floors/blocks.hpp"
#include "floors/floors.hpp"

namespace kullback::bench::FLOOR_MATH {

namespace {

struct Residuals {
  double squares = 0;
  double times_x = 0;
};

class HierLoop : public Floor {
 public:
  explicit HierLoop(const model::Data& data)
      : x_(numbers(data, "x")),
        y_(numbers(data, "y")),
        groups_(static_cast<std::size_t>(numbers(data, "G")[0])) {
    for (double g : numbers(data, "g")) group_.push_back(static_cast<int>(g) - 1);
  }

  double evaluate(const double* theta, double* gradient) final {
    const double mu = theta[0];
    const double* a = theta + 2;
    const double b = theta[groups_ + 2];
    const double log_sigma = theta[groups_ + 3];
    const double tau_precision = std::exp(-2 * theta[1]);
    const double precision = std::exp(-2 * log_sigma);
    const double n = static_cast<double>(y_.size());
    const double groups = static_cast<double>(groups_);

    const Residuals r = add_residuals(a, b, gradient + 2);  // sums by group, in the gradient of a
    double squares = 0;
    double pulls = 0;
    for (std::size_t j = 0; j < groups_; ++j) {
      const double from_mu = a[j] - mu;
      squares += from_mu * from_mu;
      pulls += from_mu;
      gradient[j + 2] = gradient[j + 2] * precision - from_mu * tau_precision;
    }
    gradient[0] = pulls * tau_precision - mu / 25;
    gradient[1] = 1 - groups + squares * tau_precision - 0.25 / tau_precision;
    gradient[groups_ + 2] = r.times_x * precision - b / 25;
    gradient[groups_ + 3] = 1 - n + r.squares * precision - 0.25 / precision;
    return (1 - groups) * theta[1] + (1 - n) * log_sigma - 0.02 * (mu * mu + b * b) -
           0.125 * (1 / tau_precision + 1 / precision) -
           0.5 * (squares * tau_precision + r.squares * precision);
  }

 protected:
  virtual Residuals add_residuals(const double* a, double b, double* by_group) const = 0;

  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<int> group_;
  std::size_t groups_;
};

class Sorted : public HierLoop {
 public:
  explicit Sorted(const model::Data& data) : HierLoop(data), begins_(groups_ + 1) {
    std::vector<std::size_t> order(y_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return group_[i] < group_[j]; });
    const std::vector<double> x = x_;
    const std::vector<double> y = y_;
    for (std::size_t n = 0; n < order.size(); ++n) {
      x_[n] = x[order[n]];
      y_[n] = y[order[n]];
      ++begins_[static_cast<std::size_t>(group_[n]) + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  }

 protected:
  Residuals add_residuals(const double* a, double b, double* by_group) const override {
    Residuals even;
    Residuals odd;
    const auto add = [&](std::size_t n, double level, Residuals& sums) {
      const double r = y_[n] - level - b * x_[n];
      sums.squares += r * r;
      sums.times_x += r * x_[n];
      return r;
    };
    for (std::size_t j = 0; j < groups_; ++j) {
      double of_even = 0;
      double of_odd = 0;
      std::size_t n = begins_[j];
      for (; n + 2 <= begins_[j + 1]; n += 2) {
        of_even += add(n, a[j], even);
        of_odd += add(n + 1, a[j], odd);
      }
      if (n < begins_[j + 1]) of_even += add(n, a[j], even);
      by_group[j] = of_even + of_odd;
    }
    return {even.squares + odd.squares, even.times_x + odd.times_x};
  }

  std::vector<std::size_t> begins_;
};

class Blocked final : public Sorted {
 public:
  using Sorted::Sorted;

 private:
  Residuals add_residuals(const double* a, double b, double* by_group) const override {
    const double* x = x_.data();
    const double* y = y_.data();
    Vec squares[2] = {};
    Vec times_x[2] = {};
    Residuals rest;
    for (std::size_t j = 0; j < groups_; ++j) {
      const double level = a[j];
      const std::size_t end = begins_[j + 1];
      std::size_t n = begins_[j];
      Vec of_group[2] = {};
      for (; n + 8 <= end; n += 8) {
        for (std::size_t i = 0; i < 2; ++i) {
          const Vec at = load(x + n + 4 * i);
          const Vec r = (load(y + n + 4 * i) - level) - b * at;
          of_group[i] += r;
          squares[i] += r * r;
          times_x[i] += r * at;
        }
      }
      double of_rest = 0;
      for (; n < end; ++n) {
        const double r = y[n] - level - b * x[n];
        of_rest += r;
        rest.squares += r * r;
        rest.times_x += r * x[n];
      }
      by_group[j] = sum(of_group[0] + of_group[1]) + of_rest;
    }
    return {sum(squares[0] + squares[1]) + rest.squares, sum(times_x[0] + times_x[1]) + rest.times_x};
  }
};

}  // namespace

std::vector<NamedFloor> hier_loop(const model::Data& data) {
  std::vector<NamedFloor> floors;
  floors.push_back({"loop", std::make_unique<Sorted>(data)});
  floors.push_back({"best", std::make_unique<Blocked>(data)});
  return floors;
}

}  // namespace kullback::bench::FLOOR_MATH
