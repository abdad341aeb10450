// A record keeps every option of a fit that decides draws or certificate, and gives it back.
#include "fit/record.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "fit/fit.hpp"
#include "fit/ladder.hpp"
#include "fit/request_options.hpp"
#include "run/folder.hpp"

namespace kullback::fit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram =
    "data { int N; vector[N] y; array[N] int g; } parameters { real mu; }\n"
    "model { mu ~ normal(0, 1); y ~ normal(mu, 1); }\n";

class Recorded : public testing::Test {
 protected:
  Recorded() : folder_(fs::path(testing::TempDir()) / ("kullback-record-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    write_file(folder_ / "m.stan", kProgram);
    write_file(folder_ / "d.json", "{\"N\": 2, \"y\": [1, 2], \"g\": [1, 1]}");
    write_file(folder_ / "y.f64", std::string(16, '\0'));
  }
  ~Recorded() override { fs::remove_all(folder_); }

  Inputs inputs() const { return {(folder_ / "m.stan").string(), (folder_ / "d.json").string()}; }

  // The record of a request, as the folder has it.
  run::RunRecord write(const Request& request, bool is_ladder = false, bool is_asked = true) {
    program_ = load_program(inputs());
    const LoadedModel model = load_model(*program_, inputs(), {});
    run::RunRecord record = make_record(request, model);
    if (is_ladder) note_ladder(record, request.chains, is_asked);
    fs::remove_all(folder_ / "fit");
    run::RunFolder::begin(folder_ / "fit", record, kProgram, false);
    return record;
  }

  Request read() const { return request_of(folder_ / "fit"); }

  fs::path folder_;
  std::unique_ptr<LoadedProgram> program_;
};

void expect_same(const Request& a, const Request& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.chains, b.chains);
  EXPECT_EQ(a.init, b.init);
  EXPECT_EQ(a.jacobian, b.jacobian);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.wasserstein, b.wasserstein);
  EXPECT_EQ(a.budget, b.budget);
  EXPECT_EQ(a.inputs.row_size, b.inputs.row_size);
  EXPECT_EQ(a.inputs.strata, b.inputs.strata);
  EXPECT_EQ(a.inputs.streams, b.inputs.streams);
}

// A value for every option of fit/options.def; one that is new must be added here.
std::map<std::string, std::string> all_options(const fs::path& folder) {
  return {{"method", "laplace"},
          {"seed", "7"},
          {"chains", "3"},
          {"threads", "2"},
          {"init", "0.5"},
          {"tolerance", "0.25"},
          {"wasserstein", "1"},
          {"budget", "12.5"},
          {"minibatch", "N=1"},
          {"strata", "g"},
          {"stream", "y=" + (folder / "y.f64").string() + "\n"},
          {"out", "there"},
          {"force", "1"},
          {"resume", "there"},
          {"checkpoint", "3"},
          {"sensitivity", "1"},
          {"include_path", folder.string() + "\n/elsewhere\n"},
          {"max_memory", "1GB"}};
}

TEST_F(Recorded, EveryOptionComesBack) {
  const std::map<std::string, std::string> values = all_options(folder_);
  for (const FitOption& option : fit_options()) {
    SCOPED_TRACE(std::string(option.name));
    ASSERT_TRUE(values.contains(std::string(option.name)));
  }
  Request request;
  request.inputs = inputs();
  request.inputs.include_paths = items_of(values.at("include_path"));
  request.inputs.row_size = "N";
  request.inputs.strata = values.at("strata");
  request.inputs.streams = items_of(values.at("stream"));
  request.method = &method_named(values.at("method"));
  request.seed = 7;
  request.init = values.at("init");
  request.tolerance = 0.25;
  request.wasserstein = true;
  request.budget = 12.5;
  request.jacobian = false;
  request.chains = 1;
  request.options.set("draws", 123);
  const run::RunRecord record = write(request);
  for (const FitOption& option : fit_options()) {
    EXPECT_EQ(record.options.contains(std::string(option.name)), option.is_kept) << option.name;
  }
  const Request back = read();
  expect_same(back, request);
  EXPECT_EQ(back.options[infer::option::kDraws], 123u);
  ASSERT_EQ(back.inputs.include_paths.size(), 3u);  // and the folder of the program
  EXPECT_EQ(back.inputs.include_paths[1], "/elsewhere");
  EXPECT_EQ(options_of(record)[infer::option::kDraws], 123u);
}

TEST_F(Recorded, OptionsThatWereNotGivenComeBackAsTheirDefaults) {
  Request request;
  request.inputs = inputs();
  request.method = &method_named("nuts");
  write(request);
  expect_same(read(), request);
}

TEST_F(Recorded, TheLadderKeepsItsToleranceAndWhoseItIs) {
  Request request;
  request.inputs = inputs();
  request.method = &auto_method();
  request.tolerance = kDefaultTolerance;
  const run::RunRecord by_default = write(request, true, false);
  EXPECT_EQ(by_default.options.at("tolerance"), "0.1");
  EXPECT_FALSE(read().tolerance.has_value());
  EXPECT_EQ(read().method, &auto_method());
  request.tolerance = 0.2;
  const run::RunRecord asked = write(request, true, true);
  EXPECT_EQ(asked.options.at("tolerance"), "0.2");
  EXPECT_EQ(read().tolerance, 0.2);
}

TEST_F(Recorded, DamagedOptionsAreRefused) {
  Request request;
  request.inputs = inputs();
  request.method = &auto_method();
  request.tolerance = 0.1;
  for (const char* name : {"tolerance", "ladder_chains"}) {
    run::RunRecord record = write(request, true, true);
    record.options[name] = "many";
    replace_file(folder_ / "fit" / "run.json", to_json(record));
    try {
      read();
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_NE(error.message().find(name), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace kullback::fit
