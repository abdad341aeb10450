// What every distribution promises, on one example of each family of families.def.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "dist/shapes.hpp"
#include "tests/dist/examples.hpp"

namespace kullback::dist {
namespace {

constexpr int64_t kDraws = 20000;

// Parameters with one more batch dimension in front, so that each draw has its own.
std::vector<Tensor> widened(const Example& example, int64_t n) {
  std::vector<Tensor> result;
  for (const auto& p : example.parameters) {
    result.push_back(p.unsqueeze(0).expand(joined(Shape{n}, p.sizes())).clone().requires_grad_());
  }
  return result;
}

std::vector<double> flat(const Tensor& t) {
  const auto c = t.detach().to(at::kDouble).contiguous();
  return {c.data_ptr<double>(), c.data_ptr<double>() + c.numel()};
}

// |mean of the first dimension - expected| within 4.5 standard errors, element by element.
void expect_mean(const Tensor& draws, const Tensor& expected, const std::string& what) {
  const auto n = static_cast<double>(draws.size(0));
  const auto means = flat(draws.mean(0));
  const auto errors = flat((draws.var(0) / n).sqrt());
  const auto wanted = flat(expected.expand_as(draws[0]));
  for (size_t i = 0; i < means.size(); ++i) {
    EXPECT_NEAR(means[i], wanted[i], 4.5 * errors[i] + 1e-9 * (1 + std::abs(wanted[i])))
        << what << ", element " << i;
  }
}

bool is_defined(const std::function<Tensor()>& f) {
  try {
    f();
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Families, EveryOneHasAnExample) {
  const auto all = examples();
#define KULLBACK_FAMILY(Type)                                            \
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Example& e) { \
    return e.make(e.parameters).as<Type>() != nullptr;                   \
  })) << #Type;
#include "dist/families.def"
#undef KULLBACK_FAMILY
}

TEST(Families, Shapes) {
  for (const auto& example : examples()) {
    const auto d = example.make(example.parameters);
    const auto batch = d->batch_shape();
    const auto event = d->event_shape();
    const auto draws = d->sample({4, 3});
    EXPECT_EQ(draws.sizes(), joined(Shape{4, 3}, batch, event)) << example.name;
    EXPECT_EQ(d->sample().sizes(), joined(batch, event)) << example.name;
    EXPECT_EQ(d->log_prob(draws).sizes(), joined(Shape{4, 3}, batch)) << example.name;
    EXPECT_TRUE(d->support().check(draws).all().item<bool>()) << example.name;
    for (const auto& f : {&Distribution::mean, &Distribution::variance, &Distribution::mode}) {
      if (!is_defined([&] { return ((*d).*f)(); })) continue;
      EXPECT_EQ(((*d).*f)().sizes(), joined(batch, event)) << example.name;
    }
    if (is_defined([&] { return d->entropy(); })) {
      EXPECT_EQ(d->entropy().sizes(), IntArrayRef(batch)) << example.name;
    }
  }
}

TEST(Families, Expand) {
  for (const auto& example : examples()) {
    const auto d = example.make(example.parameters);
    const auto wide = d->expand(joined(Shape{5}, d->batch_shape()));
    EXPECT_EQ(wide->batch_shape(), joined(Shape{5}, d->batch_shape())) << example.name;
    EXPECT_EQ(wide->event_shape(), d->event_shape()) << example.name;
    const auto draws = wide->sample({3});
    EXPECT_EQ(draws.sizes(), joined(Shape{3}, wide->batch_shape(), wide->event_shape())) << example.name;
    EXPECT_TRUE(at::allclose(wide->log_prob(draws), d->log_prob(draws))) << example.name;
    if (!d->batch_shape().empty()) {
      EXPECT_THROW(d->expand({7, 7}), Error) << example.name;
    }
    if (example.name == "Uniform") continue;  // each batch entry has its own support
    // One value against the whole batch.
    const auto one =
        d->event_shape().empty() ? draws.flatten()[0] : draws.reshape(joined(Shape{-1}, d->event_shape()))[0];
    EXPECT_EQ(wide->log_prob(one).sizes(), IntArrayRef(wide->batch_shape())) << example.name;
  }
}

