// A Stan program with its data, as a LogDensity.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/source.hpp"
#include "density/log_density.hpp"
#include "lang/program.hpp"
#include "model/branches.hpp"
#include "model/data.hpp"
#include "model/stan_rows.hpp"
#include "tape/run/workspace.hpp"
#include "tape/tape.hpp"
#include "tape/terms/terms.hpp"

namespace kullback::model {

struct Prepared;

struct StanModelOptions {
  bool normalized = false;  // keep the constants that `~` drops
  bool jacobian = true;
  std::uint64_t seed = 0;      // of `_rng` in transformed data
  std::size_t max_memory = 0;  // bytes for the tape and its workspaces; 0: what the machine has
  // Data whose first index is the row of minibatches; empty: those with the first size that most data share.
  std::vector<std::string> rows = {};
  std::string row_size = {};  // or: all data whose first size is this variable
  std::string strata = {};    // integer data with a number for each row
};

class StanTerms;

class StanModel final : public density::LogDensity {
 public:
  // The program and the sources must outlive the model. Throws Error where the data do not fit.
  StanModel(const lang::Program& program, const SourceMap& sources, Data data, StanModelOptions options = {});
  // The same program and data with other options; those about data (`seed`) are settled.
  StanModel(std::shared_ptr<const Prepared> prepared, StanModelOptions options);
  ~StanModel() override;

  std::size_t dim() const override;
  void evaluate(const density::Batch& batch) override;
  // Names the statement and the value behind the last draw that was not ok. A statement is looked into once:
  // when it fails again, the text is that of the first time.
  std::string message() const override { return message_; }
  // Shares the tape and the data; the program and the sources must outlive the clone too. A clone evaluates
  // all rows until its own rows() are chosen.
  std::unique_ptr<density::LogDensity> clone() const override;
  std::span<const density::Block> blocks() const override;
  std::span<const density::Support> supports() const override;
  // Minibatches. Throws Error where it cannot be decided which terms belong to which row.
  density::Rows* rows() override;
  // What rows() decided, for people.
  std::string describe_rows();
  // Of the density with all rows. Throws Error where the program rejects every point that was tried.
  density::Terms* terms() override;
  density::Terms* factors() override;

  const Diagnostics& data_warnings() const;
  const tape::Tape* tape() const { return main_.tape.get(); }  // null before the first evaluation
  std::size_t lanes_together() const { return main_.width; }   // of many lanes, so many are evaluated at once
  std::size_t branches_known() const { return branches_.count(); }  // besides that of the first evaluation
  std::shared_ptr<const Prepared> prepared() const { return prepared_; }

  // Batches whose draws are expensive are evaluated by so many threads, to the same bits. Clones have one.
  void use_threads(std::size_t count) { threads_ = count; }

  // Runs the program at a point, recording it on `builder`. False where the program rejects the point
  // (message()).
  bool trace(const double* theta, tape::Builder& builder);

 private:
  struct Explanation {
    density::Status status = density::Status::ok;
    std::string message;
  };
  // The program on one way through its comparisons with parameters. The main one is that of the first point:
  // its tape is shared by all clones, evaluates most draws, and checks its comparisons itself. The others
  // are found by the comparisons (model/branches.hpp) and made where they are met.
  struct Branch {
    std::shared_ptr<const tape::Tape> tape = {};
    std::size_t width = 1;  // lanes that are best evaluated together
    bool all_packed = false;
    std::vector<std::unique_ptr<tape::Workspace>> workspaces = {};
    // By place on the tape, and whether NaN.
    std::map<std::pair<std::uint64_t, bool>, Explanation> explanations = {};
  };

  StanModel(const StanModel& other);  // without its workspaces

  void evaluate_on_main(const density::Batch& batch);
  void evaluate_one(const density::Batch& batch, std::size_t lane);
  void evaluate_together(const density::Batch& batch, std::size_t first, std::size_t size);
  void evaluate_apart(const density::Batch& batch, std::size_t first, std::size_t size);
  static std::size_t piece_size(const Branch& branch, std::size_t lanes);
  void evaluate_missed(const density::Batch& batch);
  std::shared_ptr<Branch> branch_at(const double* theta);
  void evaluate_group(Branch& branch, const density::Batch& batch, std::span<const std::size_t> lanes);
  void evaluate_on(Branch& branch, const density::Batch& batch, std::span<const std::size_t> lanes);
  void refuse_on(Branch& branch, const density::Batch& batch, std::size_t lane);
  std::size_t evaluate_on_threads(const density::Batch& batch);
  void reject(const density::Batch& batch, std::size_t lane) const;
  struct There {  // where a draw was evaluated
    const tape::Workspace& workspace;
    std::size_t lane = 0;
  };
  void judge(Branch& branch, const density::Batch& batch, std::size_t lane, There there);
  std::vector<double> point_of(const density::Batch& batch, std::size_t lane) const;
  const Explanation& explain(Branch& branch, const std::vector<double>& theta, std::uint64_t place, bool nan);
  bool trace(const double* theta, tape::Builder& builder, std::string& message) const;
  bool trace_rows(const StanRows::Request& request, tape::Builder& builder, StanRows::Ranges& ranges,
                  std::string& message) const;
  // Parameters, transformed parameters and model; false where the program rejects the point.
  bool run_model(tape::Tracer& tracer, const tape::Ids& free, std::string& message) const;
  StanRows& stan_rows();
  StanRows::Record row_record();
  bool adds_up(StanRows& rows);
  std::unique_ptr<StanTerms> make_terms(tape::TermSplit split);
  tape::Workspace& workspace(Branch& branch, std::size_t lanes) const;
  Branch make_branch(tape::Builder builder, std::size_t lanes) const;
  std::size_t memory_limit() const;
  // The tape of a trace, for a workspace of so many lanes; throws Error where they do not fit.
  std::shared_ptr<const tape::Tape> compile(tape::Builder builder, std::size_t lanes) const;

  std::shared_ptr<const Prepared> prepared_;
  StanModelOptions options_;
  Branch main_;
  Branches<Branch> branches_;
  std::vector<std::size_t> missed_;  // lanes of a batch whose draws are on other branches
  std::size_t threads_ = 1;
  std::vector<std::unique_ptr<StanModel>> helpers_;  // one for each thread but this one
  std::vector<double> piece_theta_;
  std::vector<double> piece_gradient_;
  std::vector<double> piece_values_;
  std::string message_;
  std::unique_ptr<StanRows> rows_;
  std::unique_ptr<StanTerms> terms_;
  std::unique_ptr<StanTerms> factors_;
};

}  // namespace kullback::model
