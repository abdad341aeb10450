// A record keeps every option of a fit that decides draws or certificate, and gives it back.
#include "fit/record.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>

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

// A value for every option of a fit; one that is new must be added here.
GivenTexts all_options(const fs::path& folder) {
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

// Those that decide neither draws nor certificate, and those that have a field of their own in the record.
constexpr std::string_view kElsewhere[] = {"method", "seed",   "chains",     "out",         "threads",
                                           "force",  "resume", "checkpoint", "sensitivity", "max_memory"};

TEST_F(Recorded, EveryOptionOfAFitComesBack) {
  const GivenTexts texts = all_options(folder_);
  const OptionValues values = read_options(fit_options(), texts, "a fit");
  for (const OptionRecord* option : fit_options()) EXPECT_TRUE(values.is_given(*option)) << option->name;
  Request request;
  request.inputs = inputs();
  take_recorded(values, request);
  request.method = &method_named("vi");
  request.seed = 7;
  request.jacobian = false;
  request.chains = 1;
  request.options.set("batch_size", 1);
  request.options.set("draws", 123);
  const run::RunRecord record = write(request);
  for (const OptionRecord* option : fit_options()) {
    const bool is_elsewhere =
        std::find(std::begin(kElsewhere), std::end(kElsewhere), option->name) != std::end(kElsewhere);
    EXPECT_NE(record.options.contains(option->name), is_elsewhere) << option->name;
  }
  EXPECT_EQ(record.options.text("minibatch"), "N=1");
  request.jacobian = true;  // which only optimize can leave out
  const Request back = read();
  expect_same(back, request);
  EXPECT_EQ(back.options[infer::option::kDraws], 123u);
  ASSERT_EQ(back.inputs.include_paths.size(), 3u);  // and the folder of the program
  EXPECT_EQ(back.inputs.include_paths[1], "/elsewhere");
  EXPECT_EQ(options_of(record)[infer::option::kDraws], 123u);
}

TEST_F(Recorded, AnOptimumKeepsItsJacobian) {
  for (const bool jacobian : {false, true}) {
    Request request;
    request.inputs = inputs();
    request.method = &method_named("optimize");
    request.jacobian = jacobian;
    request.chains = 1;
    write(request);
    expect_same(read(), request);
  }
}

// A value of the option that is not its default.
OptionValue other_value(const OptionRecord& option) {
  switch (option.type) {
    case OptionType::flag: return option.fallback == 0;
    case OptionType::choice: return std::size_t{option.fallback == 0 ? 1U : 0U};
    case OptionType::text: return std::string("something else");
    case OptionType::list: return std::vector<std::string>{"a b", "c"};
    case OptionType::size:
    case OptionType::count: {
      const double least = std::max(option.low, 0.0) + (option.is_low_open ? 1 : 0);
      return static_cast<std::size_t>(least == option.fallback ? least + 1 : least);
    }
    case OptionType::number: break;
  }
  const double low = std::isfinite(option.low) ? option.low : -1e6;
  const double high = std::isfinite(option.high) ? option.high : std::max(low, 0.0) + 3e6;
  for (const double part : {1.0 / 3, 1.0 / 7}) {
    if (const double value = low + part * (high - low); value != option.fallback) return value;
  }
  return high;
}

// Every option of every method: with all of them set, with the defaults, and as version 0.1 wrote them.
TEST_F(Recorded, EveryOptionOfEveryMethodComesBack) {
  std::size_t count = 0;
  for (const infer::Method* method : infer::methods()) {
    SCOPED_TRACE(std::string(method->name));
    for (const bool is_default : {false, true}) {
      Request request;
      request.inputs = inputs();
      request.method = method;
      for (const OptionRecord* option : method->options)
        if (!is_default) request.options.put(*option, other_value(*option));
      run::RunRecord record = write(request);
      run::RunRecord old = record;
      for (const OptionRecord* option : method->options)
        old.options.set(option->name, request.options.text_of(*option));
      for (const run::RunRecord& written : {record, old}) {
        replace_file(folder_ / "fit" / "run.json", to_json(written));
        const Request back = read();
        expect_same(back, request);
        for (const OptionRecord* option : method->options) {
          EXPECT_EQ(back.options.value_of(*option), request.options.value_of(*option)) << option->name;
          EXPECT_EQ(is_default, back.options.is_default(*option)) << option->name;
          ++count;
        }
      }
    }
  }
  EXPECT_GT(count, 400u);
}

// As kullback 0.1.0 wrote it before options had types.
TEST_F(Recorded, RecordsOfVersion01Open) {
  Request request;
  request.inputs = inputs();
  request.method = &method_named("vi");
  request.chains = 1;
  request.tolerance = 0.1;
  request.wasserstein = true;
  request.inputs.row_size = "N";
  request.inputs.streams = {"y=" + (folder_ / "y.f64").string()};
  run::RunRecord record = write(request);
  record.options = {{"draws", "500"},
                    {"batch_size", "2"},
                    {"tolerance", "0.1"},
                    {"wasserstein", "true"},
                    {"minibatch", "N"},
                    {"init", "2"},
                    {"grad_draws", "auto"},
                    {"stream", request.inputs.streams[0] + "\n"},
                    {"include_path", "/a\n/b\n"}};
  replace_file(folder_ / "fit" / "run.json", to_json(record));
  const Request back = read();
  expect_same(back, request);
  EXPECT_EQ(back.options[infer::option::kDraws], 500u);
  EXPECT_EQ(back.options.text_of(*find_option(infer::all_options(), "batch_size")), "2");
  ASSERT_EQ(back.inputs.include_paths.size(), 3u);
  record.options = {{"ladder_chains", "3"}, {"tolerance", "0.1"}, {"tolerance_is_default", "true"}};
  replace_file(folder_ / "fit" / "run.json", to_json(record));
  EXPECT_EQ(read().method, &auto_method());
  EXPECT_EQ(read().chains, 3u);
  EXPECT_FALSE(read().tolerance.has_value());
}

// One name, one option: a record has them all in one object.
TEST(RecordedOptions, AreNoOptionsOfMethods) {
  for (const OptionRecord* option : recorded_options())
    EXPECT_EQ(find_option(infer::all_options(), option->name), nullptr) << option->name;
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
  EXPECT_EQ(by_default.options.text("tolerance"), "0.1");
  EXPECT_FALSE(read().tolerance.has_value());
  EXPECT_EQ(read().method, &auto_method());
  request.tolerance = 0.2;
  const run::RunRecord asked = write(request, true, true);
  EXPECT_EQ(asked.options.text("tolerance"), "0.2");
  EXPECT_EQ(read().tolerance, 0.2);
}

TEST_F(Recorded, DamagedOptionsAreRefused) {
  Request request;
  request.inputs = inputs();
  request.method = &auto_method();
  request.tolerance = 0.1;
  for (const char* name : {"tolerance", "ladder_chains"}) {
    run::RunRecord record = write(request, true, true);
    record.options.set(name, "many");
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
