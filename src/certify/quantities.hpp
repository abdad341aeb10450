// The scalars that are judged: the constrained values of the parameters block.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/output_writer.hpp"

namespace kullback::certify {

class Quantities final {
 public:
  explicit Quantities(model::OutputWriter& outputs) : outputs_(outputs) {}

  std::size_t count() const { return outputs_.parameter_columns(); }
  const std::string& name(std::size_t quantity) const { return outputs_.column_names()[quantity]; }

  // Of points one after another: quantity after quantity, one number for each point; NaN where the program
  // rejects one.
  std::vector<double> evaluate(std::span<const double> theta, std::size_t points) {
    const std::size_t dim = points == 0 ? 0 : theta.size() / points;
    std::vector<double> values(count() * points);
    std::vector<double> row(count());
    for (std::size_t i = 0; i < points; ++i) {
      outputs_.write_params(theta.data() + i * dim, row.data());
      for (std::size_t j = 0; j < row.size(); ++j) values[j * points + i] = row[j];
    }
    return values;
  }

 private:
  model::OutputWriter& outputs_;
};

}  // namespace kullback::certify
