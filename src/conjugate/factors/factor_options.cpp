#include "conjugate/factors/factor_options.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace kullback::conjugate {

std::vector<Option> factor_options() {
  return {
      {"factors", "10", "most factors; those that the data do not need are shut"},
      {"ard-shape", "1e-9", "shape of the gamma prior of a factor's precision"},
      {"ard-rate", "1e-9", "rate of the gamma prior of a factor's precision, for data of variance 1"},
      {"noise-shape", "1e-6", "shape of the gamma prior of a noise precision"},
      {"noise-rate", "1e-6", "rate of the gamma prior of a noise precision, for data of variance 1"},
      {"noise-sd", "", "standard deviation of the noise in units of the data, where it is known"},
      {"rotate", "true", "whether factors are rotated between passes, which takes fewer of them"},
      {"reconstruct", "",
       "columns whose reconstruction is written for each row: all, or names with commas between"},
  };
}

std::vector<std::size_t> chosen_columns(const std::string& text, const Shape& shape) {
  std::vector<std::size_t> chosen;
  if (text == "all") {
    chosen.resize(shape.columns);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
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
