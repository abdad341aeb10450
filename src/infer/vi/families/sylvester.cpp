// Sylvester flows (van den Berg, Hasenclever, Tomczak and Welling 2018): y = x + Q R tanh(S Q'x + b), Q with
// M orthonormal columns, R and S upper triangular with diagonals tanh of their parameters, so that every r_ii
// s_ii > -1 and the map is invertible. Q is the first M columns of a product of M Householder reflections.
// With t = tanh(.), h = 1 - t^2 and D = diag(h):
//   log|det J| = sum_i log(1 + h_i r_ii s_ii)                                (Sylvester's identity)
//   J^-T s = s - Q S' z,  (I + D T) z = D R' Q's,  T = (S R)' lower triangular.
#include <algorithm>
#include <cmath>
#include <vector>

#include "infer/vi/flows/flow.hpp"
#include "infer/vi/flows/kernels.hpp"
#include "infer/vi/options.hpp"

namespace kullback::infer {

namespace {

using flows::add_outer;
using flows::add_product;
using flows::by_rows;
using flows::transposed;

constexpr const OptionRecord* kOptions[] = {&option::kLayers, &option::kHidden};
constexpr std::size_t kLayers = 6;
constexpr std::size_t kColumns = 8;
constexpr double kFirst = 0.02;
constexpr double kUnit = 0.2;

// The first `columns` columns of H_1 ... H_n, H_j = I - 2 v_j v_j' / v_j'v_j, n = columns.
class Reflections final {
 public:
  Reflections(std::size_t dim, std::size_t columns)
      : dim_(dim), columns_(columns), stages_(columns + 1, std::vector<double>(dim * columns)) {}

  // Row after row: dim * columns.
  const std::vector<double>& q() const { return stages_[0]; }

  void make(const double* vectors) {
    std::vector<double>& first = stages_[columns_];
    std::fill(first.begin(), first.end(), 0.0);
    for (std::size_t j = 0; j < columns_; ++j) first[j * columns_ + j] = 1;
    for (std::size_t j = columns_; j-- > 0;) {
      stages_[j] = stages_[j + 1];
      reflect(vectors + j * dim_, stages_[j]);
    }
  }

  // X -> X - tau v p', tau = 2 / v'v, p = X'v; adjoints of v are added, `of_q` is used up.
  void back(const double* vectors, std::vector<double>& of_q, double* of_vectors) const {
    for (std::size_t j = 0; j < columns_; ++j) {
      const double* v = vectors + j * dim_;
      double* of_v = of_vectors + j * dim_;
      const std::vector<double>& x = stages_[j + 1];
      const double tau = 2 / square(v);
      const std::vector<double> p = project(x, v);
      const std::vector<double> g = project(of_q, v);
      double of_tau = 0;
      for (std::size_t c = 0; c < columns_; ++c) of_tau -= g[c] * p[c];
      for (std::size_t i = 0; i < dim_; ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < columns_; ++c)
          sum += of_q[i * columns_ + c] * p[c] + x[i * columns_ + c] * g[c];
        of_v[i] -= tau * sum + of_tau * tau * tau * v[i];
      }
      reflect(v, of_q);
    }
  }

 private:
  double square(const double* v) const {
    double sum = 1e-300;
    for (std::size_t i = 0; i < dim_; ++i) sum += v[i] * v[i];
    return sum;
  }

  std::vector<double> project(const std::vector<double>& x, const double* v) const {
    std::vector<double> result(columns_);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t c = 0; c < columns_; ++c) result[c] += x[i * columns_ + c] * v[i];
    }
    return result;
  }

  void reflect(const double* v, std::vector<double>& x) const {
    const double tau = 2 / square(v);
    const std::vector<double> p = project(x, v);
    for (std::size_t i = 0; i < dim_; ++i) {
      for (std::size_t c = 0; c < columns_; ++c) x[i * columns_ + c] -= tau * v[i] * p[c];
    }
  }

  std::size_t dim_;
  std::size_t columns_;
  std::vector<std::vector<double>> stages_;  // [j]: after reflections j, j + 1, ...
};

// Parameters: the vectors of the reflections, R and S (upper triangles row after row, diagonals before their
// tanh), b.
class SylvesterLayer final : public flows::Layer {
 public:
  SylvesterLayer(std::size_t dim, std::size_t columns)
      : dim_(dim),
        columns_(columns),
        reflections_(dim, columns),
        outer_(columns * columns),
        inner_(columns * columns),
        corner_(columns * columns) {}

  std::size_t parameters() const override { return dim_ * columns_ + 2 * triangle() + columns_; }
  bool has_inverse() const override { return false; }

