// Precompiled once for all models: parsing Stan's headers takes longer than compiling most models.
#pragma once

// clang-format off: Stan's own header comes first
#include <stan/model/model_header.hpp>

#include <stan/io/json/json_data.hpp>
#include <stan/model/gradient.hpp>
// clang-format on
