// hmc_agreement: every posterior against Hamiltonian Monte Carlo on one small net, as a table.
//   hmc_agreement [--transitions 4000] [--epochs 4000] [POSTERIOR[:option=value,...] ...]
// Options are those of the posterior, members, batch and epochs; without a list every posterior runs with its
// defaults, but for those in kSettings. 60 rows of two inputs, y = sin(2 a) + b^2 / 2 + noise, with a gap in
// a; 10 tanh units. The distance is between predictive means at 200 new inputs, in HMC's predictive sds: root
// mean square and worst. The exit code is 1 where HMC's function-space R-hat is 1.05 or more, or fewer than
// three posteriors are within 0.1 (root mean square).
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/ranks.hpp"
#include "deep/bnn/function_rhat.hpp"
#include "deep/bnn/training.hpp"
#include "deep/part.hpp"
#include "deep/train/train.hpp"

using namespace kullback;
using namespace kullback::deep;

namespace {

constexpr std::int64_t kRows = 60, kTestRows = 200, kChains = 8, kDraws = 1000, kBatch = 20;

// What Langevin dynamics and cycles need beyond their defaults to forget their starts on 60 rows. Full
// batches: the noise of three minibatches an epoch is far from small beside the noise that is injected.
constexpr std::string_view kSettings[] = {
    "sgld:rate=0.03,members=16,batch=60,epochs=40000,burn-in=0.5",
    "psgld:rate=0.01,members=16,batch=60,epochs=40000,burn-in=0.5",
    "cyclical:members=16,explore-temperature=1",
};

std::string with_settings(std::string_view name) {
  for (const std::string_view text : kSettings)
    if (text.substr(0, text.find(':')) == name) return std::string(text);
  return std::string(name);
}

// A posterior and how it is to run.
struct Asked {
  const PosteriorRecord* record;
  std::int64_t epochs, batch, members;
  std::map<std::string, std::string> options;
};

struct Arguments {
  std::int64_t transitions = 4000, epochs = 4000;
  std::vector<std::string> posteriors = {};
};

Asked read_asked(const std::string& text, std::int64_t epochs) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const PosteriorRecord* record = find_posterior(name);
  if (record == nullptr) throw Error(ErrorKind::usage, "there is no posterior '" + name + "'.");
  Asked asked{record, epochs, kBatch, record->members, {}};
  if (colon == std::string::npos) return asked;
  std::istringstream rest(text.substr(colon + 1));
  for (std::string word; std::getline(rest, word, ',');) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw Error(ErrorKind::usage, "'" + word + "' in '" + text + "' is not option=value.");
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "epochs")
      asked.epochs = std::stoll(value);
    else if (key == "batch")
      asked.batch = std::stoll(value);
    else if (key == "members")
      asked.members = std::stoll(value);
    else
      asked.options[underscored(key)] = value;
  }
  return asked;
}

torch::Tensor inputs(std::int64_t rows) {
  torch::Tensor x = torch::rand({rows, 2}, torch::kFloat64) * 4 - 2;
  return at::where((x - 0.2).abs() < 0.4, x + 0.8, x);  // a gap
}

// Mean and variance of the mixture of all members and draws: [2, rows].
torch::Tensor moments(const Predictive& predictive) {
  const torch::Tensor mean = predictive.mean.flatten(0, 1), variance = predictive.variance.flatten(0, 1);
  return at::stack({mean.mean(0), variance.mean(0) + mean.var(0, false)});
}

struct Fit {
  torch::Tensor moments;
  Predictive predictive;
};

class Comparison final {
 public:
  explicit Comparison(const Arguments& arguments) : arguments_(arguments), net_(make_net()) {
    torch::manual_seed(1);
    x_ = inputs(kRows);
    test_ = inputs(kTestRows);
    const torch::Tensor y = at::sin(2 * x_.select(1, 0)) + x_.select(1, 1).square() / 2 +
                            0.2 * torch::randn({kRows}, torch::kFloat64);
    y_ = (y - y.mean()) / y.std();
  }

  int run() {
    const Fit hmc = fit({find_posterior("hmc"), arguments_.transitions, kRows, kChains, {}});
    const std::vector<double> rhats = function_rhat(hmc.predictive.mean);
    const double worst_rhat = *std::max_element(rhats.begin(), rhats.end());
    std::printf("HMC: %lld chains, %lld transitions, largest function-space R-hat %.4f\n\n",
                static_cast<long long>(kChains), static_cast<long long>(arguments_.transitions), worst_rhat);
    std::printf("| posterior | distance, rms | worst | sd over HMC's, mean |\n|---|---|---|---|\n");
    int near = 0;
    for (const std::string& name : names()) {
      const Fit other = fit(read_asked(name, arguments_.epochs));
      const torch::Tensor distance = (other.moments[0] - hmc.moments[0]) / hmc.moments[1].sqrt();
      const double rms = distance.square().mean().sqrt().item<double>();
      near += rms <= 0.1;
      std::printf("| %s | %.3f | %.3f | %.2f |\n", name.c_str(), rms, distance.abs().max().item<double>(),
                  (other.moments[1] / hmc.moments[1]).sqrt().mean().item<double>());
      std::fflush(stdout);
    }
    return near >= 3 && worst_rhat < 1.05 ? 0 : 1;
  }

 private:
  static BayesNet make_net() {
    const PriorRecord* prior = priors().front();
    return BayesNet(
        [](Layout& layout, std::int64_t outputs) {
          return mlp(layout, "net",
                     {.inputs = 2, .hidden = {10}, .outputs = outputs, .activation = Activation::tanh});
        },
        likelihoods().front()->make({}), prior->make({}));
  }

  std::vector<std::string> names() const {
    if (!arguments_.posteriors.empty()) return arguments_.posteriors;
    std::vector<std::string> all;
    for (const PosteriorRecord* record : posteriors())
      if (record->name != "hmc") all.push_back(with_settings(record->name));
    return all;
  }

  Fit fit(const Asked& asked) const {
    const std::int64_t epochs = asked.epochs, members = asked.members;
    const auto posterior = asked.record->make(
        net_, read_options(asked.record->options, asked.options, asked.record->name),
        {.nets = members, .all_rows = kRows, .seed = 1, .options = torch::TensorOptions(torch::kFloat64)});
    const GroupRows rows{x_.unsqueeze(0), y_.unsqueeze(0)};
    PosteriorTrainee trainee(net_, *posterior, {.train = rows, .members = members, .epochs = epochs});
    const Ranks ranks;
    const TrainOutcome outcome = train(trainee, {.epochs = epochs, .batch = asked.batch, .seed = 1}, ranks);
    if (!outcome.failure.empty())
      throw Error(ErrorKind::internal, std::string(asked.record->name) + ": " + outcome.failure);
    posterior->finish(for_members(rows, members), kRows);
    at::manual_seed(1);
    const Predictive predictive =
        posterior->predict(test_.unsqueeze(0).expand({members, kTestRows, 2}), kDraws);
    return {moments(predictive), predictive};
  }

  const Arguments& arguments_;
  BayesNet net_;
  torch::Tensor x_, y_, test_;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      arguments.posteriors.push_back(word);
      continue;
    }
    if ((word != "--transitions" && word != "--epochs") || i + 1 == argc)
      throw Error(ErrorKind::usage, "'" + word + "' is not known, or has no value.");
    (word == "--epochs" ? arguments.epochs : arguments.transitions) = std::stoll(argv[++i]);
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    at::set_num_threads(1);  // matrices of a few hundred numbers
    return Comparison(read_arguments(argc, argv)).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hmc_agreement: %s\n", error.what());
    return 70;
  }
}
