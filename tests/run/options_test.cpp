// Options of a record keep their types, are read without a table, and come back as the values of their
// options.
#include "run/options.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "run/record.hpp"

namespace kullback::run {
namespace {

enum class Metric : unsigned char { unit, dense };

constexpr auto kDraws = CountOption("draws", 1000, "Draws").from(1);
constexpr auto kBins = CountOption("bins", 0, "Bins").automatic();
constexpr auto kMemory = SizeOption("memory", "Memory");
constexpr auto kRate = NumberOption("rate", 0.5, "Rate").above(0).to(1);
constexpr auto kStep = NumberOption("step", 0, "Step").above(0).automatic();
constexpr auto kResample = FlagOption("resample", true, "Resample");
constexpr auto kMetric = ChoiceOption<Metric>("metric", Metric::unit, "unit|dense", "Metric");
constexpr auto kInit = TextOption("init", "2", "Start");
constexpr auto kFamily = TextOption("family", "", "Family");
constexpr auto kPaths = ListOption("paths", "Paths");
constexpr const OptionRecord* kTable[] = {&kDraws,    &kBins,   &kMemory, &kRate,   &kStep,
                                          &kResample, &kMetric, &kInit,   &kFamily, &kPaths};

OptionValues set_values() {
  OptionValues values;
  values.set(kDraws, std::numeric_limits<std::uint64_t>::max());
  values.set(kBins, 7);
  values.set(kMemory, 4'000'000'000);
  values.set(kRate, 1.0);  // which must not come back as a count
  values.set(kStep, 1e-300);
  values.set(kResample, false);
  values.set(kMetric, Metric::dense);
  values.set(kInit, "a \"b\".json");
  values.set(kFamily, "flow");
  values.put(kPaths, std::vector<std::string>{"a b", "c\\d"});
  return values;
}

RunOptions recorded(const OptionValues& values) {
  RunOptions options;
  options.set(kTable, values);
  return options;
}

// As run.json has them.
RunOptions written_and_read(const RunOptions& options) {
  RunRecord record;
  record.options = options;
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("kullback-options-" + std::to_string(::getpid()));
  replace_file(path, to_json(record));
  const RunRecord back = read_run_record(path.string());
  std::filesystem::remove(path);
  return back.options;
}

void expect_same(const OptionValues& a, const OptionValues& b) {
  for (const OptionRecord* option : kTable)
    EXPECT_EQ(a.value_of(*option), b.value_of(*option)) << option->name;
}

OptionValues read(const RunOptions& options) {
  OptionValues values;
  read_recorded(kTable, options, values);
  return values;
}

TEST(RunOptions, AreNumbersTruthsTextsAndLists) {
  EXPECT_EQ(to_json(recorded(set_values())),
            R"({"bins": 7, "draws": 18446744073709551615, "family": "flow", "init": "a \"b\".json", )"
            R"("memory": 4000000000, "metric": "dense", "paths": ["a b", "c\\d"], "rate": 1.0, )"
            R"("resample": false, "step": 1e-300})");
  EXPECT_EQ(to_json(recorded({})),
            R"({"bins": "auto", "draws": 1000, "family": "auto", "init": "2", "metric": "unit", )"
            R"("rate": 0.5, "resample": true, "step": "auto"})");
}

TEST(RunOptions, ComeBackWithTheirTypes) {
  for (const OptionValues& values : {set_values(), OptionValues()}) {
    const RunOptions options = recorded(values);
    const RunOptions back = written_and_read(options);
    EXPECT_EQ(back, options);
    expect_same(read(back), values);
  }
}

TEST(RunOptions, OfVersion01AreTexts) {
  for (const OptionValues& values : {set_values(), OptionValues()}) {
    std::map<std::string, std::string> texts;
    for (const OptionRecord* option : kTable) texts[std::string(option->name)] = values.text_of(*option);
    expect_same(read(written_and_read(texts)), values);
  }
}

TEST(RunOptions, AreReadWithoutATable) {
  const RunOptions options = recorded(set_values());
  EXPECT_EQ(options.text("rate"), "1");
  EXPECT_EQ(options.text("metric"), "dense");
  EXPECT_EQ(options.text("paths"), "a b\nc\\d");
  EXPECT_EQ(options.text("none"), "");
  EXPECT_FALSE(options.flag("resample", true));
  EXPECT_TRUE(options.flag("none", true));
  EXPECT_TRUE((RunOptions{{"old", "true"}}.flag("old", false)));
  EXPECT_FALSE((RunOptions{{"old", "0"}}.flag("old", true)));
}

TEST(RunOptions, OnlyWhatWasGivenWhereThatIsAsked) {
  OptionValues values;
  values.set(kRate, 0.5);
  RunOptions options;
  options.set_given(kTable, values);
  EXPECT_EQ(to_json(options), R"({"rate": 0.5})");
}

std::string refusal(const RunOptions& options) {
  try {
    read(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.message();
  }
  return "no error";
}

TEST(RunOptions, ThatAreDamagedAreRefused) {
  EXPECT_EQ(
      refusal({{"draws", "many"}}),
      "run.json: its option 'draws' is 'many': --draws: found 'many', but a value must be a whole number "
      "from 0.");
  EXPECT_EQ(
      refusal({{"draws", 1.5}}),
      "run.json: its option 'draws' is '1.5': --draws: found '1.5', but a value must be a whole number from "
      "0.");
  EXPECT_EQ(refusal({{"draws", std::size_t{0}}}),
            "run.json: its option 'draws' is '0': --draws is 0; it must be 1 or more.");
  EXPECT_EQ(refusal({{"resample", 2.5}}),
            "run.json: its option 'resample' is '2.5': --resample: found '2.5', but a value must be 0 or 1.");
  EXPECT_EQ(refusal({{"metric", std::size_t{1}}}),
            "run.json: its option 'metric' is '1': --metric: found '1', but a value must be unit or dense.");
  EXPECT_EQ(refusal({{"of another table", true}, {"rate", std::size_t{1}}}), "no error");
}

}  // namespace
}  // namespace kullback::run
