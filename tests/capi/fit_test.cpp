// Fits through the C interface: the draws are the command line's, bit for bit, and nothing is written
// unasked.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/capi/handles.hpp"

namespace kullback::capi_test {
namespace {

namespace fs = std::filesystem;

// Runs the program in the scratch folder, where the example is; the results are in "by_program".
void run_program(const Scratch& scratch, const std::string& options) {
  for (const char* name : {"eight_schools.stan", "eight_schools.json"})
    write_file(scratch.path() / name, example(name));
  const std::string command = "cd '" + scratch.path().string() +
                              "' && '" KULLBACK_PROGRAM
                              "' fit eight_schools.stan eight_schools.json --quiet --out by_program " +
                              options + " || test $? = 3";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

// The draws of a CSV file: the text without configuration and times.
std::string draws_text(const fs::path& file) {
  std::string text, line;
  for (const char c : read_file(file)) {
    line += c;
    if (c != '\n') continue;
    if (line[0] != '#') text += line;
    line.clear();
  }
  return text;
}

void expect_same_files(const fs::path& a, const fs::path& b) {
  std::size_t chains = 0;
  for (; fs::exists(a / ("chain-" + std::to_string(chains + 1) + ".csv")); ++chains) {
    const std::string name = "chain-" + std::to_string(chains + 1) + ".csv";
    ASSERT_TRUE(fs::exists(b / name)) << name;
    EXPECT_EQ(draws_text(a / name), draws_text(b / name)) << name;
  }
  EXPECT_GT(chains, 0U);
  EXPECT_FALSE(fs::exists(b / ("chain-" + std::to_string(chains + 1) + ".csv")));
  for (const char* name : {"summary.json", "certificate.json", "model.stan", "trace.csv"}) {
    EXPECT_EQ(fs::exists(a / name), fs::exists(b / name)) << name;
    const bool has_times = std::strcmp(name, "certificate.json") == 0;
    if (!fs::exists(a / name) || !fs::exists(b / name) || has_times) continue;
    EXPECT_EQ(read_file(a / name), read_file(b / name)) << name;
  }
  EXPECT_EQ(fs::exists(a / "posterior.nc"), fs::exists(b / "posterior.nc"));
}

struct Case {
  const char* name;
  const char* options;  // of the C interface
  const char* words;    // of the command line
};

class SameDraws : public testing::TestWithParam<Case> {};

TEST_P(SameDraws, AsTheCommandLine) {
  const Scratch scratch;
  run_program(scratch, GetParam().words);
  const Model model = eight_schools();
  const Fit fit = run_fit(model, GetParam().options);
  ASSERT_TRUE(fit);
  kb_error* error = nullptr;
  const fs::path written = scratch.path() / "written";
  ASSERT_EQ(kb_fit_write(fit.get(), written.c_str(), 0, &error), KB_OK) << take(error).text;
  expect_same_files(scratch.path() / "by_program", written);
  EXPECT_EQ(read_file(written / "data.json"), example("eight_schools.json"));

  // What is read from the folder is what was in memory, up to the digits of the files.
  kb_fit* read = nullptr;
  ASSERT_EQ(kb_fit_read(written.c_str(), &read, &error), KB_OK) << take(error).text;
  const Fit again(read);
  EXPECT_EQ(kb_fit_chains(again.get()), kb_fit_chains(fit.get()));
  EXPECT_EQ(kb_fit_draws(again.get()), kb_fit_draws(fit.get()));
  EXPECT_STREQ(kb_fit_names(again.get()), kb_fit_names(fit.get()));
  EXPECT_STREQ(kb_fit_summary(again.get()), kb_fit_summary(fit.get()));
  EXPECT_STREQ(kb_fit_certificate(again.get()), kb_fit_certificate(fit.get()));
  EXPECT_EQ(kb_fit_write(again.get(), (scratch.path() / "copy").c_str(), 0, &error), KB_OK);
  const std::filesystem::path page = scratch.path() / "page.html";
  EXPECT_EQ(kb_report_write(written.c_str(), page.c_str(), &error), KB_OK);
  EXPECT_GT(std::filesystem::file_size(page), 10'000u);
  EXPECT_EQ(kb_report_write((scratch.path() / "nowhere").c_str(), page.c_str(), &error), KB_NO_INPUT);
  EXPECT_NE(take(error).text.find("nowhere"), std::string::npos);
  expect_same_files(written, scratch.path() / "copy");
  write_file(written / "chain-1.csv", "lp__,mu\n-1,2\n");
  kb_fit* changed = nullptr;
  EXPECT_EQ(kb_fit_read(written.c_str(), &changed, &error), KB_BAD_INPUT);
  EXPECT_NE(take(error).text.find("chain-1.csv: has 13 bytes; the run wrote"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, SameDraws,
    testing::Values(Case{"nuts", R"({"method": "nuts", "seed": 1, "warmup": 200, "draws": 100, "chains": 2})",
                         "--method nuts --seed 1 --warmup 200 --draws 100 --chains 2"},
                    Case{"advi", R"({"method": "advi", "seed": 2, "draws": 200, "learning-rate": 0.1})",
                         "--method advi --seed 2 --draws 200 --learning-rate 0.1"},
                    Case{"laplace", R"({"method": "laplace", "seed": 3, "tolerance": 0.2, "threads": 1})",
                         "--method laplace --seed 3 --tolerance 0.2"},
                    Case{"optimize", R"({"method": "optimize", "seed": 3, "init": {"mu": 1, "tau": 2}})",
                         R"(--method optimize --seed 3 --init '{"mu": 1, "tau": 2}')"},
                    Case{"pathfinder",
                         R"({"method": "pathfinder", "seed": 5, "resample": false, "init": 0.5})",
                         "--method pathfinder --seed 5 --resample 0 --init 0.5"},
                    // Strict enough that chains are needed, and go on: their states are kept in memory.
                    Case{"ladder", R"({"seed": 4, "tolerance": 0.05})", "--seed 4 --tolerance 0.05"}),
    [](const testing::TestParamInfo<Case>& row) { return row.param.name; });

TEST(CFit, TellsWhatItHas) {
  const Model model = eight_schools();
  const Fit fit = run_fit(model, R"({"method": "nuts", "seed": 1, "warmup": 200, "draws": 50, "chains": 2})");
  const kb_fit* f = fit.get();
  EXPECT_EQ(kb_fit_chains(f), 2U);
  EXPECT_EQ(kb_fit_draws(f), 50U);
  EXPECT_EQ(kb_fit_columns(f), kb_model_size(model.get(), KB_ALL));
  EXPECT_STREQ(kb_fit_names(f), kb_model_names(model.get(), KB_ALL));
  EXPECT_EQ(std::string(kb_fit_stat_names(f)).substr(0, 14), "accept_stat__,");
  const std::vector<double> draws = all_draws(fit);
  std::vector<double> tau(100), lp(100), divergent(100), theta(10);
  EXPECT_EQ(kb_fit_column(f, 1, tau.data(), nullptr), KB_OK);
  EXPECT_EQ(kb_fit_stat(f, "lp__", lp.data(), nullptr), KB_OK);
  EXPECT_EQ(kb_fit_stat(f, "divergent__", divergent.data(), nullptr), KB_OK);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(tau[i], draws[i * 26 + 1]);
    ASSERT_EQ(kb_model_unconstrain(model.get(), 1, &draws[i * 26], theta.data(), nullptr), KB_OK);
    double value = 0;
    kb_model_log_density(model.get(), 1, theta.data(), 1, 0, &value, nullptr, nullptr, nullptr);
    EXPECT_NEAR(value, lp[i], 1e-9 * std::abs(lp[i]));
  }
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_stat(f, "log_q", lp.data(), &error), KB_USAGE);
  EXPECT_EQ(take(error).message, "the fit has no 'log_q'.");
  EXPECT_EQ(kb_fit_column(f, 26, tau.data(), &error), KB_USAGE);
  kb_error_free(error);
  EXPECT_EQ(kb_fit_columns_copy(f, 20, SIZE_MAX, tau.data(), &error), KB_USAGE);
  kb_error_free(error);
  EXPECT_NE(std::strstr(kb_fit_text(f), "model.stan: nuts, 2 chains x 50 draws, seed 1"), nullptr);
  EXPECT_EQ(std::strstr(kb_fit_text(f), "Results:"), nullptr);
  EXPECT_NE(std::strstr(kb_fit_record(f), "\"status\": \"complete\""), nullptr);
  EXPECT_STREQ(kb_fit_certificate(f), "");
}

TEST(CFit, ApproximationsHaveLogQ) {
  const Model model = eight_schools();
  const Fit fit = run_fit(model, R"({"method": "laplace", "seed": 1, "draws": 40})");
  std::vector<double> log_q(40);
  EXPECT_EQ(kb_fit_chains(fit.get()), 1U);
  EXPECT_EQ(kb_fit_stat(fit.get(), "log_q", log_q.data(), nullptr), KB_OK);
  EXPECT_NE(log_q[0], log_q[1]);
}

TEST(CFit, DrawsWithoutWeightsStandForThemselves) {
  const Model model = eight_schools();
  const Fit fit = run_fit(model, R"({"method": "laplace", "seed": 1, "draws": 40})");
  std::vector<std::size_t> chosen(40);
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_equal_weights(fit.get(), chosen.data(), &error), KB_USAGE);
  EXPECT_STREQ(kb_error_message(error), "the draws have no weights.");
  kb_error_free(error);
}

TEST(CFit, SeedIsRandomWhereNoneIsGiven) {
  const Model model = eight_schools();
  const Fit one = run_fit(model, R"({"method": "laplace", "seed": null})"),
            two = run_fit(model, R"({"method": "laplace"})");
  EXPECT_NE(all_draws(one), all_draws(two));
}

TEST(CFit, DoesNotDependOnWhatTheModelDidBefore) {
  const Model fresh = eight_schools(), used = eight_schools();
  const std::vector<double> theta(10, 3.0);
  double value = 0;
  kb_model_log_density(used.get(), 1, theta.data(), 1, 0, &value, nullptr, nullptr, nullptr);
  const std::string options = R"({"method": "nuts", "seed": 9, "warmup": 50, "draws": 20})";
  EXPECT_EQ(all_draws(run_fit(fresh, options)), all_draws(run_fit(used, options)));
}

TEST(CFit, TwoThreadsAtOnce) {
  const Model model = eight_schools();
  const Scratch scratch;
  const std::string options = R"("method": "nuts", "seed": 1, "warmup": 200, "draws": 200)";
  const Fit alone = run_fit(model, "{" + options + "}");
  std::vector<Fit> fits(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const std::string out =
          i < 2 ? "" : ", \"out\": \"" + (scratch.path() / std::to_string(i)).string() + "\"";
      threads.emplace_back([&, i, out] { fits[i] = run_fit(model, "{" + options + out + "}"); });
    }
  }
  for (const Fit& fit : fits) EXPECT_EQ(all_draws(fit), all_draws(alone));
}

TEST(CFit, WritesNothingUnasked) {
  const Scratch scratch;
  const Model model = eight_schools();
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  for (const char* options : {R"({"method": "nuts", "seed": 1, "draws": 50})",
                              R"({"seed": 4, "tolerance": 0.05})", R"({"method": "vi", "seed": 1})",
                              R"({"method": "nuts", "seed": 1, "sensitivity": true, "init": "pathfinder"})"})
    run_fit(model, options);
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  fs::current_path(before);
}

TEST(CFit, AFolderIsTheCommandLines) {
  const Scratch scratch;
  run_program(scratch, "--method nuts --seed 1 --warmup 200 --draws 100");
  const Model model = eight_schools();
  const std::string out = (scratch.path() / "here").string();
  const std::string options =
      R"({"method": "nuts", "seed": 1, "warmup": 200, "draws": 100, "out": ")" + out + "\"";
  const Fit fit = run_fit(model, options + "}");
  expect_same_files(scratch.path() / "by_program", out);
  EXPECT_FALSE(fs::exists(fs::path(out) / ".partial"));
  kb_fit* none = nullptr;
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_run(model.get(), (options + "}").c_str(), nullptr, nullptr, &none, &error),
            KB_CANNOT_WRITE);
  EXPECT_NE(take(error).message.find("holds a fit already"), std::string::npos);
  EXPECT_EQ(kb_fit_write(fit.get(), out.c_str(), 0, &error), KB_CANNOT_WRITE);
  kb_error_free(error);
  EXPECT_EQ(kb_fit_write(fit.get(), out.c_str(), 1, &error), KB_OK);
  // Other verbs find program and data in the folder.
  const std::string command =
      "cd '" + scratch.path().string() + "' && '" KULLBACK_PROGRAM "' predict here --quiet";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

struct Stopper {
  std::atomic<int> calls{0};
  int after = 0;
  std::thread::id thread;
  bool is_elsewhere = false;
  std::size_t chains = 0;
};

int stop_after(const kb_progress* progress, size_t chains, void* user) {
  auto& stopper = *static_cast<Stopper*>(user);
  stopper.is_elsewhere = stopper.is_elsewhere || std::this_thread::get_id() != stopper.thread;
  for (size_t c = 0; c < chains; ++c) {
    EXPECT_EQ(progress[c].chain, c);
    EXPECT_EQ(progress[c].chains, chains);
    EXPECT_TRUE(progress[c].total == 0 || progress[c].done <= progress[c].total);
  }
  stopper.chains = chains;
  return ++stopper.calls >= stopper.after ? 1 : 0;
}

TEST(CFit, StopsWhereTheWatchSaysSo) {
  const Model model = eight_schools();
  Stopper stopper;
  stopper.after = 2;
  stopper.thread = std::this_thread::get_id();
  kb_fit* fit = nullptr;
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_run(model.get(),
                       R"({"method": "nuts", "seed": 1, "draws": 100000000, "warmup": 100, "threads": 4})",
                       stop_after, &stopper, &fit, &error),
            KB_CANCELLED);
  EXPECT_EQ(take(error).message, "the run was stopped.");
  EXPECT_FALSE(stopper.is_elsewhere);
  EXPECT_EQ(stopper.chains, 4U);
  const Fit cut(fit);
  ASSERT_NE(fit, nullptr);
  EXPECT_GT(kb_fit_draws(fit), 0U);
  EXPECT_NE(std::strstr(kb_fit_record(fit), "interrupted"), nullptr);
  EXPECT_EQ(std::strstr(kb_fit_text(fit), "--resume"), nullptr);
}

