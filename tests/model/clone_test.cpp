// Clones in threads give the same bits as one object in one thread.
#include <cmath>
#include <thread>

#include "tests/model/loaded_model.hpp"

namespace kullback::model {
namespace {

using namespace program_test;

// Packed operations, array functions, transforms with scratch, and a branch on a parameter that re-traces.
constexpr ProgramRow kPrograms[] = {
    {"regression",
     "data { int N; matrix[N, 2] X; vector[N] y; } parameters { vector[2] b; real<lower=0> s; }"
     " model { b ~ normal(0, 1); for (n in 1:N) y[n] ~ normal(X[n] * b, s); }",
     R"({"N": 3, "X": [[1, 2], [0.5, -1], [3, 1]], "y": [1, 0, 2]})"},
    {"matrices",
     "parameters { cov_matrix[3] S; vector[3] x; } model { x ~ multi_normal(zeros_vector(3), S);"
     " S ~ wishart(5, identity_matrix(3)); }"},
    {"branch",
     "parameters { vector[2] x; } model { if (x[1] > 0) x ~ normal(0, 1); else x ~ student_t(3, 0, 2);"
     " if (x[2] > 3) reject(\"far\"); }"},
};

std::vector<double> batch_of(std::size_t dim, std::size_t lanes, std::size_t number) {
  std::vector<double> theta(dim * lanes);
  for (std::size_t i = 0; i < theta.size(); ++i)
    theta[i] = 2 * std::sin(static_cast<double>(1 + i) * 0.7 + static_cast<double>(number));
  if (number % 5 == 4) theta.back() = 4;  // "branch" rejects
  return theta;
}

std::vector<Evaluated> evaluate_every(density::LogDensity& model, std::size_t first, std::size_t step,
                                      std::size_t count) {
  std::vector<Evaluated> results(count);
  for (std::size_t n = first; n < count; n += step) {
    const std::size_t lanes = n % 3 == 0 ? 1 : n % 3 == 1 ? 4 : 19;
    results[n] = evaluate_lanes(model, batch_of(model.dim(), lanes, n), lanes);
    for (std::size_t k = 0; k < lanes; ++k) {  // a rejected draw has no gradient
      if (results[n].status[k] != density::Status::rejected) continue;
      for (std::size_t i = 0; i < model.dim(); ++i) results[n].gradient[i * lanes + k] = 0;
    }
  }
  return results;
}

TEST(Clone, ThreadsGiveTheBitsOfOneThread) {
  constexpr std::size_t kCount = 60;
  for (const ProgramRow& row : kPrograms) {
    const auto loaded = load(row.program, row.data);
    const std::vector<Evaluated> expected = evaluate_every(*loaded->model, 0, 1, kCount);
    for (const std::size_t threads : {1U, 2U, 3U, 4U, 8U}) {
      std::vector<std::unique_ptr<density::LogDensity>> clones;
      for (std::size_t t = 0; t < threads; ++t) clones.push_back(loaded->model->clone());
      std::vector<std::vector<Evaluated>> found(threads);
      std::vector<std::thread> running;
      for (std::size_t t = 0; t < threads; ++t)
        running.emplace_back([&, t] { found[t] = evaluate_every(*clones[t], t, threads, kCount); });
      for (std::thread& thread : running) thread.join();
      for (std::size_t n = 0; n < kCount; ++n)
        EXPECT_TRUE(found[n % threads][n] == expected[n])
            << row.name << " threads " << threads << " batch " << n;
    }
  }
}

TEST(Clone, SharesTheTapeAndOutlivesTheOriginal) {
  auto loaded = load(kPrograms[0].program, kPrograms[0].data);
  const std::vector<double> theta{0.3, -0.2, 0.1};
  const Evaluated original = evaluate_lanes(*loaded->model, theta);
  const auto clone = loaded->model->clone();
  EXPECT_EQ(dynamic_cast<StanModel&>(*clone).tape(), loaded->model->tape());
  EXPECT_EQ(clone->blocks().data(), loaded->model->blocks().data());
  loaded->model.reset();
  EXPECT_TRUE(evaluate_lanes(*clone, theta) == original);
  EXPECT_EQ(clone->blocks()[1].name, "s");
}

TEST(Clone, OfAModelThatWasNeverEvaluated) {
  const auto loaded = load(kPrograms[1].program);
  const auto clone = loaded->model->clone();
  const std::vector<double> theta(clone->dim(), 0.25);
  EXPECT_TRUE(evaluate_lanes(*clone, theta) == evaluate_lanes(*loaded->model, theta));
}

}  // namespace
}  // namespace kullback::model
