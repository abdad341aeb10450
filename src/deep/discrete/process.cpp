#include "deep/discrete/process.hpp"

#include <algorithm>
#include <array>

#include "deep/diffusion/records.hpp"

namespace kullback::deep::discrete {

#define KULLBACK_DISCRETE_PROCESS(record) extern const ProcessRecord record;
#include "deep/discrete/processes.def"
#undef KULLBACK_DISCRETE_PROCESS

std::int64_t Space::most() const { return *std::max_element(values.begin(), values.end()); }

torch::Tensor Process::loss(const Denoiser& denoiser, const torch::Tensor& x, const Noise& noise) const {
  const auto number = x.options().dtype(torch::kFloat64);
  return -bound(denoiser, x, noise.uniform({x.size(0)}, number, 0), noise);
}

std::span<const ProcessRecord* const> processes() {
  static const std::array kRecords = {
#define KULLBACK_DISCRETE_PROCESS(record) &record,
#include "deep/discrete/processes.def"
#undef KULLBACK_DISCRETE_PROCESS
  };
  return kRecords;
}

const ProcessRecord& process_named(const std::string& name) {
  return diffusion::record_named(processes(), name, "states");
}

std::unique_ptr<Process> make_process(const std::string& name, const Setting& setting,
                                      const OptionValues& values) {
  return process_named(name).make(values, setting);
}

bool after_step(const DrawOptions& options, std::int64_t done, std::int64_t steps,
                const torch::Tensor& shown) {
  if (options.on_step) options.on_step(done, steps, shown);
  return options.should_stop && options.should_stop();
}

}  // namespace kullback::deep::discrete
