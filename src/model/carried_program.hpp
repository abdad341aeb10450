// A Stan program at the end of a shared library, behind what the loader reads: `kullback bridge` puts it
// there, the library finds it in its own file.
#pragma once

#include <filesystem>
#include <string>

#include "base/source.hpp"

namespace kullback::model {

// The bytes to append: the program and the files it includes, their length and a hash.
std::string pack_program(const SourceMap& sources);

// Whether the file ends with a program, of this version's form or another's. False where it cannot be read.
bool carries_program(const std::filesystem::path& file);

// The files of the program, the first of which is the program itself; those it includes are known by the
// places that include them. Throws Error where there is none, or one that is damaged or of another form.
SourceMap unpack_program(const std::filesystem::path& file);

}  // namespace kullback::model
