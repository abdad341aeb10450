// Likelihoods and priors against sums written out one number at a time.
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <numbers>

#include "deep/bnn/bayes_net.hpp"
#include "deep/bnn/likelihood.hpp"
#include "deep/bnn/prior.hpp"

namespace kullback::deep {
namespace {

constexpr double kPi = std::numbers::pi;

template <class Record>
const Record& named(std::span<const Record* const> records, std::string_view name) {
  for (const Record* record : records)
    if (record->name == name) return *record;
  throw std::runtime_error("no record");
}

std::unique_ptr<Likelihood> likelihood(std::string_view name, LikelihoodSpec spec = {}) {
  return named(likelihoods(), name).make(spec);
}

std::unique_ptr<Prior> prior(std::string_view name, std::map<std::string, std::string> values = {}) {
  const PriorRecord& record = named(priors(), name);
  return record.make(read_options(record.options, std::move(values), "a part"));
}

double normal_log(double x, double sd) {
  return -0.5 * x * x / (sd * sd) - std::log(sd) - 0.5 * std::log(2 * kPi);
}

const Parameters& no_parameters() {
  static const Layout layout = [] {
    Layout made;
    made.add({.name = "unused", .shape = {}});
    return made;
  }();
  static const Parameters parameters(layout, torch::zeros({2, 1}, torch::kFloat64));
  return parameters;
}

TEST(Heteroscedastic, IsANormalWithItsOwnVarianceInEachRow) {
  torch::manual_seed(1);
  const auto model = likelihood("heteroscedastic");
  const torch::Tensor outputs = 3 * torch::randn({2, 4, 2}, torch::kFloat64),
                      y = torch::randn({1, 4}, torch::kFloat64);
  const torch::Tensor found = model->log_density(no_parameters(), outputs, y);
  const Predictive predictive = model->predict(no_parameters(), outputs);
  for (int net = 0; net < 2; ++net) {
    for (int row = 0; row < 4; ++row) {
      const double mean = outputs[net][row][0].item<double>(), raw = outputs[net][row][1].item<double>();
      const double sd = 0.5 * std::exp(5 * std::tanh(raw / 10));
      EXPECT_NEAR(found[net][row].item<double>(), normal_log(y[0][row].item<double>() - mean, sd), 1e-12);
      EXPECT_EQ(predictive.mean[net][row].item<double>(), mean);
      EXPECT_NEAR(std::sqrt(predictive.variance[net][row].item<double>()), sd, 1e-12 * sd);
    }
  }
}

TEST(Heteroscedastic, IsFiniteWhateverTheNetworkSays) {
  const auto model = likelihood("heteroscedastic");
  const torch::Tensor outputs = torch::tensor({{{0.0, 1e30}, {0.0, -1e30}}}, torch::kFloat64);
  EXPECT_TRUE(at::isfinite(model->log_density(no_parameters(), outputs, torch::ones({1, 2}, torch::kFloat64)))
                  .all()
                  .item<bool>());
}

// The Hessian of -log density at outputs `at`, averaged over y by the trapezoid rule.
torch::Tensor expected_hessian(const Likelihood& model, const torch::Tensor& at, double mean, double sd) {
  torch::Tensor sum = torch::zeros({2, 2}, torch::kFloat64);
  constexpr int kPoints = 400;
  for (int i = 0; i <= kPoints; ++i) {
    const double z = -10 + 20.0 * i / kPoints;
    const torch::Tensor y = torch::full({1, 1}, mean + sd * z, torch::kFloat64);
    const torch::Tensor outputs = at.detach().clone().requires_grad_();
    const torch::Tensor slope = torch::autograd::grad({-model.log_density(no_parameters(), outputs, y).sum()},
                                                      {outputs}, {}, true, true)[0];
    for (int k = 0; k < 2; ++k)
      sum[k] += torch::autograd::grad({slope[0][0][k]}, {outputs}, {}, true)[0][0][0] *
                (std::exp(normal_log(z, 1)) * 20.0 / kPoints);
  }
  return sum;
}

TEST(Heteroscedastic, HessianIsTheExpectedOne) {
  const auto model = likelihood("heteroscedastic");
  const torch::Tensor at = torch::tensor({{{0.3, 4.0}}}, torch::kFloat64);
  const double sd = 0.5 * std::exp(5 * std::tanh(0.4));
  const torch::Tensor difference =
      model->output_hessian(no_parameters(), at)[0][0] - expected_hessian(*model, at, 0.3, sd);
  EXPECT_LT(difference.abs().max().item<double>(), 1e-8);
}

TEST(Categorical, IsTheSoftmaxOfItsOutputs) {
  torch::manual_seed(2);
  const auto model = likelihood("categorical", {.classes = 3});
  EXPECT_EQ(model->outputs(), 3);
  const torch::Tensor outputs = 2 * torch::randn({2, 3, 3}, torch::kFloat64),
                      y = torch::tensor({{2, 0, 1}}, torch::kInt64);
  const torch::Tensor found = model->log_density(no_parameters(), outputs, y);
  const torch::Tensor probs = model->predict(no_parameters(), outputs).log_probs.exp();
  for (int net = 0; net < 2; ++net) {
    for (int row = 0; row < 3; ++row) {
      double total = 0;
      for (int k = 0; k < 3; ++k) total += std::exp(outputs[net][row][k].item<double>());
      const std::int64_t k = y[0][row].item<std::int64_t>();
      EXPECT_NEAR(found[net][row].item<double>(), outputs[net][row][k].item<double>() - std::log(total),
                  1e-12);
      EXPECT_NEAR(probs[net][row].sum().item<double>(), 1, 1e-12);
    }
  }
}

TEST(Categorical, HessianIsThatOfTheLogDensity) {
  torch::manual_seed(3);
  const auto model = likelihood("categorical", {.classes = 3});
  const torch::Tensor at = torch::randn({1, 1, 3}, torch::kFloat64).requires_grad_();
  const torch::Tensor y = torch::tensor({{1}}, torch::kInt64);
  const torch::Tensor slope =
      torch::autograd::grad({-model->log_density(no_parameters(), at, y).sum()}, {at}, {}, true, true)[0];
  const torch::Tensor found = model->output_hessian(no_parameters(), at)[0][0];
  for (int k = 0; k < 3; ++k) {
    const torch::Tensor row = torch::autograd::grad({slope[0][0][k]}, {at}, {}, true)[0][0][0];
    EXPECT_LT((row - found[k]).abs().max().item<double>(), 1e-12);
  }
}

// A small net with all kinds of parameters; values of two nets.
struct Fixture {
  explicit Fixture(std::unique_ptr<Prior> given)
      : net(
            [](Layout& layout, std::int64_t outputs) {
              return mlp(layout, "net", {.inputs = 3, .hidden = {2}, .outputs = outputs});
            },
            likelihood("gaussian"), std::move(given)) {
    torch::manual_seed(5);
    flat = 0.5 * torch::randn({2, net.layout().size()}, torch::kFloat64);
  }

