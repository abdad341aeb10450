// A draw is theta, log density, log q and log weight (NaN where the method has none) and the stats, as raw
// doubles. The state is a vector of doubles with a checksum; it names the number of draws and their hash, so
// that draws appended after it are cut off, and others are not taken for them.
#include "fit/partial.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <system_error>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "infer/archive.hpp"
#include "run/record.hpp"

namespace kullback::fit {

namespace {

constexpr double kVersion = 2;
constexpr std::size_t kHeadNumbers = 10;

std::size_t record_size(std::size_t dim, std::size_t stats) { return dim + 3 + stats; }

std::uint64_t joined(double high, double low) {
  return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", path.string(), what),
              fmt::format("Without {} the run begins anew when it is resumed.", path.parent_path().string()));
}

double at_or_nan(const std::vector<double>& values, std::size_t i) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : values[i];
}

// On this machine's disk. Small fits end before anything is saved and have none.
void make_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) {
    throw Error(ErrorKind::cannot_write,
                fmt::format("{}: cannot be made: {}.", folder.string(), problem.message()),
                "Unfinished chains are saved there; choose another folder with --out.");
  }
}

}  // namespace

Partial::Partial(const std::filesystem::path& folder, std::size_t chain, std::size_t stats)
    : draws_path_(folder / fmt::format("chain-{}.draws", chain + 1)),
      state_path_(folder / fmt::format("chain-{}.state", chain + 1)),
      stats_(stats) {}

bool Partial::load(ChainState& state, infer::Draws& draws) {
  // One without the other: a kill came while a finished run removed them.
  if (!std::filesystem::exists(state_path_) || !std::filesystem::exists(draws_path_)) return false;
  const std::string bytes = read_file(state_path_);
  const std::size_t line = bytes.find('\n');
  if (line == std::string::npos || content_hash(bytes.substr(line + 1)) != bytes.substr(0, line))
    refuse(state_path_, "is damaged: its checksum is another one");
  const std::vector<double> head = infer::to_numbers(bytes, line + 1);
  if (head.size() < kHeadNumbers || head[0] != kVersion || head[1] != static_cast<double>(draws.dim))
    refuse(state_path_, "was saved by another version of kullback, or of another model");
  const auto count = static_cast<std::size_t>(head[2]);
  const std::size_t width = record_size(draws.dim, stats_);
  const std::size_t size = count * width * sizeof(double);
  std::string record_bytes = read_file(draws_path_);
  if (record_bytes.size() < size)
    refuse(draws_path_, fmt::format("has {} bytes, but {} draws were saved, which are {}",
                                    record_bytes.size(), count, size));
  record_bytes.resize(size);
  hash_.add(record_bytes);
  if (hash_.value() != joined(head[8], head[9]))
    refuse(draws_path_, "is damaged: its draws are not those that were saved");
  const std::vector<double> records = infer::to_numbers(record_bytes);
  state.is_finished = head[3] != 0;
  state.warmup_seconds = head[4];
  state.sampling_seconds = head[5];
  state.algorithm.assign(head.begin() + kHeadNumbers, head.end());
  const bool has_log_q = head[6] != 0;
  const bool has_weight = head[7] != 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double* record = records.data() + i * width;
    draws.theta.insert(draws.theta.end(), record, record + draws.dim);
    record += draws.dim;
    draws.log_density.push_back(record[0]);
    if (has_log_q) draws.log_q.push_back(record[1]);
    if (has_weight) draws.log_weight.push_back(record[2]);
    draws.stats.insert(draws.stats.end(), record + 3, record + 3 + stats_);
  }
  std::filesystem::resize_file(draws_path_, size);
  saved_ = count;
  is_own_ = true;
  return true;
}

void Partial::save(const ChainState& state, const infer::Draws& draws) {
  make_folder(state_path_.parent_path());
  std::vector<double> records;
  records.reserve((draws.count() - saved_) * record_size(draws.dim, stats_));
  for (std::size_t i = saved_; i < draws.count(); ++i) {
    const double* theta = draws.theta.data() + i * draws.dim;
    records.insert(records.end(), theta, theta + draws.dim);
    records.push_back(draws.log_density[i]);
    records.push_back(at_or_nan(draws.log_q, i));
    records.push_back(at_or_nan(draws.log_weight, i));
    const double* stats = draws.stats.data() + i * stats_;
    records.insert(records.end(), stats, stats + stats_);
  }
  if (!is_own_) {  // what a run left that is begun anew: the state first, as it counts the draws
    std::filesystem::remove(state_path_);
    std::filesystem::remove(draws_path_);
    is_own_ = true;
  }
  const std::string record_bytes = infer::to_bytes(records);
  append_to_file(draws_path_, record_bytes);
  hash_.add(record_bytes);
  saved_ = draws.count();
  std::vector<double> numbers{kVersion,
                              static_cast<double>(draws.dim),
                              static_cast<double>(saved_),
                              state.is_finished ? 1.0 : 0.0,
                              state.warmup_seconds,
                              state.sampling_seconds,
                              draws.log_q.empty() ? 0.0 : 1.0,
                              draws.log_weight.empty() ? 0.0 : 1.0,
                              static_cast<double>(hash_.value() >> 32),
                              static_cast<double>(hash_.value() & 0xFFFFFFFF)};
  numbers.insert(numbers.end(), state.algorithm.begin(), state.algorithm.end());
  const std::string bytes = infer::to_bytes(numbers);
  replace_file(state_path_, content_hash(bytes) + "\n" + bytes);
}

}  // namespace kullback::fit
