// What was done to x before it was observed: y = A(x) + noise. x and y are rows in the data's own units.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/option.hpp"
#include "deep/data/rows.hpp"

namespace kullback::deep::diffusion {

struct RowShape {
  std::int64_t size = 0;  // numbers of a row
  ImageShape image = {};  // of a row that is none: height 0

  bool is_image() const { return image.height > 0; }
};
RowShape row_of(std::int64_t size);
RowShape row_of(const ImageShape& image);
// "rows of 5 numbers", "images 28x28"
std::string shape_text(const RowShape& shape);

class Operator {
 public:
  explicit Operator(RowShape takes) : takes_(takes), gives_(takes) {}
  Operator(RowShape takes, RowShape gives) : takes_(takes), gives_(gives) {}
  virtual ~Operator() = default;

  const RowShape& takes() const { return takes_; }
  const RowShape& gives() const { return gives_; }
  // A(0) = 0 and A(a x + b z) = a A(x) + b A(z).
  virtual bool is_linear() const { return true; }
  // [rows, takes().size] to [rows, gives().size], differentiable in x.
  virtual torch::Tensor forward(const torch::Tensor& x) const = 0;
  // Of a row of y which numbers say anything: bool [gives().size]; undefined: all.
  virtual torch::Tensor seen() const { return {}; }

 private:
  RowShape takes_, gives_;
};

// A^T y of a linear operator, [rows, gives().size] to [rows, takes().size], by automatic differentiation.
torch::Tensor adjoint(const Operator& operation, const torch::Tensor& y);

// Any differentiable function of rows.
std::unique_ptr<Operator> operator_of(std::function<torch::Tensor(const torch::Tensor&)> function,
                                      RowShape takes, RowShape gives, bool is_linear = false);

struct OperatorRecord {
  std::string_view name;
  std::string_view summary;
  OptionTable options;
  // Throws Error where the operator does not fit rows of this shape.
  std::unique_ptr<Operator> (*make)(const OptionValues& values, const RowShape& takes);
};
std::span<const OperatorRecord* const> operators();
// Throws Error usage that lists the names.
const OperatorRecord& operator_named(const std::string& name);
std::unique_ptr<Operator> make_operator(const std::string& name, const RowShape& takes,
                                        const OptionValues& values = {});

// Images as [rows, channels, height, width]; other rows as images of one line. And back.
torch::Tensor as_images(const torch::Tensor& x, const RowShape& shape);

}  // namespace kullback::deep::diffusion
