// A network on paper: all that is needed to build it again, and its weights in a file. DIR/network.json and
// DIR/weights.safetensors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/option.hpp"
#include "base/ranks.hpp"
#include "deep/bnn/bayes_net.hpp"
#include "deep/bnn/fit/table.hpp"
#include "deep/bnn/posterior.hpp"
#include "deep/net/options.hpp"
#include "deep/net/precision.hpp"

namespace kullback::deep {

enum class NetworkShape { automatic, mlp, conv };
inline constexpr auto kNetworkShape =
    ChoiceOption("architecture", NetworkShape::automatic, "auto|mlp|conv",
                 "Of the network; conv: convolutions, of images; auto: conv where there are images");

struct Network {
  Preparation preparation = {};
  NetworkShape architecture = NetworkShape::mlp;  // conv: of images
  std::vector<std::int64_t> filters = {};         // of conv: of each convolution
  std::int64_t kernel = 3;                        // of conv: side of a convolution's window, odd
  std::vector<std::int64_t> hidden = {50};
  Activation activation = Activation::relu;
  bool is_residual = false;
  std::string likelihood = "gaussian";
  double noise = 0;  // of "gaussian": known sd in the target's units; 0: learned
  std::string prior = "gaussian";
  OptionValues prior_options = {};
  std::string posterior = "ensemble";
  OptionValues posterior_options = {};
  std::int64_t members = 1;
  std::int64_t draws = 100;  // of each member, for predictions
  std::int64_t train_rows = 0;
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;
};

// Throw Error usage that lists the names.
const LikelihoodRecord& likelihood_named(const std::string& name);
const PriorRecord& prior_named(const std::string& name);
const PosteriorRecord& posterior_named(const std::string& name);

std::string to_json(const Network& network);
// Throws Error missing_file or bad_input.
Network read_network(const std::filesystem::path& file);

// The parts, on a device. Throws Error usage for what makes no sense together.
class BuiltNetwork final {
 public:
  // nets: those of the members that are here, where processes share them.
  BuiltNetwork(Network network, torch::Device device, const NetPart& nets = {});

  const Network& network() const { return network_; }
  const BayesNet& net() const { return *net_; }
  Posterior& posterior() { return *posterior_; }
  torch::TensorOptions options() const { return options_; }
  // The shapes of all parameters, as text: weights of another architecture have others.
  std::string architecture() const;

  // The state of the posterior, and views of its point estimate by layer (names as "center.net.1.weight").
  void save(const std::filesystem::path& file);
  // Throws Error bad_input that says what is not of this network.
  void load(const std::filesystem::path& file);

 private:
  Network network_;
  torch::TensorOptions options_;
  std::unique_ptr<BayesNet> net_;
  std::unique_ptr<Posterior> posterior_;
};

// automatic: CUDA where there is a device. cuda: Error usage where there is none. Of several processes on a
// machine each has its own GPU, in turn where there are fewer, which becomes the current one.
enum class DeviceKind { automatic, cpu, cuda };
torch::Device device_of(DeviceKind kind, const Ranks& ranks);

}  // namespace kullback::deep
