#include "deep/train/epoch_log.hpp"

#include <cmath>
#include <utility>

namespace kullback::deep {

EpochLog::EpochLog(const std::filesystem::path& out, std::int64_t epochs, std::string held_out_name,
                   bool writes)
    : log_(out), writes_(writes) {
  progress_.stage = "training";
  progress_.parts = {{.name = "epochs", .total = static_cast<double>(epochs), .value_name = "loss"},
                     {.name = "held out", .value_name = std::move(held_out_name)}};
}

void EpochLog::note(const EpochFigures& figures) {
  progress_.parts[0].done = static_cast<double>(figures.epoch);
  progress_.parts[0].value = figures.loss;
  if (!std::isnan(figures.held_out)) progress_.parts[1].value = figures.held_out;
  beat();
}

void EpochLog::beat() {
  if (writes_ && log_.is_due()) log_.write(progress_);
}

}  // namespace kullback::deep
