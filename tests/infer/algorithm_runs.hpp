// Runs of algorithms, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "infer/algorithm.hpp"

namespace kullback::infer::testing {

struct Outcome {
  Draws draws;
  Findings findings;
  Progress progress;

  bool found(const std::string& code) const { return finding(code) != nullptr; }
  const Finding* finding(const std::string& code) const {
    for (const Finding& finding : findings) {
      if (finding.code == code) return &finding;
    }
    return nullptr;
  }
  std::string codes() const {
    std::string all;
    for (const Finding& finding : findings)
      all += finding.code + ": " + finding.message + " " + finding.evidence + "\n";
    return all;
  }
};

inline Outcome finish(Algorithm& algorithm, Draws draws = {}) {
  while (algorithm.step(draws)) {
  }
  return {std::move(draws), algorithm.findings(), algorithm.progress()};
}

inline Outcome run(const std::string& method, density::LogDensity& density, const Options& options,
                   Start start) {
  const Method* record = find_method(method);
  EXPECT_NE(record, nullptr) << method;
  return finish(*record->make(density, options, std::move(start)));
}

inline void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.draws.theta, b.draws.theta);
  EXPECT_EQ(a.draws.log_density, b.draws.log_density);
  EXPECT_EQ(a.draws.log_q, b.draws.log_q);
  EXPECT_EQ(a.draws.stats, b.draws.stats);
  EXPECT_EQ(a.codes(), b.codes());
  EXPECT_EQ(a.progress.done, b.progress.done);
  EXPECT_EQ(a.progress.gradients, b.progress.gradients);
}

// Archives after every `stride`-th step, also after the last; what goes on from each archive ends in the same
// bits.
inline void expect_resumes(const std::string& method, density::LogDensity& density, const Options& options,
                           const Start& start, std::size_t stride = 1) {
  const Method& record = *find_method(method);
  const auto whole = record.make(density, options, start);
  std::vector<std::pair<std::vector<double>, Draws>> archives;
  Draws draws;
  bool goes_on = true;
  for (std::size_t steps = 0; goes_on; ++steps) {
    if (steps % stride == 0) {
      Archive archive;
      whole->archive(archive);
      archives.emplace_back(archive.numbers(), draws);
    }
    goes_on = whole->step(draws);
  }
  Archive last;
  whole->archive(last);
  archives.emplace_back(last.numbers(), draws);
  const Outcome expected{draws, whole->findings(), whole->progress()};
  for (auto& [numbers, before] : archives) {
    const auto resumed = record.make(density, options, start);
    Archive archive(numbers);
    resumed->archive(archive);
    EXPECT_TRUE(archive.is_complete());
    expect_same(finish(*resumed, before), expected);
  }
}

}  // namespace kullback::infer::testing
