// The page is a frame (shell/page.html) with gaps {{name}}: title, styles, libraries, scripts, and the data
// as JSON. JSON goes into a script element that the browser does not run; < > & and the line ends of
// JavaScript are written there as \uXXXX, so that no text of a result can end the element. All text is shown
// through the DOM's text nodes.
#include "report/page.hpp"

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "kullback_version.hpp"
#include "report/assets.hpp"
#include "report/draw_store.hpp"
#include "report/json_object.hpp"
#include "report/section.hpp"

namespace kullback::report {

namespace {

struct Chapter {
  std::string_view name;
  std::string_view title;
};

constexpr Chapter kChapters[] = {{"asked", "What was asked"},
                                 {"trust", "Can I trust it?"},
                                 {"answer", "What came out"},
                                 {"behaviour", "How it behaved"},
                                 {"inputs", "What was fitted"}};

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string title_of(const Result& result) {
  const run::RunRecord& record = result.record();
  if (!record.program.empty()) return file_name(record.program);
  if (!record.data.empty()) return std::string(run::name_of(record.kind)) + " of " + file_name(record.data);
  return std::string(run::name_of(record.kind));
}

std::string sections_json(const Result& result) {
  std::vector<std::string> made;
  for (const Section& section : sections()) {
    const std::string data = section.json(result);
    if (data.empty()) continue;
    made.push_back(JsonObject()
                       .text("name", section.name)
                       .text("chapter", section.chapter)
                       .text("title", section.title)
                       .raw("data", data)
                       .str());
  }
  return json_array(made);
}

std::string chapters_json() {
  std::vector<std::string> made;
  for (const Chapter& chapter : kChapters)
    made.push_back(JsonObject().text("name", chapter.name).text("title", chapter.title).str());
  return json_array(made);
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '&': escaped += "&amp;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string inside_script(std::string_view json) {
  std::string escaped;
  escaped.reserve(json.size() + json.size() / 64);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i, 3);
    if (json[i] == '<') {
      escaped += "\\u003c";
    } else if (json[i] == '>') {
      escaped += "\\u003e";
    } else if (json[i] == '&') {
      escaped += "\\u0026";
    } else if (rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9") {
      escaped += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      escaped += json[i];
    }
  }
  return escaped;
}

// Each file has names of its own.
std::string as_function(std::string_view script) {
  return "(() => {\n\"use strict\";\n" + std::string(script) + "})();\n";
}

std::string scripts() {
  std::string text;
  for (const char* name : {"core.js", "figure.js", "draws.js", "table.js", "plots.js", "page.js"})
    text += as_function(asset(std::string("shell/") + name));
  for (const Section& section : sections())
    text += as_function(asset("sections/" + std::string(section.name) + ".js"));
  return text;
}

// Chapter "fetch nothing" of the page, for the browser.
std::string policy(bool is_live) {
  return std::string(
             "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:") +
         (is_live ? "; connect-src 'self'" : "");
}

using Gaps = std::vector<std::pair<std::string_view, std::string>>;

// One pass: what is filled in is not looked at again.
std::string fill_page(std::string_view frame, const Gaps& gaps) {
  std::string page;
  for (;;) {
    const std::size_t open = frame.find("{{");
    page += frame.substr(0, open);
    if (open == std::string_view::npos) return page;
    const std::size_t close = frame.find("}}", open);
    const std::string_view name = frame.substr(open + 2, close - open - 2);
    for (const auto& [known, text] : gaps)
      if (known == name) page += text;
    frame.remove_prefix(close + 2);
  }
}

}  // namespace

std::span<const Section> sections() {
  static constexpr Section kSections[] = {
#define KULLBACK_SECTION(name, chapter, title) {#name, #chapter, title, name##_section},
#include "report/sections.def"
#undef KULLBACK_SECTION
  };
  return kSections;
}

std::string page_data(const Result& result) {
  JsonObject json;
  json.count("format", 1)
      .text("kind", std::string(run::name_of(result.kind())))
      .text("title", title_of(result));
  json.text("status", result.record().status).text("made_by", std::string("Kullback ") + kVersion);
  json.raw("missing", json_strings(result.missing()));
  json.raw("chapters", chapters_json());
  json.raw("sections", sections_json(result));
  if (result.is_posterior())
    if (const std::string draws = draws_json(result); !draws.empty()) json.raw("draws", draws);
  return json.str();
}

std::string page_html(const Result& result, const PageOptions& options) {
  const bool is_live = !options.live_script.empty();
  return fill_page(asset("shell/page.html"), {{"title", html_text(title_of(result))},
                                              {"policy", policy(is_live)},
                                              {"styles", std::string(asset("shell/page.css"))},
                                              {"licences", html_text(asset("library/licences.txt"))},
                                              {"library", std::string(asset("library/d3.js")) + "\n" +
                                                              std::string(asset("library/plot.js"))},
                                              {"scripts", scripts()},
                                              {"data", inside_script(page_data(result))},
                                              {"live", is_live ? as_function(options.live_script) : ""}});
}

void write_page(const std::filesystem::path& folder, const std::filesystem::path& file) {
  const Result result(folder);
  replace_file(file, page_html(result));
}

}  // namespace kullback::report
