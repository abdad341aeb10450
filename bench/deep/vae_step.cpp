// Milliseconds of a training step of a VAE on random pixels, as `kullback vae` trains: rows of minibatches
// gathered and binarised, forward, backward, Adam.
//   vae_step [cpu|cuda] [threads] [hidden] [latent] [samples] [activation] [tf32|fp32] [graph|eager]
#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/ranks.hpp"
#include "deep/net/options.hpp"
#include "deep/part.hpp"
#include "deep/train/train.hpp"
#include "deep/vae/training.hpp"

namespace {

using namespace kullback;
using namespace kullback::deep;

template <class Record>
auto make(const Record* record, std::map<std::string, std::string> values, const VaeSpec& spec) {
  return record->make(read_options(record->options, values, record->name), spec);
}

std::vector<std::int64_t> units(const std::string& text) {
  std::vector<std::int64_t> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    result.push_back(std::stoll(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

void time_batch(const Vae& vae, const VaeObjective& objective, const torch::Tensor& pixels,
                std::int64_t batch, std::int64_t epochs, bool uses_graph) {
  const auto options = torch::TensorOptions().device(pixels.device()).dtype(torch::kFloat32);
  VaeTrainee trainee(vae, objective, vae.fresh(rows_as_numbers(pixels.narrow(0, 0, 1000), options), 1),
                     {pixels}, {}, {});
  const Ranks ranks;
  double first = 0, last = 0, best = 1e9, before = 0;
  TrainWatch watch;
  watch.on_epoch = [&](const EpochFigures& figures) {
    if (figures.epoch == 1) first = figures.seconds;
    if (figures.epoch > 1) best = std::min(best, figures.seconds - before);
    before = last = figures.seconds;
  };
  train(trainee, {.epochs = epochs, .batch = batch, .seed = 1, .uses_graph = uses_graph}, ranks, watch);
  const double steps = static_cast<double>((pixels.size(0) + batch - 1) / batch);
  std::printf("batch %ld: %.4f ms a step (best epoch %.4f; first epoch %.2f s)\n", static_cast<long>(batch),
              1e3 * (last - first) / (steps * static_cast<double>(epochs - 1)), 1e3 * best / steps, first);
}

}  // namespace

int main(int argc, char** argv) {
  const auto word = [&](int i, const char* fallback) { return std::string(argc > i ? argv[i] : fallback); };
  const torch::Device device(word(1, "cpu"));
  at::set_num_threads(std::stoi(word(2, "2")));
  if (word(7, "") == "tf32") at::globalContext().setAllowTF32CuBLAS(true);
  const std::int64_t samples = std::stoll(word(5, "1"));
  VaeSpec spec{.pixels = 784,
               .height = 28,
               .width = 28,
               .has_unit_range = true,
               .latent = std::stoll(word(4, "20")),
               .hidden = units(word(3, "400")),
               .activation = choice_of(kReluActivation, word(6, "relu"))};
  const Vae vae(spec, make(find_latent_family("gaussian"), {}, spec),
                make(find_decoder_likelihood("bernoulli"), {}, spec),
                make(find_latent_prior("gaussian"), {}, spec));
  const auto objective =
      make(find_vae_objective(samples == 1 ? "vae" : "iwae"), {{"samples", std::to_string(samples)}}, spec);
  at::manual_seed(1);
  const bool is_cpu = device.is_cpu(), uses_graph = word(8, "graph") == "graph";
  const torch::Tensor pixels =
      (torch::rand({is_cpu ? 12800 : 60000, 784}) * 256).to(torch::kUInt8).to(device);
  time_batch(vae, *objective, pixels, 128, is_cpu ? 4 : 8, uses_graph);
  if (samples == 1) time_batch(vae, *objective, pixels, 4096, is_cpu ? 4 : 40, uses_graph);
}
