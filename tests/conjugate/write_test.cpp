#include "conjugate/write.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "tests/data/source_checks.hpp"

namespace kullback::conjugate {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Writing = data::SourceTest;

TEST_F(Writing, TableWithNames) {
  const ResultTable table{.name = "topics",
                          .columns = {"a", "b,c"},
                          .cells = {1, 0.1, kNaN, -0.0, kInfinity, 1e300},
                          .row_names = {"plain", "with \"quotes\"", " x"},
                          .row_head = "word"};
  EXPECT_EQ(csv_text(table), "word,a,\"b,c\"\nplain,1,0.1\n\"with \"\"quotes\"\"\",,-0\n\" x\",inf,1e+300\n");
  write_table(folder_, table);
  EXPECT_EQ(read_file(folder_ / "topics.csv"), csv_text(table));
}

TEST_F(Writing, TableWithoutNames) {
  EXPECT_EQ(csv_text({.name = "t", .columns = {"x"}, .cells = {2.5, 3}}), "x\n2.5\n3\n");
  EXPECT_EQ(csv_text({.name = "t", .columns = {"x", "y"}, .cells = {}}), "x,y\n");
}

TEST_F(Writing, TableOfTheWrongSizeIsOurBug) {
  EXPECT_THROW(csv_text({.name = "t", .columns = {"x", "y"}, .cells = {1, 2, 3}}), Error);
  EXPECT_THROW(csv_text({.name = "t", .columns = {"x"}, .cells = {1, 2}, .row_names = {"a"}}), Error);
}

TEST_F(Writing, NumbersReadBackToTheSameBits) {
  Random random(1);
  ResultTable table{.name = "numbers", .columns = {"x", "y"}, .cells = {}};
  while (table.cells.size() < 20000) {
    const double number = std::bit_cast<double>(random());
    if (std::abs(number) <= 1e100) table.cells.push_back(number);  // the reader takes no larger ones
  }
  write_table(folder_, table);
  const auto source = open_source({.paths = {folder_ / "numbers.csv"}});
  const auto& read = source->in_memory()->values;
  ASSERT_EQ(read.size(), table.cells.size());
  for (std::size_t i = 0; i < read.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(table.cells[i]));
}

TEST_F(Writing, LinesInPieces) {
  const std::filesystem::path path = folder_ / "labels.csv";
  {
    TableWriter writer(path, {"label", "p"});
    writer.add(std::vector<double>{0, 0.5, 1, 0.25});
    writer.add(std::vector<double>{});
    writer.add(std::vector<double>{2, kNaN});
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.finish();
  }
  EXPECT_EQ(read_file(path), "label,p\n0,0.5\n1,0.25\n2,\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Writing, LinesWithNames) {
  TableWriter writer(folder_ / "users.csv", {"a"}, "user");
  writer.add(std::vector<double>{1, 2}, std::vector<std::string>{"ann", "b,c"});
  writer.finish();
  EXPECT_EQ(read_file(folder_ / "users.csv"), "user,a\nann,1\n\"b,c\",2\n");
  TableWriter other(folder_ / "other.csv", {"a"}, "user");
  EXPECT_THROW(other.add(std::vector<double>{1, 2}, std::vector<std::string>{"ann"}), Error);
}

TEST_F(Writing, AnUnfinishedTableLeavesNothing) {
  file("t.csv", "old");
  { TableWriter(folder_ / "t.csv", {"a"}).add(std::vector<double>{1}); }
  EXPECT_EQ(read_file(folder_ / "t.csv"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Writing, PlacesThatCannotBeWritten) {
  EXPECT_THROW(TableWriter(folder_ / "absent/t.csv", {"a"}), Error);
  EXPECT_THROW(write_npy(folder_ / "absent/t.npy", std::vector<double>{1}), Error);
}

TEST_F(Writing, NumpyKeepsAllBits) {
  std::vector<double> numbers = {0.1, -0.0, kInfinity, std::bit_cast<double>(0x7ff8000000001234ULL), 5e-324};
  for (std::size_t size = 0; size <= numbers.size(); ++size) {
    const std::span<const double> part(numbers.data(), size);
    write_npy(folder_ / "state.npy", part);
    const std::vector<double> read = read_npy(folder_ / "state.npy");
    ASSERT_EQ(read.size(), size);
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(numbers[i]));
    EXPECT_EQ((read_file(folder_ / "state.npy").size() - size * 8) % 64, 0U);
  }
}

TEST_F(Writing, DamagedNumpyIsRefused) {
  write_npy(folder_ / "state.npy", std::vector<double>{1, 2, 3});
  const std::string bytes = read_file(folder_ / "state.npy");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    write_file(folder_ / "state.npy", std::string_view(bytes).substr(0, size));
    EXPECT_THROW(read_npy(folder_ / "state.npy"), Error) << size;
  }
}

TEST(CsvText, NotesAreALastColumn) {
  const ResultTable table{.name = "topics",
                          .columns = {"share"},
                          .cells = {0.25, 0.75},
                          .row_names = {"one", "two"},
                          .row_head = "topic",
                          .notes = {"fox owl", "bear, cub"},
                          .note_head = "words"};
  EXPECT_EQ(csv_text(table), "topic,share,words\none,0.25,fox owl\ntwo,0.75,\"bear, cub\"\n");
}

}  // namespace
}  // namespace kullback::conjugate
