// Rows that stay on disk against the same data in memory.
#include "model/streamed_model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/streamed_rows.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

constexpr std::size_t kRows = 1500;  // three chunks, and two blocks of unlike size

struct Files {
  std::filesystem::path folder;
  std::string json;   // all of the data
  std::string sizes;  // what is not streamed

  Files()
      : folder(std::filesystem::temp_directory_path() / ("kullback-stream-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder);
    Random random(3);
    std::ofstream x(folder / "x.f64", std::ios::binary);
    std::ofstream y(folder / "y.i32", std::ios::binary);
    std::ofstream csv(folder / "rows.csv");
    csv << "y,x.1,x.2\n";
    csv.precision(17);
    std::string xs;
    std::string ys;
    for (std::size_t n = 0; n < kRows; ++n) {
      const double row[2] = {random.normal(), random.normal()};
      const auto count = static_cast<std::int32_t>(random.below(5));
      x.write(reinterpret_cast<const char*>(row), sizeof row);
      y.write(reinterpret_cast<const char*>(&count), sizeof count);
      csv << count << ',' << row[0] << ',' << row[1] << '\n';
      xs += fmt::format("{}[{}, {}]", n == 0 ? "" : ", ", row[0], row[1]);
      ys += fmt::format("{}{}", n == 0 ? "" : ", ", count);
    }
    sizes = fmt::format(R"({{"N": {}, "K": 2, "s": [0.5, 2]}})", kRows);
    json = fmt::format(R"({{"N": {}, "K": 2, "s": [0.5, 2], "x": [{}], "y": [{}]}})", kRows, xs, ys);
  }
  ~Files() { std::filesystem::remove_all(folder); }

  std::vector<std::string> binary() const {
    return {"x=" + (folder / "x.f64").string(), "y=" + (folder / "y.i32").string()};
  }
  std::vector<std::string> csv() const { return {(folder / "rows.csv").string()}; }
};

const std::string kHead = "data { int N; int K; vector[K] s; matrix[N, K] x; array[N] int<lower=0> y; } ";
const std::string kPoisson = kHead + R"(transformed data { vector[N] z = square(x[, 1]); }
  parameters { real a; vector[K] beta; real c; }
  model { a ~ normal(0, 2); beta ~ normal(0, s); c ~ std_normal();
    for (n in 1:N) target += y[n] * log(1.5); y ~ poisson_log(a + x * beta + 0.1 * c * z); })";

struct Streamed {
  SourceMap sources;
  lang::Understood understood;
  std::unique_ptr<StreamedModel> model;
};

std::unique_ptr<Streamed> stream(const std::string& program, const std::string& sizes,
                                 const std::vector<std::string>& files) {
  auto streamed = std::make_unique<Streamed>();
  const FileId file = streamed->sources.add("model.stan", program);
  streamed->understood = lang::understand(streamed->sources, file, {.lint = false});
  if (!streamed->understood.program)
    throw Error(ErrorKind::internal, streamed->understood.diagnostics.front().message);
  const auto source =
      open_streamed_rows(*streamed->understood.program, parse_json_data(sizes, "sizes.json"), "N", files);
  streamed->model = std::make_unique<StreamedModel>(*streamed->understood.program, streamed->sources, *source,
                                                    StanModelOptions{.row_size = "N"});
  return streamed;
}

void expect_near(const Evaluated& a, const Evaluated& b) {
  ASSERT_EQ(a.status[0], density::Status::ok);
  for (std::size_t k = 0; k < a.log_density.size(); ++k)
    EXPECT_NEAR(a.log_density[k], b.log_density[k], 1e-10 * std::abs(b.log_density[k]));
  for (std::size_t i = 0; i < a.gradient.size(); ++i)
    EXPECT_NEAR(a.gradient[i], b.gradient[i], 1e-9 * (1 + std::abs(b.gradient[i])));
}

Evaluated evaluate(density::LogDensity& model, const std::vector<double>& theta, std::size_t lanes = 1) {
  Evaluated result;
  result.log_density.resize(lanes);
  result.gradient.resize(theta.size());
  result.status.resize(lanes);
  model.evaluate(
      {lanes, theta.data(), result.log_density.data(), result.gradient.data(), result.status.data()});
  return result;
}

