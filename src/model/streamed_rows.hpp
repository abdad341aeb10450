// Rows of data in files: binary columns, or CSV.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "model/row_chunks.hpp"

namespace kullback::model {

// NAME=FILE with the numbers of a variable, row after row, in the machine's byte order, as the ending says:
// .f64 .f32 .i64 .i32 .i16 .u8. Or FILE.csv with a line of names, "y" for a variable with one number in a row
// and "x.1", "x.2", ... for one with several.
struct StreamedFile {
  std::string name;  // empty: a CSV file
  std::string path;
};
// Throws Error usage for a text that is neither.
StreamedFile streamed_file(const std::string& text);

// `data`: all that is not streamed, the number of rows among it. Throws Error where a file does not have what
// the program wants.
std::unique_ptr<RowSource> open_streamed_rows(const lang::Program& program, Data data,
                                              const std::string& row_size,
                                              const std::vector<std::string>& files);

}  // namespace kullback::model
