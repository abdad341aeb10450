// A result folder as the page sees it: what is there, and in words what is not. Read once; nothing is run
// again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.hpp"
#include "posterior/posterior.hpp"
#include "posterior/summary.hpp"
#include "run/record.hpp"

namespace kullback::report {

// A table of numbers with named columns, such as trace.csv. Cells that are no number are NaN.
struct NumberTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;  // values[column][row]

  const std::vector<double>* find(std::string_view column) const;  // null where there is none
};

class Result final {
 public:
  // Throws Error: no folder, no result, or one of a newer version of Kullback.
  explicit Result(std::filesystem::path folder);
  ~Result();
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  // run.json; its kind says what the folder holds.
  const run::RunRecord& record() const { return record_; }
  run::Kind kind() const { return record_.kind; }
  bool is_posterior() const;  // named draws of a program

  // Files of the folder, by their path in it. Null where there is no such file; Error where it is
  // damaged. Text is cut to whole lines beyond `limit` bytes.
  std::optional<std::string> text(std::string_view name, std::size_t limit = 1 << 20) const;
  const JsonValue* json(std::string_view name) const;       // read at the first call
  const NumberTable* numbers(std::string_view name) const;  // CSV with a head, likewise
  // Of is_posterior(): the draws, and their table (lp__ first). Empty where no draw has been made.
  const posterior::Posterior& draws() const { return draws_; }
  const std::vector<posterior::SummaryRow>& rows() const { return rows_; }
  bool are_chains() const { return are_chains_; }  // of a Markov process: R-hat and traces mean something

  // What the page has to do without, as sentences: "certificate.json is not there: ...".
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  void read_draws();

  std::filesystem::path folder_;
  run::RunRecord record_;
  posterior::Posterior draws_;
  std::vector<posterior::SummaryRow> rows_;
  bool are_chains_ = false;
  std::vector<std::string> missing_;
  mutable std::map<std::string, std::unique_ptr<JsonValue>, std::less<>> json_;
  mutable std::map<std::string, std::unique_ptr<NumberTable>, std::less<>> numbers_;
};

// A model that makes data of noise step by step, of numbers or of categories.
bool is_diffusion(const Result& result);

}  // namespace kullback::report
