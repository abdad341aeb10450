// A diffusion model on paper: all that is needed to build it again, and its weights in a file. DIR/model.json
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
#include "deep/diffusion/fit/parts.hpp"
#include "deep/diffusion/learned_score.hpp"
#include "deep/diffusion/objective.hpp"
#include "deep/diffusion/training.hpp"
#include "deep/net/precision.hpp"

namespace kullback::deep::diffusion {

struct Model {
  std::string kind = "diffusion";  // or "score"
  std::int64_t dims = 0;
  ImageShape image = {};
  bool has_levels = false;              // data are levels 0 .. 255, given to the model as level / 255
  std::vector<std::string> names = {};  // of the columns of a table
  std::string label_column = {};
  std::vector<std::string> label_names = {};
  bool is_conditional = false;
  std::vector<double> center = {}, sd = {};  // of each column; of images one number for all pixels
  Part sde = {"vp"};
  Part objective = {"denoising"};
  std::string parameterisation = "edm";
  std::string weighting = "auto";  // until the data are known
  TimesKind times = TimesKind::automatic;
  NetSpec net = {};
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;

  bool is_image() const { return image.height > 0; }
  std::int64_t labels() const { return is_conditional ? static_cast<std::int64_t>(label_names.size()) : 0; }
  DataUnits units() const;
};

std::string to_json(const Model& model);
// Throws Error missing_file or bad_input.
Model read_model(const std::filesystem::path& file);

// Fills in what the data decide. `train`: int64, the rows to learn scales from.
void fit_to_rows(Model& model, const RawRows& rows, const torch::Tensor& train, const RowsRequest& request);
// Throws Error bad_input where rows are not those of the model.
void check_rows(const Model& model, const RawRows& rows, const std::string& file);

class Built final {
 public:
  Built(Model model, torch::Device device);

  const Model& model() const { return model_; }
  const Layout& layout() const { return layout_; }
  torch::TensorOptions options() const { return options_; }
  torch::Tensor& flat() { return flat_; }
  Parameters parameters() const { return Parameters(layout_, flat_); }
  const Sde& first_sde() const { return *sde_; }  // before anything of it is learned
  const Objective& objective() const { return *objective_; }
  const ScoreNet& net() const { return *net_; }

  void start();
  // Once the parameters are what they stay: the SDE with what is learned of it.
  void settle();
  const Sde& sde() const { return learned_ ? *learned_ : *sde_; }
  Network network() const { return {sde(), *net_, parameterisation_named(model_.parameterisation)}; }
  // label: one-hot of each row, or undefined.
  std::unique_ptr<LearnedScore> score(const torch::Tensor& label = {}, double guidance = 0) const;

  // In the model's units, on its device. dequantised: levels become numbers, uniform within theirs.
  Rows prepared(const RawRows& rows, bool is_dequantised = false) const;
  torch::Tensor in_own_units(const torch::Tensor& x) const;  // on the CPU in double precision
  // log of the volume that one unit of the model has in the data's units (levels: 256 of them are 1).
  double log_volume() const;
  std::vector<std::string> column_names() const;

  void save(const std::filesystem::path& file) const;
  void load(const std::filesystem::path& file);

 private:
  Model model_;
  torch::TensorOptions options_;
  Layout layout_;
  std::unique_ptr<Sde> sde_, learned_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<ScoreNet> net_;
  torch::Tensor flat_;
};

// A trained model of a folder. Throws Error.
std::unique_ptr<Built> open_model(const std::filesystem::path& folder, torch::Device device);

}  // namespace kullback::deep::diffusion
