// Which rows of the data an iteration sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "density/log_density.hpp"
#include "infer/options.hpp"
#include "infer/vi/noise.hpp"

namespace kullback::infer {

// Named by an index, the iteration: the same index gives the same rows.
class Minibatches final {
 public:
  // `name.purpose` is not read: the streams are those of Purpose::minibatch.
  Minibatches(NoiseName name, std::size_t rows, std::size_t size) : name_(name), rows_(rows), size_(size) {}

  std::size_t rows() const { return rows_; }
  std::size_t size() const { return size_; }
  std::size_t blocks() const { return (rows_ + size_ - 1) / size_; }

  // size() rows without repetition, each set as likely as any other; in order.
  std::vector<std::uint32_t> at(std::uint32_t index) const;
  // All rows in blocks() random blocks of size() rows, the last one maybe smaller.
  std::vector<std::vector<std::uint32_t>> partition() const;
  // A block of the partition, as likely as it has rows.
  std::size_t block_at(std::uint32_t index) const;

 private:
  NoiseName name_;
  std::size_t rows_;
  std::size_t size_;
};

// The rows of a density, and how many of them are a minibatch: --batch-size, or chosen. Throws Error usage
// where the density has no rows, or not so many; `flag` is what needs them: "--optimizer svrg".
struct RowSetting {
  density::Rows* rows = nullptr;
  std::size_t batch_size = 0;
};
RowSetting rows_for(std::string_view flag, density::LogDensity& density, const Options& options);

}  // namespace kullback::infer
