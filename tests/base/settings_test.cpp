#include "base/settings.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kullback {
namespace {

std::vector<Option> options() {
  return {{"components", "10", "most components"},
          {"rate", "0.5", "rate of the prior"},
          {"covariance", "full", "shape of the components"},
          {"noise-sd", "", "standard deviation of the noise, where it is known"}};
}

template <class Read>
std::string error_of(std::map<std::string, std::string> values, Read read) {
  try {
    read(Settings(options(), std::move(values)));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " | " + error.hint();
  }
  return "no error";
}

TEST(Settings, GivenValuesAndDefaults) {
  const Settings settings(options(), {{"components", "7"}, {"noise-sd", "1e-3"}});
  EXPECT_EQ(settings.count("components", 1, 100), 7u);
  EXPECT_EQ(settings.fraction("rate"), 0.5);
  EXPECT_EQ(settings.positive("noise-sd"), 1e-3);
  EXPECT_EQ(settings.choice("covariance", {"diagonal", "full"}), 1u);
  EXPECT_FALSE(Settings(options(), {}).has("noise-sd"));
  EXPECT_EQ(settings.values().size(), 4u);
}

TEST(Settings, UnknownOptionsAreNearOnesOrNone) {
  const auto nothing = [](const Settings&) {};
  EXPECT_EQ(error_of({{"component", "7"}}, nothing),
            "this model has no option --component. | Did you mean --components?");
  EXPECT_EQ(error_of({{"zeal", "7"}}, nothing),
            "this model has no option --zeal. | It has --components, --rate, --covariance, --noise-sd.");
  EXPECT_THROW(Settings({}, {{"zeal", "7"}}), Error);
}

TEST(Settings, RefusalsSayWhatTheOptionIs) {
  for (const char* text : {"7.5", "0", "101", "-1", "many", "", "7 ", "99999999999999999999999"}) {
    EXPECT_EQ(error_of({{"components", text}}, [](const Settings& s) { s.count("components", 1, 100); }),
              std::string("--components is '") + text +
                  "'; it must be a whole number from 1 to 100. | Most components; the default is 10.");
  }
  for (const char* text : {"x", "1e999", "nan", "inf", "1,5"}) {
    EXPECT_EQ(error_of({{"rate", text}}, [](const Settings& s) { s.number("rate"); }),
              std::string("--rate is '") + text +
                  "'; it must be a number. | Rate of the prior; the default is 0.5.");
  }
  EXPECT_EQ(error_of({{"rate", "1"}}, [](const Settings& s) { s.fraction("rate"); }),
            "--rate is '1'; it must be a number between 0 and 1. | Rate of the prior; the default is 0.5.");
  EXPECT_EQ(error_of({{"noise-sd", "0"}}, [](const Settings& s) { s.positive("noise-sd"); }),
            "--noise-sd is '0'; it must be a number above 0. | Standard deviation of the noise, where it is "
            "known.");
}

TEST(Settings, ChoicesSuggestTheNearestWord) {
  const auto read = [](const Settings& s) { s.choice("covariance", {"diagonal", "full"}); };
  EXPECT_EQ(error_of({{"covariance", "diagonl"}}, read),
            "--covariance is 'diagonl'; it must be one of diagonal, full. | Did you mean diagonal?");
  EXPECT_EQ(
      error_of({{"covariance", "9"}}, read),
      "--covariance is '9'; it must be one of diagonal, full. | Shape of the components; the default is "
      "full.");
  EXPECT_EQ(error_of({{"rate", "yes"}}, [](const Settings& s) { s.flag("rate"); }),
            "--rate is 'yes'; it must be one of false, true. | Rate of the prior; the default is 0.5.");
}

TEST(Settings, ReadingWhatTheModelDoesNotHaveIsOurBug) {
  try {
    Settings(options(), {}).text("zeal");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
  }
}

}  // namespace
}  // namespace kullback
