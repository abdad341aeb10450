// run.json and summary.json. A key that is missing keeps its default, unless nothing can be done without it;
// a key of a newer version is passed over.
#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_value.hpp"
#include "posterior/run_record.hpp"
#include "posterior/summary.hpp"

namespace kullback::posterior {

namespace {

constexpr const char* kHint = "The file was written by another program, or is damaged; fit again.";

class Reader final {
 public:
  explicit Reader(const std::string& path) : path_(path), root_(parse_json(read_file(path), path, kHint)) {
    if (root_.object() == nullptr) refuse("must be a JSON object");
  }

  const JsonValue& root() const { return root_; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input, path_ + ": " + what + ".", kHint);
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view needed) const {
    refuse("'" + std::string(name) + "' must be " + std::string(needed));
  }

  void text(const JsonValue& object, std::string_view name, std::string& result) const {
    const JsonValue* value = object.find(name);
    if (value == nullptr) return;
    if (value->string() == nullptr) refuse(name, "a string");
    result = *value->string();
  }

  void truth(const JsonValue& object, std::string_view name, bool& result) const {
    const JsonValue* value = object.find(name);
    if (value == nullptr) return;
    if (value->boolean() == nullptr) refuse(name, "true or false");
    result = *value->boolean();
  }

  template <class Count>
  void count(const JsonValue& object, std::string_view name, Count& result) const {
    const JsonValue* value = object.find(name);
    if (value == nullptr) return;
    if (value->number() == nullptr || !value->number()->count) refuse(name, "a count");
    result = static_cast<Count>(*value->number()->count);
  }

  std::vector<std::size_t> counts(const JsonValue& object, std::string_view name) const {
    std::vector<std::size_t> result;
    const JsonValue* value = object.find(name);
    if (value == nullptr) return result;
    if (value->array() == nullptr) refuse(name, "an array of counts");
    for (const JsonValue& item : *value->array()) {
      if (item.number() == nullptr || !item.number()->count) refuse(name, "an array of counts");
      result.push_back(static_cast<std::size_t>(*item.number()->count));
    }
    return result;
  }

  // A double or an optional one.
  template <class Number>
  void number(const JsonValue& object, std::string_view name, Number& result) const {
    const JsonValue* value = object.find(name);
    if (value != nullptr) result = number_of(name, *value);
  }

  // Calls use(object) for each object of an array.
  template <class Use>
  void each(std::string_view name, Use use) const {
    const JsonValue* value = root_.find(name);
    if (value == nullptr) return;
    if (value->array() == nullptr) refuse(name, "an array");
    for (const JsonValue& item : *value->array()) {
      if (item.object() == nullptr) refuse(name, "an array of objects");
      use(item);
    }
  }

  // Calls use(name, word) for each member of an object.
  template <class Use>
  void each_word(std::string_view name, Use use) const {
    const JsonValue* value = root_.find(name);
    if (value == nullptr) return;
    if (value->object() == nullptr) refuse(name, "an object");
    for (const JsonValue::Member& member : *value->object()) {
      if (member.value.string() == nullptr) refuse(name, "an object of strings");
      use(member.name, *member.value.string());
    }
  }

  RunOptions options() const {
    RunOptions options;
    const JsonValue* value = root_.find("options");
    if (value == nullptr) return options;
    if (value->object() == nullptr) refuse("options", "an object");
    for (const JsonValue::Member& member : *value->object()) options.set(member.name, option_of(member));
    return options;
  }

  Findings findings() const {
    Findings findings;
    each("findings", [&](const JsonValue& object) {
      Finding& finding = findings.emplace_back();
      text(object, "code", finding.code);
      text(object, "message", finding.message);
      text(object, "evidence", finding.evidence);
      text(object, "advice", finding.advice);
    });
    return findings;
  }

