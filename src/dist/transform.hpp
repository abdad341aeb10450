// Bijections of tensors, with the log determinant of their derivatives.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dist/constraint.hpp"
#include "dist/parameter.hpp"

namespace kullback::dist {

using Shape = std::vector<int64_t>;

class Transform;
using TransformPtr = std::shared_ptr<const Transform>;

class Transform : public std::enable_shared_from_this<Transform> {
 public:
  virtual ~Transform() = default;
  virtual std::string name() const = 0;

  virtual Tensor forward(const Tensor& x) const = 0;
  virtual Tensor inverse(const Tensor& y) const = 0;
  // log |det dy/dx| for y = forward(x): one number for each x, its last domain_dim() dimensions being one x.
  virtual Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const = 0;

  virtual int64_t domain_dim() const { return 0; }
  virtual int64_t codomain_dim() const { return domain_dim(); }
  virtual Shape forward_shape(IntArrayRef shape) const { return shape.vec(); }
  virtual Shape inverse_shape(IntArrayRef shape) const { return shape.vec(); }
  // The sign of the derivative of a transform of numbers; undefined where it is positive everywhere.
  virtual Tensor sign() const { return {}; }
  // The same transform with every tensor of it replaced by its image.
  virtual TransformPtr map(const std::function<Tensor(const Tensor&)>&) const { return shared_from_this(); }
};

namespace transforms {
TransformPtr identity();
TransformPtr exp();
TransformPtr sigmoid();
TransformPtr tanh();
TransformPtr softplus();
TransformPtr affine(const Parameter& loc, const Parameter& scale);  // y = loc + scale x
TransformPtr stick_breaking();  // vectors of n numbers to the simplex of n + 1; 0 to its centre
TransformPtr lower_cholesky();  // matrices: lower triangle kept, exp of the diagonal, 0 above
TransformPtr compose(std::vector<TransformPtr> parts);      // the first is applied first
TransformPtr independent(TransformPtr part, int64_t dims);  // `dims` more dimensions on the right are one x
TransformPtr inverse(TransformPtr part);
}  // namespace transforms

// From all reals (vectors, square matrices) to what the constraint admits. An Error for discrete constraints.
TransformPtr biject_to(const Constraint& constraint);

}  // namespace kullback::dist
