// Logistic regression with N rows and K columns, simulated here: how near minibatch variational inference
// comes to the posterior of all rows, and in what time. The reference is the mode and the exact Hessian
// there, by Newton's method in plain loops: with a million rows the posterior is Gaussian for all purposes
// here. bench/minibatch.py runs it.
//   minibatch_bench memory N K BATCH CONTROL   data in memory; CONTROL: anchor or none
//   minibatch_bench write N K FOLDER           files for --stream
//   minibatch_bench reference N K              the reference's means and sds, a line each
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "infer/algorithm.hpp"
#include "lang/front_end.hpp"
#include "model/stan_model.hpp"

namespace kullback {
namespace {

// Of this process, not of the wall clock: what else the machine does should not show.
struct Clock {
  using time_point = double;
  static double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
};
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kPriorSd = 1;
constexpr double kInterceptSd = 2;

const char* const kProgram = R"(data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real a;
  vector[K] beta;
}
model {
  a ~ normal(0, 2);
  beta ~ normal(0, 1);
  y ~ bernoulli_logit_glm(x, a, beta);
}
)";

double seconds_since(Clock::time_point then) { return Clock::now() - then; }

struct Simulated {
  Rows x;
  std::vector<double> y;
};

Simulated simulate(std::size_t n, std::size_t k) {
  Random random(20261116);
  Eigen::VectorXd beta(k);
  for (double& b : beta) b = 0.2 * random.normal();
  Simulated data{Rows(n, k), std::vector<double>(n)};
  for (std::size_t row = 0; row < n; ++row) {
    const double common = random.normal();  // correlates the columns
    for (std::size_t c = 0; c < k; ++c) data.x(row, c) = 0.6 * common + 0.8 * random.normal();
    const double eta = 0.3 + data.x.row(row).dot(beta);
    data.y[row] = random.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0;
  }
  return data;
}

struct Reference {
  Eigen::VectorXd mean;
  Eigen::VectorXd sd;
};

Reference find_reference(const Simulated& data) {
  const Eigen::Index k = data.x.cols();
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(k + 1);
  Eigen::MatrixXd precision;
  for (int iteration = 0; iteration < 8; ++iteration) {
    Eigen::VectorXd gradient = -theta / (kPriorSd * kPriorSd);
    gradient[0] = -theta[0] / (kInterceptSd * kInterceptSd);
    precision = Eigen::MatrixXd::Identity(k + 1, k + 1) / (kPriorSd * kPriorSd);
    precision(0, 0) = 1 / (kInterceptSd * kInterceptSd);
    Eigen::VectorXd z(k + 1);
    z[0] = 1;
    for (Eigen::Index row = 0; row < data.x.rows(); ++row) {
      z.tail(k) = data.x.row(row).transpose();
      const double p = 1 / (1 + std::exp(-theta.dot(z)));
      gradient += (data.y[static_cast<std::size_t>(row)] - p) * z;
      precision.selfadjointView<Eigen::Lower>().rankUpdate(z, p * (1 - p));
    }
    theta += precision.selfadjointView<Eigen::Lower>().llt().solve(gradient);
  }
  const Eigen::MatrixXd covariance =
      precision.selfadjointView<Eigen::Lower>().llt().solve(Eigen::MatrixXd::Identity(k + 1, k + 1));
  return {theta, covariance.diagonal().cwiseSqrt()};
}

model::Data data_of(const Simulated& simulated) {
  model::Data data("simulated");
  const auto n = static_cast<std::size_t>(simulated.x.rows());
  const auto k = static_cast<std::size_t>(simulated.x.cols());
  model::DataValue number;
  number.numbers = {static_cast<double>(n)};
  data.add("N", number);
  number.numbers = {static_cast<double>(k)};
  data.add("K", number);
  model::DataValue x;
  x.kind = model::DataKind::real;
  x.dims = {n, k};
  x.numbers.assign(simulated.x.data(), simulated.x.data() + simulated.x.size());
  data.add("x", std::move(x));
  model::DataValue y;
  y.dims = {n};
  y.numbers = simulated.y;
  data.add("y", std::move(y));
  return data;
}

// The model, but that log densities of all rows without gradient are not computed: the approximation's own
// moments are then known from many draws for nothing. Nothing before the draws asks for such.
class WithoutDraws final : public density::LogDensity, public density::Rows {
 public:
  explicit WithoutDraws(density::LogDensity& inner) : inner_(inner) {}
  std::size_t dim() const override { return inner_.dim(); }
  std::string message() const override { return inner_.message(); }
  std::span<const density::Block> blocks() const override { return inner_.blocks(); }
  std::span<const density::Support> supports() const override { return inner_.supports(); }
  density::Rows* rows() override { return this; }
  std::size_t count() const override { return inner_.rows()->count(); }
  void choose(std::span<const std::uint32_t> rows) override {
    are_chosen_ = !rows.empty();
    inner_.rows()->choose(rows);
  }
  void evaluate(const density::Batch& batch) override {
    if (are_chosen_ || batch.gradient != nullptr) return inner_.evaluate(batch);
    std::fill_n(batch.log_density, batch.lanes, 0.0);
    std::fill_n(batch.status, batch.lanes, density::Status::ok);
  }

 private:
  density::LogDensity& inner_;
  bool are_chosen_ = false;
};

