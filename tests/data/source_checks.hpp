// Data files for tests, and what must be said of bad ones.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "data/source.hpp"

namespace kullback::data {

// A folder for the files of a test, gone after it.
class SourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("kullback-source-" + std::to_string(::getpid()) + "-" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, text);
    return folder_ / name;
  }
  SourceRequest table(std::string_view text, const std::string& name = "data.csv") const {
    return {.paths = {file(name, text)}};
  }
  SourceRequest documents(std::string_view text, const std::string& name = "data.txt") const {
    return {.paths = {file(name, text)}, .kind = DataKind::documents, .needs_counts = true};
  }
  SourceRequest sequences(std::string_view text, const std::string& column) const {
    return {.paths = {file("data.csv", text)}, .kind = DataKind::sequences, .sequence = column};
  }

  // Message and hint, with the folder's name left out.
  std::string error_of(const SourceRequest& request) const {
    try {
      open_source(request);
    } catch (const Error& error) {
      std::string text = error.message() + " | " + error.hint();
      const std::string folder = folder_.string() + "/";
      for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
        text.erase(at, folder.size());
      return text;
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

inline std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// All that a batch holds, as text that EXPECT_EQ shows.
inline std::string text_of_batch(const Batch& batch) {
  std::string text = std::to_string(batch.first) + "+" + std::to_string(batch.units) + ":";
  const auto row_text = [&](std::size_t row) {
    std::string line;
    for (const double cell : batch.row(row)) line += " " + number_text(cell);
    return line + ";";
  };
  for (std::size_t unit = 0; unit < batch.units; ++unit) {
    if (batch.kind == DataKind::table) {
      text += row_text(unit);
      continue;
    }
    text += " [";
    for (std::size_t at = batch.offsets[unit]; at < batch.offsets[unit + 1]; ++at) {
      text += batch.kind == DataKind::sequences
                  ? row_text(at)
                  : " " + std::to_string(batch.indices[at]) + ":" + number_text(batch.values[at]);
    }
    text += " ]";
  }
  return text;
}

inline std::string text_of_source(const SourceRequest& request) {
  const auto source = open_source(request);
  return text_of_batch(*source->in_memory());
}

// Shards in memory are parts of the whole one after another; streams give the same in pieces of any size.
inline void expect_shards_and_streams_agree(SourceRequest request) {
  const auto whole = open_source(request);
  const Batch& all = *whole->in_memory();
  for (const std::size_t shards : {1, 2, 7}) {
    std::uint64_t next = 0;
    for (std::size_t shard = 0; shard < shards; ++shard) {
      request.shard = shard;
      request.shards = shards;
      request.streams = false;
      const auto part = open_source(request);
      EXPECT_EQ(part->first_unit(), next);
      EXPECT_EQ(part->first_unit(), all.units * shard / shards);
      EXPECT_EQ(part->shape().units, all.units);
      EXPECT_EQ(part->shape().names, whole->shape().names);
      EXPECT_EQ(part->shape().levels, whole->shape().levels);
      next += part->units();
      const Batch wanted =
          all.part(static_cast<std::size_t>(part->first_unit()), static_cast<std::size_t>(next));
      EXPECT_EQ(text_of_batch(*part->in_memory()), text_of_batch(wanted));
      request.streams = true;
      const auto stream = open_source(request);
      EXPECT_EQ(stream->in_memory(), nullptr);
      EXPECT_EQ(stream->shape().columns, whole->shape().columns);
      for (const std::size_t piece : {1, 2, 1000}) {
        for (Source* source : {part.get(), stream.get()}) {
          source->rewind();
          Buffer buffer;
          auto at = static_cast<std::size_t>(part->first_unit());
          while (source->read(piece, buffer)) {
            EXPECT_LE(buffer.units(), piece);
            EXPECT_EQ(text_of_batch(buffer.batch()), text_of_batch(all.part(at, at + buffer.units())));
            at += buffer.units();
          }
          EXPECT_EQ(at, next);
        }
      }
    }
    EXPECT_EQ(next, all.units);
  }
}

}  // namespace kullback::data
