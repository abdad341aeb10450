#include "deep/train/epoch_log.hpp"

#include <cmath>
#include <utility>

namespace kullback::deep {

EpochLog::EpochLog(const std::filesystem::path& out, std::int64_t epochs, std::string held_out_name,
                   bool writes)
    : log_(out), writes_(writes) {
  progress_.stage = "training";
  progress_.unit = run::Unit::epoch;
  progress_.parts = {{.name = "epochs", .total = static_cast<double>(epochs), .value_name = "loss"},
                     {.name = "held out", .value_name = std::move(held_out_name)}};
}

void EpochLog::note(const EpochFigures& epoch, const std::vector<run::PartProgress>& figures) {
  progress_.parts[0].done = static_cast<double>(epoch.epoch);
  progress_.parts[0].value = epoch.loss;
  if (!std::isnan(epoch.held_out)) progress_.parts[1].value = epoch.held_out;
  progress_.parts.resize(2);
  progress_.parts.insert(progress_.parts.end(), figures.begin(), figures.end());
  beat();
}

void EpochLog::beat() {
  if (writes_ && log_.is_due()) log_.write(progress_);
}

}  // namespace kullback::deep
