// Log determinants are written in log sigmoid, which is exact on both sides:
//   sigmoid   log s(x) + log s(-x)
//   tanh      log 4 + log s(2x) + log s(-2x)
//   softplus  log s(x)
// Stick breaking (n numbers): t_i = x_i - log(n - i), y_i = s(t_i) times what is left of the stick;
// logarithms of the rest are cumulative sums of log s(-t), and the inverse takes the rest as the sum of what
// follows, which cannot cancel.
#include "dist/transform.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "dist/numerics.hpp"
#include "dist/shapes.hpp"

namespace kullback::dist {

namespace {

class Exp final : public Transform {
 public:
  std::string name() const override { return "exp"; }
  Constraint codomain() const override { return constraints::positive(); }
  Tensor forward(const Tensor& x) const override { return x.exp(); }
  Tensor inverse(const Tensor& y) const override { return y.log(); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override { return x; }
};

class Sigmoid final : public Transform {
 public:
  std::string name() const override { return "sigmoid"; }
  Constraint codomain() const override { return constraints::unit_interval(); }
  Tensor forward(const Tensor& x) const override { return at::sigmoid(x); }
  Tensor inverse(const Tensor& y) const override { return y.log() - at::log1p(-y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return at::log_sigmoid(x) + at::log_sigmoid(-x);
  }
};

class Tanh final : public Transform {
 public:
  std::string name() const override { return "tanh"; }
  Constraint codomain() const override { return constraints::interval(-1.0, 1.0); }
  Tensor forward(const Tensor& x) const override { return at::tanh(x); }
  Tensor inverse(const Tensor& y) const override { return at::atanh(y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return at::log_sigmoid(2 * x) + at::log_sigmoid(-2 * x) + 2 * kLog2;
  }
};

class Softplus final : public Transform {
 public:
  std::string name() const override { return "softplus"; }
  Constraint codomain() const override { return constraints::positive(); }
  Tensor forward(const Tensor& x) const override { return -at::log_sigmoid(-x); }
  Tensor inverse(const Tensor& y) const override { return y + at::log(-at::expm1(-y)); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override { return at::log_sigmoid(x); }
};

class Affine final : public Transform {
 public:
  Affine(const Parameter& loc, const Parameter& scale) { take({{&loc_, &loc}, {&scale_, &scale}}); }
  std::string name() const override { return "affine"; }
  Tensor forward(const Tensor& x) const override { return at::addcmul(loc_, scale_, x); }
  Tensor inverse(const Tensor& y) const override { return (y - loc_) / scale_; }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    Shape shape = x.sizes().vec();
    broadcast_into(shape, scale_.sizes());
    return scale_.to(at::result_type(x, scale_)).abs().log().expand(shape);  // a number counts as x does
  }
  Shape forward_shape(IntArrayRef shape) const override {
    Shape result = shape.vec();
    if (broadcast_into(result, loc_.sizes()) && broadcast_into(result, scale_.sizes())) return result;
    throw Error(ErrorKind::bad_input,
                "affine: loc of shape " + text_of(loc_.sizes()) + " and scale of shape " +
                    text_of(scale_.sizes()) + " do not broadcast with " + text_of(shape) + ".",
                "give shapes that broadcast");
  }
  Shape inverse_shape(IntArrayRef shape) const override { return forward_shape(shape); }
  Tensor sign() const override { return scale_.sign(); }
  TransformPtr map(const std::function<Tensor(const Tensor&)>& f) const override {
    return std::make_shared<Affine>(f(loc_), f(scale_));
  }

 private:
  Tensor loc_;
  Tensor scale_;
};

class StickBreaking final : public Transform {
 public:
  std::string name() const override { return "stick_breaking"; }
  Constraint codomain() const override { return constraints::simplex(); }
  int64_t domain_dim() const override { return 1; }

  Tensor forward(const Tensor& x) const override {
    const auto t = centred(x, -1);
    const auto rest = at::log_sigmoid(-t).cumsum(-1);
    const auto zero = at::zeros_like(t.narrow(-1, 0, 1));
    return (at::cat({at::log_sigmoid(t), zero}, -1) + at::cat({zero, rest}, -1)).exp();
  }

  Tensor inverse(const Tensor& y) const override {
    const auto n = y.size(-1) - 1;
    const auto rest = y.narrow(-1, 1, n).flip(-1).cumsum(-1).flip(-1);
    return centred(y.narrow(-1, 0, n).log() - rest.log(), 1);
  }

