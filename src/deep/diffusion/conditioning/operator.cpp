#include "deep/diffusion/conditioning/operator.hpp"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>
#include <utility>

#include "deep/diffusion/records.hpp"

namespace kullback::deep::diffusion {

#define KULLBACK_OPERATOR(record) extern const OperatorRecord record;
#include "deep/diffusion/conditioning/operators.def"
#undef KULLBACK_OPERATOR

namespace {

class FunctionOperator final : public Operator {
 public:
  FunctionOperator(std::function<torch::Tensor(const torch::Tensor&)> function, RowShape takes,
                   RowShape gives, bool is_linear)
      : Operator(takes, gives), function_(std::move(function)), is_linear_(is_linear) {}

  bool is_linear() const override { return is_linear_; }
  torch::Tensor forward(const torch::Tensor& x) const override { return function_(x); }

 private:
  std::function<torch::Tensor(const torch::Tensor&)> function_;
  bool is_linear_;
};

}  // namespace

RowShape row_of(std::int64_t size) { return {.size = size}; }

RowShape row_of(const ImageShape& image) {
  return {.size = image.channels * image.height * image.width, .image = image};
}

std::string shape_text(const RowShape& shape) {
  if (!shape.is_image()) return fmt::format("rows of {} numbers", shape.size);
  return fmt::format("images {}x{}{}", shape.image.height, shape.image.width,
                     shape.image.channels > 1 ? fmt::format("x{}", shape.image.channels) : std::string());
}

std::span<const OperatorRecord* const> operators() {
  static const std::array kRecords = {
#define KULLBACK_OPERATOR(record) &record,
#include "deep/diffusion/conditioning/operators.def"
#undef KULLBACK_OPERATOR
  };
  return kRecords;
}

const OperatorRecord& operator_named(const std::string& name) {
  return record_named(operators(), name, "operator");
}

std::unique_ptr<Operator> make_operator(const std::string& name, const RowShape& takes,
                                        const OptionValues& values) {
  return operator_named(name).make(values, takes);
}

std::unique_ptr<Operator> operator_of(std::function<torch::Tensor(const torch::Tensor&)> function,
                                      RowShape takes, RowShape gives, bool is_linear) {
  return std::make_unique<FunctionOperator>(std::move(function), takes, gives, is_linear);
}

torch::Tensor adjoint(const Operator& operation, const torch::Tensor& y) {
  if (!operation.is_linear()) throw Error(ErrorKind::internal, "only a linear operator has an adjoint.");
  const torch::AutoGradMode with_gradient(true);
  const torch::Tensor x = torch::zeros({y.size(0), operation.takes().size}, y.options()).requires_grad_();
  return torch::autograd::grad({operation.forward(x)}, {x}, {y})[0];
}

torch::Tensor as_images(const torch::Tensor& x, const RowShape& shape) {
  if (!shape.is_image()) return x.view({x.size(0), 1, 1, -1});
  return x.view({x.size(0), shape.image.channels, shape.image.height, shape.image.width});
}

}  // namespace kullback::deep::diffusion
