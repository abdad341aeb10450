// Minibatches of the data's rows for a Stan program.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "lang/program.hpp"
#include "model/branches.hpp"
#include "tape/rows/rows.hpp"
#include "tape/run/workspace.hpp"
#include "tape/trace/tracer.hpp"

namespace kullback::model {

// The data whose first index is the row.
struct RowData {
  std::size_t count = 0;
  std::vector<const lang::Variable*> variables;
  const lang::Variable* size = nullptr;  // what the rows were named by, where it was their size
  std::vector<std::uint32_t> strata;     // by row: the number of its stratum, from 0; empty: none were named

  bool contains(const lang::Variable& variable) const;
};

// By name, or where there are no names: the data whose first size is the variable that is the first size of
// most. Throws Error where there is none, or their sizes differ.
// `data`: values by the variables' ids.
RowData find_row_data(const lang::Program& program, const std::vector<tape::Value>& data,
                      const std::vector<std::string>& names);

// All data whose first size is the variable `size` of the data block. Throws Error where there are none.
RowData find_rows_of_size(const lang::Program& program, const std::vector<tape::Value>& data,
                          const std::string& size);
// Rows with the same value of the integer data `name`, one for each row, are one stratum.
void set_strata(const lang::Program& program, const std::vector<tape::Value>& data, const std::string& name,
                RowData& rows);

// The row of number `at` of a value with these sizes (first index: the row).
std::size_t row_of(const math::Type& type, const tape::Dims& dims, std::size_t at);

class StanRows final : public density::Rows {
 public:
  struct Request {
    const double* theta = nullptr;  // dim numbers
    const RowData* rows = nullptr;
    std::span<const tape::RowTag> parameter_tags = {};
  };
  using Ranges = std::vector<tape::Tracer::ParameterRange>;
  // Traces the program, following rows. False where it rejects the point (the message says why).
  using Record = std::function<bool(tape::Builder&, const Request&, Ranges&, std::string& message)>;

  // Bytes that may be used now.
  using MemoryLimit = std::function<std::size_t()>;

  // Throws Error where it cannot be decided which terms belong to which row.
  StanRows(const SourceMap& sources, RowData data, std::size_t dim, Record record, MemoryLimit memory_limit);
  // With a program that was found elsewhere, without parameters of rows and without comparisons.
  StanRows(const SourceMap& sources, RowData data, std::size_t dim,
           std::shared_ptr<const tape::RowProgram> program, MemoryLimit memory_limit);
  // For another thread: the program is shared.
  StanRows(const StanRows& other, Record record, MemoryLimit memory_limit);
  ~StanRows() override;

  std::size_t count() const override { return data_.count; }
  void choose(std::span<const std::uint32_t> rows) override;
  std::span<const std::uint32_t> coordinates(std::size_t row) const override;
  std::span<const std::uint32_t> strata() const override { return data_.strata; }

  bool is_chosen() const { return !chosen_.empty(); }
  // Of the chosen rows.
  void evaluate(const density::Batch& batch, std::string& message);
  // What is scaled and why, for people.
  std::string describe() const;
  const tape::RowProgram& program() const { return *program_; }

 private:
  struct Ready;  // a tape with its workspaces
  struct Own;    // the same for a draw on another branch

  tape::RowProgram find_program(const double* theta);
  void find_latents(const tape::Builder& builder, const Ranges& ranges);
  void list_own_coordinates();
  void begin_choosing();
  [[noreturn]] void refuse(const tape::RowConflict& conflict) const;
  Ready& ready_for(const std::vector<std::uint32_t>& counts);
  std::unique_ptr<tape::Workspace> make_workspace(const tape::RowTape& tape, std::size_t lanes) const;
  tape::Workspace& workspace(std::size_t lanes);  // of the chosen rows
  void evaluate_alone(const density::Batch& batch, std::size_t lane, std::string& message);
  // Null where the program rejects the point.
  std::shared_ptr<Own> own_program(const double* theta, std::string& message);
  void choose_for(Own& own) const;
  void evaluate_on(tape::Workspace& workspace, const std::vector<double>& theta, const density::Batch& batch,
                   std::size_t lane, std::string& message) const;

  const SourceMap& sources_;
  RowData data_;
  std::size_t dim_;
  Record record_;
  MemoryLimit memory_limit_;
  std::vector<tape::RowTag> parameter_tags_;
  std::vector<std::uint32_t> own_coordinates_;  // row after row; empty where there are no latents
  std::vector<std::uint32_t> first_own_;        // by row: where its own begin; one more for the end
  std::vector<const lang::Variable*> latents_;
  std::vector<const lang::Variable*> globals_;
  std::shared_ptr<const tape::RowProgram> program_;
  std::vector<std::unique_ptr<Ready>> ready_;  // the one in use last
  Branches<Own> branches_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> counts_;
  std::vector<bool> seen_;
};

}  // namespace kullback::model
