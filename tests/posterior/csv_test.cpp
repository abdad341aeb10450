#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "posterior/equal_weights.hpp"
#include "posterior/files.hpp"
#include "tests/posterior/made_posterior.hpp"

namespace kullback::posterior {
namespace {

namespace fs = std::filesystem;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Csv : public testing::Test {
 protected:
  Csv() : folder_(fs::path(testing::TempDir()) / ("kullback-csv-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Csv() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    replace_file(folder_ / name, text);
    return folder_ / name;
  }

  Posterior read(const std::string& text) { return read_csv({write("given.csv", text)}); }

  std::string error_of(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      std::string message = error.message();
      message.erase(0, folder_.string().size() + 1);
      return message;
    }
    return "no error";
  }

  fs::path folder_;
};

run::RunRecord nuts_record() {
  run::RunRecord record;
  record.method = "nuts";
  record.version = "0.1.0";
  record.program = "models/eight schools.stan";
  record.data = "schools.json";
  record.seed = 18446744073709551615u;
  record.chains = 2;
  record.status = "complete";
  record.options = {{"draws", std::size_t{7}},
                    {"warmup", std::size_t{500}},
                    {"max-depth", std::size_t{12}},
                    {"target-accept", 0.9}};
  return record;
}

Posterior nuts_posterior() {
  Posterior posterior =
      make_posterior({normal("mu"), normal("theta.1", 1e-300, 1e-308), normal("theta.2", 1e22, 1e8)}, 2, 7);
  add_stat(posterior, "accept_stat__",
           [](const Chain&, std::size_t, std::size_t d) { return 1.0 / (1.0 + static_cast<double>(d)); });
  add_stat(posterior, "divergent__",
           [](const Chain&, std::size_t, std::size_t d) { return d % 2 == 0 ? 1.0 : 0.0; });
  for (Chain& chain : posterior.chains) {
    chain.adaptation = AdaptationNote{0.8125, "diag_e", {0.1, 1.0 / 3.0, 2.5e-7}};
    chain.warmup_seconds = 0.25;
    chain.sampling_seconds = 1.5;
  }
  posterior.chains[0].columns[3] = kNan;
  posterior.chains[0].columns[4] = kInfinity;
  posterior.chains[0].columns[5] = -kInfinity;
  posterior.chains[0].columns[6] = std::numeric_limits<double>::denorm_min();
  return posterior;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << i;
}

TEST_F(Csv, ReadsBackWhatItWrote) {
  const Posterior posterior = nuts_posterior();
  const Posterior back = read_csv({write("chain-1.csv", csv_text(posterior, 0, nuts_record())),
                                   write("chain-2.csv", csv_text(posterior, 1, nuts_record()))});
  EXPECT_EQ(back.names, posterior.names);
  EXPECT_EQ(back.stat_names, posterior.stat_names);
  ASSERT_EQ(back.chains.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    const Chain& a = posterior.chains[c];
    const Chain& b = back.chains[c];
    EXPECT_EQ(b.draws, 7u);
    expect_same(a.columns, b.columns);
    expect_same(a.stats, b.stats);
    expect_same(a.log_density, b.log_density);
    ASSERT_TRUE(b.adaptation.has_value());
    EXPECT_EQ(b.adaptation->step_size, 0.8125);
    EXPECT_EQ(b.adaptation->metric, "diag_e");
    expect_same(a.adaptation->inv_metric, b.adaptation->inv_metric);
    EXPECT_EQ(b.warmup_seconds, 0.25);
    EXPECT_EQ(b.sampling_seconds, 1.5);
  }
}

TEST_F(Csv, TheLayoutIsCmdStans) {
  Posterior posterior = make_posterior({{"mu", [](Random&, std::size_t, std::size_t) { return 0.5; }}}, 1, 2);
  posterior.chains[0].log_density = {-1.25, -3};
  posterior.chains[0].adaptation = AdaptationNote{0.75, "diag_e", {2}};
  run::RunRecord record = nuts_record();
  record.options.set("draws", "2");
  record.started = "2026-11-15 17:30:00 UTC";
  const std::string text = csv_text(posterior, 0, record);
  EXPECT_EQ(text.substr(text.find("lp__,")),
            "lp__,mu\n"
            "# Adaptation terminated\n"
            "# Step size = 0.75\n"
            "# Diagonal elements of inverse mass matrix:\n"
            "# 2\n"
            "-1.25,0.5\n"
            "-3,0.5\n"
            "# \n"
            "#  Elapsed Time: 0.000000 seconds (Warm-up)\n"
            "#                0.000000 seconds (Sampling)\n"
            "#                0.000000 seconds (Total)\n"
            "# \n");
  for (const char* line :
       {"# stan_version_major = 2\n", "# model = eight_schools_model\n",
        "# start_datetime = 2026-11-15 17:30:00 UTC\n", "# method = sample (Default)\n", "#   sample\n",
        "#     num_samples = 2\n", "#     num_warmup = 500\n", "#     save_warmup = 0 (Default)\n",
        "#     thin = 1 (Default)\n", "#       delta = 0.9\n", "#     algorithm = hmc (Default)\n",
        "#         engine = nuts (Default)\n", "#             max_depth = 12\n",
        "#         metric = diag_e (Default)\n", "# id = 1 (Default)\n", "#   file = schools.json\n",
        "#   seed = 18446744073709551615\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST_F(Csv, RowsMatchTheirCount) {
  Posterior posterior = make_posterior({normal("mu")}, 1, 7);
  run::RunRecord record = nuts_record();
  record.options.set("thin", "3");
  record.options.set("draws", "20");  // 7 rows
  EXPECT_NE(csv_text(posterior, 0, record).find("num_samples = 20\n"), std::string::npos);
  record.options.set("draws", "1000");  // interrupted
  EXPECT_NE(csv_text(posterior, 0, record).find("num_samples = 21\n"), std::string::npos);
}

TEST_F(Csv, DenseAndUnitMetrics) {
  Posterior posterior = make_posterior({normal("mu")}, 1, 3);
  posterior.chains[0].adaptation = AdaptationNote{0.5, "dense_e", {2, 0.5, 0.5, 3}};
  const std::string dense = csv_text(posterior, 0, nuts_record());
  EXPECT_NE(dense.find("# Elements of inverse mass matrix:\n# 2, 0.5\n# 0.5, 3\n"), std::string::npos);
  EXPECT_EQ(read(dense).chains[0].adaptation->inv_metric, (std::vector<double>{2, 0.5, 0.5, 3}));
  posterior.chains[0].adaptation = AdaptationNote{0.5, "unit_e", {}};
  const Posterior unit = read(csv_text(posterior, 0, nuts_record()));
  EXPECT_EQ(unit.chains[0].adaptation->metric, "unit_e");
  EXPECT_TRUE(unit.chains[0].adaptation->inv_metric.empty());
}

TEST_F(Csv, OtherMethodsHaveCmdStansColumns) {
  Posterior posterior = make_posterior({normal("mu"), normal("tau")}, 1, 5);
  Chain& chain = posterior.chains[0];
  chain.log_q = {-1, -2, -3, -4, -5};
  chain.mode = Point{-0.5, {0.25, 2}};
  const std::vector<std::pair<std::string, std::string>> heads{{"pathfinder", "\nlp_approx__,lp__,mu,tau\n"},
                                                               {"laplace", "\nlog_p__,log_q__,mu,tau\n"},
                                                               {"advi", "\nlp__,log_p__,log_g__,mu,tau\n"}};
  for (const auto& [method, head] : heads) {
    run::RunRecord record = nuts_record();
    record.method = method;
    if (method == "advi") record.facts = {{"family", "meanfield"}};
    const std::string text = csv_text(posterior, 0, record);
    EXPECT_NE(text.find(head), std::string::npos) << method;
    const Posterior back = read(text);
    EXPECT_EQ(back.chains[0].draws, 5u) << method;
    expect_same(back.chains[0].columns, chain.columns);
    expect_same(back.chains[0].log_density, chain.log_density);
    expect_same(back.chains[0].log_q, chain.log_q);
  }
}

// The lines of the configuration as readers take them apart: "name = value (Default)".
std::map<std::string, std::string> settings(const std::string& text) {
  std::map<std::string, std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    std::string value = line.substr(equals + 3);
    if (value.ends_with(" (Default)")) value.resize(value.size() - 10);
    found.emplace(
        line.substr(line.find_first_not_of("# ")).substr(0, line.find(" =") - line.find_first_not_of("# ")),
        value);  // the first of its name
  }
  return found;
}

Posterior approximation(const std::string& method, run::RunRecord& record) {
  Posterior posterior = make_posterior({normal("mu"), normal("tau")}, 1, 5);
  posterior.chains[0].log_q = {-1, -2, -3, -4, -5};
  posterior.chains[0].mode = Point{-0.5, {0.25, 2}};
  record = nuts_record();
  record.method = method;
  record.chains = 1;
  record.options = {{"draws", "5"}};
  return posterior;
}

// rstan and older CmdStanR read 0 and 1 only, newer readers these too.
TEST_F(Csv, FlagsAreNumbers) {
  for (const char* method : {"nuts", "hmc", "laplace", "pathfinder", "optimize", "advi", "smc"}) {
    run::RunRecord record;
    const Posterior posterior = approximation(method, record);
    if (record.method == "advi") record.facts = {{"family", "meanfield"}};
    record.options.set("jacobian", "false");
    for (const auto& [name, value] : settings(csv_text(posterior, 0, record))) {
      EXPECT_NE(value, "true") << method << " " << name;
      EXPECT_NE(value, "false") << method << " " << name;
    }
  }
  run::RunRecord record;
  const Posterior posterior = approximation("optimize", record);
  record.options.set("jacobian", "false");
  EXPECT_EQ(settings(csv_text(posterior, 0, record)).at("jacobian"), "0");
  EXPECT_EQ(settings(csv_text(posterior, 0, nuts_record())).at("save_warmup"), "0");
}

// CmdStanPy refuses counts and step sizes that are chosen automatically ("auto"; "0" of earlier versions) and
// families that CmdStan does not have.
TEST_F(Csv, VariationalFilesHaveValuesThatReadersTake) {
  for (const auto& [family, automatic] :
       {std::pair{"meanfield", "0"}, std::pair{"fullrank", "auto"}, std::pair{"neural-spline", "auto"}}) {
    run::RunRecord record;
    const Posterior posterior = approximation("vi", record);
    record.facts = {{"family", family}};
    record.options = {{"grad_draws", automatic}, {"learning_rate", automatic}, {"max_steps", "500"}};
    const std::string text = csv_text(posterior, 0, record);
    const auto found = settings(text);
    EXPECT_EQ(found.at("method"), "variational");
    EXPECT_EQ(found.at("algorithm"), std::string(family) == "meanfield" ? "meanfield" : "fullrank");
    EXPECT_EQ(found.at("kullback_family"), family);
    EXPECT_EQ(found.at("iter"), "500");
    EXPECT_EQ(found.at("grad_samples"), "1");
    EXPECT_EQ(found.at("eta"), "1");
    EXPECT_NE(text.find("# Stepsize adaptation complete.\n# eta = 1\n"), std::string::npos);
    record.options = {{"grad_draws", "16"}, {"learning_rate", "0.25"}};
    EXPECT_EQ(settings(csv_text(posterior, 0, record)).at("grad_samples"), "16");
    EXPECT_EQ(settings(csv_text(posterior, 0, record)).at("eta"), "0.25");
    EXPECT_NE(csv_text(posterior, 0, record).find("\n# eta = 0.25\n"), std::string::npos);
  }
}

TEST_F(Csv, LaplaceNamesTheFileOfItsMode) {
  run::RunRecord record;
  Posterior posterior = approximation("laplace", record);
  EXPECT_EQ(settings(csv_text(posterior, 0, record, "/fits/a")).at("mode"), "/fits/a/mode.csv");
  const std::string mode = mode_csv_text(posterior, record, "/fits/a");
  EXPECT_EQ(settings(mode).at("method"), "optimize");
  EXPECT_EQ(settings(mode).at("jacobian"), "1");
  EXPECT_EQ(settings(mode).at("save_iterations"), "0");
  EXPECT_TRUE(mode.ends_with("\nlp__,mu,tau\n-0.5,0.25,2\n"));
  posterior.chains[0].mode.reset();
  EXPECT_EQ(settings(csv_text(posterior, 0, record)).at("method"), "sample");
}

// Readers of approximations take all rows for draws of equal weight, and the first of ADVI for no draw.
TEST_F(Csv, DrawsWithWeightsAreSamples) {
  for (const char* method : {"laplace", "pathfinder", "advi"}) {
    run::RunRecord record;
    Posterior posterior = approximation(method, record);
    if (record.method == "advi") record.facts = {{"family", "meanfield"}};
    posterior.chains[0].log_weight = {0, -1, -2, -3, -kInfinity};
    const std::string text = csv_text(posterior, 0, record);
    EXPECT_EQ(settings(text).at("algorithm"), "fixed_param") << method;
    EXPECT_EQ(settings(text).at("kullback_draws"), "weighted") << method;
    EXPECT_NE(text.find("\nlp__,lp_approx__,log_weight__,mu,tau\n"), std::string::npos) << text;
    const Posterior back = read(text);
    expect_same(back.chains[0].log_weight, posterior.chains[0].log_weight);
    expect_same(back.chains[0].log_q, posterior.chains[0].log_q);
    expect_same(back.chains[0].columns, posterior.chains[0].columns);

    const std::string equal = csv_text(with_equal_weights(posterior, 1), 0, record);
    EXPECT_EQ(settings(equal).at("algorithm"), "fixed_param") << method;
    EXPECT_EQ(settings(equal).at("metric"), "unit_e") << method;
    EXPECT_EQ(settings(equal).at("num_samples"), "5") << method;
    EXPECT_EQ(settings(equal).at("kullback_draws"), "resampled") << method;
    EXPECT_NE(equal.find("\nlp__,mu,tau\n"), std::string::npos) << equal;
    EXPECT_TRUE(read(equal).chains[0].is_resampled);
  }
}

TEST_F(Csv, PredictionsAreSamples) {
  run::RunRecord record;
  const Posterior posterior = approximation("laplace", record);
  record.kind = run::Kind::predictions;
  EXPECT_EQ(settings(csv_text(posterior, 0, record)).at("algorithm"), "fixed_param");
}

TEST_F(Csv, WeightsAndStatsOfOtherMethodsComeBack) {
  Posterior posterior = make_posterior({normal("mu")}, 1, 4);
  posterior.chains[0].log_weight = {0, -1, -2, -kInfinity};
  add_stat(posterior, "path__",
           [](const Chain&, std::size_t, std::size_t d) { return static_cast<double>(d); });
  run::RunRecord record = nuts_record();
  record.method = "smc";
  const Posterior back = read(csv_text(posterior, 0, record));
  expect_same(back.chains[0].log_weight, posterior.chains[0].log_weight);
  expect_same(back.stat("path__"), {0, 1, 2, 3});
  EXPECT_FALSE(back.chains[0].adaptation.has_value());
}

// As CmdStan 2.3x writes: six digits, warm-up saved, a blank after commas in Pathfinder's rows.
TEST_F(Csv, ReadsCmdStansFiles) {
  const Posterior posterior = read(
      "# stan_version_major = 2\n# stan_version_minor = 36\n# model = coin_model\n"
      "# method = sample (Default)\n#   sample\n#     num_samples = 2\n#     save_warmup = true\n"
      "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,p\n"
      "-9.1,0,14.3,0,1,1,9.2,0.91\n"
      "# Adaptation terminated\n# Step size = 0.9257\n"
      "# Diagonal elements of inverse mass matrix:\n# 0.53, 1.5e-05\n"
      "-6.75,0.98,0.9257,1,3,0,6.76,0.251\n"
      "-7.5,1,0.9257,2,3,0,8e+00,+.42\n"
      "# \n#  Elapsed Time: 0.004 seconds (Warm-up)\n#                0.011 seconds (Sampling)\n"
      "#                0.015 seconds (Total)\n# \n");
  ASSERT_EQ(posterior.chains[0].draws, 2u);
  EXPECT_EQ(posterior.names, std::vector<std::string>{"p"});
  EXPECT_EQ(posterior.stat_names.size(), 6u);
  expect_same(posterior.column(0), {0.251, 0.42});
  expect_same(posterior.stat("treedepth__"), {1, 2});
  expect_same(posterior.stat("energy__"), {6.76, 8});
  expect_same(posterior.log_density(), {-6.75, -7.5});
  EXPECT_EQ(posterior.chains[0].adaptation->step_size, 0.9257);
  expect_same(posterior.chains[0].adaptation->inv_metric, {0.53, 1.5e-05});
  EXPECT_EQ(posterior.chains[0].warmup_seconds, 0.004);
  EXPECT_EQ(posterior.chains[0].sampling_seconds, 0.011);

  const Posterior path = read("lp_approx__,lp__,path__,p\r\n-0.5, -6.7, 1, 0.27\r\n-1, -7, 2, nan\r\n");
  expect_same(path.chains[0].log_q, {-0.5, -1});
  expect_same(path.log_density(), {-6.7, -7});
  expect_same(path.stat("path__"), {1, 2});
  expect_same(path.column(0), {0.27, kNan});
}

TEST_F(Csv, NumbersBeyondDoublesAreRounded) {
  expect_same(read("lp__,a\n1e400,1e-400\n").column(0), {0});
  expect_same(read("lp__,a\n1e400,1e-400\n").log_density(), {kInfinity});
}

TEST_F(Csv, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of(""), "given.csv: there is no line with the names of columns.");
  EXPECT_EQ(error_of("# only\n# comments\n"), "given.csv: there is no line with the names of columns.");
  EXPECT_EQ(error_of("lp__,mu\n-1,2\n-1\n"),
            "given.csv:3: this row has 1 numbers; the head names 2 columns.");
  EXPECT_EQ(error_of("lp__,mu\n-1,2,3\n"), "given.csv:2: this row has 3 numbers; the head names 2 columns.");
  EXPECT_EQ(error_of("# x\nlp__,mu\n-1,two\n"), "given.csv:3: 'two' in column 2 is no number.");
  EXPECT_EQ(error_of("lp__,mu\n-1,\n"), "given.csv:2: '' in column 2 is no number.");
  EXPECT_EQ(error_of("lp__,,mu\n"), "given.csv:1: a column has no name.");
  EXPECT_EQ(error_of("lp__,a,a\n"), "given.csv:1: the column 'a' occurs twice.");
  EXPECT_EQ(error_of(" #a,b\n"), "given.csv:1: the name of a column cannot begin with '#'.");
  EXPECT_EQ(error_of("lp__,\xff\n"), "given.csv:1: the name of a column is not valid UTF-8 text.");
  EXPECT_EQ(error_of("1,2\n3,4\n"), "given.csv:1: here are numbers where the names of columns are needed.");
}

TEST_F(Csv, ChainsOfAnotherProgramAreRefused) {
  const fs::path first = write("a.csv", "lp__,mu\n-1,2\n");
  const fs::path second = write("b.csv", "lp__,nu\n-1,2\n");
  try {
    read_csv({first, second});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("b.csv: its columns are not those of"), std::string::npos);
    EXPECT_NE(error.message().find("'nu' here, 'mu' there"), std::string::npos);
  }
}

class FitFolder : public Csv {
 protected:
  void write_fit() {
    const Posterior posterior = nuts_posterior();
    run::RunRecord record = nuts_record();
    record.parameters = 1;
    record.generated = 3;
    write("run.json", to_json(record));
    write("chain-1.csv", csv_text(posterior, 0, record));
    write("chain-2.csv", csv_text(posterior, 1, record));
  }

