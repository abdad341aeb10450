// One start of a fit: a model on its way, step after step, that can be saved between steps.
#pragma once

#include <memory>
#include <vector>

#include "conjugate/minibatch.hpp"
#include "conjugate/movers.hpp"
#include "conjugate/passes.hpp"
#include "conjugate/train.hpp"

namespace kullback::conjugate {

// What all starts of a fit share.
struct Setting {
  const MakeModel& make;
  Source& source;
  const TrainOptions& options;
  const Ranks& ranks;
  const TrainWatch& watch;
  const Batch& sample;               // for Model::begin
  const std::vector<double>& prior;  // may be empty
};

class Start final {
 public:
  Start(const Setting& setting, std::size_t number, Workers& workers);

  // Goes on to the end, or to an interruption; saves itself from time to time.
  void run();
  // Takes up what a checkpoint holds of this start; false where it holds nothing.
  bool load();

  StartOutcome& outcome() { return outcome_; }
  const Statistics& statistics() const { return statistics_; }  // of the last pass over all data
  std::unique_ptr<Model> take_model() { return std::move(model_); }

 private:
  void ascend();  // cavi
  void take_first_steps();
  void measure();  // a pass over the data: the bound, whether it still rises
  enum class Move { none, refused, taken, stopped };
  Move try_move();
  Move climb_back();  // after a move, to the bound before it
  std::size_t most_passes() const;
  bool is_stopped() const;
  void settle();           // moves at the end of svi
  void descend_noisily();  // svi
  void take_in_pieces();   // streaming
  void full_pass();
  void global_steps(const Statistics& statistics, Mover& mover);
  // Between two steps, on all ranks alike: reports, saves where it is time. False: stop here.
  bool go_on(double part, double elbo);
  void average_tail(std::uint64_t last);
  void take_average();
  void add_trace(double elbo);
  double seconds_since_start() const;
  void evaluate_with_first_prior();

  void sample_minibatch(std::uint64_t step, std::size_t size, Buffer& batch) const;
  bool read_batch(std::uint64_t step, Buffer& batch);

  void save() const;
  void save_local() const;
  void load_local();
  std::vector<double> numbers() const;
  void set_numbers(const std::vector<double>& numbers);

  const Setting& setting_;
  const TrainOptions& options_;
  std::size_t number_;
  Workers& workers_;
  std::unique_ptr<Model> model_;
  std::vector<double> first_state_;  // with the prior that the fit began with
  std::unique_ptr<ImportanceSampler> importance_;
  RobbinsMonroMover robbins_monro_;
  AdamMover adam_;
  std::vector<double> local_;
  Statistics statistics_;
  std::uint64_t step_ = 0;  // of svi and streaming
  double pass_sum_ = 0;     // of the minibatches' bounds in this pass
  std::uint64_t pass_steps_ = 0;
  std::vector<std::vector<double>> averages_;  // of each block's natural parameters
  std::uint64_t averaged_ = 0;                 // steps in them
  std::size_t refused_ = 0;                    // moves since the bound last rose
  bool is_resumed_ = false;
  double began_ = 0;
  double earlier_seconds_ = 0;  // before a resumption
  double saved_ = 0;
  StartOutcome outcome_;
};

}  // namespace kullback::conjugate
