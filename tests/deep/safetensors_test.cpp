#include "deep/train/safetensors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"

namespace kullback::deep {
namespace {

class SafetensorsTest : public testing::Test {
 protected:
  SafetensorsTest()
      : path_(std::filesystem::temp_directory_path() / ("safetensors_test." + std::to_string(::getpid()))) {}
  ~SafetensorsTest() override { std::filesystem::remove(path_); }

  std::string refusal(const std::string& bytes) const {
    write_file(path_, bytes);
    try {
      read_safetensors(path_);
    } catch (const Error& error) {
      return error.message();
    }
    return {};
  }

  static std::string with_header(const std::string& header, const std::string& data = {}) {
    const std::uint64_t size = header.size();
    std::string bytes(sizeof size, '\0');
    std::memcpy(bytes.data(), &size, sizeof size);
    return bytes + header + data;
  }

  std::filesystem::path path_;
};

TEST_F(SafetensorsTest, ReadsWhatItWrote) {
  const torch::Tensor numbers = torch::arange(6, torch::kFloat32).view({2, 3});
  TensorFile file;
  file.metadata = {{"format", "pt"}, {"odd \"name\"", "line\nbreak"}};
  file.tensors = {{"a", numbers.transpose(0, 1)},
                  {"empty", torch::empty({0, 4}, torch::kFloat64)},
                  {"one", torch::tensor(7)},
                  {"flags", torch::tensor({true, false})}};
  write_safetensors(path_, file);
  const TensorFile read = read_safetensors(path_);
  EXPECT_EQ(read.metadata, file.metadata);
  ASSERT_EQ(read.tensors.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.tensors[i].first, file.tensors[i].first);
    EXPECT_TRUE(read.tensors[i].second.equal(file.tensors[i].second));
    EXPECT_EQ(read.tensors[i].second.scalar_type(), file.tensors[i].second.scalar_type());
  }
  EXPECT_EQ(read.find("b"), nullptr);
}

// The bytes as the format's description has them.
TEST_F(SafetensorsTest, BytesAreThoseOfTheFormat) {
  TensorFile file;
  file.tensors = {{"x", torch::tensor({1.0F, 2.0F})}};
  const std::string header = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  const std::string numbers("\0\0\x80\x3f\0\0\0\x40", 8);
  EXPECT_EQ(safetensors_bytes(file), with_header(padded, numbers));
}

TEST_F(SafetensorsTest, SaysWhatIsWrongWithAFile) {
  const auto entry = [](const std::string& body) { return with_header("{\"x\":" + body + "}", "12345678"); };
  const auto has = [&](const std::string& bytes, const std::string& part) {
    const std::string message = refusal(bytes);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  has("123", "too short");
  has(std::string(8, '\xff'), "ends within its header");
  has(with_header("nonsense"), "is no JSON");
  has(with_header("[]"), "no object");
  has(entry(R"({"shape":[2],"data_offsets":[0,8]})"), "does not say the type of 'x'");
  has(entry(R"({"dtype":"F8","shape":[8],"data_offsets":[0,8]})"), "type F8");
  has(entry(R"({"dtype":"F32","shape":[2],"data_offsets":[0,9]})"), "ends within 'x'");
  has(entry(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), "ends within 'x'");
  has(entry(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"), "another size than its shape");
  has(entry(R"({"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,8]})"),
      "another size than its shape");
  has(entry(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"), "no count");
  has(with_header(R"({"__metadata__":{"a":1}})"), "metadata 'a'");
}

}  // namespace
}  // namespace kullback::deep
