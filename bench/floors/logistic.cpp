// log p = -(alpha^2 + |beta|^2)/12.5 + sum y eta - log(1 + exp eta), eta = alpha + X beta; X by columns, as
// Stan has it.
#include <algorithm>
#include <cmath>

#include "floors/blocks.hpp"
#include "floors/floors.hpp"

namespace kullback::bench::FLOOR_MATH {

namespace {

class Logistic : public Floor {
 public:
  explicit Logistic(const model::Data& data)
      : columns_(static_cast<std::size_t>(numbers(data, "K")[0])), y_(numbers(data, "y")), rows_(y_.size()) {
    const std::vector<double> by_rows = numbers(data, "X");
    for (std::size_t k = 0; k < columns_; ++k)
      for (std::size_t n = 0; n < rows_; ++n) x_.push_back(by_rows[n * columns_ + k]);
  }

  double evaluate(const double* theta, double* gradient) final {
    double squares = 0;
    std::fill_n(gradient, columns_ + 1, 0.0);
    const double likelihood = add_rows(theta, gradient);
    for (std::size_t k = 0; k <= columns_; ++k) {
      squares += theta[k] * theta[k];
      gradient[k] -= 0.16 * theta[k];
    }
    return likelihood - 0.08 * squares;
  }

 protected:
  virtual double add_rows(const double* theta, double* gradient) = 0;

  std::size_t columns_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::size_t rows_;
};

// Rows in blocks that stay in the first cache while both products use them.
class Blocked : public Logistic {
 public:
  explicit Blocked(const model::Data& data) : Logistic(data), padded_((rows_ + kRows - 1) / kRows * kRows) {
    // Rows of zeros fill the last block.
    blocked_.assign(padded_ * columns_, 0.0);
    y_.resize(padded_);
    for (std::size_t n = 0; n < rows_; ++n)
      for (std::size_t k = 0; k < columns_; ++k) blocked_[place(n, k)] = x_[k * rows_ + n];
  }

 protected:
  static constexpr std::size_t kRows = 128;

  // Of kRows rows: returns their log density, and puts y - inv_logit(eta) in the place of eta.
  virtual double link(const double* y, double* eta) const = 0;

 private:
  std::size_t place(std::size_t n, std::size_t k) const {
    return n / kRows * kRows * columns_ + k * kRows + n % kRows;
  }

  double add_rows(const double* theta, double* gradient) final {
    double total = 0;
    for (std::size_t begin = 0; begin < padded_; begin += kRows) {
      const double* x = blocked_.data() + begin * columns_;
      const std::size_t count = std::min(kRows, rows_ - begin);
      alignas(64) double eta[kRows];
      multiply(x, theta, eta);
      std::fill(eta + count, eta + kRows, -1000.0);  // a log density of 0, since there y is 0
      total += link(y_.data() + begin, eta);
      std::fill(eta + count, eta + kRows, 0.0);
      multiply_transposed(x, eta, gradient);
    }
    return total;
  }

  void multiply(const double* x, const double* theta, double* eta) const {
    for (std::size_t n = 0; n < kRows; n += 16) {
      Vec at[4] = {theta[0] - Vec{}, theta[0] - Vec{}, theta[0] - Vec{}, theta[0] - Vec{}};
      for (std::size_t k = 0; k < columns_; ++k)
        for (std::size_t i = 0; i < 4; ++i) at[i] += theta[k + 1] * load(x + k * kRows + n + 4 * i);
      for (std::size_t i = 0; i < 4; ++i) store(eta + n + 4 * i, at[i]);
    }
  }

  void multiply_transposed(const double* x, const double* eta, double* gradient) const {
    Vec ones{};
    for (std::size_t n = 0; n < kRows; n += 4) ones += load(eta + n);
    gradient[0] += sum(ones);
    std::size_t k = 0;
    for (; k + 4 <= columns_; k += 4) {
      Vec dots[4] = {};
      for (std::size_t n = 0; n < kRows; n += 4)
        for (std::size_t i = 0; i < 4; ++i) dots[i] += load(x + (k + i) * kRows + n) * load(eta + n);
      for (std::size_t i = 0; i < 4; ++i) gradient[k + 1 + i] += sum(dots[i]);
    }
    for (; k < columns_; ++k) {
      Vec dot{};
      for (std::size_t n = 0; n < kRows; n += 4) dot += load(x + k * kRows + n) * load(eta + n);
      gradient[k + 1] += sum(dot);
    }
  }

  std::size_t padded_;
  std::vector<double> blocked_;
};

class VectorFunctions final : public Blocked {
 public:
  using Blocked::Blocked;

 private:
  double link(const double* y, double* eta) const override {
    alignas(64) double densities[kRows];
    for (std::size_t n = 0; n < kRows; ++n) {
      const double at = eta[n];
      const double t = quick_exp(std::max(-std::abs(at), -700.0));
      densities[n] = y[n] * at - (at > 0 ? at : 0) - quick_log(1 + t);
      eta[n] = y[n] - (at > 0 ? 1 : t) / (1 + t);
    }
    Vec total{};
    for (std::size_t n = 0; n < kRows; n += 4) total += load(densities + n);
    return sum(total);
  }
};

// 1 + exp(-|eta|) lies between 1 and 2: the product of all in a block is finite, and one logarithm serves
// them all.
class OneLogarithm final : public Blocked {
 public:
  using Blocked::Blocked;

 private:
  double link(const double* y, double* eta) const override {
    alignas(64) double factors[kRows];
    alignas(64) double linear[kRows];
    for (std::size_t n = 0; n < kRows; ++n) {
      const double at = eta[n];
      const double t = quick_exp(std::max(-std::abs(at), -700.0));
      const double inverse = 1 / (1 + t);
      linear[n] = y[n] * at - (at > 0 ? at : 0);
      factors[n] = 1 + t;
      eta[n] = y[n] - (at > 0 ? 1 : t) * inverse;
    }
    Vec product = load(factors);
    Vec total = load(linear);
    for (std::size_t n = 4; n < kRows; n += 4) {
      product *= load(factors + n);
      total += load(linear + n);
    }
    return sum(total) - std::log((product[0] * product[1]) * (product[2] * product[3]));
  }
};

}  // namespace

std::vector<NamedFloor> logistic(const model::Data& data) {
  std::vector<NamedFloor> floors;
  floors.push_back({"loop", std::make_unique<VectorFunctions>(data)});
  floors.push_back({"best", std::make_unique<OneLogarithm>(data)});
  return floors;
}

}  // namespace kullback::bench::FLOOR_MATH
