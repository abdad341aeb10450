#include "deep/bnn/fit/network.hpp"

#include <torch/cuda.h>

#ifdef KULLBACK_CUDA
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/nearest_name.hpp"
#include "deep/part.hpp"
#include "deep/train/safetensors.hpp"

namespace kullback::deep {

namespace {

constexpr const char* kFormat = "kullback-bnn-1";

template <class Record>
const Record& find_record(std::span<const Record* const> records, const std::string& name,
                          const std::string& what) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Record* record : records) {
    if (record->name == name) return *record;
    names.push_back(record->name);
    all += (all.empty() ? "" : ", ") + std::string(record->name);
  }
  const std::string_view near = nearest_name(name, names);
  throw Error(ErrorKind::usage, fmt::format("there is no {} '{}'.", what, name),
              near.empty() ? "Known are: " + all + "." : fmt::format("Did you mean '{}'?", near));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return shape.empty() ? "1" : text;
}

Net add_net(const Network& network, Layout& layout, std::int64_t outputs) {
  const Preparation& preparation = network.preparation;
  if (network.architecture == NetworkShape::conv) {
    const ImageShape& image = preparation.image.shape;
    return conv_net(layout, "net",
                    {.channels = image.channels,
                     .height = image.height,
                     .width = image.width,
                     .filters = network.filters,
                     .kernel = network.kernel,
                     .hidden = network.hidden,
                     .outputs = outputs,
                     .activation = network.activation});
  }
  return mlp(layout, "net",
             {.inputs = preparation.inputs(),
              .hidden = network.hidden,
              .outputs = outputs,
              .activation = network.activation,
              .is_residual = network.is_residual});
}

std::unique_ptr<BayesNet> build_net(const Network& network) {
  const LikelihoodRecord& likelihood = likelihood_named(network.likelihood);
  const PriorRecord& prior = prior_named(network.prior);
  const Preparation& preparation = network.preparation;
  return std::make_unique<BayesNet>(
      [&](Layout& layout, std::int64_t outputs) {
        Net net = add_net(network, layout, outputs);
        if (network.precision == Precision::bf16) net.use_bfloat16();
        return net;
      },
      likelihood.make({.classes = static_cast<std::int64_t>(preparation.classes.size()),
                       .noise = network.noise / preparation.target_sd}),
      prior.make(network.prior_options));
}

void check_precision(const Network& network) {
  const PosteriorRecord& posterior = posterior_named(network.posterior);
  const bool is_exact = network.precision == Precision::float32 || network.precision == Precision::float64;
  if (is_exact || posterior.suits_short_products) return;
  throw Error(ErrorKind::usage,
              fmt::format("--precision {} is not safe with --posterior {}: {}.",
                          text_of(kPrecision, network.precision), network.posterior,
                          posterior.needs_all_rows ? "its energies must be exact for proposals to be accepted"
                                                   : "its curvature would be that of rounded products"),
              "Give --precision float32.");
}

[[noreturn]] void refuse_weights(const std::filesystem::path& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, file.string() + ": " + what + ".",
              "Put the weights back that were trained with the network.json beside them, or train again.");
}

}  // namespace

const LikelihoodRecord& likelihood_named(const std::string& name) {
  return find_record(likelihoods(), name, "likelihood");
}
const PriorRecord& prior_named(const std::string& name) { return find_record(priors(), name, "prior"); }
const PosteriorRecord& posterior_named(const std::string& name) {
  return find_record(posteriors(), name, "posterior");
}

std::string to_json(const Network& network) {
  std::string text = "{\n";
  const auto add = [&](const char* name, const std::string& json) {
    text += fmt::format("  \"{}\": {},\n", name, json);
  };
  add("format", json_string(kFormat));
  add("architecture", json_string(text_of(kNetworkShape, network.architecture)));
  if (network.architecture == NetworkShape::conv) {
    add("filters", json_counts(network.filters));
    add("kernel", std::to_string(network.kernel));
  }
  add("hidden", json_counts(network.hidden));
  add("activation", json_string(text_of(kReluActivation, network.activation)));
  add("residual", network.is_residual ? "true" : "false");
  add("likelihood", json_string(network.likelihood));
  add("noise", fmt::format("{}", network.noise));
  add("prior", json_string(network.prior));
  add("prior_options", json_options(prior_named(network.prior).options, network.prior_options));
  add("posterior", json_string(network.posterior));
  add("posterior_options",
      json_options(posterior_named(network.posterior).options, network.posterior_options));
  add("members", std::to_string(network.members));
  add("draws", std::to_string(network.draws));
  add("train_rows", std::to_string(network.train_rows));
  add("precision", json_string(text_of(kPrecision, network.precision)));
  add("seed", std::to_string(network.seed));
  return text + "  \"data\": " + to_json(network.preparation, "  ") + "\n}\n";
}

