// uci_networks FILE: trains one posterior on all splits of one data set at once and prints a line for each
// split. FILE is a safetensors file with x [rows, columns], y [rows] and, for each split i, the row numbers
// train_i and test_i (bench/uci.py makes it).
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/ranks.hpp"
#include "deep/bnn/training.hpp"
#include "deep/net/options.hpp"
#include "deep/part.hpp"
#include "deep/train/safetensors.hpp"
#include "deep/train/train.hpp"

using namespace kullback;
using namespace kullback::deep;

namespace {

struct Arguments {
  std::string file;
  std::string posterior = "map";
  std::map<std::string, std::string> options = {};  // of posterior and prior
  std::string likelihood = "gaussian";
  std::string prior = "gaussian";
  std::string device = "cpu";
  Activation activation = Activation::relu;
  std::int64_t hidden = 50, members = 0, epochs = 40, batch = 32, draws = 100, splits = 0, threads = 0;
  double validation = 0;  // above 0: this part of the training rows is left out, and stands for the test rows
  std::uint64_t seed = 1;
  bool is_quiet = false;
};

[[noreturn]] void usage(const std::string& what) { throw Error(ErrorKind::usage, what); }

Arguments read_arguments(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      a.file = name;
      continue;
    }
    if (i + 1 == argc) usage(name + " needs a value.");
    const std::string value = argv[++i];
    if (name == "--posterior")
      a.posterior = value;
    else if (name == "--likelihood")
      a.likelihood = value;
    else if (name == "--prior")
      a.prior = value;
    else if (name == "--activation")
      a.activation = choice_of(kReluActivation, value);
    else if (name == "--device")
      a.device = value;
    else if (name == "--hidden")
      a.hidden = std::stoll(value);
    else if (name == "--members")
      a.members = std::stoll(value);
    else if (name == "--epochs")
      a.epochs = std::stoll(value);
    else if (name == "--batch")
      a.batch = std::stoll(value);
    else if (name == "--draws")
      a.draws = std::stoll(value);
    else if (name == "--splits")
      a.splits = std::stoll(value);
    else if (name == "--threads")
      a.threads = std::stoll(value);
    else if (name == "--seed")
      a.seed = std::stoull(value);
    else if (name == "--validation")
      a.validation = std::stod(value);
    else
      a.options[underscored(name.substr(2))] = value;
  }
  if (a.file.empty()) usage("uci_networks needs a file.");
  return a;
}

struct Splits {
  GroupRows train, test;
  torch::Tensor target_scale;  // [splits]
};

torch::Tensor tensor_of(const TensorFile& file, const std::string& name) {
  const torch::Tensor* found = file.find(name);
  if (found == nullptr) usage("the file has no '" + name + "'.");
  return *found;
}

// Rows of one split, standardised by its training rows.
void add_split(const torch::Tensor& x, const torch::Tensor& y, const torch::Tensor& train,
               const torch::Tensor& test, std::vector<torch::Tensor> (&into)[5]) {
  const torch::Tensor x_train = x.index_select(0, train), y_train = y.index_select(0, train);
  const torch::Tensor center = x_train.mean(0);
  const torch::Tensor sd = x_train.std(0, false);
  const torch::Tensor scale = at::where(sd == 0, torch::ones_like(sd), sd);
  const torch::Tensor y_center = y_train.mean(), y_scale = y_train.std(false);
  into[0].push_back((x_train - center) / scale);
  into[1].push_back((y_train - y_center) / y_scale);
  into[2].push_back((x.index_select(0, test) - center) / scale);
  into[3].push_back((y.index_select(0, test) - y_center) / y_scale);
  into[4].push_back(y_scale);
}

Splits read_splits(const Arguments& a, const torch::TensorOptions& options) {
  const TensorFile file = read_safetensors(a.file);
  const torch::Tensor x = tensor_of(file, "x"), y = tensor_of(file, "y");
  std::vector<torch::Tensor> parts[5];
  for (std::int64_t i = 0;
       file.find("train_" + std::to_string(i)) != nullptr && (a.splits == 0 || i < a.splits); ++i) {
    torch::Tensor train = tensor_of(file, "train_" + std::to_string(i)),
                  test = tensor_of(file, "test_" + std::to_string(i));
    if (a.validation > 0) {
      const auto kept =
          static_cast<std::int64_t>(std::round((1 - a.validation) * static_cast<double>(train.size(0))));
      test = train.slice(0, kept);  // the splits are random orders
      train = train.slice(0, 0, kept);
    }
    add_split(x, y, train, test, parts);
  }
  const auto stack = [&](int i) { return at::stack(parts[i]).to(options); };
  return {{stack(0), stack(1)}, {stack(2), stack(3)}, stack(4)};
}

