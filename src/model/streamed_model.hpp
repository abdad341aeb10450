// A Stan program whose rows of data stay in files: memory does not grow with their number, but for 16 bytes a
// row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "model/row_chunks.hpp"
#include "model/stan_model.hpp"
#include "model/stan_rows.hpp"

namespace kullback::model {

class StreamedModel final : public density::LogDensity {
 public:
  // Reads all rows once, into a temporary file of what their terms are made of. `options.row_size` must be
  // set. Program and sources must outlive the model. Throws Error where the program cannot be streamed.
  StreamedModel(const lang::Program& program, const SourceMap& sources, RowSource& source,
                StanModelOptions options);
  ~StreamedModel() override;

  std::size_t dim() const override;
  // Of all rows, block after block, or of those chosen.
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return message_; }
  std::span<const density::Block> blocks() const override;
  std::span<const density::Support> supports() const override;
  density::Rows* rows() override { return rows_.get(); }
  std::unique_ptr<density::LogDensity> clone() const override;

  // With the data of some rows: nothing that is written may depend on them.
  std::shared_ptr<const Prepared> prepared() const { return prepared_; }

 private:
  StreamedModel(const StreamedModel& other);
  void add_block(const density::Batch& batch, std::size_t first, std::size_t count);

  StanModelOptions options_;
  std::shared_ptr<const Prepared> prepared_;
  std::unique_ptr<StanRows> rows_;
  std::vector<std::uint32_t> block_;
  std::vector<double> value_;
  std::vector<double> gradient_;
  std::vector<density::Status> status_;
  std::string message_;
};

}  // namespace kullback::model
