// What is behind a kb_fit.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "capi/kullback.h"
#include "fit/finish.hpp"
#include "fit/fit.hpp"

// Immutable once it is made: any number of threads read one fit.
struct kb_fit {
  kullback::fit::Outcome outcome;               // of a fit that was read: posterior and record
  std::optional<kullback::fit::Origin> origin;  // of a fit that was run here
  std::filesystem::path folder;                 // of a fit that was read

  std::string names;
  std::string stat_names;
  std::string record;
  std::string summary;
  std::string certificate;
  std::string text;
};

namespace kullback::capi {

// From the posterior.
void name_columns(kb_fit& fit);

}  // namespace kullback::capi
