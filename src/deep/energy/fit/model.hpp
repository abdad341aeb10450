// An energy on paper: all that is needed to build it again, and its weights in a file. DIR/model.json and
// DIR/weights.safetensors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "deep/data/rows.hpp"
#include "deep/energy/chain_sampler.hpp"
#include "deep/energy/energy.hpp"
#include "deep/energy/energy_training.hpp"
#include "deep/net/precision.hpp"
#include "deep/part.hpp"

namespace kullback::deep {

struct EbmModel {
  std::int64_t dim = 0;
  ImageShape image = {};
  std::vector<std::string> names = {};  // of the columns of a table
  bool has_levels = false;              // data are levels 0 .. 255
  Part energy = {"auto"};               // auto: the data say
  Part sampler = {"auto"};
  Part training = {"weighted"};
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;

  bool is_image() const { return image.height > 0; }
};

// Throw Error usage that lists the names.
const EnergyRecord& energy_named(const std::string& name);
const ChainSamplerRecord& chain_sampler_named(const std::string& name);
const EnergyTrainingRecord& energy_training_named(const std::string& name);

std::string to_json(const EbmModel& model);
// Throws Error missing_file or bad_input.
EbmModel read_ebm_model(const std::filesystem::path& file);

// Fills in what the data decide. Throws Error bad_input for rows that the energy cannot explain, naming
// `file`.
void fit_model_to_rows(EbmModel& model, const RawRows& rows, const std::string& file);

// The parts and parameters, on a device. Throws Error usage for what makes no sense together.
class BuiltEbm final {
 public:
  BuiltEbm(EbmModel model, torch::Device device);

  const EbmModel& model() const { return model_; }
  const Energy& energy() const { return *energy_; }
  ChainSampler& sampler() { return *sampler_; }
  EnergyTraining& training() { return *training_; }
  const EnergyTraining& training() const { return *training_; }
  torch::TensorOptions options() const { return options_; }
  torch::Tensor& flat() { return flat_; }
  Parameters parameters() const { return Parameters(energy_->layout(), flat_); }

  // Learns scales and the base from rows (as read), then fresh parameters and chains.
  void start(const torch::Tensor& rows);
  // Throws Error bad_input where rows are not of the model's kind, naming `file`.
  void check(const RawRows& rows, const std::string& file) const;
  // Rows as read, on the device: levels as they are, numbers in the model's type. 0 and 1: levels are
  // binarised once by the seed.
  torch::Tensor prepared(const torch::Tensor& rows) const;
  // Prepared rows as numbers of the model; a level is first moved to anywhere in its interval, at random.
  torch::Tensor observed(const torch::Tensor& prepared) const;
  // From numbers of the model to those of the data, on the CPU in double precision.
  torch::Tensor in_own_units(const torch::Tensor& x) const;
  // What is added to log p of the model's numbers to make it a density in the data's units (levels: of an
  // interval of length 1).
  double log_units() const;
  std::vector<std::string> column_names() const;

  // Parameters, base, scales, sampler and chains.
  void visit(const VisitTensor& visit);
  void save(const std::filesystem::path& file);
  // Throws Error bad_input that says what is not of this model.
  void load(const std::filesystem::path& file);

 private:
  EbmModel model_;
  torch::TensorOptions options_;
  std::unique_ptr<Energy> energy_;
  std::unique_ptr<ChainSampler> sampler_;
  std::unique_ptr<EnergyTraining> training_;
  torch::Tensor flat_;
  torch::Tensor center_, sd_;  // [dim]
};

// A trained model of a folder. Throws Error.
BuiltEbm open_ebm(const std::filesystem::path& folder, torch::Device device);

}  // namespace kullback::deep
