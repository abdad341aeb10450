// The JSON of the sections of conjugate and deep results, from folders written by hand, whole and damaged.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/json_value.hpp"
#include "report/density.hpp"
#include "report/page.hpp"
#include "report/section.hpp"
#include "report/word_table.hpp"
#include "tests/report/made_folder.hpp"

namespace kullback::report {
namespace {

class Kinds : public testing::Test {
 protected:
  void begin(const std::string& kind) {
    run::RunRecord record;
    record.kind = run::find_kind(kind)->kind;
    record.method = "gaussian by cavi";
    record.version = "0.1.0";
    record.status = "complete";
    folder_.write(record);
  }
  void model(const std::string& verb, const std::string& kind, const std::string& columns,
             const std::string& target = "") {
    folder_.write("model.json", "{\"verb\": \"" + verb + "\", \"kind\": \"" + kind +
                                    "\", \"columns\": " + columns + ", \"target\": \"" + target + "\"}");
  }
  JsonValue json(std::string (*section)(const Result&)) const {
    const std::string text = section(Result(folder_.path()));
    return text.empty() ? JsonValue() : parse_json(text, "section");
  }

  MadeFolder folder_;
};

const JsonValue& at(const JsonValue& value, const std::string& name) {
  const JsonValue* found = value.find(name);
  if (found == nullptr) throw std::runtime_error("no " + name);
  return *found;
}
const JsonValue& at(const JsonValue& value, std::size_t i) { return value.array()->at(i); }
double number(const JsonValue& value) {
  return value.number() != nullptr ? value.number()->value : std::nan("");
}

TEST(Words, QuotesAndCutTexts) {
  const WordTable table = parse_words("name,\"a,b\",\"q\"\"q\"\r\nx,\"1\n2\",3\ny,4\n");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"name", "a,b", "q\"q"}));
  ASSERT_EQ(table.rows.size(), 1U);  // the second line has too few cells
  EXPECT_EQ(table.rows[0][1], "1\n2");
  EXPECT_EQ(table.number(0, 2), 3);
  EXPECT_TRUE(std::isnan(table.number(0, 0)));
  EXPECT_TRUE(std::isnan(table.number(0, "none")));
  EXPECT_TRUE(parse_words("").rows.empty());
  EXPECT_EQ(parse_words("a,b\n1,\"2").rows.size(), 1U);  // a quote without its partner
}

TEST_F(Kinds, OtherKindsHaveNone) {
  begin("posterior");
  for (const auto section :
       {components_section, topics_section, states_section, factors_section, coefficients_section,
        starts_section, figures_section, training_section, calibration_section, autoencoder_section,
        generated_section, restored_section, likelihoods_section})
    EXPECT_TRUE(json(section).is_null());
}

TEST_F(Kinds, FoldersWithoutTheirFilesHaveNone) {
  for (const char* kind : {"mixture", "topics", "hmm", "factors", "regress", "bnn", "vae", "ebm", "score",
                           "diffusion", "discrete-diffusion"}) {
    begin(kind);
    EXPECT_NO_THROW(page_data(Result(folder_.path()))) << kind;
  }
}

TEST_F(Kinds, AMixtureHasCovariancesAndRows) {
  begin("mixture");
  model("mixture", "gaussian", "[\"x\", \"<y>\"]");
  folder_.write("components.csv", "component,weight,mean_x,mean_<y>\n1,0.75,1,2\n2,0.25,3,4\n");
  folder_.write("covariances.csv", "component_column,x,<y>\n1:x,1,0.5\n1:<y>,0.5,2\n2:x,3,0\n2:<y>,0,4\n");
  folder_.write("sample.csv", "x,<y>,component,log_density\n1,2,1,-1\n3,,2,-2\n");
  const JsonValue data = json(components_section);
  EXPECT_EQ(number(at(at(at(data, "components"), 1), "weight")), 0.25);
  EXPECT_EQ(number(at(at(at(at(data, "components"), 0), "mean"), 1)), 2);
  EXPECT_EQ(number(at(at(at(at(at(data, "components"), 1), "covariance"), 1), 1)), 4);
  EXPECT_EQ(number(at(at(at(at(at(data, "components"), 0), "covariance"), 0), 1)), 0.5);
  EXPECT_EQ(number(at(at(at(at(data, "sample"), "columns"), 0), 1)), 3);
  EXPECT_TRUE(at(at(at(at(data, "sample"), "columns"), 1), 1).is_null());  // a missing cell
  EXPECT_EQ(number(at(at(at(data, "sample"), "component"), 1)), 2);
  // The page holds the name without being able to end its script.
  EXPECT_EQ(page_html(Result(folder_.path())).find("\"<y>\""), std::string::npos);
}