 private:
  OptionValue option_of(const JsonValue::Member& member) const {
    const JsonValue& value = member.value;
    if (const std::string* text = value.string()) return *text;
    if (const bool* flag = value.boolean()) return *flag;
    if (const JsonNumber* number = value.number(); number != nullptr && number->count)
      return static_cast<std::size_t>(*number->count);
    if (value.number() != nullptr) return value.number()->value;
    std::vector<std::string> items;
    if (value.array() == nullptr)
      refuse(member.name, "true, false, a number, a string or an array of strings");
    for (const JsonValue& item : *value.array()) {
      if (item.string() == nullptr) refuse(member.name, "an array of strings");
      items.push_back(*item.string());
    }
    return items;
  }

  double number_of(std::string_view name, const JsonValue& value) const {
    if (value.number() != nullptr) return value.number()->value;
    const std::string* word = value.string();
    if (word != nullptr && *word == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (word != nullptr && *word == "Infinity") return std::numeric_limits<double>::infinity();
    if (word != nullptr && *word == "-Infinity") return -std::numeric_limits<double>::infinity();
    refuse(name, "a number");
  }

  std::string path_;
  JsonValue root_;
};

}  // namespace

RunRecord read_run_record(const std::string& path) {
  const Reader reader(path);
  const JsonValue& object = reader.root();
  RunRecord record;
  record.kind.clear();
  reader.text(object, "kind", record.kind);
  if (record.kind.empty()) reader.refuse("kind", "there: it says what the folder holds");
  reader.text(object, "method", record.method);
  reader.text(object, "version", record.version);
  reader.text(object, "program", record.program);
  reader.text(object, "program_hash", record.program_hash);
  reader.text(object, "data", record.data);
  reader.text(object, "data_hash", record.data_hash);
  reader.each("data_variables", [&](const JsonValue& shape) {
    DataShape& read = record.data_variables.emplace_back();
    std::string type;
    reader.text(shape, "name", read.name);
    reader.text(shape, "type", type);
    read.is_int = type == "int";
    read.dims = reader.counts(shape, "dims");
    reader.truth(shape, "observed", read.is_observed);
  });
  reader.count(object, "seed", record.seed);
  reader.count(object, "chains", record.chains);
  reader.count(object, "parameters", record.parameters);
  reader.count(object, "generated", record.generated);
  record.options = reader.options();
  reader.each_word("facts", [&](const std::string& name, const std::string& value) {
    record.facts.emplace_back(name, value);
  });
  reader.each("rungs", [&](const JsonValue& rung) {
    Rung& read = record.rungs.emplace_back();
    reader.text(rung, "method", read.method);
    reader.text(rung, "verdict", read.verdict);
    reader.count(rung, "gradients", read.gradients);
    reader.text(rung, "reason", read.reason);
  });
  reader.text(object, "status", record.status);
  reader.text(object, "started", record.started);
  reader.count(object, "gradients", record.gradients);
  reader.number(object, "seconds", record.seconds);
  reader.each("files", [&](const JsonValue& file) {
    RecordedFile& read = record.files.emplace_back();
    reader.text(file, "name", read.name);
    reader.count(file, "bytes", read.bytes);
    reader.text(file, "xxh64", read.hash);
  });
  record.findings = reader.findings();
  return record;
}

Summary read_summary(const std::string& path) {
  const Reader reader(path);
  Summary summary;
  reader.each("parameters", [&](const JsonValue& object) {
    SummaryRow& row = summary.rows.emplace_back();
    reader.text(object, "name", row.name);
    reader.number(object, "mean", row.mean);
    reader.number(object, "mcse_mean", row.mcse_mean);
    reader.number(object, "sd", row.sd);
    reader.number(object, "q5", row.q5);
    reader.number(object, "q50", row.q50);
    reader.number(object, "q95", row.q95);
    reader.number(object, "ess_bulk", row.ess_bulk);
    reader.number(object, "ess_tail", row.ess_tail);
    reader.number(object, "rhat", row.rhat);
  });
  summary.findings = reader.findings();
  return summary;
}

}  // namespace kullback::posterior
