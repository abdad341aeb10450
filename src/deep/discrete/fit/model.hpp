// A model of discrete states on paper: all that is needed to build it again, and its weights in a file.
// DIR/model.json and DIR/weights.safetensors.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "deep/data/rows.hpp"
#include "deep/diffusion/fit/parts.hpp"
#include "deep/discrete/net_denoiser.hpp"
#include "deep/discrete/process.hpp"
#include "deep/net/precision.hpp"

namespace kullback::deep::discrete {

struct Column {
  std::string name = {};
  std::int64_t values = 0;               // 0 .. values - 1
  std::vector<std::string> levels = {};  // of categories: their names; of counts none
};

struct Model {
  Part process = {"masked"};
  ImageShape image = {};
  std::int64_t pixel_levels = 0;     // of images: brightness is divided into so many levels
  std::vector<Column> columns = {};  // of images: pixels, without names
  diffusion::NetSpec net = {};
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;

  bool is_image() const { return image.height > 0; }
  std::int64_t dims() const { return static_cast<std::int64_t>(columns.size()); }
  Space space() const;
  bool has_counts() const { return process_named(process.name).takes_counts; }
};

std::string to_json(const Model& model);
// Throws Error missing_file or bad_input.
Model read_model(const std::filesystem::path& file);

// What may be learned from.
struct Limits {
  std::int64_t categories = 64;  // of a column
};

// How a model's rows are asked for: categories or counts; of a trained model those that it knows.
RowsRequest rows_request(const Model& model, RowsRequest request);
// Fills in what the data decide. Throws Error bad_input for columns that are neither categories nor counts.
void fit_to_rows(Model& model, const RawRows& rows, const Limits& limits, const std::string& file);
// Rows as values, int64 [rows, dims]. Throws Error bad_input where they are not those of the model.
torch::Tensor states_of(const Model& model, const RawRows& rows, const std::string& file);

class Built final {
 public:
  Built(Model model, torch::Device device);

  const Model& model() const { return model_; }
  const Layout& layout() const { return layout_; }
  const Process& process() const { return *process_; }
  const diffusion::ScoreNet& net() const { return *net_; }
  torch::Tensor& flat() { return flat_; }
  const torch::Tensor& flat() const { return flat_; }
  NetDenoiser denoiser() const { return {*process_, *net_, Parameters(layout_, flat_)}; }

  void start();
  void save(const std::filesystem::path& file) const;
  void load(const std::filesystem::path& file);

 private:
  Model model_;
  torch::TensorOptions options_;
  std::unique_ptr<Process> process_;
  Layout layout_;
  std::unique_ptr<diffusion::ScoreNet> net_;
  torch::Tensor flat_;
};

// A trained model of a folder. Throws Error.
std::unique_ptr<Built> open_model(const std::filesystem::path& folder, torch::Device device);

}  // namespace kullback::deep::discrete
