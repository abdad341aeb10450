// A run in progress as lines of a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "report/live/run_state.hpp"

namespace kullback::report {

struct FrameStyle {
  std::size_t width = 80;  // characters of a line, at most; 40 at least
  std::size_t height = 0;  // lines, at most; 0: all
  bool has_blocks = true;  // the terminal shows UTF-8; else ASCII
};

// Lines with their ends. Nothing from the folder reaches the terminal as a control character.
std::string frame_text(const RunState& state, const FrameStyle& style, std::int64_t now);

// As many characters as `width` at most, each the mean of its share of the values. Values far beyond the
// quartiles are cut to the rest's range; a gap is a space.
std::string sparkline(std::span<const double> values, std::size_t width, bool has_blocks);

// "42 s", "3 min 05 s", "2 h 10 min"
std::string duration_text(double seconds);

}  // namespace kullback::report
