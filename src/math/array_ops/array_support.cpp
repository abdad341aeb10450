#include "math/array_ops/array_support.hpp"

#include <stdexcept>

namespace kullback::math::array_support {

void check_multiplicable(std::string_view function, std::string_view a, const Shape& shape_a,
                         std::string_view b, const Shape& shape_b) {
  if (shape_a.cols != shape_b.rows) {
    check_size_match(function, "Columns of " + std::string(a), shape_a.cols, "Rows of " + std::string(b),
                     shape_b.rows);
  }
}

void check_nonzero_size(std::string_view function, std::string_view name, const Shape& shape) {
  if (shape.size() == 0) {
    throw std::invalid_argument(std::string(function) + ": " + std::string(name) +
                                " has size 0, but must have a non-zero size");
  }
}

}  // namespace kullback::math::array_support
