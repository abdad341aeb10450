// Files cut off or with bytes changed are read or refused with an Error; nothing else happens.
#include <zlib.h>

#include <map>

#include "base/random.hpp"
#include "tests/data/source_checks.hpp"

namespace kullback::data {
namespace {

using Damaged = SourceTest;

// Every unit of the file, in memory and streamed, where it can be read.
bool reads(SourceRequest request) {
  bool is_read = true;
  for (const bool streams : {false, true}) {
    for (const std::size_t shards : {1, 3}) {
      request.streams = streams;
      request.shards = shards;
      request.shard = shards - 1;
      try {
        const auto source = open_source(request);
        Buffer buffer;
        std::uint64_t units = 0;
        while (source->read(2, buffer)) {
          units += buffer.units();
          const Batch batch = buffer.batch();
          for (const std::uint32_t index : batch.indices) EXPECT_LT(index, source->shape().columns);
          if (batch.kind != DataKind::documents) {
            EXPECT_EQ(batch.values.size(), batch.rows() * source->shape().columns);
          }
        }
        EXPECT_EQ(units, source->units());
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::internal) << error.message();
        is_read = false;
      }
    }
  }
  return is_read;
}

std::string small_npy(const std::string& head, std::size_t bytes) {
  std::string text = std::string("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(head.size());
  text += '\0';
  return text + head + std::string(bytes, '\x3f');
}

std::string zipped(std::string_view text, const std::filesystem::path& scratch) {
  const gzFile out = ::gzopen(scratch.c_str(), "wb");
  ::gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(out);
  return read_file(scratch);
}

TEST_F(Damaged, FilesNeverCrash) {
  const std::string csv =
      "\"a, b\",kind,x\r\n1.5,red,\"3\"\r\n-2e3,\"blue \"\"y\"\"\",4\r\n3,red,\r\n4,NA,5\r\n";
  const std::map<std::string, std::string> files = {
      {"csv", csv},
      {"npy", small_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }\n", 32)},
      {"fortran", small_npy("{'descr': '<i2', 'fortran_order': True, 'shape': (4, 2), }\n", 16)},
      {"ldac", "2 0:1 4:3\n1 2:2\n3 1:1 0:1 3:4\n0\n"},
      {"uci", "3\n4\n5\n1 1 2\n1 4 1\n2 2 7\n3 1 1\n3 3 1\n"},
      {"mtx", "%%MatrixMarket matrix coordinate real general\n% c\n3 4 4\n1 1 2\n1 4 1\n2 2 7.5\n3 1 1\n"},
      {"triples", "doc,word,count\nann,\"x,y\",1\nann,z,2\nbob,z,3\n"},
      {"gz", zipped(csv, folder_ / "scratch")},
  };
  Random random(7);
  int read = 0;
  int all = 0;
  for (const auto& [name, text] : files) {
    for (int round = 0; round < 150; ++round) {
      std::string damaged = text;
      const int kind = round % 3;
      if (kind != 1) damaged.resize(static_cast<std::size_t>(random.below(damaged.size() + 1)));
      for (int flip = 0; kind != 0 && flip < 3 && !damaged.empty(); ++flip)
        damaged[static_cast<std::size_t>(random.below(damaged.size()))] =
            static_cast<char>(random.below(256));
      SourceRequest request = table(damaged, name);
      request.kind = static_cast<DataKind>(random.below(3));
      request.takes_missing = random.below(2) == 0;
      request.takes_categories = random.below(2) == 0;
      request.needs_counts = random.below(2) == 0;
      request.allows_empty_documents = name != "uci" && name != "mtx" && random.below(2) == 0;
      if (request.kind == DataKind::sequences && random.below(2) == 0) request.sequence = "kind";
      read += reads(request) ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(read, all / 20);  // or else nothing but the first check is tested
  EXPECT_LT(read, all * 3 / 4);
}

}  // namespace
}  // namespace kullback::data
