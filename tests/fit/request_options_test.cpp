// Options as texts become a request, or are refused with a sentence and what works.
#include "fit/request_options.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.hpp"
#include "fit/ladder.hpp"

namespace kullback::fit {
namespace {

// The message, and the hint after a bar.
std::string refusal(const GivenTexts& given) {
  try {
    make_request(given, {.program = "model.stan", .data = ""});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " | " + error.hint();
  }
  return "no error";
}

TEST(RequestOptions, AreThoseOfTheTable) {
  const Request request = make_request({{"method", "nuts"},
                                        {"seed", "18446744073709551615"},
                                        {"chains", "3"},
                                        {"threads", "2"},
                                        {"init", "0.5"},
                                        {"tolerance", "0.25"},
                                        {"force", "true"},
                                        {"sensitivity", "1"},
                                        {"checkpoint", "0"},
                                        {"out", "there"},
                                        {"include_path", "a b\nc\n"},
                                        {"max_memory", "2KB"},
                                        {"max_depth", "4"}},
                                       {.program = "model.stan", .data = ""});
  EXPECT_EQ(request.method, &method_named("nuts"));
  EXPECT_EQ(request.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(request.chains, 3u);
  EXPECT_EQ(request.threads, 2u);
  EXPECT_EQ(request.init, "0.5");
  EXPECT_EQ(request.tolerance, 0.25);
  EXPECT_TRUE(request.force);
  EXPECT_TRUE(request.sensitivity);
  EXPECT_EQ(request.checkpoint_seconds, 0);
  EXPECT_EQ(request.out, "there");
  EXPECT_EQ(request.inputs.include_paths, (std::vector<std::string>{"a b", "c"}));
  EXPECT_EQ(request.inputs.max_memory, 2000u);
  EXPECT_EQ(request.options.text_of(*find_option(infer::all_options(), "max_depth")), "4");
}

TEST(RequestOptions, DefaultsAreThoseOfTheTable) {
  const Request request =
      make_request({}, {.program = "model.stan", .data = "", .include_paths = {"of the model"}});
  const Request plain;
  EXPECT_EQ(request.method, &auto_method());
  EXPECT_EQ(request.chains, plain.chains);
  EXPECT_EQ(request.threads, 0u);
  EXPECT_EQ(request.init, plain.init);
  EXPECT_EQ(request.checkpoint_seconds, plain.checkpoint_seconds);
  EXPECT_FALSE(request.tolerance || request.budget || request.wasserstein || request.force);
  EXPECT_TRUE(request.jacobian);
  EXPECT_EQ(request.inputs.include_paths, std::vector<std::string>{"of the model"});
}

TEST(RequestOptions, OutOfTheirRangeAreRefused) {
  EXPECT_EQ(refusal({{"seed", "-1"}}), "--seed: found '-1', but a value must be a whole number from 0. | ");
  EXPECT_EQ(refusal({{"chains", "0"}}), "--chains is 0; it must be from 1 to 100000. | 4 is the default.");
  EXPECT_EQ(refusal({{"threads", "0"}}),
            "--threads is 0; it must be from 1 to 4096. | Leave it out to use all cores.");
  EXPECT_EQ(refusal({{"checkpoint", "nan"}}),
            "--checkpoint: found 'nan', but a value must be a finite number. | ");
  EXPECT_EQ(refusal({{"checkpoint", "-1"}}), "--checkpoint is -1; it must be 0 or more. | 1 is the default.");
  EXPECT_EQ(
      refusal({{"tolerance", "0"}}),
      "--tolerance is 0; it must be above 0. | 0.1 asks for means and standard deviations within a tenth of "
      "a posterior standard deviation.");
  EXPECT_EQ(refusal({{"budget", "-2"}}),
            "--budget is -2; it must be above 0. | 60 is a minute. Without it the ladder takes the time that "
            "it needs.");
  EXPECT_EQ(refusal({{"max_memory", "much"}}),
            "--max-memory: found 'much', but a value must be a size such as 500MB or 4GB. | ");
}

TEST(RequestOptions, OfAnotherMethodAreRefusedWithTheNearestThatWorks) {
  EXPECT_EQ(
      refusal({{"max_depth", "3"}}),
      "--max-depth cannot be used with the default method. | Add `--method nuts`; it is an option of nuts.");
  EXPECT_EQ(
      refusal({{"method", "laplace"}, {"max_depth", "3"}}),
      "--max-depth cannot be used with `--method laplace`. | Leave it out, or take `--method nuts`; it is an "
      "option of nuts.");
}

// The last word of each clause is a method that takes the option.
TEST(RequestOptions, TheHintOfWassersteinNamesMethods) {
  const std::string hint = refusal({{"method", "nuts"}, {"tolerance", "0.1"}, {"wasserstein", "1"}});
  const std::size_t at = hint.find("--method ");
  ASSERT_NE(at, std::string::npos) << hint;
  std::istringstream words(hint.substr(at + 9));
  int named = 0;
  for (std::string word; words >> word;) {
    word.resize(std::min(word.find_first_of("`,."), word.size()));
    if (word == "or") continue;
    ++named;
    EXPECT_EQ(refusal({{"method", word}, {"tolerance", "0.1"}, {"wasserstein", "1"}}), "no error") << word;
  }
  EXPECT_EQ(named, 3);
}

}  // namespace
}  // namespace kullback::fit