  Error error_of_folder(const fs::path& folder) {
    try {
      read_folder(folder);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorKind::internal, "no error");
  }
};

TEST_F(FitFolder, IsReadWhole) {
  write_fit();
  const Folder folder = read_folder(folder_);
  EXPECT_EQ(folder.posterior.chains.size(), 2u);
  EXPECT_EQ(folder.posterior.parameters, 1u);
  EXPECT_EQ(folder.posterior.generated, 3u);
  EXPECT_EQ(folder.record.method, "nuts");
}

TEST_F(FitFolder, ErrorsSayWhatIsMissing) {
  EXPECT_EQ(error_of_folder(folder_ / "nowhere").kind(), ErrorKind::missing_file);
  EXPECT_NE(error_of_folder(folder_).message().find("is not the folder of a fit: it has no run.json."),
            std::string::npos);
  write_fit();
  fs::remove(folder_ / "chain-1.csv");
  EXPECT_NE(error_of_folder(folder_).message().find("chain-1.csv: the file is missing."), std::string::npos);
  write_fit();
  fs::remove(folder_ / "chain-2.csv");
  EXPECT_EQ(error_of_folder(folder_).kind(), ErrorKind::missing_file);
  EXPECT_NE(error_of_folder(folder_).message().find(
                "chain-2.csv: the file is missing; run.json tells of 2 chains."),
            std::string::npos);
  EXPECT_NE(error_of_folder(folder_ / "run.json").message().find("is a file; the folder of a fit is needed."),
            std::string::npos);
  write("run.json", "{\"kind\": \"vae\"}");
  EXPECT_NE(error_of_folder(folder_).message().find("holds an autoencoder; draws are needed."),
            std::string::npos);
  write("run.json", "{\"kind\": ");
  EXPECT_EQ(error_of_folder(folder_).kind(), ErrorKind::bad_input);
  EXPECT_NE(error_of_folder(folder_).message().find("run.json: is no JSON"), std::string::npos);
}

TEST_F(FitFolder, TenthChainComesAfterTheSecond) {
  const Posterior posterior = make_posterior({normal("mu")}, 11, 4);
  run::RunRecord record = nuts_record();
  record.chains = 11;
  record.parameters = record.generated = 1;
  write("run.json", to_json(record));
  for (std::size_t c = 0; c < 11; ++c)
    write("chain-" + std::to_string(c + 1) + ".csv", csv_text(posterior, c, record));
  EXPECT_EQ(read_folder(folder_).posterior.column(0), posterior.column(0));
}

TEST_F(FitFolder, DrawsWithWeightsComeFromTheirOwnFile) {
  Posterior posterior = make_posterior({normal("mu")}, 1, 40);
  posterior.chains[0].log_q.assign(40, -1);
  for (std::size_t i = 0; i < 40; ++i) posterior.chains[0].log_weight.push_back(0.1 * static_cast<double>(i));
  run::RunRecord record = nuts_record();
  record.method = "laplace";
  record.chains = record.parameters = record.generated = 1;
  write("run.json", to_json(record));
  write("chain-1.csv", csv_text(with_equal_weights(posterior, record.seed), 0, record));
  write(kWeightedFile, csv_text(posterior, 0, record));
  const Posterior back = read_folder(folder_).posterior;
  EXPECT_EQ(back.column(0), posterior.column(0));
  EXPECT_EQ(back.log_weight(), posterior.log_weight());
}

TEST_F(FitFolder, TornEventIsPassedOver) {
  const fs::path path =
      write("events.jsonl", "{\"event\": \"start\"}\n{\"event\": \"chain\"}\n{\"event\": \"dra");
  EXPECT_EQ(read_events(path),
            (std::vector<std::string>{"{\"event\": \"start\"}", "{\"event\": \"chain\"}"}));
}

}  // namespace
}  // namespace kullback::posterior