// Rows in pieces, so that nets * draws * rows stays small.
Predictive predict_rows(Posterior& posterior, const torch::Tensor& x, std::int64_t draws,
                        std::int64_t piece) {
  std::vector<torch::Tensor> means, variances;
  for (std::int64_t first = 0; first < x.size(1); first += piece) {
    const Predictive part = posterior.predict(x.slice(1, first, std::min(first + piece, x.size(1))), draws);
    means.push_back(part.mean);
    variances.push_back(part.variance);
  }
  return {.mean = at::cat(means, 2), .variance = at::cat(variances, 2)};
}

OptionValues values_for(OptionTable options, const Arguments& a) {
  GivenTexts texts;
  for (const OptionRecord* option : options)
    if (const auto at = a.options.find(std::string(option->name)); at != a.options.end()) texts.insert(*at);
  return read_options(options, texts, "a part");
}

template <class Records>
auto* find_record(const Records& records, const std::string& name) {
  for (auto* record : records)
    if (record->name == name) return record;
  usage("there is no '" + name + "'.");
}

void run(Arguments a) {
  if (a.threads > 0) at::set_num_threads(static_cast<int>(a.threads));
  const auto options = torch::TensorOptions().dtype(torch::kFloat32).device(torch::Device(a.device));
  const Splits splits = read_splits(a, options);
  const std::int64_t groups = splits.train.x.size(0), columns = splits.train.x.size(2);
  const PosteriorRecord* record = find_record(posteriors(), a.posterior);
  if (a.members == 0) a.members = record->members;
  const PriorRecord* prior = find_record(priors(), a.prior);
  for (const auto& [name, value] : a.options) {
    const auto has = [&, &key = name](OptionTable known) { return find_option(known, key) != nullptr; };
    if (!has(record->options) && !has(prior->options)) usage("there is no option --" + name + ".");
  }
  const BayesNet net(
      [&](Layout& layout, std::int64_t outputs) {
        return mlp(layout, "net",
                   {.inputs = columns, .hidden = {a.hidden}, .outputs = outputs, .activation = a.activation});
      },
      find_record(likelihoods(), a.likelihood)->make({}), prior->make(values_for(prior->options, a)));
  const auto posterior = record->make(
      net, values_for(record->options, a),
      {.nets = groups * a.members, .all_rows = splits.train.x.size(1), .seed = a.seed, .options = options});
  PosteriorTrainee trainee(net, *posterior,
                           {.train = splits.train, .members = a.members, .epochs = a.epochs});
  const Ranks ranks;
  const auto began = std::chrono::steady_clock::now();
  const TrainOutcome outcome =
      train(trainee, {.epochs = a.epochs, .batch = a.batch, .seed = a.seed}, ranks,
            {.on_epoch = [&](const EpochFigures& epoch) {
              if (epoch.epoch * 10 / a.epochs != (epoch.epoch - 1) * 10 / a.epochs)
                std::fprintf(stderr, "epoch %lld: loss %.4f, %.1f s\n", static_cast<long long>(epoch.epoch),
                             epoch.loss, epoch.seconds);
            }});
  if (!outcome.failure.empty()) std::fprintf(stderr, "%s\n", outcome.failure.c_str());
  posterior->finish(for_members(splits.train, a.members), 256);
  const torch::NoGradGuard no_gradient;
  const NetRows test = for_members(splits.test, a.members);
  const std::int64_t piece =
      std::max<std::int64_t>(1, 20'000'000 / (groups * a.members * a.draws * a.hidden));
  const Predictive predictive = predict_rows(*posterior, test.x, a.draws, piece);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();

  const std::int64_t rows = splits.test.y.size(1);
  const torch::Tensor mean = predictive.mean.reshape({groups, -1, rows}).mean(1);
  const torch::Tensor rmse = (mean - splits.test.y).square().mean(1).sqrt() * splits.target_scale;
  const torch::Tensor log_density =
      log_predictive(predictive, splits.test.y).mean(1) - at::log(splits.target_scale);
  std::printf("split,rmse,log_likelihood,seconds\n");
  for (std::int64_t i = 0; i < groups; ++i)
    std::printf("%lld,%.6g,%.6g,%.1f\n", static_cast<long long>(i), rmse[i].item<double>(),
                log_density[i].item<double>(), seconds);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(read_arguments(argc, argv));
  } catch (const Error& error) {
    std::fprintf(stderr, "uci_networks: %s\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "uci_networks: %s\n", error.what());
    return 70;
  }
}
