#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
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
#include "model/bridgestan_model.hpp"
#include "model/data.hpp"
#include "model/gradient_check.hpp"
#include "model/interpreter_check.hpp"
#include "model/outputs.hpp"
#include "model/stan_model.hpp"
#include "tape/dump.hpp"

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
  bool outputs = false;
  std::string dump;
  std::vector<std::string> rows;
  std::size_t minibatch = 0;
  std::size_t max_memory = 0;
  std::uint64_t seed = 0;
};

struct Evaluated {
  std::vector<double> log_density;
  std::vector<double> gradient;  // of the first lane
  density::Status status = density::Status::ok;
};

// Every lane gets the same point.
class Evaluation final {
 public:
  Evaluation(density::LogDensity& model, const std::vector<double>& point, std::size_t lanes)
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
  density::LogDensity& model_;
  std::size_t lanes_;
  std::vector<double> theta_;
  std::vector<double> gradient_;
  std::vector<double> log_density_;
  std::vector<density::Status> status_;
};

// What is there instead of a point, or nothing.
std::string point_problem(const model::DataValue& point, std::size_t dim) {
  if (point.kind == model::DataKind::tuple) return "found an object";
  if (!point.problem.empty()) return "it " + point.problem;
  if (point.dims.size() != 1)
    return point.dims.empty() ? "found a single number" : "found an array of arrays";
  if (point.numbers.size() != dim) return fmt::format("found {} numbers", point.numbers.size());
  for (std::size_t i = 0; i < dim; ++i) {
    if (!std::isfinite(point.numbers[i])) return fmt::format("coordinate {} is {}", i + 1, point.numbers[i]);
  }
  return {};
}

std::vector<double> read_point(const std::string& path, std::size_t dim) {
  if (path.empty()) return std::vector<double>(dim, 0.0);
  const std::string text = read_file(path);
  std::string problem = "it is not JSON";
  try {
    const model::Data data = model::parse_json_data("{\"point\": " + text + "}", path);
    const model::DataValue& point = *data.find("point");
    problem = data.items().size() == 1 ? point_problem(point, dim) : "found more than an array";
    if (problem.empty()) return point.numbers;
  } catch (const Error& error) {  // its position would be that in the text we made
    if (error.kind() == ErrorKind::internal) throw;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: expected an array of {} finite number{}, the unconstrained point; {}.", path,
                          dim, dim == 1 ? "" : "s", problem),
              "The order is that of the parameters block; without --point the point is the origin.");
}

std::string json_number(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return fmt::format("{}", value);
}

// Of this process, not of the wall clock: what else the machine does should not show.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class Fn>
double nanoseconds_each(std::size_t repeat, Fn&& once) {
  const double start = processor_seconds();
  for (std::size_t i = 0; i < repeat; ++i) once();
  return 1e9 * (processor_seconds() - start) / static_cast<double>(repeat);
}

std::string check_text(const model::GradientCheck& check) {
  std::string text = fmt::format(
      ",\n  \"check\": {{\"worst_error\": {}, \"worst_coordinate\": {}, \"gradient\": {}, \"difference\": {}",
      json_number(check.worst_error), json_string(check.name), json_number(check.gradient),
      json_number(check.difference));
  if (!check.statement.empty()) {
    text += fmt::format(", \"statement\": {}, \"statement_gradient\": {}, \"statement_difference\": {}",
                        json_string(check.statement), json_number(check.statement_gradient),
                        json_number(check.statement_difference));
  }
  return text + "}";
}

std::string interpreter_text(const model::InterpreterCheck& check) {
  std::string text = fmt::format(
      ",\n  \"interpreter\": {{\"worst_error\": {}, \"points\": {}, \"beyond_guards\": {}, \"tape\": {}, "
      "\"interpreter\": {}, \"worst_slope_error\": {}, \"slope\": {}, \"slope_difference\": {}",
      json_number(check.worst_error), check.points, check.beyond_guards, json_number(check.tape),
      json_number(check.interpreter), json_number(check.worst_slope_error), json_number(check.slope),
      json_number(check.slope_difference));
  if (!check.statement.empty()) {
    text += fmt::format(", \"statement\": {}, \"statement_tape\": {}, \"statement_interpreter\": {}",
                        json_string(check.statement), json_number(check.statement_tape),
                        json_number(check.statement_interpreter));
  }
  return text + "}";
}

std::string outputs_text(const model::StanModel& model, const std::vector<double>& point, std::uint64_t seed,
                         std::size_t repeat) {
  model::Outputs outputs(model.prepared());
  std::vector<double> row(outputs.column_names().size());
  Random random(seed);
  outputs.write(point.data(), random, row.data());
  std::string text = ",\n  \"outputs\": {";
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += (i > 0 ? ", " : "") + json_string(outputs.column_names()[i]) + ": " + json_number(row[i]);
  }
  text += "}";
  if (!outputs.message().empty()) text += ",\n  \"outputs_message\": " + json_string(outputs.message());
  if (repeat > 0) {
    const auto once = [&] { outputs.write(point.data(), random, row.data()); };
    text += fmt::format(",\n  \"nanoseconds_per_outputs\": {:.1f}", nanoseconds_each(repeat, once));
  }
  return text;
}

