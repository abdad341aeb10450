#include "deep/diffusion/fit/restore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/random.hpp"
#include "data/source.hpp"
#include "deep/data/as_numbers.hpp"
#include "deep/data/idx.hpp"
#include "deep/data/npy.hpp"
#include "deep/data/number_files.hpp"
#include "deep/purpose.hpp"

namespace kullback::deep::diffusion {

namespace {

struct Table {
  torch::Tensor numbers;           // [rows, columns]
  std::vector<std::string> names;  // empty: it has none
};

Table read_table(const std::filesystem::path& file) {
  if (is_npy(file) || is_idx(file)) return {read_numbers(file), {}};
  data::SourceRequest request;
  request.paths = {file};
  request.takes_missing = true;
  request.takes_categories = true;  // columns of text may stand beside
  request.only_text_is_category = true;
  const auto source = data::open_source(request);
  const data::Batch& batch = *source->in_memory();
  torch::Tensor numbers = torch::empty(
      {static_cast<std::int64_t>(batch.units), static_cast<std::int64_t>(batch.columns)}, torch::kFloat64);
  std::copy(batch.values.begin(), batch.values.end(), numbers.data_ptr<double>());
  return {numbers, source->shape().names};
}

// The model's columns among those of a table; NaN for those that are not there. Undefined where none is.
torch::Tensor by_name(const Table& table, const std::vector<std::string>& wanted) {
  std::vector<torch::Tensor> columns;
  bool has_any = false;
  for (const std::string& name : wanted) {
    const auto at = std::find(table.names.begin(), table.names.end(), name);
    has_any = has_any || at != table.names.end();
    columns.push_back(at != table.names.end()
                          ? table.numbers.select(1, at - table.names.begin())
                          : torch::full({table.numbers.size(0)}, std::numeric_limits<double>::quiet_NaN(),
                                        torch::kFloat64));
  }
  return has_any ? at::stack(columns, 1) : torch::Tensor();
}

Units units_of(const Built& built) {
  const std::int64_t dims = built.model().dims;
  const torch::Tensor center = built.in_own_units(torch::zeros({1, dims}, torch::kFloat64));
  const torch::Tensor scale = built.in_own_units(torch::ones({1, dims}, torch::kFloat64)) - center;
  return {center.flatten().to(built.options()), scale.flatten().to(built.options())};
}

RestoredRow in_own_units(const Built& built, const Restored& found, std::int64_t count) {
  const Average first = average(found, found.x),
                second = average(found, (found.x - first.value.to(found.x.options())).square());
  const torch::Tensor own = built.in_own_units(first.value.unsqueeze(0)).flatten();
  const torch::Tensor scale = units_of(built).scale.to(torch::kCPU, torch::kFloat64);
  RestoredRow row{.draws = built.in_own_units(equal_draws(found, count)),
                  .mean = own,
                  .sd = scale * second.value.sqrt(),
                  .mean_error = scale * first.error,
                  .least_ess = found.least_ess,
                  .last_ess = found.last_ess,
                  .acceptance = found.acceptance,
                  .step_size = found.step_size};
  if (found.log_evidence.defined()) row.evidence = evidence_of(found);
  return row;
}

// The activations of so many images still fit into a CPU's cache; of so many rows into memory.
constexpr std::int64_t kImagesOnCpu = 32, kImages = 256, kRows = 4096;

std::int64_t rows_at_once(const Built& built) {
  if (!built.model().is_image()) return kRows;
  return built.options().device().is_cpu() ? kImagesOnCpu : kImages;
}

// The score given one label, or none, for any number of rows, a piece at a time.
class OneLabelScore final : public Score {
 public:
  OneLabelScore(const Built& built, const RestoreRequest& request) : built_(built), request_(request) {}

  std::int64_t dims() const override { return built_.model().dims; }
  torch::Tensor at(const torch::Tensor& state, const torch::Tensor& t) const override {
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor& piece : state.split(rows_at_once(built_)))
      parts.push_back(of_size(piece.size(0)).at(piece, t));
    return parts.size() == 1 ? parts.front() : at::cat(parts);
  }

