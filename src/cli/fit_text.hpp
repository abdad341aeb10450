// What is printed after a fit, and by `kullback summary`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "fit/fit.hpp"

namespace kullback::cli {

inline constexpr std::size_t kTableWidth = 80;
// A longer table is in summary.json; `kullback summary --all` prints it.
inline constexpr std::size_t kTableRows = 40;

std::string outcome_text(const fit::Outcome& outcome, const std::filesystem::path& folder);
// What was found, or that nothing was.
std::string findings_or_none(const posterior::RunRecord& record, const Findings& findings);
std::string head_text(const posterior::RunRecord& record, const posterior::Posterior& posterior);

}  // namespace kullback::cli
