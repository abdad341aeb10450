#include "deep/bnn/fit/table.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/json_value.hpp"

namespace kullback::deep {
namespace {

class TableTest : public ::testing::Test {
 protected:
  TableTest() {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(::testing::TempDir()) / ("kullback-table-" + name);
    std::filesystem::create_directories(folder_);
  }
  ~TableTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& text) {
    const std::filesystem::path path = folder_ / "rows.csv";
    std::ofstream(path) << text;
    return path;
  }

  std::filesystem::path folder_;
};

const std::vector<std::size_t> kAll = {0, 1, 2, 3};

TEST_F(TableTest, NumbersAreStandardisedAndTextBecomesInputs) {
  const Table table =
      read_table({.paths = {file("n,k,y\n1,red,10\n3,blue,20\n,red,30\n5,NA,40\n9,red,\n")}, .target = "y"});
  EXPECT_EQ(table.rows, 4u);
  EXPECT_EQ(table.without_target, 1u);
  const Preparation preparation = prepare(table, kAll);
  ASSERT_EQ(preparation.inputs(), 2 + 3);  // n and whether it is missing; blue, red and whether they are
  EXPECT_EQ(preparation.columns[0].mean, 3);
  EXPECT_NEAR(preparation.columns[0].sd, std::sqrt(8.0 / 3), 1e-14);
  const torch::Tensor x = preparation.x(table, kAll), y = preparation.y(table, kAll);
  const double low = -2 / std::sqrt(8.0 / 3);
  EXPECT_TRUE(x[0].allclose(torch::tensor({low, 0.0, 0.0, 1.0, 0.0}, torch::kFloat64)));
  EXPECT_TRUE(x[2].allclose(torch::tensor({0.0, 1.0, 0.0, 1.0, 0.0}, torch::kFloat64)));
  EXPECT_TRUE(x[3].allclose(torch::tensor({-low, 0.0, 0.0, 1.0, 1.0}, torch::kFloat64)));  // red is commonest
  EXPECT_NEAR(y.mean().item<double>(), 0, 1e-14);
  EXPECT_NEAR(y.square().mean().item<double>(), 1, 1e-14);
}

TEST_F(TableTest, WholeNumbersStayNumbers) {
  const Table table = read_table({.paths = {file("n,y\n1,10\n2,20\n3,30\n")}, .target = "y"});
  EXPECT_TRUE(table.shape.levels[0].empty());
  EXPECT_TRUE(table.shape.levels[1].empty());
}

TEST_F(TableTest, TextAndTwoValuesAreClasses) {
  EXPECT_EQ(read_table({.paths = {file("n,y\n1,b\n2,a\n3,c\n")}, .target = "y"}).shape.levels[1],
            (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(read_table({.paths = {file("n,y\n1,0\n2,1\n3,0\n")}, .target = "y"}).shape.levels[1],
            (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(
      read_table(
          {.paths = {file("n,y\n1,0\n2,1\n3,0\n")}, .target = "y", .kind = TableRequest::Target::number})
          .shape.levels[1]
          .empty());
}

TEST_F(TableTest, APreparationIsReadAsItWasWritten) {
  const Table table =
      read_table({.paths = {file("n,k,y\n1,red,1\n3,blue,2\n,red,3\n5,NA,4.5\n")}, .target = "y"});
  const Preparation preparation = prepare(table, kAll);
  const std::string json = to_json(preparation, "");
  const JsonValue value = parse_json(json, "network.json");
  const Preparation read = read_preparation(JsonFields(value, "network.json"));
  EXPECT_EQ(to_json(read, ""), json);
  EXPECT_TRUE(read.x(table, kAll).equal(preparation.x(table, kAll)));
}

TEST_F(TableTest, NewRowsMayLackTheTarget) {
  const Table table = read_table({.paths = {file("n,y\n1,10\n2,20.5\n3,30\n4,1\n")}, .target = "y"});
  const Preparation preparation = prepare(table, kAll);
  const data::Shape shape = preparation.shape();
  const Table asked = read_table({.paths = {file("other,n\n7,2\n")}, .target = "y", .like = &shape});
  EXPECT_EQ(asked.rows, 1u);
  EXPECT_TRUE(std::isnan(asked.target(0)));
  EXPECT_EQ(asked.at(0, 0), 2);
}

std::string message_of(const TableRequest& request) {
  try {
    read_table(request);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.message();
  }
  return "no error";
}

TEST_F(TableTest, RefusesTargetsFromWhichNothingIsLearned) {
  EXPECT_NE(message_of({.paths = {file("n,y\n1,a\n2,a\n")}, .target = "y"}).find("one class only, 'a'"),
            std::string::npos);
  EXPECT_NE(message_of({.paths = {file("n,y\n1,5.5\n2,5.5\n")}, .target = "y"}).find("5.5 in all rows"),
            std::string::npos);
  EXPECT_NE(message_of({.paths = {file("n,y\n1,\n2,\n")}, .target = "y"}).find("missing in all rows"),
            std::string::npos);
  EXPECT_NE(
      message_of({.paths = {file("n,y\n1,a\n2,b\n")}, .target = "y", .kind = TableRequest::Target::number})
          .find("has text"),
      std::string::npos);
}

}  // namespace
}  // namespace kullback::deep
