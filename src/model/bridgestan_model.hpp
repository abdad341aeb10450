// A Stan program that BridgeStan compiled, or anything else behind the same C interface (version 2), as a
// LogDensity.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "density/log_density.hpp"
#include "model/layout.hpp"
#include "model/output_writer.hpp"

namespace kullback::model {

struct BridgeStanLibrary;

struct BridgeStanOptions {
  bool normalized = false;  // keep the constants that `~` drops
  bool jacobian = true;
  unsigned seed = 0;  // of random numbers in transformed data
};

// Draws of a batch are evaluated one after another. What the library's program prints is not shown.
class BridgeStanModel final : public density::LogDensity {
 public:
  // Data: the path of a file that ends in ".json", JSON text, or empty. Throws Error where the file is
  // missing, is no shared library, lacks a function of the interface, or does not accept the data.
  BridgeStanModel(const std::string& library, const std::string& data, BridgeStanOptions options = {});
  ~BridgeStanModel() override;

  std::size_t dim() const override { return dim_; }
  void evaluate(const density::Batch& batch) override;
  std::string message() const override { return message_; }
  // Null unless the library was compiled with STAN_THREADS.
  std::unique_ptr<density::LogDensity> clone() const override;
  std::span<const density::Block> blocks() const override { return blocks_; }

  // Constrained parameters, transformed parameters and generated quantities. Used by one thread; may outlive
  // this object.
  std::unique_ptr<OutputWriter> outputs() const;

  std::string name() const;
  std::vector<std::string> param_names() const;  // "theta.1"
  // The constrained parameters, as param_names names them. Throws Error with the library's message.
  std::vector<double> constrain(const std::vector<double>& theta) const;

 private:
  BridgeStanModel(const BridgeStanModel& other);  // shares the library and its model

  std::string path_;
  BridgeStanOptions options_;
  std::shared_ptr<const BridgeStanLibrary> library_;
  std::shared_ptr<void> model_;
  std::size_t dim_ = 0;
  std::vector<density::Block> blocks_;
  std::vector<double> theta_;
  std::vector<double> gradient_;
  std::string message_;
};

}  // namespace kullback::model
