// An autoencoder and its data as something to train, by Adam.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

#include "deep/data/as_numbers.hpp"
#include "deep/train/adam.hpp"
#include "deep/train/trainee.hpp"
#include "deep/vae/objective.hpp"
#include "deep/vae/vae.hpp"

namespace kullback::deep {

// uint8 levels (0 .. 255 stand for 0 .. 1) or numbers of the parameters' type, on their device, or on the CPU
// where they do not fit there.
struct VaeRows {
  torch::Tensor x;           // [rows, pixels]
  torch::Tensor label = {};  // int64 [rows]; undefined: none

  std::int64_t size() const { return x.size(0); }
};

struct VaeTraining {
  double rate = 1e-3;
  Schedule schedule = Schedule::constant;
  std::int64_t held_out_samples = 1;  // of the bound on held-out rows
  std::uint64_t seed = 0;
  bool streams = false;  // rows that are on the device are streamed all the same
};

// The mean over rows of the importance-weighted bound with so many draws, in pieces of `batch` rows. Seeds
// LibTorch's generators.
double mean_bound(const Vae& vae, const torch::Tensor& flat, const VaeRows& rows, std::int64_t samples,
                  std::uint64_t seed, std::int64_t batch = 1024);

class VaeTrainee final : public Trainee {
 public:
  // `flat` [1, size] is trained in place. held_out.x may be undefined.
  VaeTrainee(const Vae& vae, const VaeObjective& objective, torch::Tensor flat, VaeRows train,
             VaeRows held_out, VaeTraining options);

  std::int64_t rows() const override { return train_.size(); }
  torch::Device device() const override { return flat_.device(); }
  RowFeed* feed() override { return &feed_; }
  torch::Tensor step(const StepContext& context) override;
  double held_out() override;
  void visit(const VisitTensor& visit) override;
  std::string first_not_finite() override;

  const torch::Tensor& flat() const { return flat_; }

 private:
  torch::Tensor gradient_of(const ObjectiveLoss& loss, const torch::Tensor& flat,
                            const StepContext& context) const;

  const Vae& vae_;
  const VaeObjective& objective_;
  torch::Tensor flat_;
  VaeRows train_, held_out_;
  VaeTraining options_;
  Adam adam_;
  RowFeed feed_;
};

}  // namespace kullback::deep
