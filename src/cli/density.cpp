#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "cli/program_files.hpp"
#include "cli/verb.hpp"
#include "lang/front_end.hpp"
#include "model/data.hpp"
#include "model/stan_model.hpp"

namespace kullback::cli {

namespace {

struct DensityArguments {
  std::string program;
  std::string data;
  std::string point;
  std::vector<std::string> include_paths;
  std::size_t lanes = 1;
  std::size_t repeat = 0;
  bool normalized = false;
  bool check = false;
  std::string dump;
  std::vector<std::string> rows;
  std::size_t minibatch = 0;
  std::uint64_t seed = 1;
};

struct Evaluated {
  std::vector<double> log_density;
  std::vector<double> gradient;  // of the first lane
  density::Status status = density::Status::ok;
};

// Every lane gets the same point.
class Evaluation final {
 public:
  Evaluation(model::StanModel& model, const std::vector<double>& point, std::size_t lanes)
      : model_(model),
        lanes_(lanes),
        theta_(point.size() * lanes),
        gradient_(point.size() * lanes),
        log_density_(lanes),
        status_(lanes) {
    move_to(point);
  }

  void move_to(const std::vector<double>& point) {
    for (std::size_t i = 0; i < point.size(); ++i)
      std::fill_n(theta_.begin() + static_cast<long>(i * lanes_), lanes_, point[i]);
  }

  void run() {
    model_.evaluate({lanes_, theta_.data(), log_density_.data(), gradient_.data(), status_.data()});
  }

  double log_density() const { return log_density_.front(); }
  double gradient(std::size_t i) const { return gradient_[i * lanes_]; }
  density::Status status() const { return status_.front(); }

 private:
  model::StanModel& model_;
  std::size_t lanes_;
  std::vector<double> theta_;
  std::vector<double> gradient_;
  std::vector<double> log_density_;
  std::vector<density::Status> status_;
};

std::vector<double> read_point(const std::string& path, std::size_t dim) {
  if (path.empty()) return std::vector<double>(dim, 0.0);
  const model::Data data = model::parse_json_data("{\"point\": " + read_file(path) + "}", path);
  const model::DataValue& point = *data.find("point");
  if (!point.problem.empty() || point.dims.size() != 1 || point.numbers.size() != dim) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected an array of {} numbers, the unconstrained point; found {}.", path,
                            dim, point.numbers.size()));
  }
  return point.numbers;
}

std::string json_number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return fmt::format("{}", value);
}

double nanoseconds_per_gradient(Evaluation& evaluation, std::size_t repeat, std::size_t lanes) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < repeat; ++i) evaluation.run();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(repeat * lanes);
}

// Largest difference between the gradient and central differences, relative to 1 + |gradient|.
std::string check_gradient(model::StanModel& model, const std::vector<double>& point, const Evaluation& at) {
  Evaluation moved(model, point, 1);
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double h = 1e-5 * (1 + std::abs(point[i]));
    const auto value = [&](double step) {
      std::vector<double> shifted = point;
      shifted[i] += step;
      moved.move_to(shifted);
      moved.run();
      return moved.log_density();
    };
    const double difference = (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
    const double error = std::abs(difference - at.gradient(i)) / (1 + std::abs(at.gradient(i)));
    if (!(error <= worst)) {
      worst = error;
      where = i;
    }
  }
  return fmt::format(",\n  \"check\": {{\"worst_error\": {}, \"worst_coordinate\": {}}}", json_number(worst),
                     where + 1);
}

std::vector<std::uint32_t> random_rows(std::size_t count, std::size_t size, Random& random) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  for (std::size_t i = 0; i < size; ++i) std::swap(rows[i], rows[i + random.below(count - i)]);
  rows.resize(size);
  return rows;
}

// Chooses a random minibatch. Returns what is to be said of it: its rows, and the time of an exchange.
std::string choose_minibatch(const DensityArguments& arguments, model::StanModel& model) {
  density::Rows& rows = *model.rows();
  if (arguments.minibatch > rows.count()) {
    throw Error(ErrorKind::bad_input, fmt::format("--minibatch: {} rows are wanted, but there are {}.",
                                                  arguments.minibatch, rows.count()));
  }
  Random random(arguments.seed);
  const std::vector<std::uint32_t> chosen = random_rows(rows.count(), arguments.minibatch, random);
  rows.choose(chosen);
  std::string out = fmt::format(",\n  \"rows\": {}, \"minibatch\": [", rows.count());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    out += fmt::format("{}{}", i > 0 ? ", " : "", chosen[i] + 1);
  out += "]";
  if (arguments.repeat == 0) return out;
  std::vector<std::vector<std::uint32_t>> others;
  for (std::size_t i = 0; i < std::min<std::size_t>(arguments.repeat, 100); ++i)
    others.push_back(random_rows(rows.count(), arguments.minibatch, random));
  for (const std::vector<std::uint32_t>& other : others) rows.choose(other);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < arguments.repeat; ++i) rows.choose(others[i % others.size()]);
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  rows.choose(chosen);
  return out + fmt::format(",\n  \"nanoseconds_to_exchange\": {:.1f}",
                           taken.count() / static_cast<double>(arguments.repeat));
}

