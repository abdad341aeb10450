#include "conjugate/record.hpp"

namespace kullback::conjugate {

#define KULLBACK_CONJUGATE(name) extern const ModelRecord k_##name;
#include "conjugate/models.def"
#undef KULLBACK_CONJUGATE

namespace {

const std::vector<const ModelRecord*>& all() {
  static const std::vector<const ModelRecord*> records = {
#define KULLBACK_CONJUGATE(name) &k_##name,
#include "conjugate/models.def"
#undef KULLBACK_CONJUGATE
  };
  return records;
}

}  // namespace

std::span<const ModelRecord* const> model_records() { return all(); }

const ModelRecord* find_model(std::string_view verb, std::string_view kind) {
  for (const ModelRecord* record : all()) {
    if (record->verb == verb && (kind.empty() || record->kind == kind)) return record;
  }
  return nullptr;
}

}  // namespace kullback::conjugate