int print_dump(model::StanModel& model, const SourceMap& sources, const std::vector<double>& point,
               const std::string& what) {
  tape::Builder builder;
  if (!model.trace(point.data(), builder)) {
    throw Error(ErrorKind::bad_input, "the program rejects the point: " + model.message(),
                "Choose another point with --point.");
  }
  const std::string text =
      what == "trace" ? tape::dump(builder, sources) : tape::dump(*tape::compile(builder), sources);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

// A JSON object that is not closed yet. `start`: the processor time before the model was made.
std::string evaluation_text(const DensityArguments& arguments, density::LogDensity& model,
                            const std::vector<double>& point, double start) {
  Evaluation evaluation(model, point, arguments.lanes);
  evaluation.run();
  const double milliseconds_to_trace = 1e3 * (processor_seconds() - start);
  std::string out =
      fmt::format("{{\n  \"log_density\": {},\n  \"gradient\": [", json_number(evaluation.log_density()));
  for (std::size_t i = 0; i < point.size(); ++i)
    out += (i > 0 ? ", " : "") + json_number(evaluation.gradient(i));
  out += "]";
  if (!model.message().empty()) out += ",\n  \"message\": " + json_string(model.message());
  if (arguments.repeat > 0) {
    out += fmt::format(",\n  \"milliseconds_to_trace\": {:.3f}", milliseconds_to_trace);
    const double each = nanoseconds_each(arguments.repeat, [&] { evaluation.run(); });
    out +=
        fmt::format(",\n  \"nanoseconds_per_gradient\": {:.1f}", each / static_cast<double>(arguments.lanes));
  }
  return out;
}

bool is_library(const std::string& path) { return path.ends_with(".so"); }

// What a library cannot do for lack of its program.
void check_library_options(const DensityArguments& arguments) {
  const char* option = !arguments.include_paths.empty() ? "--include-path"
                       : arguments.outputs              ? "--outputs"
                       : !arguments.dump.empty()        ? "--dump"
                       : arguments.max_memory != 0      ? "--max-memory"
                       : arguments.minibatch != 0       ? "--minibatch"
                       : !arguments.rows.empty()        ? "--rows"
                                                        : nullptr;
  if (option != nullptr)
    throw Error(ErrorKind::usage, fmt::format("{} is for Stan programs, not for a shared library.", option),
                "Name the .stan file the library was made from.");
  if (arguments.seed > std::numeric_limits<unsigned>::max())
    throw Error(ErrorKind::usage, fmt::format("--seed: {} was given, but a shared library takes at most {}.",
                                              arguments.seed, std::numeric_limits<unsigned>::max()));
}

// Options that would do nothing beside others are refused, so that nobody waits for what they would do.
void check_combination(const DensityArguments& arguments) {
  const bool subsample = arguments.dump == "subsample";
  if (!arguments.rows.empty() && arguments.minibatch == 0 && !subsample) {
    throw Error(ErrorKind::usage, "--rows names the rows of minibatches, but none was asked for.",
                "Add --minibatch B, or --dump subsample to see what would be scaled.");
  }
  if (arguments.dump.empty()) return;
  const char* option = arguments.check                         ? "--check"
                       : arguments.outputs                     ? "--outputs"
                       : arguments.repeat != 0                 ? "--repeat"
                       : arguments.lanes != 1                  ? "--lanes"
                       : arguments.minibatch != 0              ? "--minibatch"
                       : subsample && !arguments.point.empty() ? "--point"
                                                               : nullptr;
  if (option == nullptr) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} does nothing with --dump {}, which prints and evaluates nothing.", option,
                          arguments.dump),
              "Leave one of them out.");
}

int run_library(const DensityArguments& arguments) {
  check_library_options(arguments);
  const std::string data = arguments.data.empty() ? std::string() : read_file(arguments.data);
  const double start = processor_seconds();
  model::BridgeStanModel model(
      arguments.program, data,
      {.normalized = arguments.normalized, .seed = static_cast<unsigned>(arguments.seed)});
  const std::vector<double> point = read_point(arguments.point, model.dim());
  std::string out = evaluation_text(arguments, model, point, start);
  if (arguments.check) out += check_text(model::check_gradient(model, point));
  std::printf("%s\n}\n", out.c_str());
  return 0;
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
    throw Error(
        ErrorKind::bad_input,
        fmt::format("--minibatch: {} rows are wanted, but there are {}.", arguments.minibatch, rows.count()),
        "--dump subsample shows which data have the rows; --rows names others.");
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
  std::size_t next = 0;
  const double each =
      nanoseconds_each(arguments.repeat, [&] { rows.choose(others[next++ % others.size()]); });
  rows.choose(chosen);
  return out + fmt::format(",\n  \"nanoseconds_to_exchange\": {:.1f}", each);
}

