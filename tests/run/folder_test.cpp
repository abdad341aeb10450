#include "run/folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "run/own_files.hpp"

namespace kullback::run {
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

  std::unique_ptr<RunFolder> begin(bool force) const {
    return RunFolder::begin(out_, record_, "parameters {}", force);
  }

  // A whole run whose chain-1.csv is `text`.
  void make_whole(const std::string& text, bool force = false) {
    const auto folder = begin(force);
    replace_file(folder->file("chain-1.csv"), text);
    finish(*folder, "complete");
  }

  void finish(RunFolder& folder, const std::string& status) const {
    RunRecord record = record_;
    record.status = status;
    folder.finish(record, "finish", {});
  }

  static std::string message(const std::function<void()>& action, ErrorKind kind) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.message();
      EXPECT_FALSE(error.hint().empty());
      return error.message();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }
  std::string refusal(bool force) const {
    return message([&] { begin(force); }, ErrorKind::cannot_write);
  }
  std::string chain() const { return read_file(out_ / "chain-1.csv"); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(out_)) all.insert(entry.path().filename().string());
    return all;
  }

  fs::path scratch_;
  fs::path out_;
  RunRecord record_;
};

TEST_F(FolderTest, BeginsWithRecordAndProgram) {
  begin(false);
  EXPECT_EQ(names(), (std::set<std::string>{"model.stan", "run.json"}));
  EXPECT_EQ(read_file(out_ / "model.stan"), "parameters {}");
  EXPECT_EQ(read_run_record((out_ / "run.json").string()).status, "running");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_), fs::directory_iterator()), 1);
}

TEST_F(FolderTest, ARunIsReplacedOnlyWithForce) {
  make_whole("old");
  EXPECT_NE(refusal(false).find("holds a fit already"), std::string::npos);
  EXPECT_EQ(chain(), "old");
  make_whole("new", true);
  EXPECT_EQ(chain(), "new");
  EXPECT_EQ(names(), (std::set<std::string>{"chain-1.csv", "events.jsonl", "model.stan", "run.json"}));
}

TEST_F(FolderTest, TheOldRunStaysUntilTheNewOneIsWhole) {
  make_whole("old");
  {
    const auto folder = begin(true);
    replace_file(folder->file("chain-1.csv"), "new");
    EXPECT_EQ(chain(), "old");
    EXPECT_EQ(open_folder(out_).status, "complete");
    finish(*folder, "interrupted");
    EXPECT_EQ(folder->path(), current_folder(out_));
  }
  EXPECT_EQ(chain(), "old");
  EXPECT_EQ(open_folder(out_).status, "complete");
  const auto again = RunFolder::resume(out_);
  EXPECT_EQ(again->path(), out_ / ".next");
  finish(*again, "complete");
  EXPECT_EQ(chain(), "new");
  EXPECT_EQ(current_folder(out_), out_);
}

TEST_F(FolderTest, ARunThatCannotStartLeavesTheOldOne) {
  make_whole("old");
  begin(true)->abandon();
  EXPECT_EQ(chain(), "old");
  EXPECT_FALSE(fs::exists(out_ / ".next"));
  EXPECT_EQ(open_folder(out_).status, "complete");
}

// A kill may come before each step of a replacement: whoever opens the folder next takes the others.
TEST_F(FolderTest, AKillBetweenTheStepsOfAReplacement) {
  const std::vector<std::function<void()>> steps = {
      [&] { fs::remove(out_ / "trace.csv"); },
      [&] { fs::rename(out_ / ".next" / "chain-1.csv", out_ / "chain-1.csv"); },
      [&] { fs::rename(out_ / ".next" / "chain-2.csv", out_ / "chain-2.csv"); },
      [&] { fs::rename(out_ / ".next" / "model.stan", out_ / "model.stan"); },
      [&] { fs::rename(out_ / ".next" / "run.json", out_ / "run.json"); }};
  for (std::size_t taken = 0; taken <= steps.size(); ++taken) {
    fs::remove_all(out_);
    {
      const auto old = begin(false);
      replace_file(old->file("chain-1.csv"), "old");
      replace_file(old->file("trace.csv"), "old");
      finish(*old, "complete");
    }
    {
      const auto folder = begin(true);
      replace_file(folder->file("chain-1.csv"), "new");
      replace_file(folder->file("chain-2.csv"), "new, too");
      RunRecord whole = record_;
      whole.status = "complete";
      for (const char* name : {"chain-1.csv", "chain-2.csv", "model.stan"}) {
        const FileContent content = content_of_file(folder->path() / name);
        whole.files.push_back({name, content.bytes, content.hash});
      }
      replace_file(folder->path() / "run.json", to_json(whole));
    }
    for (std::size_t i = 0; i < taken; ++i) steps[i]();
    EXPECT_EQ(open_folder(out_).files.size(), 3U) << taken;
    EXPECT_EQ(chain(), "new") << taken;
    std::set<std::string> left = names();
    left.erase(".next");  // empty, where the kill came before its removal
    left.erase("events.jsonl");
    EXPECT_EQ(left, (std::set<std::string>{"chain-1.csv", "chain-2.csv", "model.stan", "run.json"})) << taken;
    make_whole("newer", true);
    EXPECT_EQ(chain(), "newer") << taken;
  }
}