TEST(Families, DetachAndSinglePrecision) {
  for (const auto& example : examples()) {
    std::vector<Tensor> leaves;
    for (const auto& p : example.parameters) leaves.push_back(p.clone().requires_grad_());
    const auto d = example.make(leaves);
    const auto draws = d->sample({2});
    EXPECT_FALSE(draws.requires_grad()) << example.name;
    EXPECT_TRUE(d->log_prob(draws).requires_grad()) << example.name;
    const auto detached = d->detach();
    EXPECT_FALSE(detached->log_prob(draws).requires_grad()) << example.name;
    EXPECT_TRUE(at::equal(detached->log_prob(draws), d->log_prob(draws))) << example.name;
    const auto single = detached->to(at::kFloat);
    const auto single_draws = single->sample({2});
    if (example.name.find("Categorical by") != 0) {
      EXPECT_EQ(single_draws.scalar_type(), at::kFloat) << example.name;
    }
    EXPECT_EQ(single->log_prob(single_draws).scalar_type(), at::kFloat) << example.name;
  }
}

TEST(Families, MomentsOfDraws) {
  at::manual_seed(1);
  for (const auto& example : examples()) {
    if (example.name == "Cauchy" || example.name == "HalfCauchy" || example.name == "VonMises") continue;
    if (example.name.find("Categorical by") == 0) continue;
    const auto d = example.make(example.parameters);
    if (!is_defined([&] { return d->mean(); })) continue;
    const auto draws = d->sample({kDraws}).to(at::kDouble);
    expect_mean(draws, d->mean(), example.name + " mean");
    expect_mean((draws - d->mean()).square(), d->variance(), example.name + " variance");
  }
}

TEST(Families, EntropyOfDraws) {
  at::manual_seed(2);
  for (const auto& example : examples()) {
    const auto d = example.make(example.parameters);
    if (!is_defined([&] { return d->entropy(); })) continue;
    expect_mean(-d->log_prob(d->sample({kDraws})), d->entropy(), example.name + " entropy");
  }
}

// Draws and density belong together: under draws, the score by every parameter has mean 0.
TEST(Families, ScoresHaveMeanZero) {
  at::manual_seed(3);
  for (const auto& example : examples()) {
    if (example.name == "Uniform") continue;  // its support moves with its parameters
    const auto leaves = widened(example, kDraws);
    const auto d = example.make(leaves);
    d->log_prob(d->sample()).sum().backward();
    for (size_t i = 0; i < leaves.size(); ++i) {
      const auto score = leaves[i].grad();
      ASSERT_TRUE(score.defined()) << example.name;
      EXPECT_GT(score.abs().sum().item<double>(), 0) << example.name;
      expect_mean(score, at::zeros({}, at::kDouble),
                  example.name + " score of parameter " + std::to_string(i));
    }
  }
}

// d/dtheta E f(x) by the gradient of draws and by the score: their difference has mean 0. f is the sum of a
// bounded function of each number.
TEST(Families, GradientsOfDrawsAgreeWithScores) {
  at::manual_seed(4);
  for (const auto& example : examples()) {
    if (!example.make(example.parameters)->has_rsample() || example.name == "Uniform") continue;
    const auto f = [](const Tensor& x) { return at::sin(x + 0.3); };
    const auto paths = widened(example, kDraws);
    const auto d = example.make(paths);
    const auto x = d->rsample();
    f(x).sum().backward();
    const auto scores = widened(example, kDraws);
    const auto same = example.make(scores);
    const auto log_prob = same->log_prob(x.detach());
    auto values = f(x.detach());
    while (values.dim() > log_prob.dim()) values = values.sum(-1);
    const auto centred = values - values.mean(0);
    (log_prob * centred).sum().backward();
    for (size_t i = 0; i < paths.size(); ++i) {
      ASSERT_TRUE(paths[i].grad().defined()) << example.name;
      expect_mean(paths[i].grad() - scores[i].grad(), at::zeros({}, at::kDouble),
                  example.name + " gradient by parameter " + std::to_string(i));
    }
  }
}

