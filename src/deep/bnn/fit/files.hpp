// Tables that predict writes.
#pragma once

#include <filesystem>
#include <string>

#include "deep/bnn/fit/evaluate.hpp"

namespace kullback::deep {

// As a field of a CSV file, in quotes where it needs them.
std::string csv_field(const std::string& text);

// With a first column of the rows' own targets where they are given: numbers, or numbers of classes.
void write_predictions(const std::filesystem::path& file, const Evaluation& evaluation,
                       const Preparation& preparation, const std::vector<double>& target = {});
// [{"from": 0.9, "rows": 7, "confidence": 0.95, "accuracy": 0.86}, ...]
std::string reliability_json(const std::vector<ReliabilityBin>& bins);
// {"rows": N, NAME: number, ..., "reliability": [...]}
std::string metrics_json(const Evaluation& evaluation, const Figures& more);

}  // namespace kullback::deep
