#include <array>

#include "deep/bnn/prior.hpp"

namespace kullback::deep {

#define KULLBACK_PRIOR(record) extern const PriorRecord record;
#include "deep/bnn/priors.def"
#undef KULLBACK_PRIOR

std::span<const PriorRecord* const> priors() {
  static const std::array kRecords = {
#define KULLBACK_PRIOR(record) &record,
#include "deep/bnn/priors.def"
#undef KULLBACK_PRIOR
  };
  return kRecords;
}

}  // namespace kullback::deep
