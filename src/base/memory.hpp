// Memory of this machine.
#pragma once

#include <cstddef>
#include <string>

namespace kullback {

// Bytes that can still be allocated without swapping, within the limits of a container; the largest number
// where the system does not say.
std::size_t available_memory();

std::string bytes_text(double bytes);  // "1.5 GB"

}  // namespace kullback
