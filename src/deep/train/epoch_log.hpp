// How far a training is, in the events of its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "deep/train/train.hpp"
#include "run/progress_log.hpp"

namespace kullback::deep {

class EpochLog final {
 public:
  // held_out_name: what the held-out figure is. Only where `writes`: the first rank's.
  EpochLog(const std::filesystem::path& out, std::int64_t epochs, std::string held_out_name, bool writes);

  void note(const EpochFigures& epoch, const std::vector<run::PartProgress>& figures);
  // After each step: long epochs show life, too.
  void beat();
  const run::RunProgress& progress() const { return progress_; }

 private:
  run::ProgressLog log_;
  run::RunProgress progress_;
  bool writes_;
};

}  // namespace kullback::deep
