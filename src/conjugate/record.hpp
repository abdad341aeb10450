// What the program knows of one conjugate model: conjugate/models.def lists them all.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "conjugate/data.hpp"
#include "conjugate/model.hpp"

namespace kullback::conjugate {

struct ModelRecord {
  std::string verb;      // of the command line: "mixture"
  std::string kind;      // value of its --kind: "gaussian"; the first record of a verb is the default
  std::string summary;   // one sentence
  std::string use_when;  // one sentence
  std::string citation;
  DataKind data = DataKind::table;
  bool takes_missing = false;       // NaN cells; the model's page says what it does with them
  bool takes_categories = false;    // columns are categories 0, 1, ... (Shape::levels names them)
  bool needs_counts = false;        // values are counts: whole and not negative
  bool target_is_category = false;  // it comes as 0, 1, ... (the last of Shape::levels names them)
  bool has_target = false;          // --target: that column comes last
  OptionTable options = {};         // that it reads
  std::unique_ptr<Model> (*make)(const OptionValues& values, const Shape& shape) = nullptr;
};

std::span<const ModelRecord* const> model_records();
// Null where there is none. An empty kind: the verb's first.
const ModelRecord* find_model(std::string_view verb, std::string_view kind);

// --kind of a verb: the kinds of its models, and what each of them is. Throws Error internal for no such
// verb.
const OptionRecord& kind_option(std::string_view verb);
OptionTable kind_table(std::string_view verb);  // that alone

// Tells the reader what the model's data must be.
void set_needs(const ModelRecord& record, SourceRequest& request);

}  // namespace kullback::conjugate
