// run.json.
#include <fmt/format.h>

#include "base/json.hpp"
#include "run/json_reader.hpp"
#include "run/json_text.hpp"
#include "run/record.hpp"

namespace kullback::run {

namespace {

template <class Words>
std::string words_json(const Words& words) {
  std::string text = "{";
  for (const auto& [name, value] : words)
    text += fmt::format("{}{}: {}", text.size() == 1 ? "" : ", ", json_string(name), json_string(value));
  return text + "}";
}

std::string rungs_json(const std::vector<Rung>& rungs) {
  std::string text;
  for (const Rung& rung : rungs) {
    text += fmt::format("{}\n    {{\"method\": {}, \"verdict\": {}, \"gradients\": {}, \"reason\": {}}}",
                        text.empty() ? "" : ",", json_string(rung.method), json_string(rung.verdict),
                        rung.gradients, json_string(rung.reason));
  }
  return "[" + text + (text.empty() ? "]" : "\n  ]");
}

std::string shapes_json(const std::vector<DataShape>& shapes) {
  std::string text;
  for (const DataShape& shape : shapes) {
    std::string dims;
    for (const std::size_t dim : shape.dims) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", dim);
    text += fmt::format("{}{{\"name\": {}, \"type\": \"{}\", \"dims\": [{}], \"observed\": {}}}",
                        text.empty() ? "" : ", ", json_string(shape.name), shape.is_int ? "int" : "real",
                        dims, shape.is_observed ? "true" : "false");
  }
  return "[" + text + "]";
}

std::string files_json(const std::vector<RecordedFile>& files) {
  std::string text;
  for (const RecordedFile& file : files) {
    text += fmt::format("{}\n    {{\"name\": {}, \"bytes\": {}, \"xxh64\": {}}}", text.empty() ? "" : ",",
                        json_string(file.name), file.bytes, json_string(file.hash));
  }
  return "[" + text + "\n  ]";
}

OptionValue option_of(const JsonReader& reader, const JsonValue::Member& member) {
  const JsonValue& value = member.value;
  if (const std::string* text = value.string()) return *text;
  if (const bool* flag = value.boolean()) return *flag;
  if (const JsonNumber* number = value.number(); number != nullptr && number->count)
    return static_cast<std::size_t>(*number->count);
  if (value.number() != nullptr) return value.number()->value;
  std::vector<std::string> items;
  if (value.array() == nullptr)
    reader.refuse(member.name, "true, false, a number, a string or an array of strings");
  for (const JsonValue& item : *value.array()) {
    if (item.string() == nullptr) reader.refuse(member.name, "an array of strings");
    items.push_back(*item.string());
  }
  return items;
}

RunOptions options_of(const JsonReader& reader) {
  RunOptions options;
  const JsonValue* value = reader.root().find("options");
  if (value == nullptr) return options;
  if (value->object() == nullptr) reader.refuse("options", "an object");
  for (const JsonValue::Member& member : *value->object())
    options.set(member.name, option_of(reader, member));
  return options;
}

}  // namespace

std::string to_json(const RunRecord& record) {
  std::string text = "{\n";
  const auto add = [&text](std::string_view name, const std::string& json) {
    text += fmt::format("  \"{}\": {},\n", name, json);
  };
  add("kind", json_string(name_of(record.kind)));
  add("method", json_string(record.method));
  add("version", json_string(record.version));
  add("program", json_string(record.program));
  add("program_hash", json_string(record.program_hash));
  add("data", json_string(record.data));
  add("data_hash", json_string(record.data_hash));
  add("data_variables", shapes_json(record.data_variables));
  add("seed", std::to_string(record.seed));
  add("chains", std::to_string(record.chains));
  add("parameters", std::to_string(record.parameters));
  add("generated", std::to_string(record.generated));
  add("options", to_json(record.options));
  add("facts", words_json(record.facts));
  add("rungs", rungs_json(record.rungs));
  add("status", json_string(record.status));
  add("started", json_string(record.started));
  add("gradients", std::to_string(record.gradients));
  add("seconds", json_number(record.seconds));
  if (!record.files.empty()) add("files", files_json(record.files));
  return text + "  \"findings\": " + json_findings(record.findings) + "\n}\n";
}

RunRecord read_run_record(const std::string& path) {
  const JsonReader reader(path);
  const JsonValue& object = reader.root();
  RunRecord record;
  std::string kind;
  reader.text(object, "kind", kind);
  if (kind.empty()) reader.refuse("kind", "there: it says what the folder holds");
  const KindRecord* known = find_kind(kind);
  if (known == nullptr)
    reader.refuse_with_hint("it holds a '" + kind + "', which this version does not know",
                            "Another version of Kullback wrote it: install that one, or a newer one.");
  record.kind = known->kind;
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
  record.options = options_of(reader);
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

}  // namespace kullback::run
