// Finding a record of a part (family, objective, estimator, optimiser) by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace kullback::infer {

template <class Record>
const Record& find_record(std::span<const Record* const> records, std::string_view name,
                          std::string_view flag) {
  std::string names;
  for (const Record* record : records) {
    if (record->name == name) return *record;
    names += (names.empty() ? "" : ", ") + std::string(record->name);
  }
  throw Error(ErrorKind::usage, std::string(flag) + ": found '" + std::string(name) + "'.",
              "The choices are " + names + ".");
}

}  // namespace kullback::infer
