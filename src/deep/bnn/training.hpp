// A posterior and its data as something to train.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "deep/bnn/posterior.hpp"
#include "deep/train/trainee.hpp"

namespace kullback::deep {

// Of each group of data: x [groups, rows, ...], y [groups, rows] (classes as int64). On the device of the
// posterior, or on the CPU where they do not fit there.
struct GroupRows {
  torch::Tensor x;
  torch::Tensor y;
};

// The same rows for each member of each group: [groups * members, rows, ...]; of one group without a copy.
NetRows for_members(const GroupRows& rows, std::int64_t members);

class PosteriorTrainee final : public Trainee {
 public:
  struct Data {
    GroupRows train;
    GroupRows held_out = {};   // undefined: none
    std::int64_t members = 1;  // of each group
    std::int64_t held_out_draws = 20;
    std::int64_t epochs = 1;  // of the whole training
    // Null: `members` are all there are. Else they are this process's, of one group.
    const MembersOverRanks* spread = nullptr;
    std::optional<torch::Device> device = {};  // of the posterior; not given: that of the rows
    bool streams = false;                      // rows that are there are streamed all the same
  };
  PosteriorTrainee(const BayesNet& net, Posterior& posterior, Data data);

  std::int64_t groups() const override { return data_.train.x.size(0); }
  std::int64_t rows() const override { return data_.train.x.size(1); }
  torch::Device device() const override { return device_; }
  RowFeed* feed() override { return &feed_; }
  const MembersOverRanks* spread() const override { return data_.spread; }
  torch::Tensor step(const StepContext& context) override;
  void end_epoch(std::int64_t epoch) override;
  // The mean log density of the held-out rows under the mixture of all members and draws, over all groups.
  double held_out() override;
  void visit(const VisitTensor& visit) override { posterior_.visit(visit); }
  bool is_capturable() const override { return posterior_.is_capturable(); }
  std::string first_not_finite() override;

 private:
  std::int64_t rows_at_once(std::int64_t draws) const;

  const BayesNet& net_;
  Posterior& posterior_;
  Data data_;
  torch::Device device_;
  RowFeed feed_;
};

// log p(y | x) of each row under the equal mixture of all members' draws: predictive [groups * members,
// draws, rows ...], y [groups, rows]; result [groups, rows].
torch::Tensor log_predictive(const Predictive& predictive, const torch::Tensor& y);

}  // namespace kullback::deep
