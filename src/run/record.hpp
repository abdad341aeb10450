// The account of a run: inputs, seed, options, what was done and found. DIR/run.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "run/kinds.hpp"
#include "run/options.hpp"

namespace kullback::run {

// One method that was tried on the way to a tolerance.
struct Rung {
  std::string method;
  std::string verdict;
  std::uint64_t gradients = 0;  // of the method and of its certificate
  std::string reason;           // why it was not enough; empty where it was
};

// A variable of the data, without its numbers.
struct DataShape {
  std::string name;
  std::vector<std::size_t> dims;  // empty: one number
  bool is_int = false;
  bool is_observed = false;  // the program models it
};

// A file that the run wrote, as it was when the run ended.
struct RecordedFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string hash;  // base/content_hash.hpp
};

struct RunRecord {
  Kind kind = Kind::posterior;  // what the folder holds
  std::string method;
  std::string version;  // of Kullback
  std::string program;  // file as the user named it; a copy is in the folder as model.stan
  std::string program_hash;
  std::string data;
  std::string data_hash;
  std::vector<DataShape> data_variables;  // those that the program reads
  std::uint64_t seed = 0;
  std::size_t chains = 0;
  std::size_t parameters = 0;  // as in Posterior: columns of parameters, then of transformed parameters
  std::size_t generated = 0;
  RunOptions options;  // of the method, and those of the verb that decide what it gives
  // What the method says of its run, in words: ("family", "meanfield").
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Rung> rungs;  // of the ladder of methods; empty where a method was named
  std::string status;       // "complete", "interrupted"
  std::uint64_t gradients = 0;
  double seconds = 0;  // wall time, from the start of the program
  Findings findings;
  std::string started;  // "2026-11-15 17:30:00 UTC"; may be empty
  // All of the folder but run.json and events.jsonl; empty while the run is under way, and of versions that
  // did not list them.
  std::vector<RecordedFile> files;
};

// Null where the method does not say.
const std::string* find_fact(const RunRecord& record, std::string_view name);

std::string utc_now();  // as in `started`

std::string to_json(const RunRecord& record);
// Throws Error bad_input, naming the file.
RunRecord read_run_record(const std::string& path);

}  // namespace kullback::run