  // dy_i/dx_i = s(t_i) s(-t_i) rest; the matrix is triangular.
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    const auto t = centred(x, -1);
    const auto down = at::log_sigmoid(-t);
    const auto n = static_cast<double>(x.size(-1));
    const auto uses =
        n -
        at::arange(x.size(-1), x.options().requires_grad(false));  // log s(-t_i): itself, and each later rest
    return (at::log_sigmoid(t) + uses * down).sum(-1);
  }

  Shape forward_shape(IntArrayRef shape) const override { return resized(shape, 1); }
  Shape inverse_shape(IntArrayRef shape) const override { return resized(shape, -1); }

 private:
  static Tensor centred(const Tensor& x, double sign) {
    const auto n = x.size(-1);
    const auto left = at::arange(n, 0, -1, x.options().requires_grad(false));
    return x + sign * left.log();
  }

  Shape resized(IntArrayRef shape, int64_t by) const {
    Shape result = shape.vec();
    if (result.empty())
      throw Error(ErrorKind::bad_input, "stick_breaking: a number was given; it needs vectors.");
    result.back() += by;
    return result;
  }
};

class LowerCholesky final : public Transform {
 public:
  std::string name() const override { return "lower_cholesky"; }
  Constraint codomain() const override { return constraints::lower_cholesky(); }
  int64_t domain_dim() const override { return 2; }
  Tensor forward(const Tensor& x) const override {
    return x.tril(-1) + at::diag_embed(x.diagonal(0, -2, -1).exp());
  }
  Tensor inverse(const Tensor& y) const override {
    return y.tril(-1) + at::diag_embed(y.diagonal(0, -2, -1).log());
  }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    return x.diagonal(0, -2, -1).sum(-1);
  }
};

class Compose final : public Transform {
 public:
  explicit Compose(std::vector<TransformPtr> parts) : parts_(std::move(parts)) {
    // The event of the whole holds the events of all parts, carried to its ends.
    for (auto it = parts_.rbegin(); it != parts_.rend(); ++it) {
      domain_ = std::max(domain_ + (*it)->domain_dim() - (*it)->codomain_dim(), (*it)->domain_dim());
    }
    for (const auto& part : parts_) {
      codomain_ = std::max(codomain_ + part->codomain_dim() - part->domain_dim(), part->codomain_dim());
    }
  }

  std::string name() const override {
    std::string text;
    for (const auto& part : parts_) text += (text.empty() ? "" : " then ") + part->name();
    return text.empty() ? "identity" : text;
  }
  int64_t domain_dim() const override { return domain_; }
  int64_t codomain_dim() const override { return codomain_; }
  Constraint codomain() const override {
    return parts_.empty() ? constraints::real() : parts_.back()->codomain();
  }

  Tensor forward(const Tensor& x) const override {
    Tensor y = x;
    for (const auto& part : parts_) y = part->forward(y);
    return y;
  }
  Tensor inverse(const Tensor& y) const override {
    Tensor x = y;
    for (auto it = parts_.rbegin(); it != parts_.rend(); ++it) x = (*it)->inverse(x);
    return x;
  }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override {
    if (parts_.empty()) return at::zeros_like(x);
    Tensor at_part = x;
    Tensor sum;
    int64_t event = domain_;
    for (const auto& part : parts_) {
      const auto next = part->forward(at_part);
      const auto term = sum_rightmost(part->log_abs_det_jacobian(at_part, next), event - part->domain_dim());
      sum = sum.defined() ? sum + term : term;
      event += part->codomain_dim() - part->domain_dim();
      at_part = next;
    }
    return sum;
  }
  Shape forward_shape(IntArrayRef shape) const override {
    Shape result = shape.vec();
    for (const auto& part : parts_) result = part->forward_shape(result);
    return result;
  }
  Shape inverse_shape(IntArrayRef shape) const override {
    Shape result = shape.vec();
    for (auto it = parts_.rbegin(); it != parts_.rend(); ++it) result = (*it)->inverse_shape(result);
    return result;
  }
  Tensor sign() const override {
    Tensor product;
    for (const auto& part : parts_) {
      const auto sign = part->sign();
      if (sign.defined()) product = product.defined() ? product * sign : sign;
    }
    return product;
  }
  TransformPtr map(const std::function<Tensor(const Tensor&)>& f) const override {
    std::vector<TransformPtr> images;
    for (const auto& part : parts_) images.push_back(part->map(f));
    return std::make_shared<Compose>(std::move(images));
  }