int stop_if_true(const kb_progress*, size_t, void* user) { return *static_cast<const bool*>(user) ? 1 : 0; }

// Where the calling thread itself would never come to call the watch: each of these programs loops.
TEST(CFit, StopsProgramsThatLoop) {
  const char* const programs[] = {"parameters { real x; } model { x ~ normal(0, 1); while (1) { } }",
                                  "functions { real f(real x) { while (1) { } return x; } } parameters { "
                                  "real x; } model { f(x) ~ normal(0, 1); }",
                                  "parameters { real x; } model { x ~ normal(0, 1); } "
                                  "generated quantities { int n = 0; while (1) { n = 1 - n; } }"};
  for (const char* program : programs) {
    const Model model = make_model(program);
    for (const char* options : {R"({"method": "nuts", "seed": 1})", R"({"seed": 1})"}) {
      bool stops = true;
      kb_fit* fit = nullptr;
      kb_error* error = nullptr;
      const auto began = std::chrono::steady_clock::now();
      EXPECT_EQ(kb_fit_run(model.get(), options, stop_if_true, &stops, &fit, &error), KB_CANCELLED);
      EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4)) << program;
      const Fit whatever(fit);
      EXPECT_EQ(take(error).message, "the run was stopped.");
    }
  }
}

TEST(CModel, StopsDataThatLoop) {
  bool stops = true;
  kb_model* model = nullptr;
  kb_error* error = nullptr;
  const auto began = std::chrono::steady_clock::now();
  const char* const program =
      "transformed data { while (1) { } } parameters { real x; } model { x ~ normal(0, 1); }";
  EXPECT_EQ(
      kb_model_new_watched(program, "loop.stan", nullptr, nullptr, stop_if_true, &stops, &model, &error),
      KB_CANCELLED);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(take(error).message, "the run was stopped.");
}

