// Direction numbers of Joe and Kuo (2008), from Boost. Scrambling (Matousek 1998): the binary digits of a
// coordinate are multiplied by a random lower triangular matrix with unit diagonal over GF(2), then shifted
// by a random number. Every point is uniform, every set of 2^m points stays as evenly spread as Sobol's.
#include "infer/vi/sobol.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>

#include "base/random.hpp"

namespace kullback::infer {

namespace {

constexpr std::size_t kTables = 3667;
constexpr unsigned kBits = 32;
constexpr std::uint32_t kHighest = 1U << (kBits - 1);

double to_unit(std::uint32_t digits) { return (static_cast<double>(digits) + 0.5) * 0x1p-32; }

}  // namespace

ScrambledSobol::ScrambledSobol(std::size_t dim, Random& random)
    : dim_(std::min(dim, kTables)),
      more_(dim - dim_),
      columns_(kBits * dim_),
      shifts_(dim_),
      seed_(random()) {
  for (std::size_t i = 0; i < dim_; ++i) {
    for (unsigned bit = 0; bit < kBits; ++bit) {
      const std::uint32_t own = kHighest >> bit;
      const auto below = static_cast<std::uint32_t>(random()) & (own - 1);
      columns_[kBits * i + bit] = own | below;
    }
    shifts_[i] = static_cast<std::uint32_t>(random());
  }
}

std::uint32_t ScrambledSobol::scramble(std::size_t coordinate, std::uint32_t digits) const {
  std::uint32_t result = shifts_[coordinate];
  const std::uint32_t* columns = &columns_[kBits * coordinate];
  for (unsigned bit = 0; bit < kBits; ++bit)
    result ^= columns[bit] & (0U - ((digits >> (kBits - 1 - bit)) & 1U));
  return result;
}

// Boost leaves out the first point, which is 0.
void ScrambledSobol::fill(std::uint64_t first, std::size_t count, double* result) const {
  if (dim_ > 0) {
    boost::random::sobol_engine<std::uint32_t, kBits> engine(dim_);
    if (first > 1) engine.discard((first - 1) * dim_);
    for (std::size_t k = 0; k < count; ++k) {
      const bool is_zero = first + k == 0;
      for (std::size_t i = 0; i < dim_; ++i)
        result[i * count + k] = to_unit(scramble(i, is_zero ? 0U : engine()));
    }
  }
  for (std::size_t k = 0; more_ > 0 && k < count; ++k) {
    Random random(seed_, 0, 0, static_cast<std::uint32_t>(first + k));
    for (std::size_t i = dim_; i < dim_ + more_; ++i) result[i * count + k] = random.uniform();
  }
}

}  // namespace kullback::infer
