// The page as text: what it holds, that nothing in a result becomes HTML, how large it is, and what wrong
// folders get.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/json_value.hpp"
#include "report/assets.hpp"
#include "report/section.hpp"
#include "tests/report/made_folder.hpp"

namespace kullback::report {
namespace {

using posterior::make_posterior;
using posterior::normal;

JsonValue data_of(const MadeFolder& folder) { return parse_json(page_data(Result(folder.path())), "page"); }

const JsonValue* section_data(const JsonValue& page, std::string_view name) {
  for (const JsonValue& section : *page.find("sections")->array())
    if (*section.find("name")->string() == name) return section.find("data");
  return nullptr;
}

std::set<std::string> section_names(const JsonValue& page) {
  std::set<std::string> names;
  for (const JsonValue& section : *page.find("sections")->array())
    names.insert(*section.find("name")->string());
  return names;
}

std::string error_of(const std::function<void()>& call, ErrorKind kind) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.message();
    return error.message();
  }
  ADD_FAILURE() << "no error";
  return {};
}

posterior::Posterior two_parameters(std::size_t draws = 200) {
  return make_posterior({normal("mu"), normal("tau", 3, 0.5)}, 4, draws);
}

// The text between the tags of the data, as the browser reads it.
std::string data_element(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"kullback-data\">";
  const std::size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(Page, HoldsTheSectionsOfChains) {
  const MadeFolder folder;
  const posterior::Posterior draws = two_parameters();
  write_fit(folder, draws, nuts_record(draws));
  const JsonValue page = data_of(folder);
  EXPECT_EQ(*page.find("title")->string(), "schools.stan");
  EXPECT_EQ(section_names(page),
            (std::set<std::string>{"question", "certificate", "checks", "parameters", "marginals", "traces",
                                   "pairs", "program", "inputs"}));
  const JsonValue* parameters = section_data(page, "parameters");
  EXPECT_EQ(*(*parameters->find("names")->array())[2].string(), "tau");
  const double mean = std::stod(*(*parameters->find("columns")->find("mean")->array())[2].string());
  EXPECT_NEAR(mean, 3, 4 * 0.5 / std::sqrt(800.0));  // four standard errors
}

TEST(Page, IsTheDataInsideTheFrame) {
  const MadeFolder folder;
  const posterior::Posterior draws = two_parameters();
  write_fit(folder, draws, nuts_record(draws));
  const Result result(folder.path());
  const std::string page = page_html(result);
  EXPECT_NO_THROW(parse_json(data_element(page), "page"));
  EXPECT_EQ(page, page_html(Result(folder.path())));                   // no clock, no order of a hash
  EXPECT_EQ(page.find("{{"), page.find("{{", page.find("<script>")));  // no gap of the frame is left open
  EXPECT_NE(page.find("connect-src"), page_html(result, {.live_script = "1;"}).find("connect-src"));
  EXPECT_EQ(page.find("connect-src"), std::string::npos);
  EXPECT_NE(page.find("Copyright 2010-2023 Mike Bostock"), std::string::npos);  // licences stay
}

TEST(Page, WritesNothingOfAResultAsHtml) {
  const std::string evil =
      "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&\"'\xE2\x80\xA8";
  const MadeFolder folder;
  posterior::Posterior draws = make_posterior({normal("mu"), normal("<b>x</b>")}, 2, 50);
  run::RunRecord record = nuts_record(draws);
  record.program = "/home/a/" + std::string("<img src=x>.stan");
  record.data = evil;
  record.facts = {{evil, evil}};
  record.findings = {{"rhat", evil, evil, evil}};
  record.rungs = {{evil, evil, 1, evil}};
  write_fit(folder, draws, record);
  folder.write("model.stan", "// " + evil + "\n");
  const std::string page = page_html(Result(folder.path()));
  const std::string clean = [] {
    const MadeFolder other;
    const posterior::Posterior plain = two_parameters(50);
    write_fit(other, plain, nuts_record(plain));
    return page_html(Result(other.path()));
  }();
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  for (const char* word : {"<script", "</script", "<!--", "<img", "<b>", "\xE2\x80\xA8"})
    EXPECT_EQ(count(page, word), count(clean, word)) << word;
  const JsonValue data = parse_json(data_element(page), "page");
  EXPECT_EQ(*section_data(data, "program")->find("text")->string(),
            "// " + evil + "\n");  // and nothing is lost
  EXPECT_EQ(*data.find("title")->string(), "<img src=x>.stan");
}

// JavaScript has two ways around text nodes; none is used.
TEST(Page, ScriptsMakeNoHtmlFromText) {
  std::vector<std::string> names;
  for (const char* name : {"core", "figure", "draws", "table", "plots", "page"})
    names.push_back("shell/" + std::string(name) + ".js");
  for (const Section& section : sections()) names.push_back("sections/" + std::string(section.name) + ".js");
  for (const std::string& name : names) {
    for (const char* word : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("})
      EXPECT_EQ(asset(name).find(word), std::string_view::npos) << name << ": " << word;
  }
}

TEST(Page, EverySectionHasItsScript) {
  for (const Section& section : sections()) {
    const std::string_view script = asset("sections/" + std::string(section.name) + ".js");
    EXPECT_NE(script.find("kullback.section(\"" + std::string(section.name) + "\""), std::string_view::npos)
        << section.name;
  }
  for (const auto& file : std::filesystem::directory_iterator(KULLBACK_SOURCE_DIR "/src/report/sections")) {
    if (file.path().extension() == ".md") continue;
    const std::string name = file.path().stem().string();
    const auto is_it = [&](const Section& section) { return section.name == name; };
    EXPECT_TRUE(std::any_of(sections().begin(), sections().end(), is_it))
        << name << " is not in sections.def";
  }
}

TEST(Page, IsBelowTwoMegabytesForAHundredParameters) {
  std::vector<posterior::Maker> makers;
  for (int i = 1; i <= 100; ++i) makers.push_back(normal("theta." + std::to_string(i), i));
  const MadeFolder folder;
  const posterior::Posterior draws = make_posterior(makers, 4, 1000);
  write_fit(folder, draws, nuts_record(draws));
  EXPECT_LT(page_html(Result(folder.path())).size(), 2'000'000u);
}

TEST(Page, StaysSmallForTenThousandParameters) {
  std::vector<posterior::Maker> makers;
  for (int i = 1; i <= 10'000; ++i) makers.push_back(normal("theta." + std::to_string(i), i));
  makers.push_back(normal("sigma"));
  const MadeFolder folder;
  const posterior::Posterior draws = make_posterior(makers, 2, 30);
  write_fit(folder, draws, nuts_record(draws));
  const std::string page = page_html(Result(folder.path()));
  EXPECT_LT(page.size(), 4'000'000u);
  const JsonValue data = parse_json(data_element(page), "page");
  EXPECT_EQ(data.find("draws")->find("names")->array()->size(), 10'002u);
}

TEST(Page, SaysWhatIsMissing) {
  const MadeFolder folder;
  const posterior::Posterior draws = two_parameters(20);
  run::RunRecord record = nuts_record(draws);
  record.status = "running";
  folder.write(record);  // no chain yet
  JsonValue page = data_of(folder);
  EXPECT_EQ(*(*page.find("missing")->array())[0].string(),
            "There are no draws yet: the run is recorded as 'running'.");
  EXPECT_EQ(section_names(page), (std::set<std::string>{"question", "checks", "inputs"}));

  record.status = "complete";
  folder.write(record);
  write_chains(folder, draws, record);
  page = data_of(folder);
  EXPECT_EQ(*(*page.find("missing")->array())[0].string(),
            "summary.json is not there; the table is made from the draws.");
  EXPECT_EQ(section_data(page, "parameters")->find("names")->array()->size(), 3u);
}

TEST(Page, RefusesWhatIsNoResult) {
  const MadeFolder folder;
  const auto read = [&] { Result result(folder.path()); };
  EXPECT_EQ(error_of([] { Result result("/no/such/folder"); }, ErrorKind::missing_file),
            "/no/such/folder: there is no such folder.");
  EXPECT_NE(
      error_of(read, ErrorKind::missing_file).find("is not the folder of a result: it has no run.json."),
      std::string::npos);
  folder.write("run.json", "{\"kind\": \"posterior\", \"version\": \"0.10.0\"}");
  EXPECT_NE(error_of(read, ErrorKind::bad_input).find("was written by Kullback 0.10.0; this is "),
            std::string::npos);
  folder.write("run.json", "{\"kind\": ");
  EXPECT_NE(error_of(read, ErrorKind::bad_input).find("is no JSON"), std::string::npos);
  EXPECT_NE(
      error_of([&] { Result result(folder.path() / "run.json"); }, ErrorKind::bad_input).find("is a file"),
      std::string::npos);

  const posterior::Posterior draws = two_parameters(20);
  write_fit(folder, draws, nuts_record(draws));
  const std::string summary = read_file(folder.path() / "summary.json");
  folder.write("summary.json", posterior::to_json(posterior::Summary{}));
  EXPECT_NE(error_of(read, ErrorKind::bad_input).find("its rows are not the columns of the chains"),
            std::string::npos);
  folder.write("summary.json", summary);
  folder.write("certificate.json", "{\"verdict\"");
  EXPECT_NE(error_of([&] { page_data(Result(folder.path())); }, ErrorKind::bad_input)
                .find("certificate.json: is no JSON"),
            std::string::npos);
  std::filesystem::remove(folder.path() / "certificate.json");
  folder.write("trace.csv", "iteration,bound\n1,2\n3\n");
  EXPECT_NE(error_of([&] { page_data(Result(folder.path())); }, ErrorKind::bad_input)
                .find("line 3 has 1 cells; its head has 2."),
            std::string::npos);
}

}  // namespace
}  // namespace kullback::report