  void begin(Random& random, std::span<double> params) const override {
    for (std::size_t p = 0; p < params.size(); ++p) {
      const bool is_outer = p >= outer_at() && p < inner_at();
      params[p] = random.normal() * (is_outer ? kFirst : 1.0);
    }
    for (std::size_t p = inner_at(); p < bias_at(); ++p)
      params[p] /= std::sqrt(static_cast<double>(columns_));
  }

  void units(std::span<const double>, std::span<double> result) const override {
    std::fill(result.begin(), result.end(), kUnit);
    for (std::size_t p = outer_at(); p < bias_at(); ++p)
      result[p] = kUnit / std::sqrt(static_cast<double>(columns_));
  }

  void forward(std::span<const double> params, const flows::LayerPass& pass) override {
    const std::size_t lanes = pass.lanes;
    reflections_.make(params.data());
    unpack(params.data() + outer_at(), outer_);
    unpack(params.data() + inner_at(), inner_);
    seen_.assign(columns_ * lanes, 0.0);
    bent_.resize(columns_ * lanes);
    slope_.resize(columns_ * lanes);
    std::vector<double> moved(columns_ * lanes);
    add_product(q_transposed(), lanes, pass.x, seen_.data());
    flows::fill_rows(params.data() + bias_at(), columns_, lanes, bent_.data());
    add_product(by_rows(inner_.data(), columns_, columns_), lanes, seen_.data(), bent_.data());
    flows::tanh_all(bent_.data(), bent_.size(), bent_.data());
    for (std::size_t i = 0; i < columns_; ++i) {
      const double product = diagonal(outer_, i) * diagonal(inner_, i);
      for (std::size_t k = 0; k < lanes; ++k) {
        slope_[i * lanes + k] = 1 - bent_[i * lanes + k] * bent_[i * lanes + k];
        pass.log_det[k] += std::log1p(slope_[i * lanes + k] * product);
      }
    }
    add_product(by_rows(outer_.data(), columns_, columns_), lanes, bent_.data(), moved.data());
    std::copy_n(pass.x, dim_ * lanes, pass.y);
    add_product(q(), lanes, moved.data(), pass.y);
    moved_ = std::move(moved);
  }

