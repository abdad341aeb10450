// Libraries with BridgeStan's interface: a right one against the Stan program it stands for, and wrong ones.
#include "model/bridgestan_model.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

using density::Status;

const std::string kFolder = KULLBACK_BRIDGESTAN_FOLDER;
const std::string kGood = kFolder + "/bridgestan_good.so";
const std::string kData = R"({"y": [1, 3, -0.5]})";

TEST(BridgeStan, IsTheProgramItStandsFor) {
  for (const bool normalized : {false, true}) {
    BridgeStanModel model(kGood, kData, {.normalized = normalized});
    const auto stan = load(
        "data { vector[3] y; } parameters { real mu; vector<lower=0>[2] s; }"
        " model { y ~ normal(mu, s[1]); s ~ exponential(1); }",
        kData, {.normalized = normalized});
    ASSERT_EQ(model.dim(), 3U);
    const std::vector<double> theta{0.3, -1, 2, 0.5, 0.1, -0.7};  // two draws
    const Evaluated a = evaluate_lanes(model, theta, 2);
    const Evaluated b = evaluate_lanes(*stan->model, theta, 2);
    EXPECT_EQ(a.status, b.status);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(a.log_density[k], b.log_density[k], 1e-13 * std::abs(b.log_density[k]));
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-13 * (1 + std::abs(b.gradient[i])));
    double value = 0;
    Status status = Status::rejected;
    const std::vector<double> first{0.3, 2, 0.1};
    model.evaluate({1, first.data(), &value, nullptr, &status});
    EXPECT_EQ(value, a.log_density[0]);
    EXPECT_EQ(status, Status::ok);
  }
}

TEST(BridgeStan, NamesAndConstrains) {
  const BridgeStanModel model(kGood, kData);
  EXPECT_EQ(model.name(), "by_hand_model");
  EXPECT_EQ(model.param_names(), (std::vector<std::string>{"mu", "s.1", "s.2"}));
  ASSERT_EQ(model.blocks().size(), 2U);
  EXPECT_EQ(model.blocks()[1].name, "s");
  EXPECT_EQ(model.blocks()[1].first, 1U);
  EXPECT_EQ(model.blocks()[1].size, 2U);
  EXPECT_EQ(model.constrain({0.5, 0, 1}), (std::vector<double>{0.5, 1, std::exp(1.0)}));
  EXPECT_THROW(model.constrain({std::nan(""), 0, 1}), Error);
}

TEST(BridgeStan, WritesItsOutputs) {
  const BridgeStanModel model(kGood, kData);
  const std::unique_ptr<OutputWriter> outputs = model.outputs();
  EXPECT_EQ(outputs->column_names(), (std::vector<std::string>{"mu", "s.1", "s.2", "prod", "u"}));
  EXPECT_EQ(outputs->parameter_columns(), 3U);
  EXPECT_EQ(outputs->generated_columns_begin(), 4U);
  Random random(1);
  double sum = 0;
  constexpr int kDraws = 1000;
  std::vector<double> row(5);
  const std::vector<double> theta{0.5, 0, 1};
  for (int i = 0; i < kDraws; ++i) {
    ASSERT_TRUE(outputs->write(theta.data(), random, row.data()));
    EXPECT_EQ(row[0], 0.5);
    EXPECT_EQ(row[3], std::exp(1.0));
    sum += row[4];  // a generator of its own for each draw
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 4 / std::sqrt(12.0 * kDraws));
  const std::vector<double> bad{std::nan(""), 0, 1};
  EXPECT_FALSE(outputs->write(bad.data(), random, row.data()));
  EXPECT_EQ(outputs->message(), "mu is nan");
  for (const double number : row) EXPECT_TRUE(std::isnan(number));

  const std::unique_ptr<OutputWriter> clone = outputs->clone();
  ASSERT_NE(clone, nullptr);
  std::vector<double> other(5);
  Random one(2);
  Random same(2);
  EXPECT_TRUE(outputs->write(theta.data(), one, row.data()));
  EXPECT_TRUE(clone->write(theta.data(), same, other.data()));
  EXPECT_EQ(row, other);
  EXPECT_EQ(BridgeStanModel(kFolder + "/bridgestan_one_thread.so", kData).outputs()->clone(), nullptr);
}

TEST(BridgeStan, ARejectedDrawHasTheLibrarysMessage) {
  BridgeStanModel model(kGood, kData);
  const Evaluated at = evaluate_lanes(model, {0, 200, 0, 0, 0, 0}, 2);
  EXPECT_EQ(at.status[0], Status::ok);
  EXPECT_EQ(at.status[1], Status::rejected);
  EXPECT_EQ(model.message(), "mu is too large");
  EXPECT_EQ(evaluate_lanes(model, {0, 1000, 0}).status[0], Status::not_finite);
}

TEST(BridgeStan, ClonesAreForLibrariesWithThreads) {
  BridgeStanModel model(kGood, kData);
  const std::vector<double> theta{0.3, 0.2, -0.1};
  const Evaluated expected = evaluate_lanes(model, theta);
  std::vector<std::unique_ptr<density::LogDensity>> clones;
  std::vector<Evaluated> found(3);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) clones.push_back(model.clone());
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] { found[t] = evaluate_lanes(*clones[t], theta); });
  for (std::thread& thread : threads) thread.join();
  for (const Evaluated& one : found) EXPECT_TRUE(one == expected);
  EXPECT_EQ(BridgeStanModel(kFolder + "/bridgestan_one_thread.so", kData).clone(), nullptr);
}

struct WrongRow {
  std::string library;
  std::string data;
  ErrorKind kind;
  const char* text;
};

TEST(BridgeStan, SaysWhatIsWrongWithALibrary) {
  const std::filesystem::path text = std::filesystem::temp_directory_path() / "kullback_no_library.so";
  std::ofstream(text) << "not a library";
  const WrongRow rows[] = {
      {kFolder + "/no_such.so", kData, ErrorKind::missing_file, "no such file"},
      {kFolder, kData, ErrorKind::bad_input, "found a folder"},
      {text.string(), kData, ErrorKind::bad_input, "cannot be loaded as a shared library"},
      {kFolder + "/bridgestan_foreign.so", kData, ErrorKind::bad_input,
       "does not have BridgeStan's interface"},
      {kFolder + "/bridgestan_old.so", kData, ErrorKind::bad_input, "BridgeStan 1"},
      {kFolder + "/bridgestan_newer.so", kData, ErrorKind::bad_input, "version 3"},
      {kFolder + "/bridgestan_incomplete.so", kData, ErrorKind::bad_input, "'bs_log_density' of"},
      {kGood, R"({"x": [1]})", ErrorKind::bad_input, "variable name=y"},
  };
  for (const WrongRow& row : rows) {
    try {
      const BridgeStanModel model(row.library, row.data);
      ADD_FAILURE() << row.library << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), row.kind) << row.library;
      EXPECT_NE(error.message().find(row.text), std::string::npos) << error.message();
    }
  }
  std::filesystem::remove(text);
}

}  // namespace
}  // namespace kullback::model
