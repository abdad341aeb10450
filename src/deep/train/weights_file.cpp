#include "deep/train/weights_file.hpp"

#include "base/error.hpp"
#include "base/filled.hpp"
#include "deep/train/safetensors.hpp"

namespace kullback::deep {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, filled("{}: {}.", file.string(), what),
              "The file belongs to another model; train again, or restore both files.");
}

}  // namespace

void save_parameters(const std::filesystem::path& file, const std::string& format, const Layout& layout,
                     const Parameters& parameters) {
  TensorFile tensors;
  tensors.metadata = {{"format", format}};
  for (std::size_t i = 0; i < layout.slots().size(); ++i)
    tensors.tensors.emplace_back(layout.slots()[i].name, parameters[i].squeeze(0).cpu().contiguous());
  write_safetensors(file, tensors);
}

void load_parameters(const std::filesystem::path& file, const Layout& layout, const Parameters& parameters) {
  const torch::NoGradGuard no_gradient;
  const TensorFile tensors = read_safetensors(file);
  for (std::size_t i = 0; i < layout.slots().size(); ++i) {
    const std::string& name = layout.slots()[i].name;
    const torch::Tensor* found = tensors.find(name);
    if (found == nullptr) refuse(file, filled("has no '{}', which the model needs", name));
    if (found->sizes() != parameters[i].squeeze(0).sizes())
      refuse(file, filled("is of another network: its '{}' has {} numbers, and {} are needed", name,
                          found->numel(), parameters[i].numel()));
    parameters[i].squeeze(0).copy_(*found);
  }
}

}  // namespace kullback::deep
