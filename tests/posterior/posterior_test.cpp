#include "posterior/posterior.hpp"

#include <gtest/gtest.h>

#include "tests/posterior/made_posterior.hpp"

namespace kullback::posterior {
namespace {

std::string text_of(const std::vector<Variable>& variables) {
  std::string text;
  for (const Variable& variable : variables) {
    text += variable.name;
    for (const std::size_t dim : variable.dims) text += "_" + std::to_string(dim);
    text += "@" + std::to_string(variable.first) + "+" + std::to_string(variable.size) + " ";
  }
  return text;
}

TEST(FindVariables, ScalarsVectorsAndMatricesByColumns) {
  EXPECT_EQ(
      text_of(find_variables({"mu", "theta.1", "theta.2", "theta.3", "L.1.1", "L.2.1", "L.1.2", "L.2.2"})),
      "mu@0+1 theta_3@1+3 L_2_2@4+4 ");
}

TEST(FindVariables, ThreeIndices) {
  EXPECT_EQ(text_of(find_variables({"x.1.1.1", "x.2.1.1", "x.1.1.2", "x.2.1.2"})), "x_2_1_2@0+4 ");
}

TEST(FindVariables, RowMajorOrderIsNoArrayOfOurs) {
  EXPECT_EQ(text_of(find_variables({"L.1.1", "L.1.2", "L.2.1", "L.2.2"})),
            "L.1.1@0+1 L.1.2@1+1 L.2.1@2+1 L.2.2@3+1 ");
}

TEST(FindVariables, PartOfAnArrayIsColumns) {
  EXPECT_EQ(text_of(find_variables({"a.2", "a.3"})), "a.2@0+1 a.3@1+1 ");
  EXPECT_EQ(text_of(find_variables({"a.1", "a.3"})), "a.1@0+1 a.3@1+1 ");
  EXPECT_EQ(text_of(find_variables({"a.1.1", "a.2.1", "a.2.2"})), "a.1.1@0+1 a.2.1@1+1 a.2.2@2+1 ");
}

TEST(FindVariables, TuplesAndComplexNumbers) {
  EXPECT_EQ(text_of(find_variables({"pair:1", "pair:2.1", "pair:2.2", "z.real", "z.imag"})),
            "pair:1@0+1 pair:2_2@1+2 z.real@3+1 z.imag@4+1 ");
  EXPECT_EQ(text_of(find_variables({"t.1:1", "t.1:2.1", "t.1:2.2", "t.2:1", "t.2:2.1", "t.2:2.2"})),
            "t.1:1@0+1 t.1:2_2@1+2 t.2:1@3+1 t.2:2_2@4+2 ");
  EXPECT_EQ(text_of(find_variables({"z.1.real", "z.1.imag"})), "z.1.real@0+1 z.1.imag@1+1 ");
}

TEST(FindVariables, NeighboursOfAnotherShapeAreApart) {
  EXPECT_EQ(text_of(find_variables({"a", "ab.1", "a.1", "a.2"})), "a@0+1 ab_1@1+1 a_2@2+2 ");
  EXPECT_EQ(text_of(find_variables({"a.01", "a.99999999999999999999"})),
            "a.01@0+1 a.99999999999999999999@1+1 ");
  EXPECT_EQ(text_of(find_variables({})), "");
}

TEST(DisplayName, IndicesInBrackets) {
  EXPECT_EQ(display_name("mu"), "mu");
  EXPECT_EQ(display_name("theta.1"), "theta[1]");
  EXPECT_EQ(display_name("L.2.1"), "L[2,1]");
  EXPECT_EQ(display_name("pair:1"), "pair.1");
  EXPECT_EQ(display_name("t.1:2.3.4"), "t[1].2[3,4]");
  EXPECT_EQ(display_name("z.real"), "z.real");
  EXPECT_EQ(display_name("z.2.imag"), "z[2].imag");
  EXPECT_EQ(display_name(""), "");
}

TEST(Posterior, UnequalChainsAreCutToTheShortest) {
  Posterior posterior = make_posterior({normal("a"), normal("b")}, 2, 5);
  Chain& second = posterior.chains[1];
  second.draws = 3;
  second.columns = {1, 2, 3, 4, 5, 6};
  second.log_density = {-1, -2, -3};
  EXPECT_EQ(posterior.draws(), 3u);
  const std::vector<double> b = posterior.column(1);
  ASSERT_EQ(b.size(), 6u);
  EXPECT_EQ(b[0], posterior.chains[0].columns[5]);
  EXPECT_EQ(b[3], 4);
  EXPECT_EQ(posterior.log_density()[5], -3);
  EXPECT_EQ(posterior.chains_of(b).draws, 3u);
  EXPECT_TRUE(posterior.stat("energy__").empty());
  EXPECT_TRUE(posterior.log_weight().empty());
}

}  // namespace
}  // namespace kullback::posterior
