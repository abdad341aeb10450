// What the folder of a fit holds besides tables: model.json with state.npy, summary.json, trace.csv.
#pragma once

#include <filesystem>
#include <string>

#include "conjugate/fit.hpp"

namespace kullback::conjugate {

std::string model_json(const Request& request, const Settings& settings, const Shape& shape);
std::string summary_json(const Outcome& outcome);
ResultTable trace_table(const TrainOutcome& trained);

}  // namespace kullback::conjugate
