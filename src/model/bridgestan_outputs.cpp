#include "model/bridgestan_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/bridgestan_library.hpp"

namespace kullback::model {

BridgeStanOutputs::~BridgeStanOutputs() = default;

BridgeStanOutputs::BridgeStanOutputs(std::string path, std::shared_ptr<const BridgeStanLibrary> library,
                                     std::shared_ptr<void> model)
    : path_(std::move(path)), library_(std::move(library)), model_(std::move(model)) {
  const auto count = [&](bool transformed, bool generated) {
    const int columns = library_->param_num(model_.get(), transformed, generated);
    if (columns < 0) throw Error(ErrorKind::bad_input, fmt::format("{}: it has {} columns.", path_, columns));
    return static_cast<std::size_t>(columns);
  };
  names_ = split_at_commas(library_->param_names(model_.get(), true, true));
  parameter_columns_ = count(false, false);
  generated_columns_begin_ = count(true, false);
  const std::size_t all = count(true, true);
  if (names_.size() != all || parameter_columns_ > generated_columns_begin_ ||
      generated_columns_begin_ > all) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: it names {} columns; {} are parameters, {} with transformed parameters, {} in all.",
                    path_, names_.size(), parameter_columns_, generated_columns_begin_, all));
  }
}

bool BridgeStanOutputs::write(const double* theta, Random& random, double* row) {
  message_.clear();
  char* error = nullptr;
  const auto seed = static_cast<unsigned>(random.below(std::uint64_t{1} << 32));
  const std::unique_ptr<void, void (*)(void*)> generator(library_->rng_construct(seed, &error),
                                                         library_->rng_destruct);
  if (generator != nullptr &&
      library_->param_constrain(model_.get(), true, true, theta, row, generator.get(), &error) == 0)
    return true;
  message_ = library_->take(error);
  std::fill_n(row, names_.size(), std::numeric_limits<double>::quiet_NaN());
  return false;
}

bool BridgeStanOutputs::write_params(const double* theta, double* row) {
  message_.clear();
  char* error = nullptr;
  if (library_->param_constrain(model_.get(), false, false, theta, row, nullptr, &error) == 0) return true;
  message_ = library_->take(error);
  std::fill_n(row, parameter_columns_, std::numeric_limits<double>::quiet_NaN());
  return false;
}

std::unique_ptr<OutputWriter> BridgeStanOutputs::clone() const {
  if (!library_->has_threads(model_.get())) return nullptr;
  return std::make_unique<BridgeStanOutputs>(path_, library_, model_);
}

}  // namespace kullback::model
