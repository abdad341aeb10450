#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/verb.hpp"
#include "report/page.hpp"

namespace kullback::cli {

namespace {

struct ReportArguments {
  std::string folder;
  std::string file;
  bool quiet = false;
};

int run_report(const ReportArguments& arguments) {
  const std::filesystem::path file = arguments.file.empty()
                                         ? std::filesystem::path(arguments.folder) / "report.html"
                                         : std::filesystem::path(arguments.file);
  report::write_page(arguments.folder, file);
  if (!arguments.quiet) fmt::print("Report: {}\n", file.string());
  return 0;
}

}  // namespace

Run add_report(const Command& verb) {
  const auto arguments = std::make_shared<ReportArguments>();
  verb.add_option("folder", arguments->folder, "Folder of a result, of any command that fits")
      .required()
      .type_name("DIR");
  verb.add_option("-o,--output", arguments->file, "The page (default: DIR/report.html)").type_name("FILE");
  verb.add_flag("--quiet", arguments->quiet, "Print nothing but errors");
  return [arguments] { return run_report(*arguments); };
}

}  // namespace kullback::cli