// With the same noise a draw is a function of the parameters: its gradient against differences of it.
TEST(Families, GradientsOfDrawsAgainstDifferences) {
  for (const auto& example : examples()) {
    if (!example.make(example.parameters)->has_rsample() || has_implicit_gradient(example)) continue;
    std::vector<Tensor> leaves;
    for (const auto& p : example.parameters) leaves.push_back(p.clone().requires_grad_());
    const auto value = [&](const std::vector<Tensor>& parameters) {
      at::manual_seed(5);
      const auto x = example.make(parameters)->rsample({6});
      const auto weights = at::arange(1, x.numel() + 1, at::kDouble).cos().view_as(x);
      return (x * weights).sum();
    };
    value(leaves).backward();
    at::manual_seed(6);
    for (size_t i = 0; i < leaves.size(); ++i) {
      // Entries that are 0 stay 0: triangular factors remain triangular.
      const auto direction = at::randn_like(example.parameters[i]) * example.parameters[i].ne(0);
      constexpr double kStep = 1e-5;
      const auto moved = [&](double by) {
        auto parameters = example.parameters;
        parameters[i] = parameters[i] + by * direction;
        return value(parameters).item<double>();
      };
      const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      const double by_gradient = (leaves[i].grad() * direction).sum().item<double>();
      EXPECT_NEAR(by_gradient, slope, 1e-6 * (1 + std::abs(slope))) << example.name << ", parameter " << i;
    }
  }
}

TEST(Families, NoGradientOfDrawsIsSaid) {
  try {
    Poisson(at::ones({})).rsample();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(),
              "Poisson: has no rsample: its draws are not differentiable functions of its parameters.");
    EXPECT_FALSE(e.hint().empty());
  }
}

TEST(Families, EnumeratedProbabilitiesSumToOne) {
  for (const auto& example : examples()) {
    const auto d = example.make(example.parameters);
    if (!is_defined([&] { return d->enumerate_support(); })) continue;
    const auto sums = d->log_prob(d->enumerate_support()).exp().sum(0);
    EXPECT_TRUE(at::allclose(sums, at::ones_like(sums))) << example.name;
  }
}

// Numbers become tensors like the others; whole numbers become floating ones.
TEST(Families, NumbersAsParameters) {
  EXPECT_EQ(Normal(0, 1).sample({3}).scalar_type(), at::kFloat);
  EXPECT_EQ(Normal(at::zeros({2}, at::kDouble), 1).scale().scalar_type(), at::kDouble);
  EXPECT_EQ(Gamma(2, at::ones({2}, at::kDouble)).batch_shape(), Shape{2});
  EXPECT_EQ(Poisson(at::ones({2}, at::kLong)).rate().scalar_type(), at::kFloat);
  EXPECT_EQ(Bernoulli(Logits{at::zeros({2})}).log_prob(at::ones({2}, at::kLong)).scalar_type(), at::kFloat);
  EXPECT_EQ(Bernoulli(Probs{0.5}).log_prob(at::ones({2}, at::kBool)).scalar_type(), at::kFloat);
}

// A parameter may be the widest of all, wider than the value.
TEST(Families, ValuesBroadcast) {
  for (const auto& example : examples()) {
    if (example.name == "Uniform") continue;  // each batch entry has its own support
    for (size_t i = 0; i < example.parameters.size(); ++i) {
      auto parameters = example.parameters;
      parameters[i] = parameters[i].unsqueeze(0).expand(joined(Shape{4}, parameters[i].sizes()));
      const auto wide = example.make(parameters);
      const auto batch = example.make(example.parameters)->batch_shape();
      if (wide->batch_shape() != joined(Shape{4}, batch)) continue;  // the mixture's classes come first
      const auto x = example.make(example.parameters)->sample();
      EXPECT_EQ(wide->log_prob(x).sizes(), IntArrayRef(wide->batch_shape())) << example.name << i;
      EXPECT_EQ(wide->sample({2}).sizes(), joined(Shape{2, 4}, batch, wide->event_shape()))
          << example.name << i;
    }
  }
}

TEST(Families, BatchesBroadcast) {
  const Normal d(at::zeros({4, 1}), at::ones({3}));
  EXPECT_EQ(d.batch_shape(), (Shape{4, 3}));
  EXPECT_EQ(d.sample({2}).sizes(), (Shape{2, 4, 3}));
  const MultivariateNormal m(at::zeros({5, 1, 2}), ScaleTril{at::eye(2).expand({3, 2, 2})});
  EXPECT_EQ(m.batch_shape(), (Shape{5, 3}));
  EXPECT_EQ(m.sample({2}).sizes(), (Shape{2, 5, 3, 2}));
  EXPECT_EQ(m.log_prob(m.sample({2, 7})).sizes(), (Shape{2, 7, 5, 3}));
  const MatrixNormal w(at::zeros({5, 1, 2, 3}), ScaleTril{at::eye(2).expand({4, 2, 2})},
                       ScaleTril{at::eye(3)});
  EXPECT_EQ(w.log_prob(w.sample({2})).sizes(), (Shape{2, 5, 4}));
}

}  // namespace
}  // namespace kullback::dist
