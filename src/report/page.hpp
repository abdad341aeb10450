// One self-contained HTML file from the files of a result: no network, no clock, the same folder gives the
// same bytes.
#pragma once

#include <filesystem>
#include <string>

#include "report/result.hpp"

namespace kullback::report {

struct PageOptions {
  // For a server on this machine: the page may fetch from where it came, and `live` is a script that runs
  // last (it calls kullback.show(blob) with newer data). Empty: a file, which may fetch nothing.
  std::string live_script = {};
};

// The data of the page as JSON: {"format": 1, "kind", "title", "chapters", "sections", "draws", "missing"}.
std::string page_data(const Result& result);

// The page. What the folder holds is escaped: no text of it is ever HTML or script.
std::string page_html(const Result& result, const PageOptions& options = {});

// Reads `folder` and writes the page; both throw Error.
void write_page(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace kullback::report
