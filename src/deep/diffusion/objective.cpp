#include "deep/diffusion/objective.hpp"

#include <array>

#include "deep/diffusion/records.hpp"

namespace kullback::deep::diffusion {

#define KULLBACK_SCORE_OBJECTIVE(record) extern const ObjectiveRecord record;
#include "deep/diffusion/objectives.def"
#undef KULLBACK_SCORE_OBJECTIVE

std::span<const ObjectiveRecord* const> objectives() {
  static const std::array kRecords = {
#define KULLBACK_SCORE_OBJECTIVE(record) &record,
#include "deep/diffusion/objectives.def"
#undef KULLBACK_SCORE_OBJECTIVE
  };
  return kRecords;
}

const ObjectiveRecord& objective_named(const std::string& name) {
  return record_named(objectives(), name, "objective");
}

std::unique_ptr<Objective> make_objective(const std::string& name, const OptionValues& values) {
  return objective_named(name).make(values);
}

}  // namespace kullback::deep::diffusion
