// Bijections: there and back, log determinants against autograd's Jacobians, shapes, and what biject_to
// gives.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/dist/examples.hpp"

namespace kullback::dist {
namespace {

struct Case {
  TransformPtr transform;
  Tensor x;
};

std::vector<Case> cases() {
  using namespace transforms;
  const auto numbers7 = at::tensor({-30.0, -3.0, -0.5, 0.0, 0.7, 2.0, 25.0}, at::kDouble);
  const auto mild = at::tensor({-6.0, -0.5, 0.0, 0.7, 5.0}, at::kDouble);
  const auto vectors = at::tensor({-2.0, 0.5, 1.5, 0.0, 0.0, 4.0}, at::kDouble).view({2, 3});
  const auto matrices =
      at::tensor({0.5, 9.0, 9.0, -1.0, 0.3, 9.0, 2.0, 0.7, -2.0}, at::kDouble).view({1, 3, 3}).tril();
  return {
      {identity(), numbers7},
      {exp(), numbers7},
      {softplus(), numbers7},
      {sigmoid(), mild},
      {tanh(), mild},
      {affine(2.0, -0.5), numbers7},
      {affine(at::tensor({1.0, 2.0, 3.0}, at::kDouble), at::tensor({0.5, -2.0, 1.0}, at::kDouble)), vectors},
      {stick_breaking(), vectors},
      {lower_cholesky(), matrices},
      {compose({affine(0.5, 2.0), sigmoid(), affine(-1.0, 2.0)}), mild},
      {compose({affine(0.5, 2.0), stick_breaking()}), vectors},
      {compose({independent(affine(0.5, 2.0), 1), stick_breaking()}), vectors},
      {independent(exp(), 1), vectors},
      {inverse(exp()), mild.exp()},
      {inverse(compose({exp(), affine(1.0, 3.0)})), 1 + 3 * mild.exp()},
  };
}

// log |det| of dy/dx of one x, where a triangular y counts by its lower triangle and a simplex without its
// last number.
double log_det_by_autograd(const Transform& transform, const Tensor& x0) {
  const auto x = x0.clone().requires_grad_();
  auto y = transform.forward(x);
  std::vector<int64_t> inputs;
  std::vector<Tensor> outputs;
  const bool triangular = transform.name() == "lower_cholesky";
  for (int64_t i = 0; i < x0.numel(); ++i) {
    if (!triangular || i % x0.size(-1) <= i / x0.size(-1)) inputs.push_back(i);
  }
  const auto flat = y.flatten();
  for (int64_t i = 0; i < static_cast<int64_t>(inputs.size()); ++i)
    outputs.push_back(flat[triangular ? inputs[static_cast<size_t>(i)] : i]);
  const auto n = static_cast<int64_t>(inputs.size());
  auto jacobian = at::zeros({n, n}, at::kDouble);
  for (int64_t i = 0; i < n; ++i) {
    x.mutable_grad() = Tensor();
    outputs[static_cast<size_t>(i)].backward({}, true);
    for (int64_t j = 0; j < n; ++j) jacobian[i][j] = x.grad().flatten()[inputs[static_cast<size_t>(j)]];
  }
  return std::get<1>(at::linalg_slogdet(jacobian)).item<double>();
}

TEST(Transforms, ThereAndBack) {
  for (const auto& c : cases()) {
    const auto y = c.transform->forward(c.x);
    EXPECT_TRUE(at::allclose(c.transform->inverse(y), c.x, 1e-9, 1e-10)) << c.transform->name();
    EXPECT_EQ(y.sizes(), c.transform->forward_shape(c.x.sizes())) << c.transform->name();
    EXPECT_EQ(c.x.sizes(), c.transform->inverse_shape(y.sizes())) << c.transform->name();
  }
}

TEST(Transforms, LogDeterminants) {
  for (const auto& c : cases()) {
    const auto event = c.transform->domain_dim();
    const auto got = c.transform->log_abs_det_jacobian(c.x, c.transform->forward(c.x)).flatten();
    Shape rows{-1};
    for (int64_t i = c.x.dim() - event; i < c.x.dim(); ++i) rows.push_back(c.x.size(i));
    if (c.transform->name() == "affine" && c.x.dim() == 2)
      continue;  // its scale belongs to a whole row; below
    const auto points = c.x.reshape(rows);
    ASSERT_EQ(points.size(0), got.size(0)) << c.transform->name();
    for (int64_t i = 0; i < points.size(0); ++i) {
      EXPECT_NEAR(got[i].item<double>(), log_det_by_autograd(*c.transform, points[i]), 1e-9)
          << c.transform->name();
    }
  }
  const auto scale = at::tensor({0.5, -2.0, 1.0}, at::kDouble);
  const auto rows = transforms::independent(transforms::affine(0.0, scale), 1);
  EXPECT_NEAR(rows->log_abs_det_jacobian(at::zeros({3}, at::kDouble), {}).item<double>(), 0, 1e-15);
}

TEST(Transforms, FarOut) {
  const auto far = at::tensor({-700.0, 700.0}, at::kDouble);
  EXPECT_TRUE(at::allclose(transforms::sigmoid()->log_abs_det_jacobian(far, {}), -far.abs()));
  EXPECT_TRUE(
      at::allclose(transforms::tanh()->log_abs_det_jacobian(far, {}), -2 * far.abs() + 1.3862943611198906));
  EXPECT_TRUE(at::allclose(transforms::softplus()->forward(far), far.clamp_min(0), 1e-9, 1e-300));
}

// Zero is the centre of the simplex.
TEST(Transforms, StickBreakingIsCentred) {
  const auto y = transforms::stick_breaking()->forward(at::zeros({4}, at::kDouble));
  EXPECT_TRUE(at::allclose(y, at::full({5}, 0.2, at::kDouble)));
}

TEST(Transforms, BijectToEverySupport) {
  const auto low = at::tensor({-1.0, 2.0, 5.0}, at::kDouble);
  at::manual_seed(1);
  for (const auto& constraint :
       {constraints::real(), constraints::positive(), constraints::nonnegative(),
        constraints::unit_interval(), constraints::at_least(low), constraints::interval(low, low + 0.5),
        constraints::interval(-1.0, 1.0), constraints::simplex(), constraints::real_vector(),
        constraints::positive_vector(), constraints::lower_cholesky()}) {
    const auto transform = biject_to(constraint);
    EXPECT_EQ(transform->codomain_dim(), constraint.event_dim()) << constraint.name();
    const auto x = 3 * at::randn({50, 3, 3}, at::kDouble);
    const auto y = transform->forward(x);
    EXPECT_TRUE(constraint.check(y).all().item<bool>()) << constraint.name();
    const auto log_det = transform->log_abs_det_jacobian(x, y);
    EXPECT_EQ(log_det.dim(), 3 - transform->domain_dim()) << constraint.name();
  }
  EXPECT_THROW(biject_to(constraints::boolean()), Error);
  EXPECT_THROW(biject_to(constraints::positive_definite()), Error);
}

TEST(Transformed, LogNormalIsExpOfNormal) {
  const auto loc = pair(0.5, -1), scale = pair(0.6, 0.3);
  const LogNormal direct(loc, scale);
  const TransformedDistribution made(Normal(loc, scale), transforms::exp());
  const auto x = direct.sample({10});
  EXPECT_TRUE(at::allclose(made.log_prob(x), direct.log_prob(x)));
  EXPECT_TRUE(at::allclose(made.cdf(x), direct.cdf(x)));
  EXPECT_TRUE(at::allclose(made.icdf(direct.cdf(x)), x));
  const TransformedDistribution other(Normal(scale, loc.abs()), transforms::exp());
  EXPECT_TRUE(at::allclose(kl_divergence(made, other), kl_divergence(direct, LogNormal(scale, loc.abs()))));
}

TEST(Transformed, DecreasingTransformsTurnTheCdf) {
  const TransformedDistribution mirrored(Exponential(at::ones({}, at::kDouble)),
                                         transforms::affine(1.0, -2.0));
  const auto y = at::tensor({-3.0, 0.0}, at::kDouble);  // y = 1 - 2x: P(Y <= y) = P(x >= (1 - y)/2)
  EXPECT_TRUE(at::allclose(mirrored.cdf(y), at::exp(-(1 - y) / 2)));
  EXPECT_TRUE(at::allclose(mirrored.icdf(mirrored.cdf(y)), y));
}

TEST(Transformed, VectorsOfAnAffineBatch) {
  const auto loc = numbers({0.5, -1, 2}, {3}), scale = numbers({2, 0.5, 1}, {3});
  const auto standard = Independent(Normal(at::zeros({3}, at::kDouble), 1.0), 1);
  const TransformedDistribution made(standard, transforms::affine(loc, scale));
  EXPECT_EQ(made.event_shape(), Shape{3});
  const auto x = made.sample({4});
  EXPECT_TRUE(at::allclose(made.log_prob(x), Independent(Normal(loc, scale), 1).log_prob(x)));
  // Parameters with a batch the base has not.
  const TransformedDistribution wide(Normal(0.0, 1.0), transforms::affine(at::zeros({5}), 2.0));
  EXPECT_EQ(wide.batch_shape(), Shape{5});
}

}  // namespace
}  // namespace kullback::dist
