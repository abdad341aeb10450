#pragma once

#include <cstdint>

namespace kullback {

// A seed from the operating system, for a run that was given none.
std::uint32_t fresh_seed();

}  // namespace kullback