std::unique_ptr<model::StanModel> make_model(const DensityArguments& arguments, const lang::Program& program,
                                             const SourceMap& sources, model::Data data) {
  const model::StanModelOptions options{.normalized = arguments.normalized,
                                        .seed = arguments.seed,
                                        .max_memory = arguments.max_memory,
                                        .rows = arguments.rows};
  return std::make_unique<model::StanModel>(program, sources, std::move(data), options);
}

int run_density(const DensityArguments& arguments) {
  check_combination(arguments);
  if (is_library(arguments.program)) return run_library(arguments);
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
  const double start = processor_seconds();
  const std::unique_ptr<model::StanModel> made =
      make_model(arguments, *understood.program, sources, std::move(data));
  model::StanModel& model = *made;
  if (arguments.dump == "subsample") {
    std::fputs(model.describe_rows().c_str(), stdout);
    return 0;
  }
  const std::vector<double> point = read_point(arguments.point, model.dim());
  if (!arguments.dump.empty()) return print_dump(model, sources, point, arguments.dump);
  const std::string minibatch = arguments.minibatch > 0 ? choose_minibatch(arguments, model) : std::string();
  std::string out = evaluation_text(arguments, model, point, start) + minibatch;
  if (arguments.outputs) out += outputs_text(model, point, arguments.seed, arguments.repeat);
  if (arguments.check) out += check_text(model::check_gradient(model, point));
  // The interpreter knows no minibatches.
  if (arguments.check && arguments.minibatch == 0) {
    const tape::TraceOptions terms{.normalized = arguments.normalized};
    out += interpreter_text(model::check_against_interpreter(model, point, terms));
  }
  if (const tape::Tape* tape = model.tape()) {
    out += fmt::format(
        ",\n  \"tape\": {{\"operations\": {}, \"instructions\": {}, \"slots\": {}, \"constants\": {}, "
        "\"guards\": {}, \"lanes_together\": {}}}",
        tape->raw_instruction_count, tape->instructions.size(), tape->slot_count, tape->constant_count(),
        tape->guards.size(), model.lanes_together());
  }
  std::printf("%s\n}\n", out.c_str());
  return 0;
}

}  // namespace

Run add_density(const Command& verb) {
  const auto arguments = std::make_shared<DensityArguments>();
  verb.add_option("program", arguments->program,
                  "Stan program, or a shared library (.so) with BridgeStan's interface")
      .required()
      .type_name("MODEL");
  verb.add_option("data", arguments->data, "Data: Stan's JSON or an R dump; none for a program without data")
      .type_name("DATA");
  verb.add_option("--point", arguments->point, "JSON array: the unconstrained point (default: the origin)")
      .type_name("FILE");
  verb.add_option("--include-path", arguments->include_paths,
                  "Folder to search for #include files (repeatable)")
      .type_name("DIR")
      .one_value_each();
  verb.add_option("--lanes", arguments->lanes, "Evaluate so many draws at once").whole_number(1, 1024);
  verb.add_option("--repeat", arguments->repeat,
                  "Time so many evaluations, and as many outputs with --outputs")
      .whole_number(0, 1'000'000'000);
  verb.add_flag("--normalized", arguments->normalized, "Keep the constants that '~' drops");
  verb.add_option("--rows", arguments->rows,
                  "Data whose first index is the row of minibatches (default: those with "
                  "the first size that most data share)")
      .type_name("NAME,...")
      .separated_by(',');
  verb.add_option("--minibatch", arguments->minibatch, "Evaluate a random minibatch of so many rows")
      .type_name("B")
      .whole_number(1, std::numeric_limits<std::uint32_t>::max());
  verb.add_flag(
      "--check", arguments->check,
      "Compare the gradient with finite differences, and the density with an evaluation without a tape");
  verb.add_flag("--outputs", arguments->outputs,
                "Add what the program outputs: parameters, transformed parameters, generated quantities");
  verb.add_option("--dump", arguments->dump,
                  "Print instead the program's operations at the point (trace or tape), or which terms "
                  "minibatches scale (subsample)")
      .one_of({"trace", "tape", "subsample"});
  verb.add_option("--max-memory", arguments->max_memory,
                  "Refuse a program that needs more, such as 500MB or 4GB (default: what is free)")
      .memory_size()
      .type_name("SIZE");
  verb.add_option("--seed", arguments->seed,
                  "Seed of the program's random numbers and of the minibatch (default 0)")
      .whole_number(0, std::numeric_limits<std::uint64_t>::max());
  return [arguments] { return run_density(*arguments); };
}

}  // namespace kullback::cli