  void backward(std::span<const double> params, const flows::LayerAdjoint& adjoint,
                std::span<double> params_adjoint) override {
    const std::size_t lanes = adjoint.lanes;
    std::vector<double> of_q(dim_ * columns_);
    std::vector<double> of_moved(columns_ * lanes);
    std::vector<double> of_bent(columns_ * lanes);
    std::vector<double> of_seen(columns_ * lanes);
    std::vector<double> of_outer(columns_ * columns_);
    std::vector<double> of_inner(columns_ * columns_);
    add_product(q_transposed(), lanes, adjoint.y, of_moved.data());
    add_outer({dim_, columns_, adjoint.y, moved_.data()}, lanes, of_q.data());
    add_product(transposed(by_rows(outer_.data(), columns_, columns_)), lanes, of_moved.data(),
                of_bent.data());
    add_outer({columns_, columns_, of_moved.data(), bent_.data()}, lanes, of_outer.data());
    for (std::size_t i = 0; i < columns_; ++i) {
      const double product = diagonal(outer_, i) * diagonal(inner_, i);
      double of_product = 0;
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t at = i * lanes + k;
        const double share = adjoint.log_det[k] / (1 + slope_[at] * product);
        of_product += share * slope_[at];
        of_bent[at] = (of_bent[at] - 2 * bent_[at] * share * product) * slope_[at];
      }
      of_outer[i * columns_ + i] += of_product * diagonal(inner_, i);
      of_inner[i * columns_ + i] += of_product * diagonal(outer_, i);
    }
    flows::add_row_sums(of_bent.data(), columns_, lanes, &params_adjoint[bias_at()]);
    add_outer({columns_, columns_, of_bent.data(), seen_.data()}, lanes, of_inner.data());
    add_product(transposed(by_rows(inner_.data(), columns_, columns_)), lanes, of_bent.data(),
                of_seen.data());
    add_outer({dim_, columns_, adjoint.x, of_seen.data()}, lanes, of_q.data());
    std::copy_n(adjoint.y, dim_ * lanes, adjoint.result);
    add_product(q(), lanes, of_seen.data(), adjoint.result);
    pack(of_outer, outer_, &params_adjoint[outer_at()]);
    pack(of_inner, inner_, &params_adjoint[inner_at()]);
    reflections_.back(params.data(), of_q, params_adjoint.data());
  }

  void push_slopes(std::span<const double>, const flows::LayerSlopes& slopes) override {
    const std::size_t lanes = slopes.lanes;
    std::vector<double> sums(columns_ * lanes);
    std::vector<double> along(columns_ * lanes);
    set_corner();
    add_gradient(lanes, slopes);
    add_product(q_transposed(), lanes, slopes.out, along.data());
    add_product(transposed(by_rows(outer_.data(), columns_, columns_)), lanes, along.data(), sums.data());
    for (std::size_t i = 0; i < columns_; ++i) {  // sums becomes -z, row after row
      add_product(by_rows(&corner_[i * columns_], 1, i), lanes, sums.data(), &sums[i * lanes]);
      for (std::size_t k = 0; k < lanes; ++k) {
        const double h = slope_[i * lanes + k];
        sums[i * lanes + k] *= -h / (1 + h * corner_[i * columns_ + i]);
      }
    }
    std::fill(along.begin(), along.end(), 0.0);
    add_product(transposed(by_rows(inner_.data(), columns_, columns_)), lanes, sums.data(), along.data());
    add_product(q(), lanes, along.data(), slopes.out);
  }

 private:
  std::size_t triangle() const { return columns_ * (columns_ + 1) / 2; }
  std::size_t outer_at() const { return dim_ * columns_; }
  std::size_t inner_at() const { return outer_at() + triangle(); }
  std::size_t bias_at() const { return inner_at() + triangle(); }
  double diagonal(const std::vector<double>& square, std::size_t i) const { return square[i * columns_ + i]; }
  flows::MatrixView q() const { return by_rows(reflections_.q().data(), dim_, columns_); }
  flows::MatrixView q_transposed() const { return transposed(q()); }

  void unpack(const double* params, std::vector<double>& square) const {
    for (std::size_t i = 0; i < columns_; ++i) {
      square[i * columns_ + i] = std::tanh(*params++);
      for (std::size_t j = i + 1; j < columns_; ++j) square[i * columns_ + j] = *params++;
    }
  }

  void pack(const std::vector<double>& adjoint, const std::vector<double>& square, double* params) const {
    for (std::size_t i = 0; i < columns_; ++i) {
      const double value = diagonal(square, i);
      *params++ += adjoint[i * columns_ + i] * (1 - value * value);
      for (std::size_t j = i + 1; j < columns_; ++j) *params++ += adjoint[i * columns_ + j];
    }
  }

  // T = (S R)': element (i, j) for j <= i is sum over m = j .. i of s_jm r_mi.
  void set_corner() {
    for (std::size_t i = 0; i < columns_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t m = j; m <= i; ++m) sum += inner_[j * columns_ + m] * outer_[m * columns_ + i];
        corner_[i * columns_ + j] = sum;
      }
    }
  }

  // out = in - grad log|det J|.
  void add_gradient(std::size_t lanes, const flows::LayerSlopes& slopes) const {
    std::vector<double> of_bent(columns_ * lanes);
    std::vector<double> of_seen(columns_ * lanes);
    for (std::size_t i = 0; i < columns_; ++i) {
      const double product = diagonal(outer_, i) * diagonal(inner_, i);
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::size_t at = i * lanes + k;
        of_bent[at] = 2 * bent_[at] * product * slope_[at] / (1 + slope_[at] * product);
      }
    }
    add_product(transposed(by_rows(inner_.data(), columns_, columns_)), lanes, of_bent.data(),
                of_seen.data());
    std::copy_n(slopes.in, dim_ * lanes, slopes.out);
    add_product(q(), lanes, of_seen.data(), slopes.out);
  }

  std::size_t dim_;
  std::size_t columns_;
  Reflections reflections_;
  std::vector<double> outer_;   // R
  std::vector<double> inner_;   // S
  std::vector<double> corner_;  // T
  std::vector<double> seen_;    // Q'x
  std::vector<double> bent_;    // t
  std::vector<double> slope_;   // h
  std::vector<double> moved_;   // R t
};

std::unique_ptr<Family> make(const FamilySetting& setting) {
  const std::size_t columns = std::min(
      setting.dim, flows::chosen((*setting.options)[option::kHidden], std::min(setting.dim, kColumns)));
  flows::Layers layers;
  for (std::size_t l = 0; l < flows::chosen((*setting.options)[option::kLayers], kLayers); ++l)
    layers.push_back(std::make_unique<SylvesterLayer>(setting.dim, columns));
  return flows::make_flow(setting.dim, std::move(layers));
}

}  // namespace

const FamilyRecord& sylvester_family() {
  static const FamilyRecord record{
      .name = "sylvester",
      .summary = "a flow of bends along several directions at once; no log q at given points",
      .citation =
          "van den Berg, Hasenclever, Tomczak and Welling (2018), Sylvester normalizing flows for "
          "variational "
          "inference, UAI.",
      .options = kOptions,
      .is_affine = true,
      .make = make,
  };
  return record;
}

}  // namespace kullback::infer
