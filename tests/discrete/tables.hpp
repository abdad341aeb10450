// Data with a known joint table of a few columns, and what is known of them given a state of each process.
#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "deep/discrete/process.hpp"

namespace kullback::deep::discrete {

inline torch::TensorOptions doubles() { return torch::TensorOptions(torch::kFloat64); }

// All rows of a space, with their probabilities.
struct Table {
  Space space;
  torch::Tensor rows;  // int64 [states, dims], in the order of index_of
  torch::Tensor p;     // [states], double

  std::int64_t states() const { return rows.size(0); }
  double entropy() const { return -(p * p.log()).sum().item<double>(); }
  // Which state a row is, int64 [n].
  torch::Tensor index_of(const torch::Tensor& x) const {
    torch::Tensor index = torch::zeros({x.size(0)}, torch::kInt64);
    for (std::int64_t i = 0; i < space.dims(); ++i)
      index = index * space.values[static_cast<std::size_t>(i)] + x.select(1, i);
    return index;
  }
  torch::Tensor draw(std::int64_t count) const {
    return rows.index_select(0, at::multinomial(p, count, true));
  }
  torch::Tensor counts(const torch::Tensor& x) const {
    return at::bincount(index_of(x), {}, states()).to(torch::kFloat64);
  }
};

inline torch::Tensor all_rows(const Space& space) {
  std::vector<torch::Tensor> axes;
  for (const std::int64_t count : space.values) axes.push_back(torch::arange(count));
  std::vector<torch::Tensor> grids = at::meshgrid(axes, "ij");
  for (torch::Tensor& grid : grids) grid = grid.flatten();
  return at::stack(grids, 1);
}

// Columns that depend on each other: gamma-like weights, by LibTorch's generator.
inline Table random_table(std::vector<std::int64_t> values, std::uint64_t seed) {
  at::manual_seed(seed);
  Table table{.space = {std::move(values)}, .rows = {}, .p = {}};
  table.rows = all_rows(table.space);
  table.p = at::exp(1.2 * torch::randn({table.rows.size(0)}, doubles()));
  table.p = table.p / table.p.sum();
  return table;
}

inline std::unique_ptr<Process> process_of(const std::string& name, const Table& table,
                                           const std::map<std::string, std::string>& options = {}) {
  return make_process(name, {.space = table.space, .number = doubles()},
                      read_options(process_named(name).options, options, name));
}

// Exact, from log P(state | data row) of all rows. `blend` makes the answer wrong: mixed with an ignorant
// one, of counts too large.
class TableDenoiser : public Denoiser {
 public:
  explicit TableDenoiser(const Table& table, double blend = 0) : table_(table), blend_(blend) {
    const torch::Tensor value = torch::arange(table.space.most());
    one_hot_ = (table.rows.unsqueeze(2) == value).to(torch::kFloat64);  // [states, dims, most]
  }

  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override {
    const torch::Tensor posterior = at::softmax(table_.p.log().unsqueeze(0) + log_likelihood(state, t), 1);
    return answer(posterior, state);
  }

 protected:
  virtual torch::Tensor log_likelihood(const torch::Tensor& state, const torch::Tensor& t) const = 0;
  virtual torch::Tensor answer(const torch::Tensor& posterior, const torch::Tensor&) const {
    const torch::Tensor values = torch::tensor(table_.space.values).view({1, -1, 1});
    const torch::Tensor is_there = torch::arange(table_.space.most()) < values;
    const torch::Tensor chances = at::tensordot(posterior, one_hot_, {1}, {0});
    return ((1 - blend_) * chances + blend_ * is_there.to(torch::kFloat64) / values).clamp_min(1e-300).log();
  }

  const Table& table_;
  double blend_;
  torch::Tensor one_hot_;
};

// Columns that are not hidden agree.
class ExactMasked final : public TableDenoiser {
 public:
  using TableDenoiser::TableDenoiser;

 protected:
  torch::Tensor log_likelihood(const torch::Tensor& state, const torch::Tensor&) const override {
    const torch::Tensor hidden = state == table_.space.most();
    const torch::Tensor fits =
        (state.unsqueeze(1) == table_.rows.unsqueeze(0)).logical_or(hidden.unsqueeze(1));
    return torch::zeros({state.size(0), table_.states()}, doubles())
        .masked_fill(fits.all(2).logical_not(), -1e9);
  }
};

class ExactFlow final : public TableDenoiser {
 public:
  using TableDenoiser::TableDenoiser;

 protected:
  torch::Tensor log_likelihood(const torch::Tensor& state, const torch::Tensor& t) const override {
    const torch::Tensor matched = at::tensordot(state.transpose(1, 2), one_hot_, {1, 2}, {1, 2});
    return t.unsqueeze(1) * matched / (1 - t.unsqueeze(1)).square();  // less what all rows have
  }
};

// log of the binomial probability of n out of x.
inline torch::Tensor log_binomial(const torch::Tensor& n, const torch::Tensor& x, const torch::Tensor& p) {
  const torch::Tensor k = n.to(torch::kFloat64), m = x.to(torch::kFloat64), d = (m - k).clamp_min(0);
  const torch::Tensor value =
      at::lgamma(m + 1) - at::lgamma(k + 1) - at::lgamma(d + 1) + at::xlogy(k, p) + at::xlogy(d, 1 - p);
  return value.masked_fill(k > m, -1e9);
}

class ExactBlackout final : public TableDenoiser {
 public:
  using TableDenoiser::TableDenoiser;

