// Stan's CSV as CmdStan and we write it: comments with the configuration, the head, comments with the
// adaptation, rows, comments with the times. Rows above "Adaptation terminated" are warm-up and dropped.
// Names that end in two underscores are the sampler's.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "posterior/files.hpp"

namespace kullback::posterior {

namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

enum class Role { log_density, log_q, log_weight, stat, ignored, value };

struct File {
  std::vector<std::string> names;
  std::vector<std::string> stat_names;
  Chain chain;
};

class CsvReader final {
 public:
  CsvReader(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  File read() {
    std::string_view line;
    while (next_line(line)) {
      if (line.starts_with('#'))
        read_comment(trim(line.substr(1)));
      else if (trim(line).empty())
        continue;
      else if (head_.empty())
        read_head(line);
      else
        read_row(line);
    }
    if (head_.empty())
      refuse("there is no line with the names of columns", "Is this a file of draws in Stan's CSV format?");
    return finish();
  }

 private:
  [[noreturn]] void refuse(const std::string& what, std::string hint = {}) const {
    throw Error(ErrorKind::bad_input, path_ + ": " + what + ".", std::move(hint));
  }

  [[noreturn]] void refuse_line(const std::string& what, std::string hint = {}) const {
    throw Error(ErrorKind::bad_input, path_ + ":" + std::to_string(line_number_) + ": " + what + ".",
                std::move(hint));
  }

  bool next_line(std::string_view& line) {
    if (offset_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', offset_), text_.size());
    line = std::string_view(text_).substr(offset_, end - offset_);
    offset_ = end + 1;
    ++line_number_;
    return true;
  }

  void read_head(std::string_view line) {
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      const std::string_view name = trim(line.substr(begin, end - begin));
      if (name.empty()) refuse_line("a column has no name");
      if (name.starts_with('#')) refuse_line("the name of a column cannot begin with '#'");
      if (!is_valid_utf8(name)) refuse_line("the name of a column is not valid UTF-8 text");
      head_.emplace_back(name);
      begin = end + 1;
    }
    std::set<std::string_view> names;
    for (const std::string& name : head_)
      if (!names.insert(name).second) refuse_line("the column '" + name + "' occurs twice");
    double number = 0;
    if (read_number(head_.front(), number))
      refuse_line("here are numbers where the names of columns are needed");
  }

  void read_row(std::string_view line) {
    const char* next = line.data();
    const char* const end = line.data() + line.size();
    std::size_t count = 0;
    for (;; ++count) {
      const char* const comma = std::find(next, end, ',');
      double number = 0;
      const std::string_view text = trim({next, static_cast<std::size_t>(comma - next)});
      if (!read_number(text, number))
        refuse_line("'" + std::string(text) + "' in column " + std::to_string(count + 1) + " is no number");
      rows_.push_back(number);
      if (comma == end) break;
      next = comma + 1;
    }
    if (++count != head_.size())
      refuse_line(
          "this row has " + std::to_string(count) + " numbers; the head names " +
              std::to_string(head_.size()) + " columns",
          offset_ >= text_.size() ? "The file ends in the middle of a row: was the writer stopped?" : "");
  }

  static bool read_number(std::string_view text, double& number) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || text.empty()) return false;
    if (status == std::errc()) return true;
    if (status != std::errc::result_out_of_range) return false;
    number = std::strtod(std::string(text).c_str(), nullptr);  // 1e-400 is 0, 1e400 infinite
    return true;
  }

  void read_comment(std::string_view comment) {
    if (is_in_metric_ && read_metric_row(comment)) return;
    is_in_metric_ = false;
    if (comment == "Adaptation terminated") {
      rows_.clear();
      adaptation().metric = "unit_e";
    } else if (comment.starts_with("Step size =")) {
      read_number(trim(comment.substr(11)), adaptation().step_size);
    } else if (comment.starts_with("Diagonal elements of inverse mass matrix")) {
      adaptation().metric = "diag_e";
      is_in_metric_ = true;
    } else if (comment.starts_with("Elements of inverse mass matrix")) {
      adaptation().metric = "dense_e";
      is_in_metric_ = true;
    } else if (comment.ends_with("seconds (Warm-up)")) {
      read_seconds(comment, file_.chain.warmup_seconds);
    } else if (comment.ends_with("seconds (Sampling)")) {
      read_seconds(comment, file_.chain.sampling_seconds);
    } else if (comment == "Stepsize adaptation complete.") {
      first_row_is_mean_ = true;
    } else if (comment == "kullback_draws = resampled") {
      file_.chain.is_resampled = true;
    }
  }

  AdaptationNote& adaptation() {
    if (!file_.chain.adaptation) file_.chain.adaptation.emplace();
    return *file_.chain.adaptation;
  }

