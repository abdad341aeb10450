#include "cli/minibatch_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "model/streamed_rows.hpp"

namespace kullback::cli {

namespace {

constexpr const char* kRows = "batch_size";  // the option that methods for minibatches read
constexpr const char* kSampling = "row_sampling";

bool reads(const infer::Method& method, std::string_view option) {
  return std::find(method.options.begin(), method.options.end(), option) != method.options.end();
}

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

void take_minibatch(const MinibatchArguments& arguments, const infer::Method& method, GivenOptions& given,
                    fit::Inputs& inputs) {
  if (arguments.minibatch.empty()) {
    if (!arguments.strata.empty())
      throw Error(ErrorKind::usage,
                  "--strata names strata of the rows of minibatches, but none was asked for.",
                  "Add --minibatch N=256, with the size of the data in place of N.");
    if (!arguments.streams.empty())
      throw Error(ErrorKind::usage, "--stream leaves rows in files, which only minibatches can do with.",
                  "Add --minibatch N=256, with the size of the data in place of N.");
    return;
  }
  if (!takes_minibatches(method)) refuse_method(method);
  const std::size_t at = arguments.minibatch.find('=');
  const std::string rows = at == std::string::npos ? std::string() : arguments.minibatch.substr(at + 1);
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(rows.data(), rows.data() + rows.size(), count);
  if (at == 0 || rows.empty() || error != std::errc() || end != rows.data() + rows.size() || count == 0) {
    throw Error(ErrorKind::usage,
                fmt::format("--minibatch: found '{}', but NAME=ROWS is needed, with 1 row or more.",
                            arguments.minibatch),
                "N=256 takes 256 rows at a time of all data whose first size is N.");
  }
  if (given.count(kRows) > 0)
    throw Error(ErrorKind::usage, "--minibatch and --batch-size both say how many rows there are at a time.",
                "Leave --batch-size out.");
  if (!arguments.streams.empty() && !arguments.strata.empty())
    throw Error(ErrorKind::usage, "--strata needs the data in memory, and --stream leaves them in files.",
                "Leave one of them out.");
  for (const std::string& stream : arguments.streams) model::streamed_file(stream);
  inputs.streams = arguments.streams;
  inputs.row_size = arguments.minibatch.substr(0, at);
  given[kRows] = rows;
  if (arguments.strata.empty()) return;
  if (!reads(method, kSampling)) {
    throw Error(ErrorKind::usage,
                fmt::format("--strata: {} takes each set of rows with the same probability.", method.name),
                "Leave it out, or take --method vi.");
  }
  if (given.count(kSampling) > 0 && given[kSampling] != "strata")
    throw Error(ErrorKind::usage,
                fmt::format("--strata goes with --row-sampling strata; found {}.", given[kSampling]),
                "Leave --row-sampling out.");
  inputs.strata = arguments.strata;
  given[kSampling] = "strata";
}

}  // namespace kullback::cli
