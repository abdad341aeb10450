#include "deep/train/checkpoint.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "deep/train/safetensors.hpp"

namespace kullback::deep {

namespace {

constexpr std::int64_t kFigures = 3;  // of an epoch: loss, held out, seconds

torch::Tensor figures_tensor(const TrainOutcome& outcome) {
  torch::Tensor figures =
      torch::zeros({static_cast<std::int64_t>(outcome.epochs.size()), kFigures}, torch::kFloat64);
  auto* number = figures.data_ptr<double>();
  for (const EpochFigures& epoch : outcome.epochs) {
    *number++ = epoch.loss;
    *number++ = epoch.held_out;
    *number++ = epoch.seconds;
  }
  return figures;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::bad_input, path.string() + ": " + what + ".",
              "Resume with the options and data of the first run, or start anew with --force.");
}

}  // namespace

Checkpoint::Checkpoint(Trainee& trainee, const TrainOptions& options)
    : trainee_(trainee), options_(options) {}

void Checkpoint::keep(State& into) {
  const torch::NoGradGuard no_gradient;
  std::size_t i = 0;
  trainee_.visit([&](const std::string&, torch::Tensor& tensor) {
    if (i == into.size()) into.push_back(torch::empty_like(tensor, at::MemoryFormat::Contiguous));
    // What grows while it trains (draws that were collected) is kept in its new size.
    if (into[i].sizes() != tensor.sizes()) into[i] = torch::empty_like(tensor, at::MemoryFormat::Contiguous);
    into[i++].copy_(tensor);
  });
}

void Checkpoint::restore(const State& from) {
  const torch::NoGradGuard no_gradient;
  std::size_t i = 0;
  trainee_.visit([&](const std::string&, torch::Tensor& tensor) {
    const torch::Tensor& kept = from[i++];
    if (tensor.sizes() == kept.sizes()) {
      tensor.copy_(kept);
    } else {
      tensor = kept.clone();
    }
  });
}

void Checkpoint::save(const TrainOutcome& outcome) {
  if (options_.checkpoint.empty()) return;
  const State good = whole(good_), best = whole(best_);
  saved_ = std::chrono::steady_clock::now();
  if (good.empty() && !good_.empty()) return;  // another process writes
  TensorFile file;
  file.metadata = {{"fingerprint", options_.fingerprint},
                   {"best_epoch", std::to_string(outcome.best_epoch)},
                   {"stopped_early", outcome.stopped_early ? "true" : "false"}};
  file.tensors.emplace_back("figures", figures_tensor(outcome));
  std::size_t i = 0;
  trainee_.visit([&](const std::string& name, torch::Tensor&) {
    file.tensors.emplace_back("state." + name, good[i]);
    if (!best.empty()) file.tensors.emplace_back("best." + name, best[i]);
    ++i;
  });
  write_safetensors(options_.checkpoint, file);
}

bool Checkpoint::is_due(const TrainOutcome& outcome, bool is_last) const {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - saved_;
  return is_last || outcome.stopped_early || since.count() >= options_.save_every;
}

Checkpoint::State Checkpoint::whole(const State& here) const {
  return trainee_.spread() == nullptr ? here : trainee_.spread()->gather(here);
}

void Checkpoint::load(TrainOutcome& outcome) {
  if (options_.checkpoint.empty() || !std::filesystem::exists(options_.checkpoint)) return;
  const TensorFile file = read_safetensors(options_.checkpoint);
  const auto fingerprint = file.metadata.find("fingerprint");
  if (fingerprint == file.metadata.end() || fingerprint->second != options_.fingerprint)
    refuse(options_.checkpoint, "is the checkpoint of another model, of other data or options");
  const torch::Tensor* figures = file.find("figures");
  if (figures == nullptr || figures->dim() != 2 || figures->size(1) != kFigures ||
      figures->scalar_type() != torch::kFloat64)
    refuse(options_.checkpoint, "has no figures of its epochs");
  const auto* number = figures->data_ptr<double>();
  for (std::int64_t epoch = 1; epoch <= figures->size(0); ++epoch, number += kFigures)
    outcome.epochs.push_back(
        {.epoch = epoch, .loss = number[0], .held_out = number[1], .seconds = number[2]});
  outcome.best_epoch = std::stoll(file.metadata.at("best_epoch"));
  outcome.stopped_early = file.metadata.at("stopped_early") == "true";

  const auto read_state = [&](const std::string& prefix, State& into) {
    trainee_.visit([&](const std::string& name, torch::Tensor& tensor) {
      const torch::Tensor* found = file.find(prefix + name);
      if (found == nullptr) refuse(options_.checkpoint, "has no '" + prefix + name + "'");
      if (found->dim() != tensor.dim() || found->scalar_type() != tensor.scalar_type())
        refuse(options_.checkpoint, "has a '" + prefix + name + "' of another kind");
      const torch::Tensor own = trainee_.spread() == nullptr ? *found : trainee_.spread()->own_part(*found);
      into.push_back(own.to(tensor.device()));
    });
  };
  read_state("state.", good_);
  if (outcome.best_epoch != 0) read_state("best.", best_);
  restore(good_);
}

}  // namespace kullback::deep
