// How messages write what a user may type. An option with a value, several options, or a command stand in a
// code span:
//   Fit with `--method nuts --target-accept 0.95`, or run `kullback diagnose DIR`.
// An option alone, or with a number, needs none: --max-depth, --draws 2000. Each client writes them in its
// own way: a terminal shows the text without the marks, Python makes method="nuts", target_accept=0.95 of it.
#pragma once

#include <string>
#include <string_view>

namespace kullback {

// Without the marks: for pages, whichever client has them made.
std::string without_marks(std::string_view text);

// The same for what is printed. Where the environment's KULLBACK_CLIENT is "python" (the package runs the
// program) they stay.
std::string for_terminal(std::string_view text);

}  // namespace kullback
