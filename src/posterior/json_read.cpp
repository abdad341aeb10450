// run.json and summary.json. A key that is missing keeps its default, unless nothing can be done without it;
// a key of a newer version is passed over.
#include <simdjson.h>

#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "posterior/run_record.hpp"
#include "posterior/summary.hpp"

namespace kullback::posterior {

namespace {

namespace dom = simdjson::dom;

class Reader final {
 public:
  explicit Reader(const std::string& path) : path_(path), text_(read_file(path)) {
    dom::element root;
    if (const auto problem = parser_.parse(text_).get(root))
      refuse(std::string("is no JSON: ") + simdjson::error_message(problem));
    if (root.get(object_)) refuse("must be a JSON object");
  }

  const dom::object& object() const { return object_; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input, path_ + ": " + what + ".",
                "The file was written by another program, or is damaged; fit again.");
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view needed) const {
    refuse("'" + std::string(name) + "' must be " + std::string(needed));
  }

  // False where there is no such key.
  bool find(const dom::object& object, std::string_view name, dom::element& value) const {
    return object[name].get(value) == simdjson::SUCCESS;
  }

  void text(const dom::object& object, std::string_view name, std::string& result) const {
    dom::element value;
    if (!find(object, name, value)) return;
    std::string_view found;
    if (value.get(found)) refuse(name, "a string");
    result = found;
  }

  template <class Count>
  void count(const dom::object& object, std::string_view name, Count& result) const {
    dom::element value;
    if (!find(object, name, value)) return;
    std::uint64_t found = 0;
    if (value.get(found)) refuse(name, "a count");
    result = static_cast<Count>(found);
  }

  double number(std::string_view name, dom::element value) const {
    double found = 0;
    if (!value.get(found)) return found;
    std::string_view word;
    if (!value.get(word)) {
      if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
      if (word == "Infinity") return std::numeric_limits<double>::infinity();
      if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    refuse(name, "a number");
  }

  void number(const dom::object& object, std::string_view name, double& result) const {
    dom::element value;
    if (find(object, name, value)) result = number(name, value);
  }

  void number(const dom::object& object, std::string_view name, std::optional<double>& result) const {
    dom::element value;
    if (find(object, name, value)) result = number(name, value);
  }

  // Calls use(object) for each object of an array.
  template <class Use>
  void each(std::string_view name, Use use) const {
    dom::element value;
    if (!find(object_, name, value)) return;
    dom::array items;
    if (value.get(items)) refuse(name, "an array");
    for (const dom::element item : items) {
      dom::object object;
      if (item.get(object)) refuse(name, "an array of objects");
      use(object);
    }
  }

  Findings findings() const {
    Findings findings;
    each("findings", [&](const dom::object& object) {
      Finding& finding = findings.emplace_back();
      text(object, "code", finding.code);
      text(object, "message", finding.message);
      text(object, "evidence", finding.evidence);
      text(object, "advice", finding.advice);
    });
    return findings;
  }

 private:
  std::string path_;
  std::string text_;
  dom::parser parser_;
  dom::object object_;
};

template <class Take>
void read_words(const Reader& reader, std::string_view key, const Take& take) {
  dom::element value;
  if (!reader.find(reader.object(), key, value)) return;
  dom::object object;
  if (value.get(object)) reader.refuse(key, "an object");
  for (const auto& [name, word] : object) {
    std::string_view found;
    if (word.get(found)) reader.refuse(key, "an object of strings");
    take(std::string(name), std::string(found));
  }
}

}  // namespace

RunRecord read_run_record(const std::string& path) {
  const Reader reader(path);
  const dom::object& object = reader.object();
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
  reader.count(object, "seed", record.seed);
  reader.count(object, "chains", record.chains);
  reader.count(object, "parameters", record.parameters);
  reader.count(object, "generated", record.generated);
  read_words(reader, "options", [&](std::string name, std::string value) {
    record.options[std::move(name)] = std::move(value);
  });
  read_words(reader, "facts", [&](std::string name, std::string value) {
    record.facts.emplace_back(std::move(name), std::move(value));
  });
  reader.each("rungs", [&](const dom::object& rung) {
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
  record.findings = reader.findings();
  return record;
}

Summary read_summary(const std::string& path) {
  const Reader reader(path);
  Summary summary;
  reader.each("parameters", [&](const dom::object& object) {
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
