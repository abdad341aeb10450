// What the verbs on programs share: reading a file ("-" is standard input) and saying what is wrong with it.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"

namespace kullback::cli {

FileId add_program(SourceMap& sources, const std::string& path);

bool is_functions_file(const std::string& path);  // *.stanfunctions

// On standard error. Old forms of the same kind are told once, with their number.
void print_diagnostics(const Diagnostics& diagnostics, const SourceMap& sources);

// Prints `text`, or puts it in place of the file's content (written beside it and renamed, so that a crash
// loses nothing).
void deliver(const std::string& path, const std::string& text, bool in_place);

}  // namespace kullback::cli
