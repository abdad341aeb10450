#include "conjugate/warm_up.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "conjugate/movers.hpp"

namespace kullback::conjugate {

namespace {

constexpr double kDelay = 10;
constexpr double kForgetting = 0.7;

}  // namespace

void warm_up(Model& model, const Batch& sample, std::size_t batch, std::size_t passes, Random& random) {
  RobbinsMonroMover mover(kDelay, kForgetting);
  const std::size_t steps = passes * ((sample.units + batch - 1) / batch);
  Batch whole = sample;
  whole.first = 0;
  Buffer minibatch(sample.kind, sample.columns);
  for (std::size_t step = 0; step < steps; ++step) {
    minibatch.clear();
    model.sample_minibatch(whole, whole.units, batch, random, minibatch);
    Statistics statistics{.values = std::vector<double>(model.statistics_size())};
    model.prepare();
    model.local_step(minibatch.batch(), {}, statistics);
    mover.set_step(step);
    for (std::size_t block = 0; block < model.blocks(); ++block) model.global_step(block, statistics, mover);
  }
}

}  // namespace kullback::conjugate
