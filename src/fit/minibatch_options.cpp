#include "fit/minibatch_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <string>

#include "base/error.hpp"
#include "model/streamed_rows.hpp"

namespace kullback::fit {

namespace {

constexpr const char* kRows = "batch_size";  // the option that methods for minibatches read
constexpr const char* kSampling = "row_sampling";

bool takes_minibatches(const infer::Method& method) { return reads(method, kRows); }

void refuse_method(const infer::Method& method) {
  std::string names;
  for (const infer::Method* other : infer::methods()) {
    if (takes_minibatches(*other)) names += (names.empty() ? "" : ", ") + std::string(other->name);
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("--minibatch: {} needs the log density of all rows at each step.", method.name),
      fmt::format("Take a method that a part of the rows is enough for ({}), or leave it out.", names));
}

}  // namespace

void take_minibatch(const infer::Method& method, const OptionValues& values, GivenTexts& of_method) {
  const std::string minibatch(values[option::kMinibatch]);
  const std::string strata(values[option::kStrata]);
  const std::span<const std::string> streams = values[option::kStream];
  if (minibatch.empty()) {
    if (!strata.empty())
      throw Error(ErrorKind::usage, "--strata requires --minibatch.",
                  "Add `--minibatch N=256`, with the size of the data in place of N.");
    if (!streams.empty())
      throw Error(ErrorKind::usage, "--stream requires --minibatch.",
                  "Add `--minibatch N=256`, with the size of the data in place of N.");
    return;
  }
  if (!takes_minibatches(method)) refuse_method(method);
  const std::size_t at = minibatch.find('=');
  const std::string rows = at == std::string::npos ? std::string() : minibatch.substr(at + 1);
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(rows.data(), rows.data() + rows.size(), count);
  if (at == 0 || rows.empty() || error != std::errc() || end != rows.data() + rows.size() || count == 0) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--minibatch: found '{}', but NAME=ROWS is needed, with 1 row or more.", minibatch),
        "N=256 takes 256 rows at a time of all data whose first size is N.");
  }
  if (of_method.count(kRows) > 0)
    throw Error(ErrorKind::usage, "--minibatch and --batch-size both say how many rows there are at a time.",
                "Leave --batch-size out.");
  if (!streams.empty() && !strata.empty())
    throw Error(ErrorKind::usage, "--strata needs the data in memory, and --stream leaves them in files.",
                "Leave one of them out.");
  for (const std::string& stream : streams) model::streamed_file(stream);
  of_method[kRows] = rows;
  if (strata.empty()) return;
  if (!reads(method, kSampling)) {
    throw Error(ErrorKind::usage,
                fmt::format("--strata: {} takes each set of rows with the same probability.", method.name),
                "Leave it out, or take `--method vi`.");
  }
  if (of_method.count(kSampling) > 0 && of_method[kSampling] != "strata")
    throw Error(ErrorKind::usage,
                fmt::format("--strata goes with `--row-sampling strata`; found {}.", of_method[kSampling]),
                "Leave --row-sampling out.");
  of_method[kSampling] = "strata";
}

}  // namespace kullback::fit
