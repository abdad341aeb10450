// A run's record for people: what was done, facts, findings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "run/record.hpp"

namespace kullback::deep::cli {

// Names and values below each other.
std::string pairs_text(const std::vector<std::pair<std::string, std::string>>& pairs);

std::string record_text(const run::RunRecord& record, const std::string& folder);

}  // namespace kullback::deep::cli