TEST(StreamedModel, isTheModelInMemory) {
  const Files files;
  const auto whole = load(kPoisson, files.json, {.row_size = "N"});
  ASSERT_NE(whole, nullptr);
  for (const auto& names : {files.binary(), files.csv()}) {
    const auto streamed = stream(kPoisson, files.sizes, names);
    ASSERT_EQ(streamed->model->dim(), whole->model->dim());
    ASSERT_EQ(streamed->model->rows()->count(), kRows);
    const std::vector<double> theta{0.2, -0.1, 0.15, 0.4};
    whole->model->rows()->choose({});
    expect_near(evaluate(*streamed->model, theta), evaluate(*whole->model, theta));
    const std::vector<double> lanes{0.2, 0.1, -0.1, 0, 0.15, 0.3, 0.4, -0.4};
    expect_near(evaluate(*streamed->model, lanes, 2), evaluate(*whole->model, lanes, 2));
    const std::vector<std::uint32_t> some{3, 4, 5, 700, 1499};
    streamed->model->rows()->choose(some);
    whole->model->rows()->choose(some);
    const Evaluated expected = evaluate(*whole->model, theta);
    expect_near(evaluate(*streamed->model, theta), expected);
    const auto clone = streamed->model->clone();
    clone->rows()->choose(some);
    expect_near(evaluate(*clone, theta), expected);
  }
}

std::string refusal(const std::string& program, const std::string& sizes,
                    const std::vector<std::string>& files) {
  try {
    stream(program, sizes, files);
  } catch (const Error& error) {
    return error.message() + " " + error.hint();
  }
  return "not refused";
}

void expect_refused(const std::string& found, const std::string& words) {
  EXPECT_NE(found.find(words), std::string::npos) << found;
}

TEST(StreamedModel, refusesWhatCannotBeStreamed) {
  const Files files;
  const auto refused = [&](const std::string& body) {
    return refusal(kHead + body, files.sizes, files.binary());
  };
  expect_refused(refused(R"(transformed data { real m = mean(x[, 1]); } parameters { real a; }
    model { y ~ poisson_log(a + (x[, 1] - m)); })"),
                 "several rows at once");
  expect_refused(
      refused("parameters { real a; } model { a ~ normal(0, N); y ~ poisson_log(rep_vector(a, N)); }"),
      "depends on N itself");
  expect_refused(refused("parameters { vector[N] u; } model { u ~ std_normal(); y ~ poisson_log(u); }"),
                 "a parameter has this size");
  expect_refused(refused(R"(parameters { real a; } model { for (n in 1:N) { if (y[n] == 0) target += -exp(a);
    else y[n] ~ poisson_log(a); } })"),
                 "different forms");
  expect_refused(
      refused("parameters { vector[5] a; } model { for (n in 1:N) x[n, 1] ~ normal(a[y[n] + 1], 1); }"),
      "which parameters they meet");
  expect_refused(refused(R"(parameters { real a; } transformed parameters { vector[N] m = a + x[, 1]; }
    model { y ~ poisson_log(m); })"),
                 "cannot depend on it");
}

TEST(StreamedModel, refusesFilesThatDoNotFit) {
  const Files files;
  expect_refused(refusal(kPoisson, R"({"N": 1501, "K": 2, "s": [1, 1]})", files.binary()),
                 "1501 rows of 2 numbers");
  expect_refused(refusal(kPoisson, R"({"N": 1501, "K": 2, "s": [1, 1]})", files.csv()),
                 "has 1500 rows, but N is 1501");
  expect_refused(refusal(kPoisson, R"({"N": 1500, "K": 3, "s": [1, 1, 1]})", files.csv()),
                 "has no columns x.1 to x.3");
  expect_refused(refusal(kPoisson, R"({"K": 2, "s": [1, 1]})", files.csv()), "does not say what 'N' is");
  expect_refused(refusal(kPoisson, files.sizes, {"x=nothere.f64", files.binary()[1]}), "cannot be read");
  EXPECT_THROW(streamed_file("x=x.txt"), Error);
  EXPECT_THROW(streamed_file("x.f64"), Error);
}

// So many rows that those in memory are traced in chunks too.
TEST(ManyRows, areTheRowsTracedAtOnce) {
  constexpr std::size_t kMany = 20480;
  std::string y;
  std::string x;
  Random random(5);
  for (std::size_t n = 0; n < kMany; ++n) {
    y += fmt::format("{}{}", n == 0 ? "" : ", ", random.below(3));
    x += fmt::format("{}{:.6f}", n == 0 ? "" : ", ", random.normal());
  }
  const std::string data = fmt::format(R"({{"N": {}, "y": [{}], "x": [{}]}})", kMany, y, x);
  const std::string program =
      "data { int N; array[N] int y; vector[N] x; } parameters { real a; real b; } "
      "model { a ~ std_normal(); y ~ poisson_log(a + b * x); }";
  const auto chunked = load(program, data, {.row_size = "N"});
  const auto at_once = load(program, data, {.rows = {"y", "x"}});
  const std::vector<std::uint32_t> some{0, 511, 512, 20479};
  chunked->model->rows()->choose(some);
  at_once->model->rows()->choose(some);
  expect_near(evaluate(*chunked->model, {0.3, -0.2}), evaluate(*at_once->model, {0.3, -0.2}));
}

}  // namespace
}  // namespace kullback::model