 private:
  std::vector<TransformPtr> parts_;
  int64_t domain_ = 0;
  int64_t codomain_ = 0;
};

class IndependentTransform final : public Transform {
 public:
  IndependentTransform(TransformPtr part, int64_t dims) : part_(std::move(part)), dims_(dims) {}
  std::string name() const override { return part_->name(); }
  int64_t domain_dim() const override { return part_->domain_dim() + dims_; }
  int64_t codomain_dim() const override { return part_->codomain_dim() + dims_; }
  Constraint codomain() const override { return part_->codomain().independent(dims_); }
  Tensor forward(const Tensor& x) const override { return part_->forward(x); }
  Tensor inverse(const Tensor& y) const override { return part_->inverse(y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    return sum_rightmost(part_->log_abs_det_jacobian(x, y), dims_);
  }
  Shape forward_shape(IntArrayRef shape) const override { return part_->forward_shape(shape); }
  Shape inverse_shape(IntArrayRef shape) const override { return part_->inverse_shape(shape); }
  Tensor sign() const override { return part_->sign(); }
  TransformPtr map(const std::function<Tensor(const Tensor&)>& f) const override {
    return std::make_shared<IndependentTransform>(part_->map(f), dims_);
  }

 private:
  TransformPtr part_;
  int64_t dims_;
};

class Inverse final : public Transform {
 public:
  explicit Inverse(TransformPtr part) : part_(std::move(part)) {}
  std::string name() const override { return "inverse of " + part_->name(); }
  int64_t domain_dim() const override { return part_->codomain_dim(); }
  int64_t codomain_dim() const override { return part_->domain_dim(); }
  Tensor forward(const Tensor& x) const override { return part_->inverse(x); }
  Tensor inverse(const Tensor& y) const override { return part_->forward(y); }
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override {
    return -part_->log_abs_det_jacobian(y, x);
  }
  Shape forward_shape(IntArrayRef shape) const override { return part_->inverse_shape(shape); }
  Shape inverse_shape(IntArrayRef shape) const override { return part_->forward_shape(shape); }
  Tensor sign() const override { return part_->sign(); }
  TransformPtr map(const std::function<Tensor(const Tensor&)>& f) const override {
    return std::make_shared<Inverse>(part_->map(f));
  }

 private:
  TransformPtr part_;
};

}  // namespace

namespace transforms {
// Transforms without parameters are one object each, so that equal ones are the same.
template <class T>
TransformPtr the_one() {
  static const TransformPtr object = std::make_shared<T>();
  return object;
}

TransformPtr identity() {
  static const TransformPtr object = compose({});
  return object;
}
TransformPtr exp() { return the_one<Exp>(); }
TransformPtr sigmoid() { return the_one<Sigmoid>(); }
TransformPtr tanh() { return the_one<Tanh>(); }
TransformPtr softplus() { return the_one<Softplus>(); }
TransformPtr affine(const Parameter& loc, const Parameter& scale) {
  return std::make_shared<Affine>(loc, scale);
}
TransformPtr stick_breaking() { return the_one<StickBreaking>(); }
TransformPtr lower_cholesky() { return the_one<LowerCholesky>(); }
TransformPtr compose(std::vector<TransformPtr> parts) { return std::make_shared<Compose>(std::move(parts)); }
TransformPtr independent(TransformPtr part, int64_t dims) {
  return std::make_shared<IndependentTransform>(std::move(part), dims);
}
TransformPtr inverse(TransformPtr part) { return std::make_shared<Inverse>(std::move(part)); }
}  // namespace transforms

namespace {

TransformPtr biject_to_elements(const Constraint& constraint) {
  switch (constraint.kind()) {
    case Constraint::Kind::real:
    case Constraint::Kind::finite: return transforms::identity();
    case Constraint::Kind::positive:
    case Constraint::Kind::nonnegative: return transforms::exp();
    case Constraint::Kind::unit_interval: return transforms::sigmoid();
    case Constraint::Kind::at_least:
      return transforms::compose({transforms::exp(), transforms::affine(constraint.lower(), 1.0)});
    case Constraint::Kind::interval:
      return transforms::compose(
          {transforms::sigmoid(),
           transforms::affine(constraint.lower(), constraint.upper() - constraint.lower())});
    case Constraint::Kind::simplex: return transforms::stick_breaking();
    case Constraint::Kind::lower_cholesky: return transforms::lower_cholesky();
    default:
      throw Error(ErrorKind::bad_input,
                  "biject_to: no bijection from the reals to '" + constraint.name() + "'.",
                  constraint.is_discrete() ? "use a relaxed distribution" : "parametrise by scale_tril");
  }
}

}  // namespace

TransformPtr biject_to(const Constraint& constraint) {
  auto elements = biject_to_elements(constraint);
  const auto more = constraint.event_dim() - elements->codomain_dim();
  return more > 0 ? transforms::independent(std::move(elements), more) : elements;
}

}  // namespace kullback::dist