TEST(CModel, IsMadeUnderAWatchThatStopsNothing) {
  bool stops = false;
  kb_model* model = nullptr;
  const std::string program = example("eight_schools.stan"), data = example("eight_schools.json");
  ASSERT_EQ(kb_model_new_watched(program.c_str(), nullptr, data.c_str(), nullptr, stop_if_true, &stops,
                                 &model, nullptr),
            KB_OK);
  const Model owned(model);
  EXPECT_EQ(kb_model_dim(model), 10U);
}

// Fits share the data of their model, and draw those of transformed data anew where the seed is another.
TEST(CFit, RandomDataAreThoseOfItsSeed) {
  const Model model = make_model(
      "transformed data { real y = normal_rng(0, 100); } parameters { real x; } model { x ~ normal(y, 0.01); "
      "}");
  const auto mean_of = [&](const char* options) {
    const Fit fit = run_fit(model, options);
    std::vector<double> values(kb_fit_draws(fit.get()));
    EXPECT_EQ(kb_fit_column(fit.get(), 0, values.data(), nullptr), KB_OK);
    return values.front();
  };
  const double first = mean_of(R"({"method": "laplace", "seed": 1})");
  const double other = mean_of(R"({"method": "laplace", "seed": 2})");
  EXPECT_GT(std::abs(first - other), 1);
  EXPECT_EQ(mean_of(R"({"method": "laplace", "seed": 1})"), first);
  // As the command line would have it: the seed of the fit is that of the data, too.
  const Model same = make_model(
      "transformed data { real y = normal_rng(0, 100); } parameters { real x; } model { x ~ normal(y, 0.01); "
      "}",
      {}, R"({"seed": 1})");
  const Fit fit = run_fit(same, R"({"method": "laplace", "seed": 1})");
  std::vector<double> values(kb_fit_draws(fit.get()));
  ASSERT_EQ(kb_fit_column(fit.get(), 0, values.data(), nullptr), KB_OK);
  EXPECT_EQ(values.front(), first);
}