TEST_F(FolderTest, WhatNoRunWroteIsNeverReplaced) {
  fs::create_directories(out_);
  replace_file(out_ / "thesis.txt", "years");
  EXPECT_NE(refusal(false).find("exists already"), std::string::npos);
  EXPECT_NE(refusal(true).find("exists already"), std::string::npos);
  replace_file(out_ / "run.json", "{\"kind\": \"marathon\"}");
  EXPECT_NE(refusal(true).find("run.json: was not written by a run of Kullback"), std::string::npos);
  replace_file(out_ / "run.json", "no JSON");
  EXPECT_NE(refusal(true).find("run.json: was not written by a run of Kullback"), std::string::npos);
  EXPECT_EQ(read_file(out_ / "thesis.txt"), "years");
}

TEST_F(FolderTest, ForeignFilesInAFitAreNamed) {
  make_whole("old");
  replace_file(scratch_ / "elsewhere", "mine");
  fs::create_directories(scratch_ / "folder");
  replace_file(scratch_ / "folder" / "notes.txt", "mine");
  const std::vector<std::function<void()>> additions = {
      [&] { replace_file(out_ / "notes.txt", "mine"); },
      [&] { fs::create_directories(out_ / ".git" / "objects"); },
      [&] { fs::create_symlink(scratch_ / "elsewhere", out_ / "summary.json"); },
      [&] { fs::create_directory_symlink(scratch_ / "folder", out_ / ".partial"); },
      [&] { fs::create_directory_symlink(scratch_ / "folder", out_ / ".next"); },
      [&] {
        fs::create_directories(out_ / ".partial" / "nuts");
        replace_file(out_ / ".partial" / "nuts" / "diary", "mine");
      },
      [&] { replace_file(out_ / "data.json", "mine"); },  // the record does not list it
      [&] { fs::create_directory(out_ / "chain-2.csv"); }};
  const std::string foreign[] = {"notes.txt",           ".git",      "summary.json", ".partial", ".next",
                                 ".partial/nuts/diary", "data.json", "chain-2.csv"};
  for (std::size_t i = 0; i < additions.size(); ++i) {
    additions[i]();
    EXPECT_NE(refusal(true).find("holds " + foreign[i] + ", which no run of Kullback wrote"),
              std::string::npos)
        << foreign[i];
    EXPECT_EQ(chain(), "old");
    fs::remove_all(out_ / *fs::path(foreign[i]).begin());
  }
  EXPECT_EQ(read_file(scratch_ / "elsewhere"), "mine");
  EXPECT_EQ(read_file(scratch_ / "folder" / "notes.txt"), "mine");
  make_whole("new", true);
  EXPECT_EQ(chain(), "new");
}

TEST_F(FolderTest, AFileThatCameDuringTheRunStays) {
  make_whole("old");
  const auto folder = begin(true);
  replace_file(out_ / "notes.txt", "mine");
  finish(*folder, "complete");
  EXPECT_EQ(read_file(out_ / "notes.txt"), "mine");
}

// Versions that did not list the files.
TEST_F(FolderTest, OldFoldersAreReplacedByTheNamesOfTheirKind) {
  make_whole("old");
  RunRecord old = record_;
  old.status = "complete";
  replace_file(out_ / "run.json", to_json(old));
  for (const char* name : {"posterior.nc", "summary.json", "certificate.json", "chain-12.csv", "report.html",
                           "chain-2.csv.new-17"}) {
    replace_file(out_ / name, "x");
  }
  EXPECT_EQ(open_folder(out_).status, "complete");
  make_whole("new", true);
  EXPECT_EQ(names(), (std::set<std::string>{"chain-1.csv", "events.jsonl", "model.stan", "run.json"}));
  old.kind = Kind::mixture;
  replace_file(out_ / "run.json", to_json(old));
  EXPECT_NE(refusal(true).find("holds chain-1.csv"), std::string::npos);
}

TEST_F(FolderTest, AFileInTheWayIsRefused) {
  replace_file(out_, "a file");
  EXPECT_NE(refusal(true).find("is a file"), std::string::npos);
}

TEST_F(FolderTest, AnEmptyFolderMayBeUsed) {
  fs::create_directories(out_);
  begin(false)->abandon();
  EXPECT_TRUE(fs::is_empty(out_));
  begin(false);
  EXPECT_TRUE(fs::exists(out_ / "run.json"));
}

