// What the verbs share that run a request: fit and optimize.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "fit/fit.hpp"

namespace kullback::cli {

// A tolerance was asked for, and was not met or cannot be told.
inline constexpr int kToleranceCode = 3;

struct RunSettings {
  bool quiet = false;
  bool report = false;   // report.html in the folder, too
  bool has_seed = true;  // else a random one is drawn, the same on all ranks
};

using OutcomeText = std::function<std::string(const fit::Outcome&, const fit::Request&)>;

// Makes the request, loads its inputs, runs it on the ranks, prints the outcome. Returns the exit code;
// throws Error.
int run_request(const std::function<fit::Request()>& make_request, const RunSettings& settings,
                const OutcomeText& text);

// DIR/report.html.
void write_report(const std::filesystem::path& out, bool prints);

// False where the program has errors, which are printed (of several ranks, by one): the verb ends with
// bad_input.
bool is_understood(const fit::LoadedProgram& program, bool prints = true);

// "MODEL-fit" beside the user, from the program's name.
std::string default_folder(const std::string& program, const std::string& suffix);
// The value of --out, or the default folder.
std::string out_of(const OptionValues& values, const TextOption& out, const std::string& program,
                   const std::string& suffix);
std::vector<std::string> include_paths_of(const OptionValues& values);

}  // namespace kullback::cli
