#include "report/repeat_command.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/option.hpp"

namespace kullback::report {

namespace {

using run::RunRecord;

using run::Kind;

// Those whose records have all options under their names.
constexpr Kind kRepeatable[] = {Kind::posterior, Kind::simulation, Kind::calibration};

bool is_optimum(const RunRecord& record) { return record.method == "optimize"; }

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

// In lines of at most kWidth characters where words allow.
class Command final {
 public:
  explicit Command(std::string_view call) : text_(call), column_(text_.size()) {}

  void add(const std::string& word) { put(quoted(word)); }
  void add(std::string_view name, const std::string& value) { put(flag_of(name) + " " + quoted(value)); }

  void add(std::string_view name, const OptionValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) {
      put(flag_of(name) + (*flag ? "" : "=false"));
    } else if (const auto* items = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& item : *items) add(name, item);
    } else if (const std::string text = run::text_of(value); !text.empty()) {
      add(name, text);
    }
  }

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

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Version 0.1 wrote lists as lines and of minibatches the name of the rows alone.
OptionValue as_typed(const RunRecord& record, const std::string& name, const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && is_one_of(name, {"include_path", "stream"})) return lines_of(*text);
  if (text != nullptr && name == "minibatch" && text->find('=') == std::string::npos)
    return *text + "=" + record.options.text("batch_size");
  return value;
}

// The answer of the ladder has the options of its rung beside those of the ladder.
bool is_said(const RunRecord& record, std::string_view name) {
  if (record.options.contains("ladder_chains"))
    return is_one_of(name, {"tolerance", "init", "budget", "wasserstein", "include_path"});
  return name != "batch_size" || !record.options.contains("minibatch");
}

// A program without parameters is not sampled, whatever the method, which has its options.
std::string method_of(const RunRecord& record) {
  return record.method == "fixed_param" ? "nuts" : record.method;
}

}  // namespace

std::string repeat_command(const RunRecord& record) {
  if (std::find(std::begin(kRepeatable), std::end(kRepeatable), record.kind) == std::end(kRepeatable))
    return {};
  const bool is_fit = record.kind == Kind::posterior && !is_optimum(record);
  Command command(is_optimum(record) ? "kullback optimize" : run::record_of(record.kind).verb);
  command.add(record.program);
  if (!record.data.empty()) command.add(record.data);
  const std::string ladder_chains = record.options.text("ladder_chains");
  if (record.kind == Kind::calibration || (is_fit && ladder_chains.empty()))
    command.add("method", method_of(record));
  if (is_fit) command.add("chains", ladder_chains.empty() ? std::to_string(record.chains) : ladder_chains);
  for (const auto& [name, value] : record.options) {
    if (is_said(record, name)) command.add(name, as_typed(record, name, value));
  }
  command.add("seed", std::to_string(record.seed));
  return command.text();
}

}  // namespace kullback::report
