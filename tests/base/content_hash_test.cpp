#include "base/content_hash.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kullback {
namespace {

std::string thousand_bytes() {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>((i * 7 + 3) % 256);
  return bytes;
}

constexpr const char* kOfThousand = "5f235fa033f1a3fb";

// Values of the xxhash package.
TEST(ContentHash, IsXxh64) {
  EXPECT_EQ(content_hash(""), "ef46db3751d8e999");
  EXPECT_EQ(content_hash("a"), "d24ec4f1a98c6e5b");
  EXPECT_EQ(content_hash("abc"), "44bc2cf5ad770999");
  EXPECT_EQ(content_hash("foobar"), "a2aa05ed9085aaf9");
  EXPECT_EQ(content_hash("0123456789abcdef0123456789abcde"), "1fdfc63febacfde7");
  EXPECT_EQ(content_hash("0123456789abcdef0123456789abcdef"), "642a94958e71e6c5");
  EXPECT_EQ(content_hash(thousand_bytes()), kOfThousand);
}

TEST(ContentHash, PiecesDoNotMatter) {
  const std::string bytes = thousand_bytes();
  for (const std::size_t piece : {1U, 3U, 31U, 32U, 33U, 64U, 999U}) {
    ContentHash hash;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      hash.add(std::string_view(bytes).substr(at, piece));
    EXPECT_EQ(hash.text(), kOfThousand) << piece;
  }
}

TEST(ContentHash, OfAFile) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "content-hash";
  replace_file(path, thousand_bytes());
  const FileContent content = content_of_file(path);
  EXPECT_EQ(content.bytes, 1000U);
  EXPECT_EQ(content.hash, kOfThousand);
  std::filesystem::remove(path);
  EXPECT_THROW(content_of_file(path), Error);
}

}  // namespace
}  // namespace kullback
