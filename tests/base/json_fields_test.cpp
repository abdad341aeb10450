#include "base/json_fields.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"

namespace kullback {
namespace {

constexpr const char* kText =
    R"({"verb": "mixture", "units": 3, "elbo": -1.5, "converged": true, "columns": ["a", "b"], "levels": [["x"], []],
        "settings": {"components": "2"}, "terms": {"rows": -1, "groups": 0.5}, "starts": [{"passes": 7}]})";

std::string refusal(const std::function<void(const JsonFields&)>& read) {
  const JsonValue value = parse_json(kText, "model.json");
  try {
    read(JsonFields(value, "model.json"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_NE(error.hint(), "");
    return error.message();
  }
  return "no error";
}

TEST(JsonFields, ReadsEachKind) {
  const JsonValue value = parse_json(kText, "model.json");
  const JsonFields json(value, "model.json");
  EXPECT_EQ(json.text("verb"), "mixture");
  EXPECT_EQ(json.count("units"), 3);
  EXPECT_EQ(json.number("elbo"), -1.5);
  EXPECT_TRUE(json.flag("converged"));
  EXPECT_EQ(json.texts("columns"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(json.lists_of_texts("levels"), (std::vector<std::vector<std::string>>{{"x"}, {}}));
  EXPECT_EQ(json.words("settings").at("components"), "2");
  EXPECT_EQ(json.objects("starts").at(0).count("passes"), 7);
}

TEST(JsonFields, NamedNumbersKeepTheirOrder) {
  const JsonValue value = parse_json(kText, "model.json");
  const std::vector<std::pair<std::string, double>> terms = {{"rows", -1.0}, {"groups", 0.5}};
  EXPECT_EQ(JsonFields(value, "model.json").named_numbers("terms"), terms);
}

TEST(JsonFields, AnErrorNamesFileAndMember) {
  EXPECT_EQ(refusal([](const JsonFields& json) { json.text("kind"); }), "model.json: 'kind' must be there.");
  EXPECT_EQ(refusal([](const JsonFields& json) { json.count("elbo"); }),
            "model.json: 'elbo' must be a count.");
  EXPECT_EQ(refusal([](const JsonFields& json) { json.lists_of_texts("columns"); }),
            "model.json: 'columns' must be an array of arrays of strings.");
  EXPECT_EQ(refusal([](const JsonFields& json) { json.named_numbers("settings"); }),
            "model.json: 'settings' must be an object of numbers.");
}

}  // namespace
}  // namespace kullback
