// A start on disk: .partial/start-N.npy, and beside it start-N-local-PASS-FIRST.npy, what a shard that begins
// with unit FIRST keeps for its units. The former is written last, so that it always has its companions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "conjugate/start.hpp"
#include "conjugate/write.hpp"

namespace kullback::conjugate {

namespace fs = std::filesystem;

namespace {

constexpr double kVersion = 3;

// Writes or reads the same things in the same order.
class Numbers final {
 public:
  Numbers() = default;
  explicit Numbers(const std::vector<double>& from) : all_(from), reads_(true) {}

  template <class T>
  void number(T& value) {
    if (!reads_) return all_.push_back(static_cast<double>(value));
    if (at_ >= all_.size()) {
      throw Error(ErrorKind::bad_input, "a checkpoint ends early.", "Begin anew with --force.");
    }
    value = static_cast<T>(all_[at_++]);
  }
  void numbers(std::vector<double>& values) {
    std::size_t size = values.size();
    number(size);
    values.resize(size);
    for (double& value : values) number(value);
  }
  std::vector<double>& all() { return all_; }

 private:
  std::vector<double> all_;
  std::size_t at_ = 0;
  bool reads_ = false;
};

std::string bytes_of(const std::vector<double>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

std::vector<double> numbers_of(const std::string& bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

struct LocalFile {
  fs::path path;
  std::uint64_t pass = 0;
  std::uint64_t first = 0;
};

std::vector<LocalFile> local_files(const fs::path& folder, std::size_t start) {
  const std::string prefix = fmt::format("start-{}-local-", start + 1);
  std::vector<LocalFile> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".npy")) continue;
    LocalFile file{.path = entry.path()};
    const char* at = name.data() + prefix.size();
    const auto pass = std::from_chars(at, name.data() + name.size(), file.pass);
    if (pass.ec != std::errc{} || *pass.ptr != '-') continue;
    if (std::from_chars(pass.ptr + 1, name.data() + name.size(), file.first).ec != std::errc{}) continue;
    found.push_back(std::move(file));
  }
  return found;
}

template <class Outcome>
void transfer(Numbers& numbers, Outcome& outcome) {
  numbers.number(outcome.elbo);
  numbers.number(outcome.passes);
  numbers.number(outcome.is_converged);
  numbers.number(outcome.is_complete);
  numbers.number(outcome.largest_fall);
  std::size_t points = outcome.trace.size();
  numbers.number(points);
  outcome.trace.resize(points);
  for (TracePoint& point : outcome.trace) {
    numbers.number(point.pass);
    numbers.number(point.elbo);
    numbers.number(point.seconds);
  }
}

void transfer(Numbers& numbers, std::vector<std::vector<double>>& averages, std::uint64_t& averaged) {
  numbers.number(averaged);
  std::size_t blocks = averages.size();
  numbers.number(blocks);
  averages.resize(blocks);
  for (std::vector<double>& average : averages) numbers.numbers(average);
}

}  // namespace

std::vector<double> Start::numbers() const {
  Numbers out;
  double version = kVersion;
  out.number(version);
  StartOutcome outcome = outcome_;
  transfer(out, outcome);
  std::uint64_t step = step_, pass_steps = pass_steps_, refused = refused_;
  double pass_sum = pass_sum_;
  double seconds = earlier_seconds_ + seconds_since_start();
  out.number(step);
  out.number(pass_sum);
  out.number(pass_steps);
  out.number(refused);
  out.number(seconds);
  std::vector<double> state = model_->state(), first = first_state_, adam = adam_.state();
  Statistics statistics = statistics_;
  out.numbers(state);
  out.numbers(first);
  out.numbers(adam);
  out.numbers(statistics.values);
  out.number(statistics.local);
  out.number(statistics.units);
  std::vector<std::vector<double>> averages = averages_;
  std::uint64_t averaged = averaged_;
  transfer(out, averages, averaged);
  return std::move(out.all());
}

void Start::set_numbers(const std::vector<double>& numbers) {
  Numbers in(numbers);
  double version = 0;
  in.number(version);
  if (version != kVersion) {
    throw Error(ErrorKind::bad_input, "the checkpoint was written by another version of Kullback.",
                "Begin anew with --force.");
  }
  transfer(in, outcome_);
  in.number(step_);
  in.number(pass_sum_);
  in.number(pass_steps_);
  in.number(refused_);
  in.number(earlier_seconds_);
  std::vector<double> state, adam;
  in.numbers(state);
  in.numbers(first_state_);
  in.numbers(adam);
  in.numbers(statistics_.values);
  in.number(statistics_.local);
  in.number(statistics_.units);
  transfer(in, averages_, averaged_);
  model_->set_state(state);
  model_->prepare();
  adam_.set_state(adam);
  outcome_.state = std::move(state);
}

void Start::save_local() const {
  if (local_.empty()) return;
  const fs::path name =
      fmt::format("start-{}-local-{}-{}.npy", number_ + 1, outcome_.passes, setting_.source.first_unit());
  write_npy(options_.checkpoint / name, local_);
}

void Start::save() const {
  const Unhurried writing;
  std::error_code problem;
  fs::create_directories(options_.checkpoint, problem);
  if (problem)
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: cannot be made: {}.", options_.checkpoint.string(), problem.message()),
                "Unfinished starts are saved there; choose another folder with --out.");
  if (!outcome_.is_complete) save_local();
  setting_.ranks.barrier();
  if (setting_.ranks.is_first()) {
    write_npy(options_.checkpoint / fmt::format("start-{}.npy", number_ + 1), numbers());
  }
  setting_.ranks.barrier();
  for (const LocalFile& old : local_files(options_.checkpoint, number_)) {
    const bool is_mine = old.first == setting_.source.first_unit();
    if (is_mine && (old.pass != outcome_.passes || outcome_.is_complete)) fs::remove(old.path);
  }
}

bool Start::load() {
  std::string bytes;
  const fs::path path = options_.checkpoint / fmt::format("start-{}.npy", number_ + 1);
  if (setting_.ranks.is_first() && fs::exists(path)) bytes = bytes_of(read_npy(path));
  bytes = setting_.ranks.broadcast(bytes);
  if (bytes.empty()) return false;
  set_numbers(numbers_of(bytes));
  load_local();
  is_resumed_ = true;
  return true;
}

// Shards may be cut differently than when they were saved.
void Start::load_local() {
  const std::size_t size = model_->local_size();
  if (local_.empty() || outcome_.is_complete) return;
  const std::uint64_t begin = setting_.source.first_unit();
  const std::uint64_t end = begin + setting_.source.units();
  for (const LocalFile& file : local_files(options_.checkpoint, number_)) {
    if (file.pass != outcome_.passes || file.first >= end) continue;
    const std::vector<double> numbers = read_npy(file.path);
    const std::uint64_t from = std::max(begin, file.first);
    const std::uint64_t to = std::min<std::uint64_t>(end, file.first + numbers.size() / size);
    if (from >= to) continue;
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>((from - file.first) * size), (to - from) * size,
                local_.begin() + static_cast<std::ptrdiff_t>((from - begin) * size));
  }
}

}  // namespace kullback::conjugate
