// A kb_fit from a folder and to one.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_value.hpp"
#include "capi/fit.hpp"
#include "capi/guard.hpp"
#include "conjugate/fit.hpp"
#include "conjugate/outcome_text.hpp"
#include "fit/outcome_text.hpp"
#include "posterior/files.hpp"
#include "report/page.hpp"
#include "run/folder.hpp"
#include "run/text.hpp"

using namespace kullback;
using namespace kullback::capi;

namespace {

namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none) ? read_file(path) : std::string();
}

// Empty where there is none.
std::string certificate_of(const fs::path& path) {
  std::error_code none;
  if (!fs::exists(path, none)) return {};
  std::string text = read_file(path);
  if (parse_json(text, path.string()).object() == nullptr)
    throw Error(ErrorKind::bad_input, path.string() + ": does not hold an object.",
                "The file was written by another program, or is damaged; fit again.");
  return text;
}

// Record and summary are written anew from what was understood of the files: with every key, in its type.
void read_draws(kb_fit& fit) {
  posterior::Folder read = posterior::read_folder(fit.folder);
  fit.outcome.posterior = std::move(read.posterior);
  fit.record = run::to_json(fit.outcome.record);
  fit.text = fit::summary_text(fit.outcome.record, fit.outcome.posterior);
  const fs::path kept = fit.folder / "summary.json";
  fit.summary = posterior::to_json(
      fs::exists(kept) ? posterior::read_summary(kept.string())
                       : posterior::Summary{fit::summary_rows(fit.outcome.posterior, fit.outcome.record),
                                            fit.outcome.record.findings});
}

// Any result folder; one that holds no draws has its texts.
std::unique_ptr<kb_fit> read_fit(const fs::path& folder) {
  if (!fs::exists(folder / "run.json")) posterior::read_folder(folder);  // says what is missing
  auto read = std::make_unique<kb_fit>();
  read->folder = folder;
  read->outcome.record = run::open_folder(folder);
  read->record = read_file(folder / "run.json");
  read->summary = text_of_file(folder / "summary.json");
  read->certificate = certificate_of(folder / "certificate.json");
  if (run::holds_draws(folder, read->outcome.record))
    read_draws(*read);
  else if (run::is_conjugate(read->outcome.record.kind))
    read->text = conjugate::outcome_text(conjugate::read_outcome(folder), folder);
  else
    read->text = run::findings_text(read->outcome.record.findings, fit::kTableWidth);
  name_columns(*read);
  return read;
}

}  // namespace

kb_status kb_fit_read(const char* folder, kb_fit** fit, kb_error** error) {
  if (fit != nullptr) *fit = nullptr;
  return guarded(error, [&] {
    require(folder, "kb_fit_read", "folder");
    require(fit, "kb_fit_read", "fit");
    *fit = read_fit(folder).release();
    return KB_OK;
  });
}

kb_status kb_fit_write(const kb_fit* fit, const char* folder, int force, kb_error** error) {
  return guarded(error, [&] {
    require(fit, "kb_fit_write", "fit");
    require(folder, "kb_fit_write", "folder");
    if (*folder == '\0') throw Error(ErrorKind::usage, "kb_fit_write: the folder has no name.");
    if (fit->origin)
      fit::write_folder(folder, force != 0, *fit->origin, fit->outcome);
    else
      run::copy_folder(fit->folder, folder, force != 0);
    return KB_OK;
  });
}

kb_status kb_report_write(const char* folder, const char* path, kb_error** error) {
  return guarded(error, [&] {
    require(folder, "kb_report_write", "folder");
    require(path, "kb_report_write", "path");
    report::write_page(folder, path);
    return KB_OK;
  });
}
