// What is printed after a fit, and by `kullback summary`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "fit/fit.hpp"

namespace kullback::fit {

inline constexpr std::size_t kTableWidth = 80;
// A longer table is in summary.json; `kullback summary --all` prints it.
inline constexpr std::size_t kTableRows = 40;

// `folder`: where the results are; empty: nowhere.
std::string outcome_text(const Outcome& outcome, const std::filesystem::path& folder);
// Of a fit that was read; at most max_rows rows of its table (0: all).
std::string summary_text(const run::RunRecord& record, const posterior::Posterior& posterior,
                         std::size_t max_rows = kTableRows);
// What was found, or that nothing was.
std::string findings_or_none(const run::RunRecord& record, const Findings& findings);
std::string head_text(const run::RunRecord& record, const posterior::Posterior& posterior);

}  // namespace kullback::fit
