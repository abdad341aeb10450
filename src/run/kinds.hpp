// All that the folder of a run can hold, as one table (run/kinds.cpp): every command that works on folders
// goes by it.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace kullback::run {

struct RunRecord;

enum class Kind : unsigned char {
  posterior,
  predictions,
  simulation,
  calibration,
  mixture,
  topics,
  hmm,
  factors,
  regress,
  bnn,
  vae,
  ebm,
  diffusion,
  score,
  discrete_diffusion,
};

// Who reads such a folder.
enum class Reader : unsigned char {
  draws,      // fit: named draws of a program
  any_model,  // draws of a program, or a table of another model
  own,        // the verb that made it, and the report
  conjugate,
  deep,  // kullback-deep
};

struct KindRecord {
  Kind kind;
  std::string_view name;  // in run.json
  std::string_view what;  // "an autoencoder"
  std::string_view verb;  // that makes it: "kullback vae"
  Reader reader;
  std::string_view files;  // of a run whose record does not list them; a # stands for a number
  // Listed by no record: what verbs write into the folder, and a training's checkpoint, which stays where it
  // was interrupted.
  std::string_view later = {};
};

std::span<const KindRecord> kinds();
const KindRecord& record_of(Kind kind);
const KindRecord* find_kind(std::string_view name);  // null: this version knows none
std::string_view name_of(Kind kind);
bool is_deep(Kind kind);
bool is_conjugate(Kind kind);

// Named draws of a program: fits, and what `predict` and `simulate` make of them.
bool holds_draws(const std::filesystem::path& folder, const RunRecord& record);

}  // namespace kullback::run