TEST_F(Kinds, ATiedCovarianceIsThatOfAll) {
  begin("mixture");
  model("mixture", "gaussian", "[\"x\"]");
  folder_.write("components.csv", "component,weight,mean_x\n1,0.5,1\n2,0.5,3\n");
  folder_.write("covariances.csv", "column,x\nx,7\n");
  const JsonValue data = json(components_section);
  for (const std::size_t k : {0U, 1U})
    EXPECT_EQ(number(at(at(at(at(at(data, "components"), k), "covariance"), 0), 0)), 7);
}

TEST_F(Kinds, TopicsByTheirShare) {
  begin("topics");
  folder_.write("topics.csv", "word,topic,rank,probability\nball,1,1,0.5\nlaw,2,1,0.9\ngoal,1,2,0.25\n");
  folder_.write("topic_weights.csv", "topic,tokens,share,alpha\ntopic_1,10,0.1,1\ntopic_2,90,0.9,1\n");
  const JsonValue topics = at(json(topics_section), "topics");
  ASSERT_EQ(topics.array()->size(), 2U);
  EXPECT_EQ(*at(at(topics, 0), "name").string(), "2");
  EXPECT_EQ(*at(at(at(at(topics, 1), "words"), 1), "word").string(), "goal");
}

TEST_F(Kinds, StatesAndTheirPath) {
  begin("hmm");
  folder_.write("summary_of_states.csv", "state,initial,rows\n1,0.5,10\n2,0.5,20\n");
  folder_.write("transitions.csv", "from,to_1,to_2,sd_1,sd_2\n1,0.9,0.1,0.01,0.02\n2,0.2,0.8,0.03,0.04\n");
  folder_.write("means.csv", "state,x\n1,-1\n2,1\n");
  folder_.write("states.csv",
                "state,log_density,probability_1,probability_2\n1,-1,0.75,0.25\n2,-1,0.1,0.9\n");
  const JsonValue data = json(states_section);
  EXPECT_EQ(number(at(at(at(data, "transitions"), 1), 0)), 0.2);
  EXPECT_EQ(number(at(at(at(data, "transition_sds"), 1), 1)), 0.04);
  EXPECT_EQ(*at(data, "emitted").string(), "means");
  EXPECT_EQ(number(at(at(at(at(data, "path"), "probabilities"), 1), 0)), 0.25);
}

TEST_F(Kinds, FactorsAndLoadings) {
  begin("factors");
  folder_.write("factors.csv",
                "factor,explained_variance,fraction,precision,in_use\n1,4,0.8,1,1\n2,0.1,0.02,99,0\n");
  folder_.write("loadings.csv", "column,factor1,factor1_sd,factor2,factor2_sd\na,2,0.1,0.01,0.1\n");
  folder_.write("scores.csv", "factor1,factor1_sd,factor2,factor2_sd,log_density\n0.5,0.1,0,0.1,-3\n");
  const JsonValue data = json(factors_section);
  EXPECT_FALSE(*at(at(at(data, "factors"), 1), "in_use").boolean());
  EXPECT_EQ(number(at(at(at(at(data, "loadings"), 0), "mean"), 0)), 2);
  EXPECT_EQ(number(at(at(at(at(data, "loadings"), 0), "sd"), 1)), 0.1);
  EXPECT_EQ(number(at(at(at(data, "scores"), 0), 0)), 0.5);
}

TEST_F(Kinds, CoefficientsWhoseDataHaveTheNamesOfResults) {
  begin("regress");
  model("regress", "linear", "[\"mean\", \"y\"]", "y");
  folder_.write("coefficients.csv",
                "name,mean,sd,lower,upper,inclusion\n(intercept),1,0.1,0.8,1.2,1\nmean,2,0.2,1.6,2.4,0.9\n");
  folder_.write("sample.csv", "mean,y,mean,sd,log_density\n100,5,4.5,0.3,-1\n");
  const JsonValue data = json(coefficients_section);
  EXPECT_EQ(*at(data, "selection").string(), "inclusion");
  EXPECT_EQ(number(at(at(at(data, "coefficients"), 1), "selected")), 0.9);
  EXPECT_EQ(number(at(at(at(data, "fitted"), "target"), 0)), 5);
  EXPECT_EQ(number(at(at(at(data, "fitted"), "mean"), 0)), 4.5);  // not the column of the data
}

