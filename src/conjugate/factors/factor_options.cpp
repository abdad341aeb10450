#include "conjugate/factors/factor_options.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.hpp"

namespace kullback::conjugate {

std::vector<std::size_t> chosen_columns(std::string_view text, const Shape& shape) {
  std::vector<std::size_t> chosen;
  if (text == "all") {
    chosen.resize(shape.columns);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name(text.substr(begin, end - begin));
    const auto at = std::find(shape.names.begin(), shape.names.end(), name);
    if (at == shape.names.end()) {
      throw Error(ErrorKind::usage, "--reconstruct names a column '" + name + "' that the data do not have.",
                  "Write 'all', or names of columns with commas between.");
    }
    chosen.push_back(static_cast<std::size_t>(at - shape.names.begin()));
    begin = end + 1;
  }
  return chosen;
}

}  // namespace kullback::conjugate
