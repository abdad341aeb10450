#include "math/type.hpp"

#include <gtest/gtest.h>

namespace kullback::math {
namespace {

const Type kInt{Kind::int_};
const Type kReal{Kind::real};
const Type kComplex{Kind::complex};
const Type kVector{Kind::vector};
const Type kMatrix{Kind::matrix};

TEST(Type, PrintsAsStanWrites) {
  EXPECT_EQ(to_string(Type{}), "void");
  EXPECT_EQ(to_string(kInt), "int");
  EXPECT_EQ(to_string(Type{Kind::complex_row_vector}), "complex_row_vector");
  EXPECT_EQ(to_string(array_of(kReal)), "array[] real");
  EXPECT_EQ(to_string(array_of(kReal, 3)), "array[,,] real");
  EXPECT_EQ(to_string(tuple_of({kInt, array_of(kVector)})), "tuple(int, array[] vector)");
  EXPECT_EQ(to_string(array_of(tuple_of({kInt, tuple_of({kReal, kMatrix})}), 2)),
            "array[,] tuple(int, tuple(real, matrix))");
  EXPECT_EQ(to_string(tuple_of({kInt})), "tuple(int,)");
}

TEST(Type, EqualityLooksIntoTuples) {
  EXPECT_EQ(tuple_of({kInt, kReal}), tuple_of({kInt, kReal}));
  EXPECT_FALSE(tuple_of({kInt, kReal}) == tuple_of({kReal, kInt}));
  EXPECT_FALSE(tuple_of({kInt, kReal}) == tuple_of({kInt, kReal, kReal}));
  EXPECT_FALSE(array_of(kInt) == kInt);
  EXPECT_EQ(element_of(array_of(kVector, 2)), array_of(kVector));
}

TEST(Type, Properties) {
  EXPECT_TRUE(array_of(kInt).is_int());
  EXPECT_FALSE(array_of(kInt).is(Kind::int_));
  EXPECT_TRUE(array_of(kInt).is_discrete());
  EXPECT_TRUE(tuple_of({kInt, array_of(kInt)}).is_discrete());
  EXPECT_FALSE(tuple_of({kInt, kInt}).is_int());
  EXPECT_FALSE(tuple_of({kInt, kReal}).is_discrete());
  EXPECT_TRUE(tuple_of({kInt, kReal}).contains_int());
  EXPECT_FALSE(kVector.contains_int());
  EXPECT_TRUE(Type{Kind::complex_matrix}.is_complex());
  EXPECT_FALSE(kMatrix.is_complex());
}

TEST(PromotionCost, Chains) {
  EXPECT_EQ(promotion_cost(kInt, kInt), 0);
  EXPECT_EQ(promotion_cost(kInt, kReal), 1);
  EXPECT_EQ(promotion_cost(kReal, kComplex), 1);
  EXPECT_EQ(promotion_cost(kInt, kComplex), 2);
  EXPECT_EQ(promotion_cost(kVector, Type{Kind::complex_vector}), 1);
  EXPECT_EQ(promotion_cost(kMatrix, Type{Kind::complex_matrix}), 1);
  EXPECT_EQ(promotion_cost(array_of(kInt), array_of(kReal)), 1);
  EXPECT_EQ(promotion_cost(array_of(kInt, 2), array_of(kComplex, 2)), 2);
}

TEST(PromotionCost, Refusals) {
  EXPECT_FALSE(promotion_cost(kReal, kInt));
  EXPECT_FALSE(promotion_cost(kComplex, kReal));
  EXPECT_FALSE(promotion_cost(array_of(kInt), kVector));
  EXPECT_FALSE(promotion_cost(array_of(kReal), kVector));
  EXPECT_FALSE(promotion_cost(kInt, array_of(kInt)));
  EXPECT_FALSE(promotion_cost(kVector, Type{Kind::row_vector}));
  EXPECT_FALSE(promotion_cost(array_of(kInt), array_of(kReal, 2)));
}

TEST(PromotionCost, TuplesAddUp) {
  EXPECT_EQ(promotion_cost(tuple_of({kInt, kReal}), tuple_of({kReal, kComplex})), 2);
  EXPECT_EQ(promotion_cost(tuple_of({kInt, kVector}), tuple_of({kInt, kVector})), 0);
  EXPECT_EQ(promotion_cost(array_of(tuple_of({kInt, kInt})), array_of(tuple_of({kComplex, kReal}))), 3);
  EXPECT_FALSE(promotion_cost(tuple_of({kInt, kReal}), tuple_of({kReal})));
  EXPECT_FALSE(promotion_cost(tuple_of({kReal, kReal}), tuple_of({kReal, kInt})));
  EXPECT_FALSE(promotion_cost(tuple_of({kInt}), kInt));
}

TEST(CommonType, LeastUpperBound) {
  EXPECT_EQ(common_type(kInt, kReal), kReal);
  EXPECT_EQ(common_type(kComplex, kInt), kComplex);
  EXPECT_EQ(common_type(array_of(kReal), array_of(kInt)), array_of(kReal));
  EXPECT_EQ(common_type(kVector, Type{Kind::complex_vector}), Type{Kind::complex_vector});
  // Neither tuple is above the other, but there is one above both.
  EXPECT_EQ(common_type(tuple_of({kInt, kReal}), tuple_of({kReal, kInt})), tuple_of({kReal, kReal}));
  EXPECT_FALSE(common_type(kVector, kMatrix));
  EXPECT_FALSE(common_type(array_of(kInt), kInt));
}

}  // namespace
}  // namespace kullback::math