  double value(int n, const std::string& slot, std::int64_t i = 0) const {
    return flat[n][net.layout().slots()[net.layout().find(slot)].first + i].item<double>();
  }
  torch::Tensor log_prior() const { return net.log_prior(net.split(flat)); }
  // The biases and the noise.
  double others(int n, double sd) const {
    return normal_log(value(n, "net.1.bias", 0), sd) + normal_log(value(n, "net.1.bias", 1), sd) +
           normal_log(value(n, "net.2.bias"), sd) + normal_log(value(n, "likelihood.log_noise"), sd);
  }
  template <class Density>
  double weights(int n, const Density& density) const {
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += density(value(n, "net.1.weight", i), std::sqrt(3.0));
    for (int i = 0; i < 2; ++i) sum += density(value(n, "net.2.weight", i), std::sqrt(2.0));
    return sum;
  }

  BayesNet net;
  torch::Tensor flat;
};

TEST(ScaleMixture, IsTheMixtureOfBlundellEtAl) {
  const Fixture fixture(prior("scale-mixture", {{"prior_wide_share", "0.25"},
                                                {"prior_scale", "1.5"},
                                                {"prior_narrow", "0.1"},
                                                {"prior_bias_scale", "2"}}));
  const torch::Tensor found = fixture.log_prior();
  for (int n = 0; n < 2; ++n) {
    const double needed = fixture.others(n, 2) + fixture.weights(n, [](double w, double root) {
      return std::log(0.25 * std::exp(normal_log(w, 1.5 / root)) +
                      0.75 * std::exp(normal_log(w, 0.15 / root)));
    });
    EXPECT_NEAR(found[n].item<double>(), needed, 1e-11);
  }
}

TEST(LaplacePrior, HasTheStandardDeviationAsked) {
  const Fixture fixture(prior("laplace", {{"prior_scale", "1.5"}}));
  const torch::Tensor found = fixture.log_prior();
  for (int n = 0; n < 2; ++n) {
    const double needed = fixture.others(n, 1) + fixture.weights(n, [](double w, double root) {
      const double b = 1.5 / root / std::sqrt(2.0);
      return -std::fabs(w) / b - std::log(2 * b);
    });
    EXPECT_NEAR(found[n].item<double>(), needed, 1e-11);
  }
}

TEST(Horseshoe, SharesAScaleAmongTheWeightsOfAnInput) {
  const Fixture fixture(prior("horseshoe", {{"prior_scale", "0.7"}}));
  const torch::Tensor found = fixture.log_prior();
  const auto half_cauchy = [](double u) { return std::log(2 / kPi) + u - std::log1p(std::exp(2 * u)); };
  for (int n = 0; n < 2; ++n) {
    double needed = fixture.others(n, 1);
    for (const auto& [layer, inputs, outputs] : {std::tuple{"net.1", 3, 2}, std::tuple{"net.2", 2, 1}}) {
      const std::string name = layer, own = "prior." + name;
      const double global = fixture.value(n, own + ".log_global");
      needed += half_cauchy(global);
      for (int j = 0; j < inputs; ++j) {
        const double local = fixture.value(n, own + ".log_local", j);
        const double size = 0.7 * std::exp(local + global);
        needed += half_cauchy(local);
        for (int i = 0; i < outputs; ++i)
          needed += normal_log(fixture.value(n, name + ".weight", i * inputs + j),
                               std::sqrt((size * size + 1e-4) / inputs));
      }
    }
    EXPECT_NEAR(found[n].item<double>(), needed, 1e-10);
  }
}

TEST(Horseshoe, TakesConvolutions) {
  BayesNet net(
      [](Layout& layout, std::int64_t outputs) {
        return conv_net(layout, "net",
                        {.channels = 2, .height = 4, .width = 4, .filters = {3}, .outputs = outputs});
      },
      likelihood("gaussian"), prior("horseshoe"));
  const torch::Tensor flat = fresh_parameters(net.layout(), 3, 1, torch::kFloat64);
  EXPECT_EQ(net.log_prior(net.split(flat)).sizes(), at::IntArrayRef({3}));
}

// exp(log density) of one weight integrates to 1 over it.
TEST(Priors, AreDensitiesOfWeights) {
  for (const std::string_view name : {"gaussian", "scale-mixture", "laplace"}) {
    Layout layout;
    layout.add({.name = "net.1.weight", .shape = {1, 1}, .role = Role::weight, .fan_in = 4});
    const auto made =
        prior(name, name == "scale-mixture" ? std::map<std::string, std::string>{{"prior_narrow", "0.1"}}
                                            : std::map<std::string, std::string>{});
    const torch::Tensor w = torch::linspace(-12, 12, 240001, torch::kFloat64).unsqueeze(1);
    const torch::Tensor density = made->log_density(layout, Parameters(layout, w)).exp();
    EXPECT_NEAR(density.sum().item<double>() * 24 / 240000, 1, 1e-6) << name;
  }
}

}  // namespace
}  // namespace kullback::deep
