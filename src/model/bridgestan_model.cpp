// The interface is that of bridgestan.h, version 2 (Roualdes, Ward, Carpenter, Seyboldt, Axen: BridgeStan,
// JOSS 2023); its declarations are repeated here, so that nothing of BridgeStan is needed to build.
#include "model/bridgestan_model.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/error.hpp"

namespace kullback::model {

using density::Batch;
using density::Status;

namespace {

constexpr int kInterfaceVersion = 2;

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return parts;
}

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

void discard(const char*, std::size_t) {}

void check_file(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::missing_file, fmt::format("{}: no such file.", path),
                "BridgeStan makes it from model.stan with 'make model_model.so'.");
  }
  if (std::filesystem::is_directory(status))
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected a shared library, found a folder.", path));
}

}  // namespace

struct BridgeStanModel::Library {
  void* (*construct)(const char* data, unsigned seed, char** error);
  void (*destruct)(void* model);
  void (*free_error)(char* error);
  const char* (*name)(const void* model);
  const char* (*info)(const void* model);
  const char* (*param_names)(const void* model, bool transformed, bool generated);
  const char* (*param_unc_names)(const void* model);
  int (*param_num)(const void* model, bool transformed, bool generated);
  int (*param_unc_num)(const void* model);
  int (*param_constrain)(const void* model, bool transformed, bool generated, const double* theta,
                         double* params, void* random, char** error);
  int (*log_density)(const void* model, bool propto, bool jacobian, const double* theta, double* value,
                     char** error);
  int (*log_density_gradient)(const void* model, bool propto, bool jacobian, const double* theta,
                              double* value, double* gradient, char** error);

  explicit Library(const std::string& path);

  std::string take(char* error) const {
    if (error == nullptr) return "no reason given";
    std::string text = error;
    free_error(error);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
  }
};

// Never unloaded: threads of the library (TBB's) may outlive the last model.
BridgeStanModel::Library::Library(const std::string& path) {
  check_file(path);
  void* handle = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: this file cannot be loaded as a shared library: {}.", path, dlerror()),
                "It must be made for this kind of machine, and the libraries it names must be installed.");
  }
  const auto* version = static_cast<const int*>(dlsym(handle, "bs_major_version"));
  if (version == nullptr) {
    const bool old = dlsym(handle, "bs_construct") != nullptr;
    throw Error(ErrorKind::bad_input,
                old ? fmt::format("{}: BridgeStan 1 made this library; its interface is another one.", path)
                    : fmt::format("{}: this shared library does not have BridgeStan's interface: there is no "
                                  "'bs_major_version'.",
                                  path),
                "Compile the model with BridgeStan 2.");
  }
  if (*version != kInterfaceVersion) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: its interface has version {}; this program knows version {}.", path,
                            *version, kInterfaceVersion));
  }
  const auto find = [&](const char* symbol, auto& function) {
    void* found = dlsym(handle, symbol);
    if (found == nullptr) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: the function '{}' of BridgeStan's interface is missing.", path, symbol),
                  "Compile the model again with BridgeStan 2.");
    }
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find("bs_model_construct", construct);
  find("bs_model_destruct", destruct);
  find("bs_free_error_msg", free_error);
  find("bs_name", name);
  find("bs_model_info", info);
  find("bs_param_names", param_names);
  find("bs_param_unc_names", param_unc_names);
  find("bs_param_num", param_num);
  find("bs_param_unc_num", param_unc_num);
  find("bs_param_constrain", param_constrain);
  find("bs_log_density", log_density);
  find("bs_log_density_gradient", log_density_gradient);
  using SetPrint = int (*)(void (*)(const char*, std::size_t), char**);
  if (void* set_print = dlsym(handle, "bs_set_print_callback")) {
    char* error = nullptr;
    if (reinterpret_cast<SetPrint>(set_print)(discard, &error) != 0)
      throw Error(ErrorKind::bad_input, fmt::format("{}: {}", path, take(error)));
  }
}

BridgeStanModel::~BridgeStanModel() = default;

BridgeStanModel::BridgeStanModel(const std::string& library, const std::string& data,
                                 BridgeStanOptions options)
    : path_(library), options_(options), library_(std::make_shared<const Library>(library)) {
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

// A model is immutable; without STAN_THREADS all models of a library share one autodiff stack.
std::unique_ptr<density::LogDensity> BridgeStanModel::clone() const {
  const std::string_view info = library_->info(model_.get());
  if (info.find("STAN_THREADS=true") == std::string_view::npos) return nullptr;
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