TEST_F(FolderTest, AFailedRunLeavesOnlyDraws) {
  auto folder = begin(false);
  fs::create_directories(partial_folder(out_));
  replace_file(partial_folder(out_) / "chain-1.draws", "");
  replace_file(partial_folder(out_) / "chain-1.state", "state");
  replace_file(partial_folder(out_) / "chain-2.draws", "numbers");
  folder->abandon();
  EXPECT_TRUE(fs::exists(out_));
  fs::remove(partial_folder(out_) / "chain-2.draws");
  folder->abandon();
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(FolderTest, TornFilesAreRemoved) {
  begin(false)->add_event("start", "\"seed\": 1");
  const std::string whole = read_file(out_ / "events.jsonl");
  const std::regex line(
      "\\{\"time\": \"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\", \"event\": \"start\", \"seed\": 1\\}\n");
  EXPECT_TRUE(std::regex_match(whole, line)) << whole;
  append_to_file(out_ / "events.jsonl", "{\"time\": \"20");
  replace_file(out_ / "chain-1.csv.new-17", "half");
  fs::create_directories(partial_folder(out_));
  replace_file(partial_folder(out_) / "chain-1.state.new-17", "half");
  RunFolder::resume(out_);
  EXPECT_EQ(read_file(out_ / "events.jsonl"), whole);
  EXPECT_FALSE(fs::exists(out_ / "chain-1.csv.new-17"));
  EXPECT_FALSE(fs::exists(partial_folder(out_) / "chain-1.state.new-17"));
  EXPECT_TRUE(fs::exists(out_ / "model.stan"));
}

TEST_F(FolderTest, OneRunAtATime) {
  const auto folder = begin(false);
  const std::string busy = "a run is at work in this folder: process " + std::to_string(::getpid());
  EXPECT_NE(message([&] { RunFolder::resume(out_); }, ErrorKind::cannot_write).find(busy), std::string::npos);
  EXPECT_NE(refusal(true).find(busy), std::string::npos);
  finish(*folder, "complete");
}

// The kernel gives back the lock of a process that is killed.
TEST_F(FolderTest, AKilledRunLocksNothing) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = begin(false);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_NE(refusal(true).find("process " + std::to_string(child)), std::string::npos);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunFolder::resume(out_));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(FolderTest, AFileThatIsNotTheRunsIsTold) {
  make_whole("old");
  replace_file(out_ / "chain-1.csv", "odd");
  EXPECT_NE(message([&] { open_folder(out_); }, ErrorKind::bad_input).find("chain-1.csv: has other content"),
            std::string::npos);
  replace_file(out_ / "chain-1.csv", "longer");
  EXPECT_NE(message([&] { open_folder(out_); }, ErrorKind::bad_input).find("has 6 bytes; the run wrote 3"),
            std::string::npos);
  EXPECT_NE(message([&] { RunFolder::resume(out_); }, ErrorKind::bad_input).find("6 bytes"),
            std::string::npos);
  replace_file(out_ / "chain-1.csv", "old");
  EXPECT_NO_THROW(open_folder(out_));
  RunRecord record = open_folder(out_);
  record.files[0].name = "../../etc/passwd";
  replace_file(out_ / "run.json", to_json(record));
  EXPECT_NE(message([&] { open_folder(out_); }, ErrorKind::bad_input).find("is no file of the folder"),
            std::string::npos);
}

// Chains are rewritten before the record is: a kill between must not make them another run's.
TEST_F(FolderTest, ARunThatGoesOnVouchesForNothingUntilItsEnd) {
  {
    const auto folder = begin(false);
    replace_file(folder->file("chain-1.csv"), "half");
    finish(*folder, "interrupted");
  }
  RunFolder::resume(out_);
  EXPECT_EQ(open_folder(out_).files.size(), 2U);
  replace_file(RunFolder::resume(out_)->file("chain-1.csv"), "whole");
  EXPECT_NO_THROW(RunFolder::resume(out_));
}

TEST_F(FolderTest, AFileThatIsMadeAfterTheRun) {
  make_whole("old");
  fs::create_symlink(scratch_ / "outside", out_ / "certificate.json");
  replace_in_folder(out_, "certificate.json", "{}");
  EXPECT_FALSE(fs::exists(scratch_ / "outside"));
  EXPECT_EQ(open_folder(out_).files.back().name, "certificate.json");
  replace_in_folder(out_, "certificate.json", "{ }");
  EXPECT_EQ(open_folder(out_).files.back().bytes, 3U);
  make_whole("new", true);
  EXPECT_FALSE(fs::exists(out_ / "certificate.json"));
}

TEST_F(FolderTest, ACopyIsListedLikeItsSource) {
  make_whole("old");
  const fs::path copy = scratch_ / "copy";
  copy_folder(out_, copy, false);
  EXPECT_EQ(read_file(copy / "chain-1.csv"), "old");
  EXPECT_EQ(open_folder(copy).files.size(), open_folder(out_).files.size());
  EXPECT_THROW(copy_folder(out_, copy, false), Error);
  copy_folder(out_, copy, true);
  EXPECT_THROW(copy_folder(out_, out_, true), Error);
}

TEST_F(FolderTest, EventsAreNotWrittenThroughALink) {
  const auto folder = begin(false);
  replace_file(scratch_ / "elsewhere", "mine");
  fs::create_symlink(scratch_ / "elsewhere", out_ / "events.jsonl");
  EXPECT_THROW(folder->add_event("start", {}), Error);
  EXPECT_EQ(read_file(scratch_ / "elsewhere"), "mine");
}

}  // namespace
}  // namespace kullback::run
