#include "model/bridgestan_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.hpp"
#include "model/bridgestan_library.hpp"
#include "model/bridgestan_outputs.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;

namespace {

// "mu,theta.1,theta.2": consecutive names up to the first point are one block.
std::vector<density::Block> blocks_of(const std::vector<std::string>& names) {
  std::vector<density::Block> blocks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i].substr(0, names[i].find('.'));
    if (blocks.empty() || blocks.back().name != name) blocks.push_back({name, i, 0});
    ++blocks.back().size;
  }
  return blocks;
}

}  // namespace

BridgeStanModel::~BridgeStanModel() = default;

BridgeStanModel::BridgeStanModel(const std::string& library, const std::string& data,
                                 BridgeStanOptions options)
    : path_(library), options_(options), library_(std::make_shared<const BridgeStanLibrary>(library)) {
  char* error = nullptr;
  void* model = library_->construct(data.empty() ? nullptr : data.c_str(), options.seed, &error);
  if (model == nullptr) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the model does not accept its data: {}", path_, library_->take(error)));
  }
  model_ = {model, [lib = library_](void* m) { lib->destruct(m); }};
  const int dim = library_->param_unc_num(model);
  if (dim < 0) throw Error(ErrorKind::bad_input, fmt::format("{}: it has {} parameters.", path_, dim));
  dim_ = static_cast<std::size_t>(dim);
  const std::vector<std::string> names = split_at_commas(library_->param_unc_names(model));
  if (names.size() != dim_) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: it has {} unconstrained parameters, but names {}.",
                                                  path_, dim_, names.size()));
  }
  blocks_ = blocks_of(names);
  theta_.resize(dim_);
  gradient_.resize(dim_);
}

BridgeStanModel::BridgeStanModel(const BridgeStanModel& other)
    : LogDensity(other),
      path_(other.path_),
      options_(other.options_),
      library_(other.library_),
      model_(other.model_),
      dim_(other.dim_),
      blocks_(other.blocks_),
      theta_(other.dim_),
      gradient_(other.dim_) {}

std::unique_ptr<density::LogDensity> BridgeStanModel::clone() const {
  if (!library_->has_threads(model_.get())) return nullptr;
  return std::unique_ptr<BridgeStanModel>(new BridgeStanModel(*this));
}

void BridgeStanModel::evaluate(const Batch& batch) {
  message_.clear();
  const bool propto = !options_.normalized;
  for (std::size_t lane = 0; lane < batch.lanes; ++lane) {
    for (std::size_t i = 0; i < dim_; ++i) theta_[i] = batch.theta[i * batch.lanes + lane];
    double& value = batch.log_density[lane];
    char* error = nullptr;
    const int code =
        batch.gradient == nullptr
            ? library_->log_density(model_.get(), propto, options_.jacobian, theta_.data(), &value, &error)
            : library_->log_density_gradient(model_.get(), propto, options_.jacobian, theta_.data(), &value,
                                             gradient_.data(), &error);
    if (code != 0) {
      message_ = library_->take(error);
      value = -std::numeric_limits<double>::infinity();
      gradient_.assign(dim_, std::numeric_limits<double>::quiet_NaN());
      batch.status[lane] = Status::rejected;
    } else if (std::isfinite(value)) {
      batch.status[lane] = Status::ok;
    } else {
      message_ = fmt::format("the log density is {}", value);
      batch.status[lane] = Status::not_finite;
    }
    if (batch.gradient == nullptr) continue;
    for (std::size_t i = 0; i < dim_; ++i) batch.gradient[i * batch.lanes + lane] = gradient_[i];
  }
}

std::string BridgeStanModel::name() const { return library_->name(model_.get()); }

std::unique_ptr<OutputWriter> BridgeStanModel::outputs() const {
  return std::make_unique<BridgeStanOutputs>(path_, library_, model_);
}

std::vector<std::string> BridgeStanModel::param_names() const {
  return split_at_commas(library_->param_names(model_.get(), false, false));
}

std::vector<double> BridgeStanModel::constrain(const std::vector<double>& theta) const {
  std::vector<double> params(static_cast<std::size_t>(library_->param_num(model_.get(), false, false)));
  char* error = nullptr;
  if (library_->param_constrain(model_.get(), false, false, theta.data(), params.data(), nullptr, &error) !=
      0)
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", path_, library_->take(error)));
  return params;
}

}  // namespace kullback::model
