#include "conjugate/record.hpp"

#include <map>

#include "base/error.hpp"

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

// The record of --kind, with the texts that it refers to.
struct KindOption {
  std::string kinds;
  std::string help;
  OptionRecord record = {};
  const OptionRecord* table[1] = {&record};
};

std::map<std::string, KindOption, std::less<>> kind_options() {
  std::map<std::string, KindOption, std::less<>> options;
  for (const ModelRecord* model : all()) {
    KindOption& option = options[model->verb];
    option.kinds += (option.kinds.empty() ? "" : "|") + model->kind;
    option.help += (option.help.empty() ? "" : "; ") + model->kind + ": " + model->summary;
    if (option.help.back() == '.') option.help.pop_back();
  }
  for (auto& [verb, option] : options) {
    option.record.name = "kind";
    option.record.type = OptionType::choice;
    option.record.choices = option.kinds;
    option.record.help = option.help;
  }
  return options;
}

const KindOption& kind_of_verb(std::string_view verb) {
  static const std::map<std::string, KindOption, std::less<>> options = kind_options();
  const auto at = options.find(verb);
  if (at == options.end())
    throw Error(ErrorKind::internal, "no conjugate model has the verb " + std::string(verb) + ".");
  return at->second;
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

const OptionRecord& kind_option(std::string_view verb) { return kind_of_verb(verb).record; }
OptionTable kind_table(std::string_view verb) { return kind_of_verb(verb).table; }

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
