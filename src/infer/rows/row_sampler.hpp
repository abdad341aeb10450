// Which rows of the data a step sees, and how much they count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "infer/noise_name.hpp"

namespace kullback::infer {

enum class RowSampling : unsigned char {
  uniform,     // each set of so many rows is as likely as any other
  epochs,      // passes over the data in random order: each row once in a pass
  strata,      // rows of each stratum of the user, in proportion
  importance,  // strata of rows by how much they matter, more of those that matter more
};
// Throws Error usage that lists the names.
RowSampling row_sampling_of(std::string_view name);

// With f the density of a piece as density::Rows::choose() has it, terms of rows scaled to all rows,
//   sum over pieces of weight * f(piece)
// is unbiased for the density of all rows: in a stratum of N_h of N rows the weight is N_h / N, and each set
// of n_h of its rows as likely as any other. Weights of a step add up to 1.
struct RowPiece {
  std::vector<std::uint32_t> rows;  // in order
  double weight = 1;
};

// Named by an index, the step: the same index gives the same rows.
class RowSampler final {
 public:
  // Uniform or epochs. `name.purpose` is not read: the streams are those of Purpose::minibatch.
  RowSampler(NoiseName name, RowSampling sampling, std::size_t rows, std::size_t size);
  // `strata`: by row, numbers from 0 without gaps. `spreads`: by stratum, the standard deviation of what is
  // summed; shares of a minibatch are in proportion to rows times spread, which makes the variance of the sum
  // least (Neyman 1934). Empty: all the same. Throws Error usage where there are more strata than rows in a
  // minibatch.
  RowSampler(NoiseName name, std::size_t rows, std::size_t size, std::span<const std::uint32_t> strata,
             std::span<const double> spreads);

  std::size_t rows() const { return rows_; }
  std::size_t size() const { return size_; }
  const std::vector<RowPiece>& at(std::uint32_t index);

 private:
  struct Stratum {
    std::vector<std::uint32_t> rows;
    std::size_t share = 0;  // of a minibatch
  };

  void allocate(std::span<const double> spreads);
  void fill_epoch(std::uint32_t index);
  void shuffle_epoch(std::uint32_t epoch);

  NoiseName name_;
  RowSampling sampling_;
  std::size_t rows_;
  std::size_t size_;
  std::vector<Stratum> strata_;
  std::vector<RowPiece> pieces_;
  std::vector<std::uint32_t> order_;  // of the epoch
  std::uint32_t epoch_ = ~0U;
};

// Rows in `count` strata of about as many rows, those with the smallest scores first; by row its number.
std::vector<std::uint32_t> strata_by_score(std::span<const double> scores, std::size_t count);

}  // namespace kullback::infer