TEST_F(Kinds, StartsFiguresAndNotABoundTwice) {
  begin("mixture");
  folder_.write("trace.csv", "start,pass,elbo,seconds\n1,0,-9,0\n1,1,-5,0\n2,0,-8,0\n");
  folder_.write(
      "summary.json",
      "{\"units\": 3, \"figures\": {\"components in use\": 2}, \"terms\": {\"KL\": -1.5}, \"findings\": []}");
  const JsonValue starts = at(json(starts_section), "starts");
  ASSERT_EQ(starts.array()->size(), 2U);
  EXPECT_EQ(number(at(at(at(starts, 0), "bounds"), 1)), -5);
  EXPECT_TRUE(json(bound_section).is_null());
  const JsonValue figures = json(figures_section);
  EXPECT_EQ(*at(at(at(figures, "figures"), 0), "name").string(), "components in use");
  EXPECT_EQ(number(at(at(at(figures, "terms"), 0), "value")), -1.5);
}

// Of 4 targets 1, 2, 3, 4 and medians 2.5 everywhere, half lie below.
TEST_F(Kinds, LevelsOfQuantiles) {
  begin("bnn");
  folder_.write("summary.json", "{\"held_out_rows\": 4}");
  folder_.write(
      "held_out.csv",
      "target,mean,sd,q5,q50,q95,aleatoric_sd,epistemic_sd\n1,2.5,1,0,2.5,5,1,0\n2,2.5,1,0,2.5,5,1,0\n"
      "3,2.5,1,0,2.5,5,1,0\n4,2.5,1,0,2.5,3.5,1,0\n");
  const JsonValue levels = at(json(calibration_section), "levels");
  ASSERT_EQ(levels.array()->size(), 3U);
  EXPECT_EQ(number(at(at(levels, 0), "share")), 0);
  EXPECT_EQ(number(at(at(levels, 1), "share")), 0.5);
  EXPECT_EQ(number(at(at(levels, 2), "share")), 0.75);
  EXPECT_EQ(number(at(at(levels, 2), "level")), 0.95);
}

TEST_F(Kinds, ReliabilityAndRightClasses) {
  begin("bnn");
  folder_.write("summary.json",
                "{\"reliability\": [{\"from\": 0.9, \"rows\": 2, \"confidence\": 0.95, \"accuracy\": 0.5}]}");
  folder_.write("held_out.csv",
                "target,class,p_a,p_b,entropy,expected_entropy,mutual_information\n"
                "a,a,0.9,0.1,0.3,0.2,0.1\nb,a,0.9,0.1,0.3,0.2,0.1\n");
  const JsonValue data = json(calibration_section);
  EXPECT_EQ(number(at(at(at(data, "reliability"), 0), "accuracy")), 0.5);
  EXPECT_EQ(number(at(at(at(data, "classes"), "right"), 0)), 1);
  EXPECT_EQ(number(at(at(at(data, "classes"), "right"), 1)), 0);
}

TEST_F(Kinds, TheTrainingOfANetwork) {
  begin("vae");
  folder_.write("training.csv", "epoch,loss,held_out,seconds\n1,5,nan,0\n2,4,-3,1\n");
  folder_.write("summary.json", "{\"best_epoch\": 2, \"latent_variances\": [0.5, 0.001]}");
  folder_.write("reconstructions.png", "no picture");
  folder_.write("samples.png", std::string("\x89PNG\r\n\x1a\n", 8) + "rest");
  folder_.write("latent_map.csv", "x,y,label\n1,2,0\n");
  const JsonValue training = json(training_section);
  EXPECT_TRUE(at(at(training, "held_out"), 0).is_null());
  EXPECT_EQ(number(at(training, "best_epoch")), 2);
  const JsonValue data = json(autoencoder_section);
  ASSERT_EQ(at(data, "pictures").array()->size(), 1U);  // what is no PNG is left out
  EXPECT_EQ(*at(at(at(data, "pictures"), 0), "png").string(), "iVBORw0KGgpyZXN0");
  EXPECT_EQ(number(at(at(data, "variances"), 1)), 0.001);
  EXPECT_EQ(number(at(at(at(data, "map"), "y"), 0)), 2);
}

const std::string kPng = std::string("\x89PNG\r\n\x1a\n", 8);

TEST_F(Kinds, AnEnergyWithItsChainsAndLikelihoods) {
  begin("ebm");
  folder_.write("training.csv", "epoch,loss,held_out,seconds\n1,5,-4,0\n2,4,-3,1\n");
  folder_.write("chains.csv", "epoch,energy_data,energy_chains,acceptance\n1,2,1.5,0.6\n2,1.8,1.7,0.61\n");
  folder_.write("density.png", kPng + "rest");
  folder_.write("loglik.json",
                "{\"rows\": 3, \"log_likelihood\": -3.5, \"log_z\": 1.25, \"error_of_log_z\": 0.01, "
                "\"exact_log_z\": null, \"raise\": -3.6}");
  folder_.write("loglik.csv", "log_likelihood\n-3\n-4\n-3.5\n");
  const JsonValue training = json(training_section);
  EXPECT_EQ(*at(training, "held_out_name").string(), "held-out log likelihood");
  EXPECT_EQ(number(at(at(at(training, "chains"), "energy_chains"), 1)), 1.7);
  const JsonValue pictures = at(json(generated_section), "pictures");
  ASSERT_EQ(pictures.array()->size(), 1U);
  EXPECT_EQ(*at(at(pictures, 0), "name").string(), "density");
  const JsonValue likelihoods = json(likelihoods_section);
  ASSERT_EQ(at(likelihoods, "figures").array()->size(), 5U);  // what is null is left out
  EXPECT_EQ(number(at(at(at(likelihoods, "figures"), 1), "value")), -3.5);
  EXPECT_EQ(number(at(at(likelihoods, "rows"), 1)), -4);
}

