// Precompiled once for all models: parsing Stan's headers takes longer than compiling most models. Stan's
// own header must come first.
#pragma once

// clang-format off
#include <stan/model/model_header.hpp>

#include <stan/io/json/json_data.hpp>
#include <stan/model/gradient.hpp>
// clang-format on
