// Files that the build has put into the library: shell/*, sections/*.js, library/*.
#pragma once

#include <string_view>

namespace kullback::report {

// Throws Error internal where there is no such file.
std::string_view asset(std::string_view name);

}  // namespace kullback::report
