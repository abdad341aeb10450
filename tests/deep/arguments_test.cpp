#include "deep/cli/arguments.hpp"

#include "base/error.hpp"

namespace kullback::deep::cli {
namespace {

Grammar grammar() {
  return {.verb = "bake",
          .summary = "Bakes.",
          .positionals = {{"DOUGH", "what is baked"}, {"MORE", "more of it", false, true}},
          .groups = {{"Heat", {{"degrees", "180", "of the oven"}, {"fan", "false", "blow"}}},
                     {"Toppings", {{"with", "", "a topping"}}}},
          .lists = {"with"}};
}

std::string message_of(const std::vector<std::string>& words) {
  try {
    parse(grammar(), words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.message() + " " + error.hint();
  }
  return "no error";
}

TEST(Arguments, ValuesFollowOrAreJoinedByEquals) {
  const Arguments found =
      parse(grammar(), {"rye", "--degrees", "200", "wheat", "--fan", "--with=a=b", "--with", "c"});
  EXPECT_EQ(found.positionals, (std::vector<std::string>{"rye", "wheat"}));
  EXPECT_EQ(found.values.at("degrees"), "200");
  EXPECT_EQ(found.values.at("fan"), "true");
  EXPECT_EQ(found.lists.at("with"), (std::vector<std::string>{"a=b", "c"}));
}

TEST(Arguments, NegativeNumbersAreValues) {
  EXPECT_EQ(parse(grammar(), {"rye", "--degrees", "-5"}).values.at("degrees"), "-5");
}

TEST(Arguments, AFlagTakesTrueAndFalse) {
  EXPECT_EQ(parse(grammar(), {"--fan", "false", "rye"}).values.at("fan"), "false");
  EXPECT_EQ(parse(grammar(), {"--fan", "rye"}).values.at("fan"), "true");
  EXPECT_NE(message_of({"rye", "--fan=maybe"}).find("true or false"), std::string::npos);
}

TEST(Arguments, WordsAfterTwoDashesAreNoOptions) {
  EXPECT_EQ(parse(grammar(), {"--", "--degrees"}).positionals.front(), "--degrees");
}

TEST(Arguments, SayWhatIsWrong) {
  EXPECT_NE(message_of({"rye", "--degres", "3"}).find("Did you mean '--degrees'?"), std::string::npos);
  EXPECT_NE(message_of({"rye", "--degrees"}).find("--degrees needs a value"), std::string::npos);
  EXPECT_NE(message_of({"rye", "--degrees="}).find("--degrees needs a value"), std::string::npos);
  EXPECT_NE(message_of({"rye", "--degrees", "--fan"}).find("--degrees needs a value"), std::string::npos);
  EXPECT_NE(message_of({"rye", "--degrees", "1", "--degrees", "2"}).find("given twice"), std::string::npos);
  EXPECT_NE(message_of({}).find("needs DOUGH: what is baked"), std::string::npos);
}

TEST(Arguments, TooManyPositionalsAreRefused) {
  Grammar narrow = grammar();
  narrow.positionals.pop_back();
  EXPECT_THROW(parse(narrow, {"rye", "wheat"}), Error);
}

TEST(Arguments, HelpNamesEveryOption) {
  EXPECT_TRUE(parse(grammar(), {"--help"}).wants_help);
  const std::string help = help_text(grammar());
  EXPECT_NE(help.find("Usage: kullback bake DOUGH [MORE...] [OPTIONS]"), std::string::npos);
  EXPECT_NE(help.find("\nHeat:\n  --degrees"), std::string::npos);
  EXPECT_NE(help.find("Of the oven [180]"), std::string::npos);
}

}  // namespace
}  // namespace kullback::deep::cli
