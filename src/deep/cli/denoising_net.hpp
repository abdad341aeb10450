// Networks that take noise away, and their training, as options: what continuous and discrete states share.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "deep/diffusion/score_net.hpp"

namespace kullback::deep::cli {

std::vector<Option> network_options();
diffusion::NetSpec net_of(const Settings& settings);

std::vector<Option> diffusion_training_options(const Option& rate);
// A number from 0 to below 1.
double part_of(const Settings& settings, const std::string& name);

}  // namespace kullback::deep::cli