int run_density(const DensityArguments& arguments) {
  SourceMap sources;
  const FileId file = add_program(sources, arguments.program);
  lang::FrontEndOptions options;
  options.include_paths.assign(arguments.include_paths.begin(), arguments.include_paths.end());
  options.lint = false;
  const lang::Understood understood = lang::understand(sources, file, options);
  if (!understood.program) {
    print_diagnostics(understood.diagnostics, sources);
    return static_cast<int>(ErrorKind::bad_input);
  }
  model::Data data = arguments.data.empty() ? model::Data() : model::read_data(arguments.data);
  model::StanModel model(*understood.program, sources, std::move(data),
                         {arguments.normalized, true, arguments.rows});
  if (arguments.dump == "subsample") {
    std::printf("%s", model.describe_rows().c_str());
    return 0;
  }
  const std::string minibatch = arguments.minibatch > 0 ? choose_minibatch(arguments, model) : std::string();
  const std::vector<double> point = read_point(arguments.point, model.dim());
  Evaluation evaluation(model, point, arguments.lanes);
  evaluation.run();
  std::string out =
      fmt::format("{{\n  \"log_density\": {},\n  \"gradient\": [", json_number(evaluation.log_density()));
  for (std::size_t i = 0; i < point.size(); ++i)
    out += (i > 0 ? ", " : "") + json_number(evaluation.gradient(i));
  out += "]" + minibatch;
  if (!model.message().empty()) out += ",\n  \"message\": " + json_string(model.message());
  if (arguments.repeat > 0) {
    out += fmt::format(",\n  \"nanoseconds_per_gradient\": {:.1f}",
                       nanoseconds_per_gradient(evaluation, arguments.repeat, arguments.lanes));
  }
  if (arguments.check) out += check_gradient(model, point, evaluation);
  if (const tape::Tape* tape = model.tape()) {
    out += fmt::format(
        ",\n  \"tape\": {{\"operations\": {}, \"instructions\": {}, \"slots\": {}, \"constants\": {}, "
        "\"guards\": {}}}",
        tape->raw_instruction_count, tape->instructions.size(), tape->slot_count, tape->constants.size(),
        tape->guards.size());
  }
  std::printf("%s\n}\n", out.c_str());
  return 0;
}

}  // namespace

Run add_density(CLI::App& verb) {
  const auto arguments = std::make_shared<DensityArguments>();
  verb.add_option("program", arguments->program, "Stan program")->required()->type_name("MODEL");
  verb.add_option("data", arguments->data, "Data: Stan's JSON or an R dump; none for a program without data")
      ->type_name("DATA");
  verb.add_option("--point", arguments->point, "JSON array: the unconstrained point (default: the origin)")
      ->type_name("FILE");
  verb.add_option("--include-path", arguments->include_paths,
                  "Folder to search for #include files (repeatable)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  verb.add_option("--lanes", arguments->lanes, "Evaluate so many draws at once")->check(CLI::Range(1, 1024));
  verb.add_option("--repeat", arguments->repeat, "Time so many evaluations");
  verb.add_flag("--normalized", arguments->normalized, "Keep the constants that '~' drops");
  verb.add_option("--rows", arguments->rows,
                  "Data whose first index is the row of minibatches (default: those with "
                  "the first size that most data share)")
      ->type_name("NAME,...")
      ->delimiter(',');
  verb.add_option("--minibatch", arguments->minibatch, "Evaluate a random minibatch of so many rows")
      ->type_name("B")
      ->check(CLI::PositiveNumber);
  verb.add_option("--seed", arguments->seed, "Of the random minibatch");
  verb.add_option("--dump", arguments->dump, "subsample: which terms minibatches scale")
      ->check(CLI::IsMember({"subsample"}));
  verb.add_flag("--check", arguments->check, "Compare the gradient with finite differences");
  return [arguments] { return run_density(*arguments); };
}

}  // namespace kullback::cli
