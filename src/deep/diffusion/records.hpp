// Parts of diffusion models by name.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>

#include "base/error.hpp"

namespace kullback::deep::diffusion {

// Throws Error usage that lists the names.
template <class Record>
const Record& record_named(std::span<const Record* const> records, const std::string& name,
                           const char* option) {
  std::string all;
  for (const Record* record : records) {
    if (record->name == name) return *record;
    all += (all.empty() ? "" : ", ") + std::string(record->name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no --{} '{}'.", option, name),
              "Known are: " + all + ".");
}

}  // namespace kullback::deep::diffusion
