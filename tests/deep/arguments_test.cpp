#include "deep/cli/arguments.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "shell/program.hpp"

namespace kullback::deep::cli {
namespace {

Usage usage() {
  return {
      .positionals = {{"DOUGH", "what is baked"}, {"MORE", "more of it", true}},
      .groups = {{"Heat",
                  {{"degrees", "180", "of the oven"}, {"fan", "false", "blow"}, {"light", "true", "see"}}},
                 {"Toppings", {{"with", "", "a topping"}}}},
      .lists = {"with"}};
}

Arguments parsed(const std::vector<std::string>& words) {
  Arguments result;
  const auto add = [&](const shell::Command& verb, const shell::Words&) -> shell::Run {
    return [&result, given = add_usage(verb, usage())] {
      result = *given;
      return 0;
    };
  };
  shell::Words all = {"bake"};
  all.insert(all.end(), words.begin(), words.end());
  const shell::Program bakery{.name = "bakery",
                              .starter = "bakery",
                              .summary = "Bread.",
                              .version = "1",
                              .verbs = {{"bake", "Bake", add}}};
  EXPECT_EQ(run_program(bakery, all), 0);
  return result;
}

std::string message_of(const std::vector<std::string>& words) {
  try {
    parsed(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " " + error.hint();
  }
  return "no error";
}

TEST(Arguments, AreThoseThatWereGiven) {
  const Arguments found =
      parsed({"rye", "--degrees", "200", "wheat", "--fan", "--with=a=b", "spelt", "--with", "c"});
  EXPECT_EQ(found.positionals, (std::vector<std::string>{"rye", "wheat", "spelt"}));
  EXPECT_EQ(found.values, (std::map<std::string, std::string>{{"degrees", "200"}, {"fan", "true"}}));
  EXPECT_EQ(found.lists.at("with"), (std::vector<std::string>{"a=b", "c"}));
}

TEST(Arguments, FlagsTakeTrueAndFalse) {
  const Arguments found = parsed({"--light", "false", "rye", "wheat", "--fan=false"});
  EXPECT_EQ(found.values, (std::map<std::string, std::string>{{"light", "false"}, {"fan", "false"}}));
  EXPECT_EQ(found.positionals.size(), 2u);
}

TEST(Arguments, SayWhatIsWrong) {
  EXPECT_NE(message_of({"rye", "wheat", "--degres", "3"}).find("Did you mean '--degrees'?"),
            std::string::npos);
  EXPECT_NE(message_of({"rye", "wheat", "--degrees"}).find("--degrees needs a value. It is: of the oven."),
            std::string::npos);
  EXPECT_NE(message_of({"rye", "wheat", "--with="}).find("--with needs a value"), std::string::npos);
  EXPECT_NE(message_of({"rye", "wheat", "--degrees", "1", "--degrees", "2"}).find("given twice"),
            std::string::npos);
  EXPECT_NE(message_of({}).find("needs DOUGH: what is baked"), std::string::npos);
  EXPECT_NE(message_of({"rye"}).find("needs MORE: more of it"), std::string::npos);
}

TEST(Arguments, HelpNamesEveryOption) {
  testing::internal::CaptureStdout();
  parsed({"--help"});
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_NE(help.find("Usage: bakery bake [OPTIONS] DOUGH MORE...\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\nHeat:\n  --degrees TEXT=180          Of the oven\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\n  --light                     See [true]\n"), std::string::npos) << help;
  EXPECT_NE(help.find("\nToppings:\n  --with TEXT"), std::string::npos) << help;
}

}  // namespace
}  // namespace kullback::deep::cli
