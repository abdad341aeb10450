// Any matrix: y = M x, of x as a row of numbers (images colour by colour, line by line).
#include <fmt/format.h>

#include "base/error.hpp"
#include "deep/data/number_files.hpp"
#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kMatrix =
    TextOption("matrix", "CSV or .npy file: a row for each observed number, a column for each of x");

class Linear final : public Operator {
 public:
  Linear(RowShape takes, torch::Tensor matrix)
      : Operator(takes, row_of(matrix.size(0))), matrix_(std::move(matrix)) {}

  torch::Tensor forward(const torch::Tensor& x) const override {
    return x.mm(matrix_.to(x.device()).to(x.scalar_type()).t());
  }

 private:
  torch::Tensor matrix_;
};

std::unique_ptr<Operator> make(const OptionValues& values, const RowShape& takes) {
  const std::string file(values[kMatrix]);
  if (file.empty())
    throw Error(ErrorKind::usage, "--operator linear needs --matrix: a CSV or .npy file.",
                "It has a row for each observed number.");
  const torch::Tensor matrix = read_numbers(file);
  if (matrix.dim() != 2 || matrix.size(1) != takes.size)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the matrix has {} columns; the model is of {}, and {} are needed.", file,
                            matrix.size(-1), shape_text(takes), takes.size),
                "It has a row for each observed number and a column for each number of x.");
  if (!at::isfinite(matrix).all().item<bool>())
    throw Error(ErrorKind::bad_input, fmt::format("{}: the matrix has numbers that are not finite.", file));
  return std::make_unique<Linear>(takes, matrix.to(torch::kFloat64));
}

constexpr const OptionRecord* kOptions[] = {&kMatrix};

}  // namespace

extern const OperatorRecord k_linear;
const OperatorRecord k_linear = {
    .name = "linear", .summary = "Any matrix", .options = kOptions, .make = make};

}  // namespace kullback::deep::diffusion