TEST(CFit, StopsOneFitAndNoOther) {
  const Model loops = make_model("parameters { real x; } model { x ~ normal(0, 1); while (1) { } }");
  const Model model = eight_schools();
  bool stops = true, goes_on = false;
  kb_status stopped = KB_OK;
  std::thread other([&] {
    kb_fit* fit = nullptr;
    stopped = kb_fit_run(loops.get(), R"({"seed": 1})", stop_if_true, &stops, &fit, nullptr);
  });
  kb_fit* fit = nullptr;
  const char* const options = R"({"method": "nuts", "seed": 1, "draws": 20000, "threads": 1})";
  EXPECT_EQ(kb_fit_run(model.get(), options, stop_if_true, &goes_on, &fit, nullptr), KB_OK);
  other.join();
  EXPECT_EQ(stopped, KB_CANCELLED);
  const Fit whole(fit);
  ASSERT_NE(fit, nullptr);
  EXPECT_EQ(kb_fit_draws(fit), 20000U);
}

TEST(CFit, AStoppedFolderGoesOn) {
  const Scratch scratch;
  const Model model = eight_schools();
  Stopper stopper;
  stopper.after = 1;
  stopper.thread = std::this_thread::get_id();
  const std::string out = (scratch.path() / "cut").string();
  const std::string options = R"("method": "nuts", "seed": 1, "draws": 20000, "threads": 1)";
  kb_fit* fit = nullptr;
  const kb_status status = kb_fit_run(model.get(), ("{" + options + ", \"out\": \"" + out + "\"}").c_str(),
                                      stop_after, &stopper, &fit, nullptr);
  const Fit cut(fit);
  EXPECT_EQ(status, KB_CANCELLED);
  const std::string command = "'" KULLBACK_PROGRAM "' fit --quiet --resume '" + out + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  kb_error* error = nullptr;
  const Fit whole = run_fit(model, "{" + options + "}");
  ASSERT_EQ(kb_fit_write(whole.get(), (scratch.path() / "whole").c_str(), 0, &error), KB_OK);
  for (int chain = 1; chain <= 4; ++chain) {
    const std::string name = "chain-" + std::to_string(chain) + ".csv";
    EXPECT_EQ(draws_text(fs::path(out) / name), draws_text(scratch.path() / "whole" / name));
  }
}

TEST(CFit, OutlivesItsModel) {
  Model model = eight_schools();
  const Fit fit = run_fit(model, R"({"method": "laplace", "seed": 1})");
  model.reset();
  const Scratch scratch;
  kb_error* error = nullptr;
  EXPECT_EQ(kb_fit_write(fit.get(), (scratch.path() / "fit").c_str(), 0, &error), KB_OK);
  EXPECT_TRUE(fs::exists(scratch.path() / "fit" / "model.stan"));
}

}  // namespace
}  // namespace kullback::capi_test
