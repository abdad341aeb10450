// The table of kinds: one row for each, in the order of the enumeration, and names that are read back.
#include "run/kinds.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "run/record.hpp"

namespace kullback::run {
namespace {

TEST(Kinds, EachHasItsRow) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kinds().size(); ++i) {
    const KindRecord& row = kinds()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.kind), i) << row.name;
    EXPECT_EQ(find_kind(row.name), &row);
    EXPECT_TRUE(row.verb.starts_with("kullback ")) << row.name;
    EXPECT_FALSE(row.what.empty() || row.files.empty()) << row.name;
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), kinds().size());
  EXPECT_EQ(kinds().back().kind, Kind::discrete_diffusion);
}

TEST(Kinds, ARecordOfEachIsReadBack) {
  const std::string path = testing::TempDir() + "kinds-run.json";
  for (const KindRecord& row : kinds()) {
    RunRecord record;
    record.kind = row.kind;
    write_file(path, to_json(record));
    EXPECT_EQ(read_run_record(path).kind, row.kind) << row.name;
  }
}

TEST(Kinds, OneThatIsNotKnownIsNamed) {
  const std::string path = testing::TempDir() + "unknown-run.json";
  write_file(path, R"({"kind": "gp"})");
  try {
    read_run_record(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_EQ(error.message(), path + ": it holds a 'gp', which this version does not know.");
  }
}

}  // namespace
}  // namespace kullback::run