  // False where the comment is no row of numbers: the matrix is complete.
  bool read_metric_row(std::string_view comment) {
    std::vector<double> row;
    for (std::size_t begin = 0; begin <= comment.size();) {
      const std::size_t end = std::min(comment.find(',', begin), comment.size());
      double number = 0;
      if (!read_number(trim(comment.substr(begin, end - begin)), number)) return false;
      row.push_back(number);
      begin = end + 1;
    }
    std::vector<double>& metric = adaptation().inv_metric;
    metric.insert(metric.end(), row.begin(), row.end());
    return true;
  }

  static void read_seconds(std::string_view comment, double& seconds) {
    if (comment.starts_with("Elapsed Time:")) comment.remove_prefix(13);
    comment = trim(comment);
    read_number(comment.substr(0, comment.find(' ')), seconds);
  }

  // ADVI's lp__ is always 0; its log density is in log_p__. Of a second density of the approximation we keep
  // the numbers, as those of the sampler.
  Role role_of(const std::string& name) {
    if (!name.ends_with("__")) return Role::value;
    if (name == "log_p__") return Role::log_density;
    if (name == "lp__") {
      const bool is_advi = std::find(head_.begin(), head_.end(), "log_p__") != head_.end();
      return is_advi ? Role::ignored : Role::log_density;
    }
    if (name == "lp_approx__" || name == "log_q__" || name == "log_g__")
      return std::exchange(has_log_q_, true) ? Role::stat : Role::log_q;
    return name == "log_weight__" ? Role::log_weight : Role::stat;
  }

  File finish() {
    const std::size_t first = first_row_is_mean_ && !rows_.empty() ? 1 : 0;
    const std::size_t draws = rows_.size() / head_.size() - first;
    file_.chain.draws = draws;
    for (std::size_t i = 0; i < head_.size(); ++i) {
      std::vector<double>* target = nullptr;
      switch (role_of(head_[i])) {
        case Role::log_density: target = &file_.chain.log_density; break;
        case Role::log_q: target = &file_.chain.log_q; break;
        case Role::log_weight: target = &file_.chain.log_weight; break;
        case Role::ignored: continue;
        case Role::stat:
          file_.stat_names.push_back(head_[i]);
          target = &file_.chain.stats;
          break;
        case Role::value:
          file_.names.push_back(head_[i]);
          target = &file_.chain.columns;
          break;
      }
      for (std::size_t draw = first; draw < draws + first; ++draw)
        target->push_back(rows_[draw * head_.size() + i]);
    }
    return std::move(file_);
  }

  std::string path_;
  std::string text_;
  std::size_t offset_ = 0;
  std::size_t line_number_ = 0;
  std::vector<std::string> head_;
  std::vector<double> rows_;
  bool is_in_metric_ = false;
  bool first_row_is_mean_ = false;
  bool has_log_q_ = false;
  File file_;
};

void check_same_columns(const Posterior& posterior, const File& file, const std::filesystem::path& path,
                        const std::filesystem::path& first) {
  if (file.names == posterior.names && file.stat_names == posterior.stat_names) return;
  std::string detail = std::to_string(file.names.size() + file.stat_names.size()) + " columns, " +
                       std::to_string(posterior.names.size() + posterior.stat_names.size()) + " there";
  for (std::size_t i = 0; i < std::min(file.names.size(), posterior.names.size()); ++i) {
    if (file.names[i] == posterior.names[i]) continue;
    detail = "'" + file.names[i] + "' here, '" + posterior.names[i] + "' there";
    break;
  }
  throw Error(ErrorKind::bad_input,
              path.string() + ": its columns are not those of " + first.string() + ": " + detail + ".",
              "Chains of one posterior come from the same program and data.");
}

}  // namespace

Posterior read_csv(const std::vector<std::filesystem::path>& chain_files) {
  Posterior posterior;
  for (const std::filesystem::path& path : chain_files) {
    File file = CsvReader(path.string(), read_file(path)).read();
    if (posterior.chains.empty()) {
      posterior.names = file.names;
      posterior.stat_names = file.stat_names;
    } else {
      check_same_columns(posterior, file, path, chain_files.front());
    }
    posterior.chains.push_back(std::move(file.chain));
  }
  posterior.parameters = posterior.generated = posterior.names.size();
  return posterior;
}

Posterior read_csv_text(const std::string& name, std::string text) {
  File file = CsvReader(name, std::move(text)).read();
  Posterior posterior;
  posterior.names = std::move(file.names);
  posterior.stat_names = std::move(file.stat_names);
  posterior.chains.push_back(std::move(file.chain));
  posterior.parameters = posterior.generated = posterior.names.size();
  return posterior;
}

}  // namespace kullback::posterior
