#include "deep/vae/fit/prepare.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

bool is_binary(const torch::Tensor& x) { return ((x == 0).logical_or(x == 1)).all().item<bool>(); }

std::string column_name(const VaeModel& model, std::int64_t column) {
  const auto i = static_cast<std::size_t>(column);
  return i < model.names.size() ? fmt::format("column '{}'", model.names[i])
                                : fmt::format("pixel {}", column + 1);
}

void check_unit_range(const VaeModel& model, const RawRows& rows, const std::string& file) {
  const torch::Tensor outside = at::nonzero(((rows.x < 0).logical_or(rows.x > 1)).any(0));
  if (outside.size(0) == 0) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} has numbers outside 0 to 1, which a {} decoder cannot explain.", file,
                          column_name(model, outside[0][0].item<std::int64_t>()), model.decoder.name),
              "Give --decoder gaussian, or --image HEIGHTxWIDTH for levels from 0 to 255.");
}

// Columns to mean 0 and sd 1; one that does not vary is only centered.
void learn_scales(VaeModel& model, const torch::Tensor& x) {
  const torch::Tensor center = x.mean(0), sd = x.std(0, false);
  const torch::Tensor safe = at::where(sd > 0, sd, torch::ones_like(sd)).contiguous();
  const auto list = [](const torch::Tensor& numbers) {
    const torch::Tensor here = numbers.contiguous();
    return std::vector<double>(here.data_ptr<double>(), here.data_ptr<double>() + here.numel());
  };
  model.center = list(center);
  model.sd = list(safe);
}

}  // namespace

void fit_model_to_rows(VaeModel& model, const RawRows& rows, const torch::Tensor& train, bool is_conditional,
                       const GivenTexts& decoder_options, const RowsRequest& request) {
  const std::string file = request.paths.front().string();
  VaeSpec& spec = model.spec;
  spec.pixels = rows.x.size(1);
  spec.channels = rows.image.channels;
  spec.height = rows.image.height;
  spec.width = rows.image.width;
  if (spec.architecture == Architecture::conv && !spec.is_image())
    throw Error(ErrorKind::usage, "--architecture conv needs images, and these rows are not.",
                "Say how large the images are with --image 28x28, or choose --architecture mlp or residual.");
  model.names = rows.names;
  model.label_column = rows.names.empty() ? "" : request.labels;
  model.label_names = rows.label_names;
  if (is_conditional) {
    if (!rows.label.defined())
      throw Error(ErrorKind::usage, "--conditional needs labels.", "Name them with --labels.");
    spec.labels = static_cast<std::int64_t>(rows.label_names.size());
  }
  model.has_levels = rows.x.scalar_type() == torch::kUInt8;
  if (model.decoder.name == "auto")
    model.decoder.name = model.has_levels || spec.is_image() || is_binary(rows.x) ? "bernoulli" : "gaussian";
  const DecoderLikelihoodRecord& decoder = decoder_named(model.decoder.name);
  model.decoder.options = read_options(decoder.options, decoder_options, "--decoder " + model.decoder.name);
  if (model.has_levels) return;
  if (decoder.needs_unit_range) {
    check_unit_range(model, rows, file);
  } else if (!spec.is_image()) {
    learn_scales(model, rows.x.index_select(0, train));
  }
}

void check_rows(const VaeModel& model, const RawRows& rows, const std::string& file) {
  if (rows.x.size(1) != model.spec.pixels)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has rows of {} numbers; the model was trained on {}.", file, rows.x.size(1),
                            model.spec.pixels),
                "Give data of the kind it was trained on.");
  const bool has_levels = rows.x.scalar_type() == torch::kUInt8;
  if (!has_levels && decoder_named(model.decoder.name).needs_unit_range) check_unit_range(model, rows, file);
  if (model.spec.labels > 0 && !rows.label.defined())
    throw Error(ErrorKind::usage, "the model is conditional: it needs the labels of the rows.",
                "Name them with --labels.");
}

}  // namespace kullback::deep