// Of one of many draws that are evaluated together.
double log_density_seconds(model::StanModel& model) {
  constexpr std::size_t kLanes = 64;
  std::vector<double> theta(model.dim() * kLanes, 0.01);
  std::vector<double> values(kLanes);
  std::vector<density::Status> status(kLanes);
  const auto once = [&] { model.evaluate({kLanes, theta.data(), values.data(), nullptr, status.data()}); };
  once();  // traces
  const Clock::time_point began = Clock::now();
  once();
  return seconds_since(began) / kLanes;
}

double gradient_seconds(model::StanModel& model) {
  std::vector<double> theta(model.dim(), 0.01);
  std::vector<double> gradient(model.dim());
  double value = 0;
  density::Status status{};
  const auto once = [&] { model.evaluate({1, theta.data(), &value, gradient.data(), &status}); };
  once();  // traces
  constexpr int kRepeat = 20;
  const Clock::time_point began = Clock::now();
  for (int i = 0; i < kRepeat; ++i) once();
  return seconds_since(began) / kRepeat;
}

void run_in_memory(std::size_t n, std::size_t k, std::size_t batch, const std::string& control) {
  SourceMap sources;
  const FileId file = sources.add("logistic.stan", kProgram);
  const lang::Understood understood = lang::understand(sources, file, {.lint = false});
  const Simulated simulated = simulate(n, k);
  const Reference reference = find_reference(simulated);
  model::StanModel model(*understood.program, sources, data_of(simulated), {.row_size = "N"});
  const double gradient = gradient_seconds(model);
  Clock::time_point began = Clock::now();
  model.rows();
  const double finding_rows = seconds_since(began);
  infer::Options options;
  options.set("batch_size", batch);
  options.set("row_control", control);
  options.set("draws", 40000);
  began = Clock::now();
  WithoutDraws fitted_model(model);
  const auto algorithm =
      infer::find_method("fullrank")->make(fitted_model, options, {std::vector<double>(k + 1, 0.0), 1, 0});
  infer::Draws draws;
  double fitted = 0;
  while (algorithm->step(draws)) {
    if (draws.count() == 0) fitted = seconds_since(began);
  }
  double worst_mean = 0;
  double worst_sd = 0;
  const auto count = static_cast<double>(draws.count());
  for (std::size_t i = 0; i <= k; ++i) {
    double mean = 0;
    double squares = 0;
    for (std::size_t d = 0; d < draws.count(); ++d) mean += draws.theta[d * (k + 1) + i] / count;
    for (std::size_t d = 0; d < draws.count(); ++d)
      squares += std::pow(draws.theta[d * (k + 1) + i] - mean, 2) / (count - 1);
    const auto at = static_cast<Eigen::Index>(i);
    worst_mean = std::max(worst_mean, std::abs(mean - reference.mean[at]) / reference.sd[at]);
    worst_sd = std::max(worst_sd, std::abs(std::sqrt(squares) / reference.sd[at] - 1));
  }
  std::printf(
      "{\"rows\": %zu, \"columns\": %zu, \"batch\": %zu, \"control\": \"%s\", \"gradient_ms\": %.2f, "
      "\"finding_rows_s\": %.1f, \"fit_s\": %.3f, \"fit_in_gradients\": %.1f, \"log_density_ms\": %.2f, "
      "\"worst_mean_error_sd\": %.3f, \"worst_sd_error\": %.3f, \"facts\": {",
      n, k, batch, control.c_str(), 1e3 * gradient, finding_rows, fitted, fitted / gradient,
      1e3 * log_density_seconds(model), worst_mean, worst_sd);
  const char* comma = "";
  for (const auto& [name, value] : algorithm->facts()) {
    if (name != "gradients of all rows" && name != "passes over the data for the fit") continue;
    std::printf("%s\"%s\": \"%s\"", comma, name.c_str(), value.c_str());
    comma = ", ";
  }
  std::printf("}}\n");
}

void write_files(std::size_t n, std::size_t k, const std::string& folder) {
  const Simulated simulated = simulate(n, k);
  std::ofstream(folder + "/logistic.stan") << kProgram;
  std::ofstream(folder + "/sizes.json") << fmt::format("{{\"N\": {}, \"K\": {}}}\n", n, k);
  std::ofstream x(folder + "/x.f64", std::ios::binary);
  x.write(reinterpret_cast<const char*>(simulated.x.data()),
          static_cast<std::streamsize>(simulated.x.size() * sizeof(double)));
  std::ofstream y(folder + "/y.u8", std::ios::binary);
  for (const double number : simulated.y) y.put(static_cast<char>(number));
}

void print_reference(std::size_t n, std::size_t k) {
  const Reference reference = find_reference(simulate(n, k));
  for (Eigen::Index i = 0; i < reference.mean.size(); ++i)
    std::printf("%.17g %.17g\n", reference.mean[i], reference.sd[i]);
}

}  // namespace
}  // namespace kullback

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    std::fputs("usage: minibatch_bench memory N K BATCH CONTROL | write N K FOLDER | reference N K\n",
               stderr);
    return 64;
  }
  const std::size_t n = std::stoul(words[1]);
  const std::size_t k = std::stoul(words[2]);
  if (words[0] == "memory" && words.size() == 5)
    kullback::run_in_memory(n, k, std::stoul(words[3]), words[4]);
  if (words[0] == "write" && words.size() == 4) kullback::write_files(n, k, words[3]);
  if (words[0] == "reference") kullback::print_reference(n, k);
  return 0;
}