Network read_network(const std::filesystem::path& file) {
  const JsonValue value = parse_json(read_file(file), file.string(),
                                     "The file was written by another program, or is damaged; train again.");
  const JsonFields json(value, file.string());
  if (json.text("format") != kFormat) json.refuse("format", fmt::format("'{}'", kFormat));
  Network network;
  network.preparation = read_preparation(json.object("data"));
  network.architecture = read_choice(json, kNetworkShape);
  if (network.architecture == NetworkShape::automatic) json.refuse("architecture", "'mlp' or 'conv'");
  if (network.architecture == NetworkShape::conv) {
    network.filters = json.counts("filters");
    network.kernel = static_cast<std::int64_t>(json.count("kernel"));
    if (network.kernel % 2 == 0) json.refuse("kernel", "odd");
    if (!network.preparation.image.exists()) json.refuse("architecture", "'mlp', as the data are no images");
  }
  network.hidden = json.counts("hidden");
  network.activation = read_choice(json, kReluActivation);
  network.is_residual = json.flag("residual");
  network.likelihood = json.text("likelihood");
  network.noise = json.number("noise");
  network.prior = json.text("prior");
  network.prior_options = read_options(json, "prior_options", prior_named(network.prior).options);
  network.posterior = json.text("posterior");
  network.posterior_options =
      read_options(json, "posterior_options", posterior_named(network.posterior).options);
  network.members = static_cast<std::int64_t>(json.count("members"));
  network.draws = static_cast<std::int64_t>(json.count("draws"));
  network.train_rows = static_cast<std::int64_t>(json.count("train_rows"));
  network.precision = read_choice(json, kPrecision);
  network.seed = json.count("seed");
  return network;
}

BuiltNetwork::BuiltNetwork(Network network, torch::Device device, const NetPart& nets)
    : network_(std::move(network)),
      options_(torch::TensorOptions().device(device).dtype(type_of_precision(network_.precision))) {
  check_precision(network_);
  use_products_of(network_.precision);
  net_ = build_net(network_);
  const PosteriorRecord& record = posterior_named(network_.posterior);
  posterior_ = record.make(*net_, network_.posterior_options,
                           {.nets = nets.is_all() ? network_.members : nets.count,
                            .all_rows = network_.train_rows,
                            .seed = network_.seed,
                            .options = options_,
                            .first_net = nets.first,
                            .all_nets = network_.members});
}

std::string BuiltNetwork::architecture() const {
  std::string text = fmt::format("{} x {}", network_.members, network_.posterior);
  for (const Slot& slot : net_->layout().slots())
    text += fmt::format("; {} {}", slot.name, shape_text(slot.shape));
  return text;
}

void BuiltNetwork::save(const std::filesystem::path& file) {
  TensorFile tensors;
  tensors.metadata = {{"format", kFormat}, {"architecture", architecture()}};
  posterior_->visit([&](const std::string& name, torch::Tensor& tensor) {
    tensors.tensors.emplace_back("state." + name, tensor);
  });
  const Parameters center = net_->split(posterior_->center());
  for (std::size_t i = 0; i < net_->layout().slots().size(); ++i)
    tensors.tensors.emplace_back("center." + net_->layout().slots()[i].name, center[i]);
  write_safetensors(file, tensors);
}

void BuiltNetwork::load(const std::filesystem::path& file) {
  const torch::NoGradGuard no_gradient;
  const TensorFile tensors = read_safetensors(file);
  for (const Slot& slot : net_->layout().slots()) {
    const torch::Tensor* found = tensors.find("center." + slot.name);
    if (found == nullptr)
      refuse_weights(file, fmt::format("has no '{}', which the network needs", slot.name));
    std::vector<std::int64_t> needed = {network_.members};
    needed.insert(needed.end(), slot.shape.begin(), slot.shape.end());
    if (found->sizes() != at::IntArrayRef(needed))
      refuse_weights(file, fmt::format("is of another network: its '{}' is {}, and {} is needed", slot.name,
                                       shape_text(found->sizes().vec()), shape_text(needed)));
  }
  const auto architecture = tensors.metadata.find("architecture");
  if (architecture == tensors.metadata.end() || architecture->second != this->architecture())
    refuse_weights(file, "is of another network or posterior");
  posterior_->visit([&](const std::string& name, torch::Tensor& tensor) {
    const torch::Tensor* found = tensors.find("state." + name);
    if (found == nullptr) refuse_weights(file, fmt::format("has no 'state.{}'", name));
    if (found->scalar_type() != tensor.scalar_type() || found->dim() != tensor.dim())
      refuse_weights(file, fmt::format("has a 'state.{}' of another kind", name));
    if (found->sizes() == tensor.sizes()) {
      tensor.copy_(*found);
    } else {
      tensor = found->to(tensor.device());
    }
  });
}

torch::Device device_of(DeviceKind kind, const Ranks& ranks) {
  const bool has_cuda = torch::cuda::is_available();
  if (kind == DeviceKind::cuda && !has_cuda)
    throw Error(ErrorKind::usage, "--device is cuda, but there is no CUDA device here.",
                "Leave --device out, or give --device cpu.");
  if (kind == DeviceKind::cpu || !has_cuda) return torch::kCPU;
#ifdef KULLBACK_CUDA
  const int index = ranks.local_rank() % static_cast<int>(torch::cuda::device_count());
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(index));
  return torch::Device(torch::kCUDA, static_cast<c10::DeviceIndex>(index));
#else
  static_cast<void>(ranks);
  return torch::kCUDA;
#endif
}

}  // namespace kullback::deep
