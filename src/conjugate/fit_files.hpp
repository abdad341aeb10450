// What the folder of a fit holds besides tables: model.json with state.npy, summary.json, trace.csv.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "conjugate/fit.hpp"
#include "conjugate/write.hpp"

namespace kullback::conjugate {

std::string model_json(const Request& request, const Shape& shape);
std::string summary_json(const Outcome& outcome);
// Of the table with a line for each unit, in `folder`.
std::unique_ptr<TableWriter> unit_writer(const std::filesystem::path& folder, const Model& model,
                                         const Source& source);
ResultTable trace_table(const TrainOutcome& trained);

}  // namespace kullback::conjugate
