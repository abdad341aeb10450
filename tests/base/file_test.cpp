#include "base/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "base/error.hpp"

namespace kullback {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("kullback-file-test-" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

ErrorKind kind_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.kind();
  }
  return ErrorKind::internal;
}

TEST_F(FileTest, ReplacesAndReadsBack) {
  const fs::path path = folder_ / "a.txt";
  replace_file(path, "one");
  replace_file(path, std::string("t\0o", 3));
  EXPECT_EQ(read_file(path), std::string("t\0o", 3));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, WritesAndAppends) {
  const fs::path path = folder_ / "a.txt";
  append_to_file(path, "one");
  append_to_file(path, " two");
  EXPECT_EQ(read_file(path), "one two");
  write_file(path, "three");
  EXPECT_EQ(read_file(path), "three");
  EXPECT_EQ(kind_of([&] { write_file(folder_ / "none" / "a", ""); }), ErrorKind::cannot_write);
  EXPECT_EQ(kind_of([&] { append_to_file(folder_ / "none" / "a", ""); }), ErrorKind::cannot_write);
}

TEST_F(FileTest, NewFilesComeIntoPlaceWhenTold) {
  const fs::path path = folder_ / "a.txt";
  replace_file(path, "old");
  {
    NewFile file(path, "new");
    EXPECT_EQ(read_file(path), "old");
    NewFile moved(std::move(file));
    moved.put_in_place();
    EXPECT_EQ(read_file(path), "new");
    const NewFile dropped(path, "newer");
  }
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_EQ(kind_of([&] { NewFile(folder_ / "none" / "a", ""); }), ErrorKind::cannot_write);
}

TEST_F(FileTest, ALinkIsReplacedButEditedThrough) {
  replace_file(folder_ / "target", "old");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  rewrite_file(folder_ / "link", "edited");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "edited");
  EXPECT_EQ(kind_of([&] { append_to_file(folder_ / "link", "more"); }), ErrorKind::cannot_write);
  replace_file(folder_ / "link", "new");
  EXPECT_FALSE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "link"), "new");
  EXPECT_EQ(read_file(folder_ / "target"), "edited");
}

TEST_F(FileTest, FoldersAndDevicesAreNotReplaced) {
  EXPECT_EQ(kind_of([&] { replace_file(folder_, ""); }), ErrorKind::cannot_write);
  fs::create_symlink("/dev/null", folder_ / "null");
  EXPECT_EQ(kind_of([&] { replace_file(folder_ / "null", ""); }), ErrorKind::cannot_write);
  EXPECT_EQ(kind_of([&] { append_to_file("/dev/full", "x"); }), ErrorKind::cannot_write);
}

TEST_F(FileTest, ErrorsNameTheirKind) {
  EXPECT_EQ(kind_of([&] { read_file(folder_ / "missing"); }), ErrorKind::missing_file);
  EXPECT_EQ(kind_of([&] { read_file(folder_); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { replace_file(folder_ / "no" / "folder", "x"); }), ErrorKind::cannot_write);
}

}  // namespace
}  // namespace kullback
