// Tables that predict writes.
#pragma once

#include <filesystem>
#include <string>

#include "deep/bnn/fit/evaluate.hpp"

namespace kullback::deep {

// As a field of a CSV file, in quotes where it needs them.
std::string csv_field(const std::string& text);

void write_predictions(const std::filesystem::path& file, const Evaluation& evaluation,
                       const Preparation& preparation);
// {"rows": N, NAME: number, ..., "reliability": [...]}
std::string metrics_json(const Evaluation& evaluation, const Figures& more);

}  // namespace kullback::deep