  // Of rows at one time: once for each state.
  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override {
    if (state.size(0) <= table_.states() || !t.eq(t[0]).all().item<bool>())
      return TableDenoiser::at(state, t);
    const torch::Tensor all = TableDenoiser::at(table_.rows, t[0].expand({table_.states()}));
    return all.index_select(0, table_.index_of(state));
  }

 protected:
  torch::Tensor log_likelihood(const torch::Tensor& state, const torch::Tensor& t) const override {
    return log_binomial(state.unsqueeze(1), table_.rows.unsqueeze(0), at::sigmoid(t).view({-1, 1, 1})).sum(2);
  }
  torch::Tensor answer(const torch::Tensor& posterior, const torch::Tensor& state) const override {
    return (1 + blend_) * (posterior.matmul(table_.rows.to(torch::kFloat64)) - state).unsqueeze(2);
  }
};

// Of the law before a visit: columns before the hidden one have been visited once more.
class ExactGlauber final : public Denoiser {
 public:
  ExactGlauber(const Table& table, std::int64_t sweeps, double blend = 0)
      : table_(table), sweeps_(sweeps), blend_(blend) {}

  // The joint law after visits of each column.
  torch::Tensor law(const std::vector<std::int64_t>& visits) const {
    std::vector<std::int64_t> shape = table_.space.values;
    torch::Tensor p = table_.p.view(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const double keep = 1 - static_cast<double>(visits[i]) / static_cast<double>(sweeps_);
      p = keep * p + (1 - keep) * p.mean(static_cast<std::int64_t>(i), true).expand(shape);
    }
    return p;
  }

  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override {
    const std::int64_t dims = table_.space.dims(), most = table_.space.most();
    torch::Tensor result = torch::zeros({state.size(0), dims, most}, doubles());
    for (std::int64_t row = 0; row < state.size(0); ++row) {
      const std::int64_t column = (state[row] == most).to(torch::kInt64).argmax().item<std::int64_t>();
      const auto sweep = static_cast<std::int64_t>(t[row].item<double>());
      if (row > 0 && state[row].equal(state[row - 1]) && t[row].equal(t[row - 1])) {
        result[row] = result[row - 1];
        continue;
      }
      std::vector<std::int64_t> visits;
      for (std::int64_t i = 0; i < dims; ++i) visits.push_back(sweep + (i < column ? 1 : 0));
      torch::Tensor p = law(visits);
      std::int64_t axis = 0;
      for (std::int64_t i = 0; i < dims; ++i) {
        if (i == column) {
          ++axis;
        } else {
          p = p.select(axis, state[row][i].item<std::int64_t>());
        }
      }
      p = p / p.sum();
      p = (1 - blend_) * p + blend_ / static_cast<double>(p.size(0));
      result[row][column].fill_(-1e9).narrow(0, 0, p.size(0)).copy_(p.log());
    }
    return result;
  }

 private:
  const Table& table_;
  std::int64_t sweeps_;
  double blend_;
};

constexpr std::int64_t kSweeps = 3;

inline std::unique_ptr<Denoiser> exact_for(const std::string& name, const Table& table, double blend = 0) {
  if (name == "masked") return std::make_unique<ExactMasked>(table, blend);
  if (name == "flow") return std::make_unique<ExactFlow>(table, blend);
  if (name == "blackout") return std::make_unique<ExactBlackout>(table, blend);
  return std::make_unique<ExactGlauber>(table, kSweeps, blend);
}

inline std::map<std::string, std::string> options_for(const std::string& name) {
  if (name == "glauber") return {{"sweeps", std::to_string(kSweeps)}};
  return {};
}

// How far counts are from those expected: about 0 with sd 1 where they agree (chi-square, cells that expect
// less than 5 together).
inline double misfit(const torch::Tensor& counts, const torch::Tensor& p) {
  const double n = counts.sum().item<double>();
  double chi = 0, cells = 0, rest = 0, rest_expected = 0;
  const auto add = [&](double found, double expected) {
    chi += (found - expected) * (found - expected) / expected;
    cells += 1;
  };
  for (std::int64_t i = 0; i < p.size(0); ++i) {
    const double found = counts[i].item<double>(), expected = n * p[i].item<double>();
    if (expected >= 5) {
      add(found, expected);
    } else {
      rest += found;
      rest_expected += expected;
    }
  }
  if (rest_expected >= 5) add(rest, rest_expected);
  return (chi - (cells - 1)) / std::sqrt(2 * (cells - 1));
}

}  // namespace kullback::deep::discrete
