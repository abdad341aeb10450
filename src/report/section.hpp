// What a section of the page is made of. It sees a Result, the files of one folder, and returns JSON; the
// script of the same name draws it. docs/report.md, "A new section", shows one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/result.hpp"

namespace kullback::report {

struct Section {
  std::string_view name;     // of its two files, of its element: section-<name>
  std::string_view chapter;  // which of the page's five questions it helps to answer
  std::string_view title;    // its heading
  // A JSON object, or empty where the section has nothing to show of this result (another kind, no such
  // file). It changes nothing and throws Error only where a file of the folder is damaged. Text is put into
  // it by json_string; to escape for HTML is the page's business.
  std::string (*json)(const Result& result);
};

// In the order of the page.
std::span<const Section> sections();

#define KULLBACK_SECTION(name, chapter, title) std::string name##_section(const Result& result);
#include "report/sections.def"
#undef KULLBACK_SECTION

}  // namespace kullback::report
