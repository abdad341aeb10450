// Evaluations of autoencoders against closed forms.
#include <gtest/gtest.h>

#include "base/json_value.hpp"
#include "deep/vae/evaluate.hpp"
#include "linear_vae.hpp"

namespace kullback::deep {
namespace {

class LinearVae : public testing::Test {
 protected:
  LinearVae() {
    torch::manual_seed(1);
    x_ = model_.sample(40);
    vae_ = gaussian_vae(linear_spec(model_), {}, "0.5");
    flat_ = exact_parameters(*vae_, model_);
    exact_ = model_.log_likelihood(x_);
  }

  Subject subject() const { return {*vae_, flat_, {.x = x_}, 7}; }

  LinearDecoder model_ = some_linear_model();
  std::unique_ptr<Vae> vae_;
  torch::Tensor x_, flat_, exact_;
};

// Somewhat wider than the posterior: weights have light tails.
torch::Tensor wider(const torch::Tensor& outputs) {
  torch::Tensor result = outputs.clone();
  result.narrow(1, 2, 2).add_(0.2);
  return result;
}

TEST_F(LinearVae, ImportanceWeightingFindsTheLikelihoodFromBelow) {
  const Subject subject = this->subject();
  const torch::Tensor outputs = encoder_outputs(subject);
  const RowEstimates rows =
      importance_bounds(subject, vae_->family(), wider(outputs), 4000, 10000).log_likelihood;
  const torch::Tensor away = (rows.value - exact_) / rows.error;
  EXPECT_LT(away.abs().max().item<double>(), 4);
  EXPECT_LT(std::abs(away.mean().item<double>()), 4 / std::sqrt(40.0));
  EXPECT_LT(rows.error.max().item<double>(), 0.03);
  const Figure elbo = figure_of(importance_bounds(subject, vae_->family(), outputs, 4000).elbo);
  EXPECT_NEAR(elbo.mean, exact_.mean().item<double>() - model_.mean_field_gap(), 4 * elbo.monte_carlo);
  const Subject many{*vae_, flat_, {.x = x_.repeat({100, 1})}, 7};
  const double few =
      figure_of(importance_bounds(many, vae_->family(), encoder_outputs(many), 5).log_likelihood).mean;
  EXPECT_LT(few, exact_.mean().item<double>() - 0.02);
  EXPECT_GT(few, elbo.mean + 0.02);
}

TEST_F(LinearVae, PiecesDoNotMatterToTheEstimate) {
  const Subject subject = this->subject();
  const RowEstimates rows =
      importance_bounds(subject, vae_->family(), wider(encoder_outputs(subject)), 1000, 40 * 7)
          .log_likelihood;
  EXPECT_LT(((rows.value - exact_) / rows.error).abs().max().item<double>(), 4);
}

TEST_F(LinearVae, AnnealingFindsTheLikelihood) {
  const AisResult result = ais_log_likelihood(subject(), {.temperatures = 40, .chains = 20, .leapfrogs = 4});
  EXPECT_GT(result.acceptance, 0.5);
  EXPECT_LT(result.acceptance, 0.99);
  const RowEstimates& rows = result.log_likelihood;
  EXPECT_LT(rows.error.max().item<double>(), 0.3);
  const Figure figure = figure_of(rows);
  EXPECT_NEAR(figure.mean, exact_.mean().item<double>(), 4 * figure.monte_carlo);
  EXPECT_LT(((rows.value - exact_) / rows.error).abs().max().item<double>(), 5);
}

TEST_F(LinearVae, GapsAreThoseOfTheClosedForm) {
  const VaeEvaluateOptions options{
      .samples = 4000, .gap_rows = 10, .local = {.steps = 150, .samples = 20, .rate = 0.02}, .seed = 3};
  const VaeEvaluation evaluation = evaluate_vae(*vae_, flat_, {.x = x_}, {}, options);
  const RowsEvaluation& test = evaluation.test;
  EXPECT_EQ(test.gap_rows, 10);
  EXPECT_NEAR(test.approximation_gap->mean, model_.mean_field_gap(),
              4 * test.approximation_gap->monte_carlo + 0.003);
  EXPECT_NEAR(test.amortisation_gap->mean, 0, 4 * test.amortisation_gap->monte_carlo + 0.003);
  EXPECT_LT(test.flow_gap->mean, 0.7 * test.approximation_gap->mean);
  EXPECT_GT(test.flow_gap->mean, -4 * test.flow_gap->monte_carlo);
  EXPECT_EQ(evaluation.active, 2);
  EXPECT_TRUE(evaluation.findings.empty());
}

TEST_F(LinearVae, AWrongEncoderHasAnAmortisationGap) {
  const torch::Tensor shift = torch::tensor({0.5, -0.3}, torch::kFloat64);
  const torch::Tensor bias =
      at::cat({-model_.map().mv(model_.bias) + shift, -0.5 * model_.precision().diagonal().log()});
  set(*vae_, flat_, "encoder.1.bias", bias);
  const double gap = 0.5 * shift.dot(model_.precision().mv(shift)).item<double>();
  const VaeEvaluateOptions options{
      .samples = 2000, .gap_rows = 5, .local = {.steps = 120, .samples = 20, .rate = 0.05}, .seed = 3};
  const VaeEvaluation evaluation = evaluate_vae(*vae_, flat_, {.x = x_}, {.x = x_ + 0.01}, options);
  EXPECT_NEAR(evaluation.test.amortisation_gap->mean, gap,
              4 * evaluation.test.amortisation_gap->monte_carlo + 0.01);
  ASSERT_TRUE(evaluation.train.has_value());
  EXPECT_NEAR(evaluation.train->amortisation_gap->mean, gap, 0.2);
  const std::string table = evaluation_table(evaluation);
  EXPECT_NE(table.find("generalisation gap"), std::string::npos);
  EXPECT_NE(table.find("amortisation gap"), std::string::npos);
  const JsonValue json = parse_json(evaluation_json(evaluation), "evaluation");
  EXPECT_EQ(json.find("test")->find("amortisation_gap")->find("mean")->number()->value,
            evaluation.test.amortisation_gap->mean);
}

TEST_F(LinearVae, RefiningClosesTheAmortisationGap) {
  set(*vae_, flat_, "encoder.1.bias", torch::zeros({4}, torch::kFloat64));
  VaeEvaluateOptions options{.samples = 2000, .gap_rows = 0, .seed = 3};
  const double plain = evaluate_vae(*vae_, flat_, {.x = x_}, {}, options).test.elbo.mean;
  options.refining_steps = 150;
  options.local.rate = 0.05;
  const double refined = evaluate_vae(*vae_, flat_, {.x = x_}, {}, options).test.elbo.mean;
  const double best = exact_.mean().item<double>() - model_.mean_field_gap();
  EXPECT_LT(plain, best - 0.3);
  EXPECT_NEAR(refined, best, 0.1);
}

TEST_F(LinearVae, SaysThatThePosteriorHasCollapsed) {
  set(*vae_, flat_, "encoder.1.weight", torch::zeros({4, 4}, torch::kFloat64));
  const VaeEvaluation evaluation = evaluate_vae(*vae_, flat_, {.x = x_}, {}, {.samples = 10, .gap_rows = 0});
  EXPECT_EQ(evaluation.active, 0);
  ASSERT_EQ(evaluation.findings.size(), 1u);
  EXPECT_EQ(evaluation.findings[0].code, "collapse");
}

}  // namespace
}  // namespace kullback::deep