TEST_F(Kinds, FactsWhereThereIsNoSummary) {
  run::RunRecord record;
  record.kind = run::Kind::ebm;
  record.status = "complete";
  record.facts = {{"energy gap", "0.1 nats"}};
  folder_.write(record);
  const JsonValue facts = at(json(figures_section), "facts");
  EXPECT_EQ(*at(at(facts, 0), "name").string(), "energy gap");
}

TEST_F(Kinds, ADiffusionModelWithPicturesThatFitAndOneThatDoesNot) {
  begin("diffusion");
  folder_.write("training.csv", "epoch,loss,held_out,seconds\n1,5,-4,0\n");
  folder_.write("samples.png", kPng + std::string(2 << 20, 'x'));
  folder_.write("process.png", kPng + "rest");
  folder_.write(
      "loglik.json",
      "{\"rows\": 2, \"log_likelihood\": -7, \"bits_per_dim\": 1.5, \"dequantisation\": \"uniform\", "
      "\"bound\": {\"mean\": -7.5, \"standard_error\": 0.1}}");
  EXPECT_EQ(*at(json(training_section), "held_out_name").string(), "held-out bound");
  const JsonValue pictures = at(json(generated_section), "pictures");
  ASSERT_EQ(pictures.array()->size(), 2U);
  EXPECT_EQ(number(at(at(pictures, 0), "bytes")), (2 << 20) + 8);
  EXPECT_EQ(at(pictures, 0).find("png"), nullptr);
  EXPECT_EQ(*at(at(pictures, 1), "png").string(), "iVBORw0KGgpyZXN0");
  const JsonValue likelihoods = json(likelihoods_section);
  EXPECT_TRUE(*at(likelihoods, "is_dequantised").boolean());
  EXPECT_EQ(number(at(at(at(likelihoods, "figures"), 3), "value")), -7.5);
}

TEST_F(Kinds, ABoundOfCategories) {
  begin("discrete-diffusion");
  folder_.write("loglik.json",
                "{\"rows\": 2, \"bound\": -6.5, \"standard_error\": 0.1, \"bits_per_dim\": 1}");
  folder_.write("loglik.csv", "bound\n-6\n-7\n");
  const JsonValue data = json(likelihoods_section);
  EXPECT_EQ(number(at(at(at(data, "figures"), 1), "value")), -6.5);
  EXPECT_EQ(number(at(at(data, "rows"), 1)), -7);
}

TEST_F(Kinds, RestoredImagesInTheFolderOrInOneOfItsOwn) {
  begin("diffusion");
  EXPECT_TRUE(json(restored_section).is_null());
  std::filesystem::create_directory(folder_.path() / "restored");
  folder_.write("restored/restore.json", "{\"method\": \"langevin\", \"noise_sd\": 0.1, \"steps\": [1, 2]}");
  folder_.write("restored/mean.png", kPng + "rest");
  folder_.write("restored/observed.png", "no picture");
  const JsonValue data = json(restored_section);
  ASSERT_EQ(at(data, "facts").array()->size(), 3U);
  EXPECT_EQ(*at(at(at(data, "facts"), 1), "name").string(), "Noise sd");
  ASSERT_EQ(at(data, "pictures").array()->size(), 1U);
  EXPECT_EQ(*at(at(at(data, "pictures"), 0), "title").string(), "Mean");
}

// Quartiles close to each other and ends far away: a kernel that falls between the points of the curve.
TEST(Densities, OfNearlyConstantColumnsHaveAHeight) {
  std::vector<double> values(100, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e-9 * static_cast<double>(i);
  for (std::size_t i = 0; i < 12; ++i) values[i] = i % 2 == 0 ? -1 : 1;
  const DensityCurve curve = density_curve(values, {});
  ASSERT_EQ(curve.heights.size(), DensityCurve::kPoints);
  EXPECT_NE(curve.heights.find('/'), std::string::npos);  // 63, the highest
}

}  // namespace
}  // namespace kullback::report
