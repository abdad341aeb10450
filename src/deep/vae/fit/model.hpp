// An autoencoder on paper: all that is needed to build it again, and its weights in a file. DIR/model.json
// and DIR/weights.safetensors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "deep/data/rows.hpp"
#include "deep/net/precision.hpp"
#include "deep/part.hpp"
#include "deep/vae/objective.hpp"
#include "deep/vae/training.hpp"
#include "deep/vae/vae.hpp"

namespace kullback::deep {

struct VaeModel {
  VaeSpec spec = {};
  std::vector<std::string> names = {};  // of the columns of a table
  std::string label_column = {};        // of a table
  std::vector<std::string> label_names =
      {};                           // those seen in training, whether or not the model is conditional
  bool has_levels = false;          // data are levels 0 .. 255
  std::vector<double> center = {};  // what is subtracted from each column, empty: nothing
  std::vector<double> sd = {};      // what each column is then divided by
  Part family = {"gaussian"};
  Part decoder = {"bernoulli"};
  Part prior = {"gaussian"};
  Part objective = {"vae"};
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;

  bool is_binarised_once() const;
};

// Throw Error usage that lists the names.
const LatentFamilyRecord& family_named(const std::string& name);
const DecoderLikelihoodRecord& decoder_named(const std::string& name);
const LatentPriorRecord& latent_prior_named(const std::string& name);
const VaeObjectiveRecord& objective_named(const std::string& name);

std::string to_json(const VaeModel& model);
// Throws Error missing_file or bad_input.
VaeModel read_model(const std::filesystem::path& file);

// The parts and parameters, on a device. Throws Error usage for what makes no sense together.
class BuiltVae final {
 public:
  BuiltVae(VaeModel model, torch::Device device);

  const VaeModel& model() const { return model_; }
  const Vae& vae() const { return *vae_; }
  const VaeObjective& objective() const { return *objective_; }
  torch::TensorOptions options() const { return options_; }
  torch::Tensor& flat() { return flat_; }
  Parameters parameters() const { return vae_->split(flat_); }

  // Fresh parameters; `rows` are some of the data as the model takes them.
  void start(const VaeRows& rows);
  // As the model takes them, standardised, binarised once where it was; on its device, or at another place.
  VaeRows prepared(const RawRows& rows) const { return prepared(rows, options_.device()); }
  VaeRows prepared(const RawRows& rows, const torch::Device& place) const;
  // From the model's units to those of the data, on the CPU in double precision.
  torch::Tensor in_own_units(const torch::Tensor& x) const;
  // Names of the columns of rows: those of the table, or pixel_1 ...
  std::vector<std::string> column_names() const;

  // Means and sds of the latent variables of rows, [rows, latent], on the CPU in double precision.
  Moments encode(const VaeRows& rows) const;
  // The mean of each pixel for z [rows, latent]; label undefined where the model is not conditional.
  torch::Tensor decode(const torch::Tensor& z, const torch::Tensor& label) const;

  void save(const std::filesystem::path& file) const;
  // Throws Error bad_input that says what is not of this model.
  void load(const std::filesystem::path& file);

 private:
  VaeModel model_;
  torch::TensorOptions options_;
  std::unique_ptr<Vae> vae_;
  std::unique_ptr<VaeObjective> objective_;
  torch::Tensor flat_;
};

// The mean of each pixel for `count` draws of the prior, in the model's units, on the CPU. Labels of a
// conditional model: `label` for all, or where it is not given each in turn. Seeds LibTorch's generators by
// the model's seed plus `more`.
torch::Tensor sample_vae(const BuiltVae& built, std::int64_t count, std::optional<std::int64_t> label,
                         std::uint64_t more = 0);

// A trained model of a folder. Throws Error.
BuiltVae open_vae(const std::filesystem::path& folder, torch::Device device);

}  // namespace kullback::deep
