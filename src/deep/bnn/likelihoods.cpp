#include <array>

#include "deep/bnn/likelihood.hpp"

namespace kullback::deep {

#define KULLBACK_LIKELIHOOD(record) extern const LikelihoodRecord record;
#include "deep/bnn/likelihoods.def"
#undef KULLBACK_LIKELIHOOD

std::span<const LikelihoodRecord* const> likelihoods() {
  static const std::array kRecords = {
#define KULLBACK_LIKELIHOOD(record) &record,
#include "deep/bnn/likelihoods.def"
#undef KULLBACK_LIKELIHOOD
  };
  return kRecords;
}

}  // namespace kullback::deep
