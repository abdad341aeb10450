// The outputs of a model behind BridgeStan's interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/output_writer.hpp"

namespace kullback::model {

struct BridgeStanLibrary;

class BridgeStanOutputs final : public OutputWriter {
 public:
  BridgeStanOutputs(std::string path, std::shared_ptr<const BridgeStanLibrary> library,
                    std::shared_ptr<void> model);
  ~BridgeStanOutputs() override;

  const std::vector<std::string>& column_names() const override { return names_; }
  std::size_t parameter_columns() const override { return parameter_columns_; }
  std::size_t generated_columns_begin() const override { return generated_columns_begin_; }
  // Where the library refuses, it does not say in which block: all columns are NaN. Each draw has a generator
  // of its own, with a seed from `random`.
  bool write(const double* theta, Random& random, double* row) override;
  bool write_params(const double* theta, double* row) override;
  std::string message() const override { return message_; }
  // Null unless the library was compiled with STAN_THREADS.
  std::unique_ptr<OutputWriter> clone() const override;

 private:
  std::string path_;
  std::shared_ptr<const BridgeStanLibrary> library_;
  std::shared_ptr<void> model_;
  std::vector<std::string> names_;
  std::size_t parameter_columns_ = 0;
  std::size_t generated_columns_begin_ = 0;
  std::string message_;
};

}  // namespace kullback::model
