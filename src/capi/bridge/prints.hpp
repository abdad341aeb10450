// What a program's print() statements say, and where it goes.
#pragma once

#include <cstddef>
#include <string>

#include "base/random.hpp"
#include "model/prepared.hpp"

namespace kullback::capi {

using PrintCallback = void (*)(const char* text, std::size_t size);

// Null: standard output, as it is at first. Calls of it do not overlap in time.
void set_print_callback(PrintCallback callback);
void print_line(const std::string& line);

// The tape has no place for text: where a program prints, it is run again for its text, up to the statement
// that rejects the point, if one does.
void print_density(const model::Prepared& prepared, const double* theta, tape::TraceOptions terms);
// Transformed parameters, and generated quantities where `random` is not null: their random numbers are those
// of its copy.
void print_outputs(const model::Prepared& prepared, const double* theta, const Random* random);

}  // namespace kullback::capi
