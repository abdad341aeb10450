// Precompiled once for all models: parsing Stan's headers takes longer than compiling most models.
#pragma once

#include <stan/io/json/json_data.hpp>
#include <stan/model/gradient.hpp>
#include <stan/model/model_header.hpp>
