#include <algorithm>
#include <cctype>
#include <utility>

#include "base/option.hpp"
#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

using run::RunRecord;

// For a shell: as it is where that is safe.
std::string quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Options of the request rather than of the method, which need words of their own or are said elsewhere.
bool is_special(const std::string& name) {
  constexpr std::string_view kNames[] = {"ladder_chains", "include_path", "stream",
                                         "minibatch",     "jacobian",     "wasserstein"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// In lines of at most kWidth characters where words allow.
class Command final {
 public:
  explicit Command(std::string verb) : text_("kullback " + std::move(verb)), column_(text_.size()) {}

  void add(const std::string& word) { put(quoted(word)); }
  void add(const std::string& flag, const std::string& value) { put(flag + " " + quoted(value)); }
  void add_flag(const std::string& flag) { put(flag); }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kWidth = 96;

  void put(const std::string& words) {
    if (column_ + words.size() > kWidth) {
      text_ += " \\\n ";
      column_ = 2;
    }
    text_ += " " + words;
    column_ += 1 + words.size();
  }

  std::string text_;
  std::size_t column_;
};

std::string option(const RunRecord& record, const std::string& name) {
  const auto found = record.options.find(name);
  return found == record.options.end() ? std::string() : found->second;
}

// All that decided the draws, defaults too: another version may have others.
void add_method_options(const RunRecord& record, Command& command) {
  for (const auto& [name, value] : record.options)
    if (!is_special(name) && name != "batch_size" && !value.empty()) command.add(flag_of(name), value);
  const std::string rows = option(record, "minibatch");
  const std::string batch = option(record, "batch_size");
  if (!rows.empty() && !batch.empty() && batch != "auto") command.add("--minibatch", rows + "=" + batch);
}

std::string command_of(const RunRecord& record) {
  if (record.kind != run::Kind::posterior) return {};
  const bool is_optimum = record.method == "optimize";
  const std::string ladder_chains = option(record, "ladder_chains");
  Command command(is_optimum ? "optimize" : "fit");
  command.add(record.program);
  if (!record.data.empty()) command.add(record.data);
  if (!ladder_chains.empty()) {
    command.add("--tolerance", option(record, "tolerance"));
    command.add("--chains", ladder_chains);
    for (const char* name : {"init", "budget"})
      if (!option(record, name).empty()) command.add(flag_of(name), option(record, name));
  } else {
    if (!is_optimum) command.add("--method", record.method);
    if (!is_optimum && record.chains > 1) command.add("--chains", std::to_string(record.chains));
    add_method_options(record, command);
  }
  command.add("--seed", std::to_string(record.seed));
  for (const std::string& path : lines_of(option(record, "include_path")))
    command.add("--include-path", path);
  for (const std::string& stream : lines_of(option(record, "stream"))) command.add("--stream", stream);
  if (option(record, "wasserstein") == "true") command.add_flag("--wasserstein");
  if (is_optimum && option(record, "jacobian") != "false") command.add_flag("--jacobian");
  return command.text();
}

std::string shape_json(const run::DataShape& shape) {
  std::vector<double> dims(shape.dims.begin(), shape.dims.end());
  return JsonObject()
      .text("name", shape.name)
      .text("type", shape.is_int ? "int" : "real")
      .raw("dims", json_numbers(dims, 17))
      .str();
}

template <class Pairs>
std::string pairs_json(const Pairs& pairs) {
  std::vector<std::string> items;
  for (const auto& [name, value] : pairs)
    if (!value.empty()) items.push_back(JsonObject().text("name", name).text("value", value).str());
  return json_array(items);
}

}  // namespace

std::string inputs_section(const Result& result) {
  const RunRecord& record = result.record();
  std::vector<std::string> shapes;
  for (const run::DataShape& shape : record.data_variables) shapes.push_back(shape_json(shape));
  const std::vector<std::pair<std::string, std::string>> account = {
      {"program", record.program},
      {"program hash", record.program_hash},
      {"data", record.data},
      {"data hash", record.data.empty() ? "" : record.data_hash},
      {"seed", std::to_string(record.seed)},
      {"Kullback", record.version},
      {"started", record.started}};
  // Of a result without a summary they are its figures (sections/figures.cpp), and not said twice.
  const bool is_said = !result.is_posterior() && result.json("summary.json") == nullptr &&
                       result.json("metrics.json") == nullptr;
  return JsonObject()
      .raw("data", json_array(shapes))
      .raw("account", pairs_json(account))
      .raw("facts", is_said ? "[]" : pairs_json(record.facts))
      .raw("options", pairs_json(record.options))
      .text("command", command_of(record))
      .str();
}

}  // namespace kullback::report
