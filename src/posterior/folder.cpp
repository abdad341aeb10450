#include "run/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/file.hpp"
#include "posterior/files.hpp"

namespace kullback::posterior {

namespace {

namespace fs = std::filesystem;

void check_is_folder(const fs::path& folder) {
  std::error_code problem;
  const fs::file_status status = fs::status(folder, problem);
  if (!fs::exists(status))
    throw Error(ErrorKind::missing_file, folder.string() + ": there is no such folder.",
                "`kullback fit MODEL DATA --out " + folder.string() + "` makes one.");
  if (!fs::is_directory(status))
    throw Error(ErrorKind::bad_input, folder.string() + ": is a file; the folder of a fit is needed.",
                "The folder is the one given as --out of 'kullback fit'.");
}

void check_holds_draws(const fs::path& folder, const run::RunRecord& record) {
  const run::Reader reader = run::record_of(record.kind).reader;
  if (reader == run::Reader::draws || reader == run::Reader::any_model) return;
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{}: holds {}; draws are needed.", folder.string(), run::record_of(record.kind).what),
      "Name the folder of a 'kullback fit'.");
}

// "chain-12.csv" is 12.
std::size_t chain_number(const fs::path& file) {
  const std::string name = file.filename().string();
  constexpr std::string_view kHead = "chain-";
  constexpr std::string_view kTail = ".csv";
  if (!name.starts_with(kHead) || !name.ends_with(kTail) || name.size() <= kHead.size() + kTail.size())
    return 0;
  const char* const end = name.data() + name.size() - kTail.size();
  std::size_t number = 0;
  const auto [stop, status] = std::from_chars(name.data() + kHead.size(), end, number);
  return stop == end && status == std::errc() ? number : 0;
}

std::vector<fs::path> chain_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (chain_number(entry.path()) > 0) files.push_back(entry.path());
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return chain_number(a) < chain_number(b); });
  return files;
}

void check_chains(const fs::path& folder, const run::RunRecord& record, const std::vector<fs::path>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (chain_number(files[i]) == i + 1) continue;
    throw Error(ErrorKind::missing_file,
                (folder / ("chain-" + std::to_string(i + 1) + ".csv")).string() + ": the file is missing.",
                "The folder is incomplete; fit again.");
  }
  if (files.empty() || (record.status == "complete" && files.size() < record.chains))
    throw Error(ErrorKind::missing_file,
                (folder / ("chain-" + std::to_string(files.size() + 1) + ".csv")).string() +
                    ": the file is missing; run.json tells of " + std::to_string(record.chains) +
                    (record.chains == 1 ? " chain." : " chains."),
                record.kind != run::Kind::posterior ? "The folder is incomplete; make it again."
                : record.status == "complete"
                    ? "The folder is incomplete; fit again."
                    : "The fit has not finished: `kullback fit --resume " + folder.string() + "` goes on.");
}

Posterior read_weighted(const fs::path& path) {
  Posterior posterior = read_csv({path});
  if (posterior.draws() > 0 && !posterior.log_weight().empty()) return posterior;
  throw Error(ErrorKind::bad_input,
              path.string() + (posterior.draws() == 0 ? ": has no draws." : ": has no column log_weight__."),
              "The file was written by another program, or is damaged; fit again.");
}

void check_no_more_chains(const fs::path& folder, const run::RunRecord& record, std::size_t files) {
  if (record.status != "complete" || files <= record.chains) return;
  throw Error(ErrorKind::bad_input,
              (folder / ("chain-" + std::to_string(record.chains + 1) + ".csv")).string() +
                  ": is not a file of this run, which had " + std::to_string(record.chains) +
                  (record.chains == 1 ? " chain." : " chains."),
              "Move it elsewhere.");
}

void check_columns(const fs::path& folder, const run::RunRecord& record, const Posterior& posterior) {
  const std::size_t columns = posterior.names.size();
  if (record.parameters <= record.generated && record.generated <= columns) return;
  throw Error(ErrorKind::bad_input,
              (folder / "run.json").string() + ": its " + std::to_string(record.generated) +
                  " columns of parameters are not those of the chains, which have " +
                  std::to_string(columns) + " columns.",
              "The files are of different fits; fit again.");
}

}  // namespace

Folder read_folder(const fs::path& folder) {
  check_is_folder(folder);
  if (!fs::exists(folder / "run.json"))
    throw Error(ErrorKind::missing_file,
                folder.string() + ": is not the folder of a fit: it has no run.json.",
                "The folder is the one given as --out of 'kullback fit'.");
  Folder result;
  result.record = run::open_folder(folder);
  check_holds_draws(folder, result.record);
  const std::vector<fs::path> files = chain_files(folder);
  check_chains(folder, result.record, files);
  check_no_more_chains(folder, result.record, files.size());
  const fs::path weighted = folder / kWeightedFile;
  result.posterior = fs::exists(weighted) ? read_weighted(weighted) : read_csv(files);
  check_columns(folder, result.record, result.posterior);
  result.posterior.parameters = result.record.parameters;
  result.posterior.generated = result.record.generated;
  return result;
}

std::vector<std::string> read_events(const fs::path& path) {
  const std::string text = read_file(path);
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
  return lines;
}

}  // namespace kullback::posterior