 private:
  const LearnedScore& of_size(std::int64_t rows) const {
    std::unique_ptr<LearnedScore>& found = by_size_[rows];
    if (!found) found = built_.score(labels(rows), request_.guidance);
    return *found;
  }
  torch::Tensor labels(std::int64_t rows) const {
    const std::int64_t labels = built_.model().labels();
    if (labels == 0) return {};
    if (!request_.label) return torch::zeros({rows, labels}, built_.options());
    return one_hot(torch::full({rows}, *request_.label, built_.options().dtype(torch::kInt64)), labels,
                   built_.options());
  }

  const Built& built_;
  const RestoreRequest& request_;
  mutable std::map<std::int64_t, std::unique_ptr<LearnedScore>> by_size_;
};

}  // namespace

RowShape row_shape_of(const Model& model) {
  return model.is_image() ? row_of(model.image) : row_of(model.dims);
}

torch::Tensor read_observed(const Model& model, const Operator& operation,
                            const std::filesystem::path& file) {
  const Table table = read_table(file);
  const std::int64_t needed = operation.gives().size;
  const bool is_alike = needed == model.dims && operation.gives().is_image() == model.is_image();
  if (is_alike && !table.names.empty() && !model.names.empty()) {
    const torch::Tensor found = by_name(table, model.names);
    if (found.defined()) return found;
  }
  const torch::Tensor& numbers = table.numbers;
  // A single row, as a vector or as an image.
  const bool is_one = numbers.numel() == needed && (numbers.dim() != 2 || numbers.size(1) != needed);
  const torch::Tensor rows = is_one ? numbers.reshape({1, -1}) : numbers.flatten(1);
  if (numbers.dim() < 2 && !is_one)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has {} numbers; the operator gives {}.", file.string(), numbers.numel(),
                            shape_text(operation.gives())),
                "Give a matrix with a row for each observation.");
  if (rows.size(1) != needed)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has rows of {} numbers; the operator gives {}.", file.string(), rows.size(1),
                            shape_text(operation.gives())),
                "Give what was observed in that shape, in the data's units.");
  return rows;
}

RestoredRows restore_rows(const Built& built, const Operator& operation, const torch::Tensor& observed,
                          const RestoreRequest& request) {
  const Model& model = built.model();
  if (request.guidance != 0 && !request.label)
    throw Error(ErrorKind::usage, "--guidance is for conditional models with a --label.", "Leave it out.");
  refuse_velocity(built.sde());
  const auto method = make_method(request.method, request.method_options);
  const Units units = units_of(built);
  RestoredRows result;
  result.at_once = method->rows(request.count);
  const OneLabelScore score(built, request);
  RestoreOptions options{.count = request.count,
                         .end_noise = request.end_noise,
                         .grid = model.sde.name == "ladder" ? Grid::uniform : Grid::log_ratio,
                         .at_once = rows_at_once(built),
                         .should_stop = request.should_stop};
  for (std::int64_t row = 0; row < observed.size(0); ++row) {
    Random random(model.seed, static_cast<std::uint32_t>(row),
                  static_cast<std::uint32_t>(Purpose::prediction), static_cast<std::uint32_t>(request.seed));
    at::manual_seed(random());
    const Measurement measurement(operation, units, observed[row], request.noise_sd);
    options.on_step = [&](std::int64_t done, std::int64_t steps) {
      if (request.on_step) request.on_step(row, done, steps);
    };
    const Restored found = method->run(built.sde(), score, measurement, options);
    result.evaluations = found.evaluations * (request.guidance != 0 ? 2 : 1);
    result.is_interrupted = found.is_interrupted;
    if (result.is_interrupted) break;
    result.rows.push_back(in_own_units(built, found, request.count));
    result.rows.back().seen = measurement.seen();
  }
  return result;
}

}  // namespace kullback::deep::diffusion
