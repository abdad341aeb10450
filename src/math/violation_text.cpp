#include "math/violation_text.hpp"

#include <vector>

namespace kullback::math {

std::string violation_index(const Violation& violation, std::span<const std::size_t> array_dims, Kind kind) {
  std::vector<std::size_t> index(array_dims.size());
  std::size_t rest = violation.item;
  for (std::size_t d = array_dims.size(); d-- > 0;) {
    index[d] = rest % array_dims[d];
    rest /= array_dims[d];
  }
  if (!violation.whole) {
    if (kind == Kind::vector || kind == Kind::matrix) index.push_back(violation.row);
    if (kind == Kind::row_vector || kind == Kind::matrix) index.push_back(violation.col);
  }
  std::string text;
  for (const std::size_t i : index) text += (text.empty() ? "[" : ", ") + std::to_string(i + 1);
  return text.empty() ? text : text + "]";
}

}  // namespace kullback::math
