// The comments that open a Stan CSV file: our record in the words of CmdStan's arguments.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "posterior/posterior.hpp"
#include "run/record.hpp"

namespace kullback::posterior {

// The method of CmdStan whose files ours are shaped as. Draws of a method that CmdStan does not have are a
// sample; without an adaptation, of the algorithm fixed_param. So are predictions, and draws with weights and
// what was drawn again by them: they are not the method's own, and its readers would take them for that.
enum class CsvShape { sample, pathfinder, laplace, optimize, variational };
CsvShape csv_shape(const run::RunRecord& record, const Chain& chain);

// Where a file is going to be.
struct CsvPlace {
  std::filesystem::path folder;
  std::string file;
  std::size_t id = 1;  // of the chain
};

// Empty where the record has no such option; "max-depth" also finds "max_depth".
std::string option_value(const run::RunRecord& record, std::string_view name);

// `fallback` where the record has no such option or it was chosen automatically ("auto"; "0" in folders of
// earlier versions).
std::string positive_value(const run::RunRecord& record, std::string_view name, std::string_view fallback);

std::string csv_config(const Chain& chain, const run::RunRecord& record, const CsvPlace& place);

}  // namespace kullback::posterior
