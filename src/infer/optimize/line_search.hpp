// A step along a line that meets the strong Wolfe conditions (Nocedal and Wright 2006, section 3.5).
#pragma once

#include <functional>

namespace kullback::infer {

struct LinePoint {
  double step = 0;
  double value = 0;  // to be made small
  double slope = 0;
  bool is_finite = true;
};

// The point at a step; `is_finite` false where the value or its slope is not.
using LineFunction = std::function<LinePoint(double step)>;

enum class SearchEnd : unsigned char {
  wolfe,      // both conditions hold
  decrease,   // the value fell enough, but the slope is still steep: an edge of the support, or rounding
  failed,     // no step made the value fall
  unbounded,  // the value falls, its slope undiminished, as far as `max_step`
};

struct SearchResult {
  SearchEnd end = SearchEnd::failed;
  double step = 0;  // with `failed`: 0
};

// `start` is the point at step 0, its slope negative.
SearchResult search_line(const LineFunction& line, const LinePoint& start, double first_step,
                         double max_step);

}  // namespace kullback::infer
