// Passes of topic models without files and checks, and the evaluator for other systems' parameters; for
// bench/topics.py.
//   topics_bench fit CORPUS HELD_OUT PASSES THREADS MINIBATCH [option=value ...]
//   topics_bench score PARAMETERS HELD_OUT ALPHA TOPICS   of lambda, topics x words, float64
// Corpora are LDA-C files. MINIBATCH 0: coordinate ascent; else stochastic with steps (10 + i)^-0.7.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "base/random.hpp"
#include "conjugate/record.hpp"

namespace {

using namespace kullback;
using namespace kullback::conjugate;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Corpus {
  Buffer documents{DataKind::documents, 0};
  std::size_t vocabulary = 0;
};

Corpus read_corpus(const std::string& path, std::size_t least_vocabulary) {
  Corpus corpus{.vocabulary = least_vocabulary};
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::size_t size = 0;
    words >> size;
    corpus.documents.begin_unit();
    for (std::size_t i = 0; i < size; ++i) {
      std::uint32_t word = 0;
      char colon = 0;
      double count = 0;
      words >> word >> colon >> count;
      corpus.documents.add_word(word, count);
      corpus.vocabulary = std::max<std::size_t>(corpus.vocabulary, word + 1);
    }
  }
  return corpus;
}

std::unique_ptr<Model> make(std::map<std::string, std::string> options, std::size_t vocabulary) {
  std::string kind = "lda";
  if (options.contains("kind")) {
    kind = options["kind"];
    options.erase("kind");
  }
  const ModelRecord* record = find_model("topics", kind);
  return record->make(read_options(record->options, options, record->kind),
                      Shape{.kind = DataKind::documents, .columns = vocabulary});
}

class Steps final : public Mover {
 public:
  double rho = 1;
  void move(std::size_t, std::span<double> natural, std::span<const double> target, const Inside&) override {
    for (std::size_t i = 0; i < natural.size(); ++i) natural[i] += rho * (target[i] - natural[i]);
  }
};

// Each thread takes chunks in turn and has statistics of its own.
class Fit {
 public:
  Fit(Model& model, std::size_t threads) : model_(model), parts_(threads) {}

  Statistics local_step(const Batch& data, std::span<double> local) {
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      workers.emplace_back([&, t] { work(data, local, t); });
    }
    for (std::thread& worker : workers) worker.join();
    Statistics sum = parts_[0];
    for (std::size_t t = 1; t < parts_.size(); ++t) {
      for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += parts_[t].values[i];
      sum.local += parts_[t].local;
      sum.units += parts_[t].units;
    }
    return sum;
  }

 private:
  void work(const Batch& data, std::span<double> local, std::size_t t) {
    Statistics& part = parts_[t];
    part.local = part.units = 0;
    part.values.assign(model_.statistics_size(), 0.0);
    const std::size_t chunk = model_.chunk();
    for (std::size_t at = t * chunk; at < data.units; at += parts_.size() * chunk) {
      const std::size_t end = std::min(at + chunk, data.units);
      const std::size_t size = model_.local_size();
      model_.local_step(data.part(at, end),
                        local.empty() ? local : local.subspan(at * size, (end - at) * size), part);
    }
  }

  Model& model_;
  std::vector<Statistics> parts_;
};

void report(int pass, double seconds, double processor, double bound, const Model& model,
            const Batch& held_out) {
  const Model::Score score = model.score(held_out);
  std::printf(
      "{\"pass\": %d, \"seconds\": %.4f, \"processor\": %.4f, \"bound\": %.6f, \"completion\": %.6f}\n", pass,
      seconds, processor, bound, score.log_density / score.count);
  std::fflush(stdout);
}

void coordinate_pass(Model& model, Fit& fit, const Batch& data, std::vector<double>& local, double& bound) {
  ExactMover mover;
  const Statistics statistics = fit.local_step(data, local);
  for (std::size_t block = 0; block < model.blocks(); ++block) model.global_step(block, statistics, mover);
  model.prepare();
  bound = total(model.elbo(statistics));
}

void stochastic_pass(Model& model, Fit& fit, const Batch& data, std::size_t size, double& step) {
  Steps mover;
  for (std::size_t at = 0; at + size <= data.units; at += size) {
    Statistics statistics = fit.local_step(data.part(at, at + size), {});
    const double scale = static_cast<double>(data.units) / static_cast<double>(size);
    for (double& value : statistics.values) value *= scale;
    statistics.units *= scale;
    mover.rho = std::pow(10 + step++, -0.7);
    for (std::size_t block = 0; block < model.blocks(); ++block) model.global_step(block, statistics, mover);
    model.prepare();
  }
}

int fit(const std::vector<std::string>& words) {
  const Corpus corpus = read_corpus(words[1], 0);
  const Corpus held_out = read_corpus(words[2], corpus.vocabulary);
  const int passes = std::stoi(words[3]);
  const std::size_t minibatch = std::stoul(words[5]);
  std::map<std::string, std::string> options;
  int every = 1;
  for (std::size_t i = 6; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (words[i].substr(0, equals) == "every") {
      every = std::stoi(words[i].substr(equals + 1));
    } else {
      options[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
  }
  const std::unique_ptr<Model> model = make(options, corpus.vocabulary);
  const Batch data = corpus.documents.batch();
  Random random(1);
  const Clock::time_point start = Clock::now();
  model->begin(data, random);
  model->prepare();
  std::printf("{\"begin\": %.4f}\n", seconds_since(start));
  Fit parallel(*model, std::stoul(words[4]));
  std::vector<double> local(minibatch > 0 ? 0 : data.units * model->local_size());
  double bound = 0, step = 0;
  for (int pass = 1; pass <= passes; ++pass) {
    const Clock::time_point begun = Clock::now();
    const std::clock_t ticks = std::clock();
    if (minibatch > 0) {
      stochastic_pass(*model, parallel, data, minibatch, step);
    } else {
      coordinate_pass(*model, parallel, data, local, bound);
    }
    const double seconds = seconds_since(begun);
    const double processor = static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC;
    if (pass % every == 0) report(pass, seconds, processor, bound, *model, held_out.documents.batch());
  }
  return 0;
}

int score(const std::vector<std::string>& words) {
  std::ifstream file(words[1], std::ios::binary | std::ios::ate);
  std::vector<double> lambda(static_cast<std::size_t>(file.tellg()) / sizeof(double));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(lambda.data()),
            static_cast<std::streamsize>(lambda.size() * sizeof(double)));
  const std::size_t topics = std::stoul(words[4]);
  const std::size_t vocabulary = lambda.size() / topics;
  const std::unique_ptr<Model> model =
      make({{"topics", std::to_string(topics)}, {"alpha", words[3]}}, vocabulary);
  const Corpus held_out = read_corpus(words[2], vocabulary);
  Random random(1);
  model->begin(held_out.documents.batch(), random);
  for (std::size_t k = 0; k < topics; ++k) {
    for (std::size_t w = 0; w < vocabulary; ++w)
      model->natural(0)[w * topics + k] = lambda[k * vocabulary + w];
  }
  model->prepare();
  report(0, 0, 0, 0, *model, held_out.documents.batch());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() >= 6 && words[0] == "fit") return fit(words);
  if (words.size() == 5 && words[0] == "score") return score(words);
  std::fprintf(stderr,
               "topics_bench fit CORPUS HELD_OUT PASSES THREADS MINIBATCH [option=value ...]\n"
               "topics_bench score PARAMETERS HELD_OUT ALPHA TOPICS\n");
  return 2;
}
