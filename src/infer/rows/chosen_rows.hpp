// Rows that are chosen for a while.
#pragma once

#include <cstdint>
#include <span>

#include "density/log_density.hpp"

namespace kullback::infer {

// All rows are chosen again at the end of a scope, whatever happens in it.
class ChosenRows final {
 public:
  ChosenRows(density::Rows& rows, std::span<const std::uint32_t> chosen) : rows_(rows) {
    rows_.choose(chosen);
  }
  ~ChosenRows() { rows_.choose({}); }
  ChosenRows(const ChosenRows&) = delete;
  ChosenRows& operator=(const ChosenRows&) = delete;

 private:
  density::Rows& rows_;
};

}  // namespace kullback::infer
