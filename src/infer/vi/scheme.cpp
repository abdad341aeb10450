#include "infer/vi/scheme.hpp"

#include <algorithm>

#include "infer/vi/optimizer.hpp"
#include "infer/vi/stochastic_ascent.hpp"

namespace kullback::infer {

std::unique_ptr<Scheme> make_scheme(const SchemeSetting& setting) {
  if (setting.optimizer->make_scheme != nullptr) return setting.optimizer->make_scheme(setting);
  if (setting.objective->make_scheme != nullptr) return setting.objective->make_scheme(setting);
  return make_stochastic_ascent(setting);
}

void archive_trace(Archive& archive, std::vector<TraceRow>& trace) {
  std::uint64_t count = trace.size();
  archive.value(count);
  for (std::uint64_t i = 0; i < count && !archive.is_overrun(); ++i) {
    if (i == trace.size()) trace.emplace_back();
    archive.value(trace[i].iteration);
    archive.value(trace[i].gradients);
    archive.value(trace[i].bound);
    archive.value(trace[i].error);
    archive.value(trace[i].step_size);
  }
  trace.resize(std::min<std::size_t>(count, trace.size()));
}

}  // namespace kullback::infer
