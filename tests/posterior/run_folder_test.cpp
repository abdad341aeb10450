#include "posterior/run_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kullback::posterior {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    scratch_ = fs::path(testing::TempDir()) /
               ("folder-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(scratch_);
    fs::create_directories(scratch_);
    out_ = scratch_ / "fit";
    record_.method = "nuts";
  }
  void TearDown() override { fs::remove_all(scratch_); }

  void begin(bool force) const { begin_folder(out_, record_, "parameters {}", force); }
  ErrorKind refusal(bool force) const {
    try {
      begin(force);
    } catch (const Error& error) {
      EXPECT_FALSE(error.hint().empty());
      return error.kind();
    }
    ADD_FAILURE() << "nothing was refused";
    return ErrorKind::internal;
  }

  fs::path scratch_;
  fs::path out_;
  RunRecord record_;
};

TEST_F(FolderTest, BeginsWithRecordAndProgram) {
  begin(false);
  EXPECT_EQ(read_file(out_ / "model.stan"), "parameters {}");
  EXPECT_EQ(posterior::read_run_record((out_ / "run.json").string()).method, "nuts");
  EXPECT_FALSE(fs::exists(partial_folder(out_))) << "chains that are saved make it";
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_), fs::directory_iterator()), 1);
}

TEST_F(FolderTest, AFitIsReplacedOnlyWithForce) {
  begin(false);
  replace_file(out_ / "chain-1.csv", "old");
  EXPECT_EQ(refusal(false), ErrorKind::cannot_write);
  EXPECT_TRUE(fs::exists(out_ / "chain-1.csv"));
  begin(true);
  EXPECT_FALSE(fs::exists(out_ / "chain-1.csv"));
}

TEST_F(FolderTest, WhatIsNoFitIsNeverReplaced) {
  fs::create_directories(out_);
  replace_file(out_ / "thesis.txt", "years");
  EXPECT_EQ(refusal(false), ErrorKind::cannot_write);
  EXPECT_EQ(refusal(true), ErrorKind::cannot_write);
  EXPECT_EQ(read_file(out_ / "thesis.txt"), "years");
}

TEST_F(FolderTest, AFileInTheWayIsRefused) {
  replace_file(out_, "a file");
  EXPECT_EQ(refusal(true), ErrorKind::cannot_write);
}

TEST_F(FolderTest, AnEmptyFolderMayBeUsed) {
  fs::create_directories(out_);
  begin(false);
  EXPECT_TRUE(fs::exists(out_ / "run.json"));
}

TEST_F(FolderTest, AFailedRunLeavesOnlyDraws) {
  begin(false);
  fs::create_directories(partial_folder(out_));
  replace_file(partial_folder(out_) / "chain-1.draws", "");
  replace_file(partial_folder(out_) / "chain-1.state", "state");
  replace_file(partial_folder(out_) / "chain-2.draws", "numbers");
  remove_without_draws(out_);
  EXPECT_TRUE(fs::exists(out_));
  fs::remove(partial_folder(out_) / "chain-2.draws");
  remove_without_draws(out_);
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(FolderTest, TornFilesAreRemoved) {
  begin(false);
  add_event(out_, "start", "\"seed\": 1");
  const std::string whole = read_file(out_ / "events.jsonl");
  const std::regex line(
      "\\{\"time\": \"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\", \"event\": \"start\", \"seed\": 1\\}\n");
  EXPECT_TRUE(std::regex_match(whole, line)) << whole;
  append_to_file(out_ / "events.jsonl", "{\"time\": \"20");
  replace_file(out_ / "chain-1.csv.new-17", "half");
  fs::create_directories(partial_folder(out_));
  replace_file(partial_folder(out_) / "chain-1.state.new-17", "half");
  remove_torn_files(out_);
  EXPECT_EQ(read_file(out_ / "events.jsonl"), whole);
  EXPECT_FALSE(fs::exists(out_ / "chain-1.csv.new-17"));
  EXPECT_FALSE(fs::exists(partial_folder(out_) / "chain-1.state.new-17"));
  EXPECT_TRUE(fs::exists(out_ / "model.stan"));
}

}  // namespace
}  // namespace kullback::posterior
