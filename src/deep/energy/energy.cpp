#include "deep/energy/energy.hpp"

#include <array>

#include "base/error.hpp"

namespace kullback::deep {

#define KULLBACK_ENERGY(record) extern const EnergyRecord record;
#include "deep/energy/energies.def"
#undef KULLBACK_ENERGY

std::span<const EnergyRecord* const> energies() {
  static const std::array kRecords = {
#define KULLBACK_ENERGY(record) &record,
#include "deep/energy/energies.def"
#undef KULLBACK_ENERGY
  };
  return kRecords;
}

const EnergyRecord* find_energy(std::string_view name) {
  for (const EnergyRecord* record : energies())
    if (record->name == name) return record;
  return nullptr;
}

torch::Tensor Energy::gibbs(const Parameters&, const torch::Tensor&, double, const Noise&) const {
  throw Error(ErrorKind::internal, "an energy of numbers has no sweep over 0 and 1.");
}

torch::Tensor Energy::log_partition(const Parameters&) const {
  throw Error(ErrorKind::internal, "an energy was asked for a constant that it does not have.");
}

torch::Tensor Energy::exact_draws(const Parameters&, std::int64_t) const {
  throw Error(ErrorKind::internal, "an energy was asked for draws that it does not have.");
}

}  // namespace kullback::deep
