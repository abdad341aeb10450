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

// How a user names the models that take missing values of this kind of data.
std::string missing_takers(DataKind kind) {
  std::string list;
  for (const ModelRecord* record : all()) {
    if (record->data == kind && record->takes_missing)
      list += (list.empty() ? "" : ", ") + record->verb + " --kind " + record->kind;
  }
  return list;
}

}  // namespace

std::span<const ModelRecord* const> model_records() { return all(); }

const ModelRecord* find_model(std::string_view verb, std::string_view kind) {
  for (const ModelRecord* record : all()) {
    if (record->verb == verb && (kind.empty() || record->kind == kind)) return record;
  }
  return nullptr;
}

void set_needs(const ModelRecord& record, SourceRequest& request) {
  request.kind = record.data;
  request.takes_missing = record.takes_missing;
  request.missing_takers = missing_takers(record.data);
  request.takes_categories = record.takes_categories;
  request.needs_counts = record.needs_counts;
  request.needs_values = true;
  request.target_is_category = record.target_is_category;
}

}  // namespace kullback::conjugate
