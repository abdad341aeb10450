// usage: bench_floors FOLDER [ROUNDS]: the gradients of the programs in FOLDER (*.stan, *.data.json,
// *.check.json), by the engine with 1 to 16 lanes and by hand, in one process and in turns, so that both see
// the same machine. Prints a table with the goals, and fails where a value is wrong. A time is the median
// over rounds of processor time per gradient.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "floors/floor.hpp"
#include "lang/front_end.hpp"
#include "model/data.hpp"
#include "model/stan_model.hpp"

namespace kullback::bench {

namespace {

constexpr double kTolerance = 1e-10;
constexpr double kSecondsPerRound = 0.01;
constexpr std::size_t kLanes[] = {1, 2, 4, 8, 16};

struct Subject {
  std::string name;
  std::string data;
  double goal;              // engine / plain floor
  double goal_eight_lanes;  // per draw with 8 lanes / with one
};

const Subject kSubjects[] = {
    {"eight_schools", "eight_schools", 7, 0.5}, {"logistic", "logistic", 1.5, 1},
    {"logistic_glm", "logistic", 1.5, 1},       {"hier_loop", "hier_loop", 3, 1},
    {"ar_garch", "ar_garch", 4, 0.5},
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Contender {
  std::string name;
  std::size_t draws;  // per run
  std::function<void()> run;
  std::size_t repeat = 1;
  std::vector<double> microseconds = {};  // per draw, one a round

  double time(std::size_t times) const {
    const double start = processor_seconds();
    for (std::size_t i = 0; i < times; ++i) run();
    return processor_seconds() - start;
  }

  void warm_up() {
    while (time(repeat) < kSecondsPerRound) repeat *= 2;
  }

  void measure() { microseconds.push_back(1e6 * time(repeat) / static_cast<double>(repeat * draws)); }

  double median() const { return median_of(microseconds); }
};

struct Reference {
  std::vector<double> theta;
  std::vector<double> gradient;
  double log_density;

  explicit Reference(const std::string& path) {
    const model::Data data = model::read_data(path);
    theta = data.find("u")->numbers;
    gradient = data.find("grad")->numbers;
    log_density = data.find("lp_jacobian_dropconst")->numbers[0];
  }

  // `stride`: the distance of two coordinates of `found`.
  void check(const std::string& who, double found_density, const double* found, std::size_t stride) const {
    const auto is_close = [](double x, double y) {
      return std::abs(x - y) <= kTolerance * (1 + std::abs(y));
    };
    if (!is_close(found_density, log_density)) {
      throw Error(ErrorKind::internal,
                  fmt::format("{}: log density {}, but Stan has {}", who, found_density, log_density));
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if (!is_close(found[i * stride], gradient[i])) {
        throw Error(ErrorKind::internal, fmt::format("{}: gradient {} is {}, but Stan has {}", who, i + 1,
                                                     found[i * stride], gradient[i]));
      }
    }
  }
};

class Engine final {
 public:
  Engine(const std::string& program, model::Data data) {
    const FileId file = sources_.add(program, read_file(program));
    understood_ = lang::understand(sources_, file, {.lint = false});
    if (!understood_.program) throw Error(ErrorKind::internal, program + " does not check");
    model_ = std::make_unique<model::StanModel>(*understood_.program, sources_, std::move(data));
  }

  Contender contender(const Reference& reference, std::size_t lanes, const std::string& name) {
    struct Buffers {
      std::vector<double> theta, gradient, log_density;
      std::vector<density::Status> status;
    };
    const std::size_t dim = model_->dim();
    const auto b = std::make_shared<Buffers>();
    *b = {std::vector<double>(dim * lanes), std::vector<double>(dim * lanes), std::vector<double>(lanes),
          std::vector<density::Status>(lanes)};
    for (std::size_t i = 0; i < dim; ++i)
      std::fill_n(b->theta.begin() + static_cast<long>(i * lanes), lanes, reference.theta.at(i));
    const auto run = [this, b, lanes] {
      model_->evaluate({lanes, b->theta.data(), b->log_density.data(), b->gradient.data(), b->status.data()});
    };
    run();
    for (std::size_t k = 0; k < lanes; ++k)
      reference.check(fmt::format("{}, {} lanes, lane {}", name, lanes, k + 1), b->log_density[k],
                      b->gradient.data() + k, lanes);
    return {fmt::format("{} lanes", lanes), lanes, run};
  }

 private:
  SourceMap sources_;
  lang::Understood understood_;
  std::unique_ptr<model::StanModel> model_;
};

Contender contender(const Reference& reference, NamedFloor& by_hand, const std::string& name) {
  const auto gradient = std::make_shared<std::vector<double>>(reference.theta.size());
  Floor* floor = by_hand.floor.get();
  const double log_density = floor->evaluate(reference.theta.data(), gradient->data());
  reference.check(name, log_density, gradient->data(), 1);
  return {name, 1,
          [floor, gradient, &reference] { floor->evaluate(reference.theta.data(), gradient->data()); }};
}

const char* verdict(bool met) { return met ? "met" : "NOT MET"; }

// The fastest of those whose name begins so.
const Contender& fastest(const std::vector<Contender>& contenders, std::string_view prefix) {
  const Contender* best = nullptr;
  for (const Contender& c : contenders)
    if (c.name.starts_with(prefix) && (best == nullptr || c.median() < best->median())) best = &c;
  return *best;
}

// Of times measured in the same round.
double ratio(const Contender& above, const Contender& below) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < above.microseconds.size(); ++i)
    ratios.push_back(above.microseconds[i] / below.microseconds[i]);
  return median_of(ratios);
}

void print_results(const Subject& subject, const std::vector<Contender>& contenders) {
  constexpr double kNoise = 1.03;
  const Contender& one = contenders[0];
  const Contender& eight = contenders[3];
  const Contender& floor = fastest(contenders, "strict loop");
  const Contender& fast_floor = fastest(contenders, "fast loop");
  const Contender& strict = fastest(contenders, "strict");
  const Contender& fast = fastest(contenders, "fast");
  const Contender& best = strict.median() < fast.median() ? strict : fast;
  double dearest = 0;
  for (std::size_t i = 1; i < std::size(kLanes); ++i) dearest = std::max(dearest, ratio(contenders[i], one));
  fmt::print("{:<14}{:>9.3f}{:>9.3f}{:>8.2f}{:>6}  {:<8}{:>9.3f}{:>8.2f}{:>9.3f}{:>8.2f} |", subject.name,
             one.median(), floor.median(), ratio(one, floor), subject.goal,
             verdict(ratio(one, floor) <= subject.goal), fast_floor.median(), ratio(one, fast_floor),
             best.median(), ratio(one, best));
  for (std::size_t i = 1; i < std::size(kLanes); ++i) fmt::print("{:>9.3f}", contenders[i].median());
  fmt::print("{:>8.2f}{:>6}{:>9.2f}  {}\n", ratio(eight, one), subject.goal_eight_lanes, dearest,
             verdict(ratio(eight, one) <= kNoise * subject.goal_eight_lanes && dearest <= kNoise));
}

void print_floors(const std::vector<Subject>& subjects, const std::vector<std::vector<Contender>>& all) {
  fmt::print("\nFloors by hand, us:\n");
  for (std::size_t i = 0; i < all.size(); ++i) {
    fmt::print("  {:<14}", subjects[i].name);
    for (std::size_t j = std::size(kLanes); j < all[i].size(); ++j)
      fmt::print("  {} {:.3f}", all[i][j].name, all[i][j].median());
    fmt::print("\n");
  }
}

std::vector<Contender> measure(const std::string& folder, const Subject& subject, int rounds) {
  const std::string program = fmt::format("{}/{}.stan", folder, subject.name);
  const model::Data data = model::read_data(fmt::format("{}/{}.data.json", folder, subject.data));
  const Reference reference(fmt::format("{}/{}.check.json", folder, subject.name));
  Engine engine(program, data);
  std::vector<Contender> contenders;
  for (std::size_t lanes : kLanes) contenders.push_back(engine.contender(reference, lanes, subject.name));
  std::vector<NamedFloor> strict = strict_math::make_floors(subject.name, data);
  std::vector<NamedFloor> fast = fast_math::make_floors(subject.name, data);
  for (NamedFloor& floor : strict) contenders.push_back(contender(reference, floor, "strict " + floor.name));
  for (NamedFloor& floor : fast) contenders.push_back(contender(reference, floor, "fast " + floor.name));
  for (Contender& c : contenders) c.warm_up();
  for (int round = 0; round < rounds; ++round)
    for (Contender& c : contenders) c.measure();
  for (Contender& c : contenders) c.run = nullptr;  // refers to what ends here
  return contenders;
}

void run(const std::string& folder, int rounds) {
  fmt::print(
      "us per gradient (with lanes: per draw), median of {} rounds; floor: loops by hand, best: all tricks\n",
      rounds);
  fmt::print("{:<14}{:>9}{:>9}{:>8}{:>6}  {:<8}{:>9}{:>8}{:>9}{:>8} |{:>9}{:>9}{:>9}{:>9}{:>8}{:>6}{:>9}\n",
             "model", "kullback", "floor", "ratio", "goal", "", "fastmath", "ratio", "best", "ratio",
             "2 lanes", "4", "8", "16", "8 : 1", "goal", "dearest");
  std::vector<Subject> subjects;
  std::vector<std::vector<Contender>> all;
  for (const Subject& subject : kSubjects) {
    all.push_back(measure(folder, subject, rounds));
    subjects.push_back(subject);
    print_results(subject, all.back());
  }
  print_floors(subjects, all);
}

}  // namespace

}  // namespace kullback::bench

int main(int argc, char** argv) try {
  if (argc < 2) throw std::runtime_error("usage: bench_floors FOLDER [ROUNDS]");
  kullback::bench::run(argv[1], argc > 2 ? std::stoi(argv[2]) : 21);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_floors: {}\n", error.what());
  return 1;
}
