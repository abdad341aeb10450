#include "conjugate/record.hpp"

#include <gtest/gtest.h>

namespace kullback::conjugate {
namespace {

TEST(Record, ReaderIsToldWhatTheModelNeeds) {
  const ModelRecord* poisson = find_model("mixture", "poisson");
  ASSERT_NE(poisson, nullptr);
  SourceRequest request;
  set_needs(*poisson, request);
  EXPECT_EQ(request.kind, DataKind::table);
  EXPECT_TRUE(request.needs_counts);
  EXPECT_EQ(request.takes_missing, poisson->takes_missing);
  for (const ModelRecord* record : model_records()) {
    const std::string name = record->verb + " --kind " + record->kind;
    const bool is_named = (", " + request.missing_takers + ",").find(", " + name + ",") != std::string::npos;
    EXPECT_EQ(is_named, record->data == DataKind::table && record->takes_missing) << name;
  }
}

}  // namespace
}  // namespace kullback::conjugate
