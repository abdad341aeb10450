#include "data/batch.hpp"

#include <gtest/gtest.h>

namespace kullback::data {
namespace {

TEST(Batch, PartsOfATableAndOfDocuments) {
  Buffer table(DataKind::table, 2);
  for (double x : {1.0, 2.0, 3.0}) {
    const double row[] = {x, -x};
    table.add_row(row);
  }
  const Batch tail = table.batch().part(1, 3);
  EXPECT_EQ(tail.units, 2u);
  EXPECT_EQ(tail.first, 1u);
  EXPECT_EQ(tail.row(1)[1], -3.0);

  Buffer documents(DataKind::documents, 9);
  for (std::uint32_t d = 0; d < 3; ++d) {
    documents.begin_unit();
    for (std::uint32_t w = 0; w <= d; ++w) documents.add_word(w + d, w + 1.0);
  }
  const Batch last = documents.batch().part(2, 3);
  ASSERT_EQ(last.units, 1u);
  EXPECT_EQ(last.indices[last.offsets[0]], 2u);
  EXPECT_EQ(last.values[last.offsets[1] - 1], 3.0);
  Buffer copy(DataKind::documents, 9);
  copy.add(last, 0, 2.5);
  EXPECT_EQ(copy.batch().weight(0), 2.5);
  EXPECT_EQ(copy.batch().offsets[1], 3u);
}

}  // namespace
}  // namespace kullback::data
