#include "deep/train/weights_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kullback::deep {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}.", file.string(), what),
              "The file belongs to another model; train again, or restore both files.");
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text.empty() ? "one number" : text;
}

}  // namespace

void take_tensor(const std::filesystem::path& file, const TensorFile& tensors, const std::string& name,
                 const torch::Tensor& into, const std::string& what) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor* found = tensors.find(name);
  if (found == nullptr) refuse(file, fmt::format("has no '{}', which the model needs", name));
  if (found->sizes() != into.sizes())
    refuse(file, fmt::format("is of another {}: its '{}' is {}, and {} is needed", what, name,
                             shape_text(found->sizes()), shape_text(into.sizes())));
  into.copy_(*found);
}

void save_parameters(const std::filesystem::path& file, const std::string& format, const Layout& layout,
                     const Parameters& parameters) {
  TensorFile tensors;
  tensors.metadata = {{"format", format}};
  for (std::size_t i = 0; i < layout.slots().size(); ++i)
    tensors.tensors.emplace_back(layout.slots()[i].name, parameters[i].squeeze(0).cpu().contiguous());
  write_safetensors(file, tensors);
}

void load_parameters(const std::filesystem::path& file, const Layout& layout, const Parameters& parameters) {
  const TensorFile tensors = read_safetensors(file);
  for (std::size_t i = 0; i < layout.slots().size(); ++i)
    take_tensor(file, tensors, layout.slots()[i].name, parameters[i].squeeze(0), "network");
}

}  // namespace kullback::deep
