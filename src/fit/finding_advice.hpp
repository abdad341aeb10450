// Advice of findings that works when it is added to the command that was run.
#pragma once

#include <string>
#include <vector>

#include "posterior/findings.hpp"
#include "run/record.hpp"

namespace kullback::fit {

// What the search for problems must know of a run.
posterior::FindingOptions finding_options(const run::RunRecord& record);

// Options of methods are refused beside the default method: where it has run, advice to set one names the
// method whose draws these are.
void name_method(const run::RunRecord& record, Findings& findings);

// The options that a text names, "--target-accept" as "target_accept".
std::vector<std::string> options_in(const std::string& text);

}  // namespace kullback::fit
